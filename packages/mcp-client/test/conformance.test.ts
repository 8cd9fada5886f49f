import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/conformance/${name}`, import.meta.url))
const suite = (name: string) => fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`))
/** The release, and the one to come, which knows revision 2026-07-28. */
const RELEASED = suite('conformance')
const NEXT = suite('conformance-next')

/** Runs one scenario of the official suite against a program that uses the built package. */
async function run(cli: string, scenario: string, ...more: readonly string[]): Promise<string> {
  const out = await mkdtemp(join(tmpdir(), 'ext-conformance-'))
  const command = `${process.execPath} ${fixture('client.mjs')}`
  const args = ['--import', fixture('on-node-20.mjs'), cli, 'client', '--command', command]
  try {
    // No list of expected failures: there are none.
    const ran = await promisify(execFile)(process.execPath, [...args, '--scenario', scenario, '-o', out, ...more])
    return ran.stdout + ran.stderr
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}

function verdict(output: string): string {
  return /Passed: .*/.exec(output)?.[0] ?? output.slice(-500)
}

// Alone, before all others: it measures time.
test('the official scenario sse-retry passes', async () => {
  expect(verdict(await run(RELEASED, 'sse-retry'))).toBe('Passed: 3/3, 0 failed, 0 warnings')
})

describe.concurrent('official scenarios of the revisions up to 2025-11-25, without those of signing in', () => {
  test.each([
    ['initialize', 1],
    ['tools_call', 1],
    ['elicitation-sep1034-client-defaults', 5],
  ] as const)('%s passes', async (scenario, checks) => {
    expect(verdict(await run(RELEASED, scenario))).toBe(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`)
  })
})

describe.concurrent('official scenarios of revision 2026-07-28, without those of signing in and of extensions', () => {
  test.each([
    ['tools_call', 2],
    ['request-metadata', 6],
    ['sep-2322-client-request-state', 5],
    ['http-standard-headers', 10],
    ['http-custom-headers', 18],
    ['http-invalid-tool-headers', 12],
    ['json-schema-ref-no-deref', 1],
    ['json-schema-2020-12-preservation', 9],
  ] as const)('%s passes', async (scenario, checks) => {
    const output = await run(NEXT, scenario, '--spec-version', '2026-07-28')
    expect(verdict(output)).toBe(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`)
  })
})
