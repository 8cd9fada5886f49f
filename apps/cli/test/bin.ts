import { spawn } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
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

export interface ExtOptions {
  readonly cwd?: string
  readonly home?: string
  /** A file that standard output goes to. */
  readonly stdout?: string
  readonly readsStderr?: boolean
  /** Standard input is a pipe that nobody writes into and nobody closes, as under many supervisors. Default: none. */
  readonly openStdin?: boolean
  /** Variables besides those that every child gets. */
  readonly env?: Readonly<Record<string, string>>
  /** What is done once standard output, or what is named, holds `after`: a signal is sent, or nobody reads on. */
  readonly interrupt?: {
    readonly after: RegExp
    readonly of?: 'stderr'
    readonly by: NodeJS.Signals | 'closing stdout'
    /** A second time, as impatient people do. */
    readonly again?: boolean
  }
}

/** Runs the built bin as its users do: a child process, its own home, no terminal. */
export async function ext(args: readonly string[], options: ExtOptions = {}) {
  const home = options.home ?? (await temporaryFolder())
  const command = [process.execPath, BIN, ...args] as const
  const [file, ...rest] = options.stdout
    ? (['sh', '-c', `"$@" > ${options.stdout}`, 'sh', ...command] as const)
    : command
  return new Promise<Ran>((resolve, reject) => {
    const child = spawn(file, rest, {
      cwd: options.cwd ?? home,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        TMPDIR: process.env['TMPDIR'],
        CANARY_SECRET: 'do-not-leak',
        ...options.env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    if (!options.openStdin) child.stdin.end()
    let stdout = ''
    let interrupted = false
    let stderr = ''
    const watch = (text: string) => {
      if (interrupted || !options.interrupt?.after.test(text)) return
      interrupted = true
      const { by, again } = options.interrupt
      if (by === 'closing stdout') {
        child.stdout.destroy()
        return
      }
      child.kill(by)
      if (again) setTimeout(() => child.kill(by), 200)
    }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      if (options.interrupt?.of === undefined) watch(stdout)
    })
    if (options.readsStderr === false) child.stderr.destroy()
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk
      if (options.interrupt?.of === 'stderr') watch(stderr)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Keys, and what is waited for before they are pressed. */
interface Press {
  readonly after: RegExp
  readonly keys: string
}

/**
 * Runs the bin at a terminal of 200 columns and presses keys once it shows `after`; then others, each once what has been
 * shown since then fits.
 * Needs `script` of util-linux; everything comes as standard output, unless that goes to a file of its own.
 */
export async function extAtTerminal(
  args: readonly string[],
  options: {
    cwd: string
    after: RegExp
    keys: string
    next?: readonly Press[]
    home?: string
  } & Pick<ExtOptions, 'env' | 'stdout'>,
) {
  const home = options.home ?? (await temporaryFolder())
  const command = `stty cols 200 rows 50; exec ${[process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ')}${options.stdout ? ` > '${options.stdout}'` : ''}`
  return new Promise<Ran>((resolve, reject) => {
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: options.cwd,
      env: { PATH: process.env['PATH'], HOME: home, TERM: 'xterm', SHELL: '/bin/sh', ...options.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let stdout = ''
    let seen = 0
    const presses: Press[] = [options, ...(options.next ?? [])]
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      const [press] = presses
      if (!press?.after.test(stdout.slice(seen))) return
      presses.shift()
      seen = stdout.length
      child.stdin.write(press.keys)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr: '' }))
  })
}

/** Whether the process runs that has written its id into this file; no if it has not got that far. */
export async function isAlive(pidFile: string): Promise<boolean> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''))
  // 0 would ask about this process itself.
  if (pid === 0) return false
  try {
    process.kill(pid, 0)
    // Without an init that collects it, a dead orphan stays as a zombie.
    return !/^\d+ \(.*\) Z/.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
  } catch {
    return false
  }
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
