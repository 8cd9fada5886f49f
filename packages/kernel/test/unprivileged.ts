import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const NOBODY = 65534

/** For children without privileges. Root may do everything, so its children are nobody; others are held back anyway. */
export const unprivileged: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** A Node that such a child may execute: one that npx fetched lies in the home folder of root. */
export async function nodeForEverybody(): Promise<string> {
  if (spawnSync(process.execPath, ['-e', '0'], unprivileged).status === 0) return process.execPath
  const folder = await mkdtemp(join(tmpdir(), 'kernel-node-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const node = join(folder, 'node')
  await copyFile(process.execPath, node)
  await chmod(folder, 0o755)
  await chmod(node, 0o755)
  return node
}
