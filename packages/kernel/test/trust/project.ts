import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { TrustSubject } from '../../src/trust/index.js'

/** A folder that is gone after the test, with these files. Its path is real. */
export function project(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ext-trust-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

/** A hook that runs a script. */
export function guard(root: string, script = 'guard.mjs', name = 'guard'): TrustSubject {
  return { kind: 'hooks', name, root, runs: { command: { file: 'node', args: [script] } } }
}
