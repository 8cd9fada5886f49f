import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { messageOf } from '../errors.js'
import type { Command, ProcessPort, ProcessRequest, ProcessResult, RunningProcess } from '../types.js'
import { killGroup } from './group.js'
import { OutputBuffer } from './output.js'

const DEFAULT_GRACE_MS = 1000
const DEFAULT_MAX_OUTPUT = 1024 * 1024
/** How long pipes may stay open after the child is gone: a grandchild can hold them for ever. */
const DRAIN_MS = 100

export function nodeProcess(): ProcessPort {
  return { run, start }
}

function spawnGroup(request: Pick<ProcessRequest, 'command' | 'cwd' | 'env'>): ChildProcessWithoutNullStreams {
  const { file, args } = toArgv(request.command)
  // `detached` makes the child the leader of a process group of its own, so that its children can be ended with it.
  return spawn(file, args, {
    cwd: request.cwd,
    env: request.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
}

function toArgv(command: Command): { readonly file: string; readonly args: readonly string[] } {
  return 'shell' in command ? { file: command.shell, args: ['-c', command.script] } : command
}

function run(request: ProcessRequest): Promise<ProcessResult> {
  const started = performance.now()
  const stdout = new OutputBuffer(request.maxOutputBytes ?? DEFAULT_MAX_OUTPUT)
  const stderr = new OutputBuffer(request.maxOutputBytes ?? DEFAULT_MAX_OUTPUT)
  let inputNotRead = false
  const result = (
    outcome: ProcessResult['outcome'],
    exitCode: number | null,
    signal: string | null,
    message?: string,
  ): ProcessResult => ({
    outcome,
    exitCode,
    signal,
    stdout: stdout.text(),
    stderr: stderr.text(),
    stdoutBytes: stdout.received,
    stderrBytes: stderr.received,
    inputNotRead,
    ...(message === undefined ? {} : { message }),
    ms: performance.now() - started,
  })
  if (request.signal?.aborted) return Promise.resolve(result('aborted', null, null))

  return new Promise((resolve) => {
    let child: ChildProcessWithoutNullStreams
    try {
      child = spawnGroup(request)
    } catch (error) {
      // Bad arguments, for example a NUL in one of them, are thrown instead of emitted.
      resolve(result('cannot-start', null, null, messageOf(error)))
      return
    }
    let ending: 'timed-out' | 'aborted' | undefined
    let settled = false
    const timers = new Set<NodeJS.Timeout>()
    const later = (ms: number, fn: () => void) => timers.add(setTimeout(fn, ms))

    const settle = (value: () => ProcessResult) => {
      if (settled) return
      settled = true
      for (const timer of timers) clearTimeout(timer)
      request.signal?.removeEventListener('abort', onAbort)
      // Read no pipe after this: whoever still holds one must not keep the host busy or alive.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      resolve(value())
    }
    const end = (reason: 'timed-out' | 'aborted') => {
      if (ending || settled) return
      ending = reason
      const graceMs = request.graceMs ?? DEFAULT_GRACE_MS
      killGroup(child, 'SIGTERM')
      later(graceMs, () => killGroup(child, 'SIGKILL'))
      // A child in uninterruptible sleep does not even die of KILL; the host goes on without it.
      later(graceMs + 400, () => settle(() => result(reason, null, null)))
    }
    const onAbort = () => end('aborted')

    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.stdin.on('error', () => {
      inputNotRead = true
    })
    child.on('error', (error) => {
      if (child.pid === undefined) settle(() => result('cannot-start', null, null, explainStart(error, request)))
    })
    child.on('exit', (code, signal) => {
      // What the group left behind goes with its leader after a timeout; after a normal end it may go on.
      if (ending) killGroup(child, 'SIGKILL')
      const finish = () => settle(() => result(ending ?? 'ended', ending ? null : code, signal))
      child.on('close', finish)
      later(ending ? 0 : DRAIN_MS, finish)
    })
    child.stdin.end(request.stdin ?? '')
    request.signal?.addEventListener('abort', onAbort, { once: true })
    later(request.timeoutMs, () => end('timed-out'))
  })
}

function explainStart(error: Error, request: Pick<ProcessRequest, 'command' | 'cwd'>): string {
  const { file } = toArgv(request.command)
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT') return `\`${file}\` was not found, or the folder ${request.cwd} does not exist`
  if (code === 'EACCES') return `\`${file}\` may not be executed`
  return error.message
}

function start(request: Pick<ProcessRequest, 'command' | 'cwd' | 'env'>): RunningProcess {
  let child: ChildProcessWithoutNullStreams
  try {
    child = spawnGroup(request)
  } catch (error) {
    return notStarted(messageOf(error))
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
  child.stdin.on('error', () => {})
  return {
    pid: child.pid,
    exited,
    write: (data) => new Promise((resolve) => child.stdin.write(data, (error) => resolve(!error))),
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
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
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
