import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Io } from '../../io.js'
import { packageFolder } from '../../package.js'

export type Shell = 'bash' | 'zsh' | 'fish'

/** Prints the script of a shell. It asks `ext complete`, so it need not be made anew for a new version. */
export async function printScript(shell: Shell, io: Io): Promise<number> {
  const text = await readFile(join(packageFolder, `assets/completion/ext.${shell}`), 'utf8')
  io.out(text.trimEnd())
  return 0
}
