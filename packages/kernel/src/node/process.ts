import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { messageOf } from '../errors.js'
import type { Command, ProcessPort, ProcessRequest, ProcessResult, RunningProcess } from '../types.js'
import { MAX_TIMER_MS } from './clock.js'
import { killGroup } from './group.js'
import { OutputBuffer } from './output.js'

const DEFAULT_GRACE_MS = 1000
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024
/** How long pipes may stay open after the child is gone: a grandchild can hold them for ever. */
const DRAIN_MS = 100
/** How long after KILL a child may take to be gone. */
const UNKILLABLE_MS = 400

/** Real children, each the leader of a process group of its own. */
export function nodeProcess(): ProcessPort {
  return { run, start }
}

function spawnGroup(request: Pick<ProcessRequest, 'command' | 'cwd' | 'env'>): ChildProcessWithoutNullStreams {
  const { file, args } = toArgv(request.command)
  // `detached` makes the child the leader of a process group of its own, so that its children can be ended with it.
  const child = spawn(file, args, {
    cwd: request.cwd,
    env: request.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  // A host out of file handles gets a child without pipes; the `error` event with the reason comes later.
  if (!(child.stdin as unknown)) {
    child.on('error', () => {})
    throw new Error('the host has no file handles left')
  }
  // A pipe that breaks ends with its child, which says more about it.
  for (const stream of child.stdio) stream?.on('error', () => {})
  return child
}

function toArgv(command: Command): { readonly file: string; readonly args: readonly string[] } {
  if (!('shell' in command)) return command
  // Node's pipes are sockets, from which bash concludes that a remote shell runs it, and reads ~/.bashrc.
  const options = command.shell === 'bash' ? ['--noprofile', '--norc'] : []
  return { file: command.shell, args: [...options, '-c', command.script] }
}

function run(request: ProcessRequest): Promise<ProcessResult> {
  const started = performance.now()
  const { stdin = '', signal, graceMs = DEFAULT_GRACE_MS, maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES } = request
  const stdout = new OutputBuffer(maxOutputBytes)
  const stderr = new OutputBuffer(maxOutputBytes)
  const result = (outcome: ProcessResult['outcome'], details: Partial<ProcessResult> = {}): ProcessResult => ({
    outcome,
    exitCode: null,
    signal: null,
    stdout: stdout.text(),
    stderr: stderr.text(),
    stdoutBytes: stdout.received,
    stderrBytes: stderr.received,
    inputNotRead: false,
    ms: performance.now() - started,
    ...details,
  })
  if (signal?.aborted) return Promise.resolve(result('aborted'))

  return new Promise((resolve) => {
    let child: ChildProcessWithoutNullStreams
    try {
      child = spawnGroup(request)
    } catch (error) {
      // Bad arguments, for example a NUL in one of them, are thrown instead of emitted.
      resolve(result('cannot-start', { message: explainStart(error, request) }))
      return
    }
    let ending: 'timed-out' | 'aborted' | undefined
    let exited = false
    let settled = false
    const timers = new Set<NodeJS.Timeout>()
    const later = (ms: number, fn: () => void) => timers.add(setTimeout(fn, Math.min(ms, MAX_TIMER_MS)))

    const settle = (outcome: ProcessResult['outcome'], details: Partial<ProcessResult> = {}) => {
      if (settled) return
      settled = true
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      // Nothing of the group outlives the run: what the child left behind goes now.
      killGroup(child, 'SIGKILL')
      const inputNotRead = outcome !== 'cannot-start' && stdin !== '' && !child.stdin.writableFinished
      // Read no pipe after this: whoever left the group and still holds one must not keep the host busy or alive.
      for (const stream of child.stdio) stream?.destroy()
      resolve(result(outcome, { inputNotRead, ...details }))
    }
    const end = (reason: 'timed-out' | 'aborted') => {
      if (ending || exited) return
      ending = reason
      killGroup(child, 'SIGTERM')
      later(graceMs, () => killGroup(child, 'SIGKILL'))
      // A child in uninterruptible sleep does not even die of KILL; the host goes on without it.
      later(graceMs + UNKILLABLE_MS, () => settle(reason))
    }
    const onAbort = () => end('aborted')

    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.on('error', (error) => {
      if (child.pid === undefined) settle('cannot-start', { message: explainStart(error, request) })
    })
    child.on('exit', (code, endedBy) => {
      exited = true
      if (ending) killGroup(child, 'SIGKILL')
      const finish = () => settle(ending ?? 'ended', { exitCode: ending ? null : code, signal: endedBy })
      child.on('close', finish)
      later(DRAIN_MS, finish)
    })
    child.stdin.end(stdin)
    signal?.addEventListener('abort', onAbort, { once: true })
    later(request.timeoutMs, () => end('timed-out'))
  })
}

function explainStart(error: unknown, request: Pick<ProcessRequest, 'command' | 'cwd'>): string {
  const { file } = toArgv(request.command)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `\`${file}\` was not found, or the folder ${request.cwd} does not exist`
  if (code === 'EACCES') return `\`${file}\` may not be executed`
  if (code === 'ENOTDIR') return `${request.cwd} is not a folder`
  return messageOf(error)
}

function start(request: Pick<ProcessRequest, 'command' | 'cwd' | 'env'>): RunningProcess {
  let child: ChildProcessWithoutNullStreams
  try {
    child = spawnGroup(request)
  } catch (error) {
    return notStarted(explainStart(error, request))
  }
  let gone = false
  const exited = new Promise<Awaited<RunningProcess['exited']>>((resolve) => {
    child.on('error', (error) => {
      if (child.pid !== undefined) return
      gone = true
      resolve({ exitCode: null, signal: null, message: explainStart(error, request) })
    })
    child.on('exit', (exitCode, signal) => {
      gone = true
      // A server that died must not leave its own children running.
      killGroup(child, 'SIGKILL')
      // Its last words can still be in the pipes.
      const drained = setTimeout(() => resolve({ exitCode, signal }), DRAIN_MS)
      child.on('close', () => {
        clearTimeout(drained)
        resolve({ exitCode, signal })
      })
    })
  })
  // A child that fills a pipe nobody reads would stand still.
  child.stderr.resume()
  return {
    pid: child.pid,
    exited,
    // A write that waits while its stream is destroyed is called back without an error.
    write: (data) =>
      new Promise((resolve) => child.stdin.write(data, (error) => resolve(!error && !child.stdin.destroyed))),
    onStdout: (listener) => void child.stdout.on('data', listener),
    onStderr: (listener) => void child.stderr.on('data', listener),
    async stop({ waitMs = 500, graceMs = DEFAULT_GRACE_MS } = {}) {
      child.stdin.end()
      if (!gone) await within(waitMs, exited)
      if (!gone) {
        killGroup(child, 'SIGTERM')
        await within(graceMs, exited)
      }
      if (!gone) killGroup(child, 'SIGKILL')
      await exited
      for (const stream of child.stdio) stream?.destroy()
    },
  }
}

function notStarted(message: string): RunningProcess {
  return {
    pid: undefined,
    exited: Promise.resolve({ exitCode: null, signal: null, message }),
    write: async () => false,
    onStdout: () => {},
    onStderr: () => {},
    stop: async () => {},
  }
}

function within(ms: number, done: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void done.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
