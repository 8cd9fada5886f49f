import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Finds what Windows itself does not run: `.cmd` shims, as npm installs them, and scripts with a `#!` line. */
export function spawnOnWindows(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  // Loading it costs 10 ms, which the other platforms do not need to pay, and a start can't wait for an import.
  const require = createRequire(import.meta.url)
  const crossSpawn: typeof import('cross-spawn') = require('cross-spawn')
  return crossSpawn(file, args, options)
}

/** Ends a child with its descendants, while it lives: they are found by way of it. Windows knows no polite way. */
export function killTree(child: ChildProcess): void {
  // By its full path: a bare name would be looked for in the working folder first.
  const taskkill = join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe')
  const killer = spawn(taskkill, ['/PID', String(child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
  // The child itself goes whatever became of that.
  killer.on('error', () => child.kill())
  killer.on('exit', () => child.kill())
}
