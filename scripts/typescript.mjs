// TypeScript 7 by path: both it and TypeScript 6 (which tools need for its JS API) claim the bin name `tsc`.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** The type checker, to be run by node. */
export const typescriptBin = join(dirname(require.resolve('typescript7/package.json')), 'bin/tsc')

/** Runs the type checker in `cwd`; output goes to the terminal. Returns the exit code. */
export function typescript(args, cwd = process.cwd()) {
  return spawnSync(process.execPath, [typescriptBin, ...args], { cwd, stdio: 'inherit' }).status ?? 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(typescript(process.argv.slice(2)))
