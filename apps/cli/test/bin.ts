import { spawn } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const BIN = fileURLToPath(new URL('../bin/ext.js', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built bin as its users do: a child process, its own home, no terminal. */
export async function ext(
  args: readonly string[],
  options: { cwd?: string; home?: string; interruptAfter?: RegExp } = {},
) {
  const home = options.home ?? (await temporaryFolder())
  return new Promise<Ran>((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: options.cwd ?? home,
      env: { PATH: process.env['PATH'], HOME: home, TMPDIR: process.env['TMPDIR'], CANARY_SECRET: 'do-not-leak' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let interrupted = false
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      if (!interrupted && options.interruptAfter?.test(stdout)) interrupted = child.kill('SIGINT')
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Gone when the test is. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ext-test-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A copy of the demo's project, as `ext demo --keep` leaves it, before its first run. */
export async function demoProject(): Promise<string> {
  const { makeDemoProject } = await import('../src/demo/project.js')
  const folder = await makeDemoProject()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
