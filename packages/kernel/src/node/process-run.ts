import type { ProcessRequest, ProcessResult } from '../types.js'
import { MAX_TIMER_MS } from './clock.js'
import { OutputBuffer } from './output.js'
import { explainStart, type Launched, type Launcher, onStartFailure } from './process-launch.js'
import { DEFAULT_GRACE_MS, DRAIN_MS, UNKILLABLE_MS } from './process-limits.js'

const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024

/** See `ProcessPort.run`. */
export function run(request: ProcessRequest, launcher: Launcher): Promise<ProcessResult> {
  const started = performance.now()
  const { stdin = '', signal, graceMs = DEFAULT_GRACE_MS } = request
  const { maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES, maxTailBytes = 0 } = request
  const stdout = new OutputBuffer(maxOutputBytes, maxTailBytes)
  const stderr = new OutputBuffer(maxOutputBytes, maxTailBytes)
  const result = (outcome: ProcessResult['outcome'], details: Partial<ProcessResult> = {}): ProcessResult => ({
    outcome,
    exitCode: null,
    signal: null,
    stdout: stdout.text(),
    stderr: stderr.text(),
    ...(maxTailBytes > 0 ? { stdoutTail: stdout.tail(), stderrTail: stderr.tail() } : {}),
    stdoutBytes: stdout.received,
    stderrBytes: stderr.received,
    inputNotRead: false,
    ms: performance.now() - started,
    ...details,
  })
  if (signal?.aborted) return Promise.resolve(result('aborted'))

  return new Promise((resolve) => {
    let launched: Launched
    try {
      launched = launcher.launch(request)
    } catch (error) {
      resolve(result('cannot-start', { message: explainStart(error, request) }))
      return
    }
    const { child } = launched
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
      // Nothing of the group outlives the run. What left it does if the command ended by itself: it may be meant to.
      launched.finish(ending !== undefined)
      const inputNotRead = outcome !== 'cannot-start' && stdin !== '' && !child.stdin.writableFinished
      // Read no pipe after this: whoever left the group and still holds one must not keep the host busy or alive.
      for (const stream of child.stdio) stream?.destroy()
      resolve(result(outcome, { inputNotRead, ...details }))
    }
    const end = (reason: 'timed-out' | 'aborted') => {
      if (ending || exited) return
      ending = reason
      launched.signal('SIGTERM')
      later(graceMs, () => launched.signal('SIGKILL'))
      // A child in uninterruptible sleep does not even die of KILL; the host goes on without it.
      later(graceMs + UNKILLABLE_MS, () => settle(reason))
    }
    const onAbort = () => end('aborted')

    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    onStartFailure(child, request, (message) => settle('cannot-start', { message }))
    child.on('exit', (code, endedBy) => {
      exited = true
      if (ending) launched.signal('SIGKILL')
      const finish = () => settle(ending ?? 'ended', { exitCode: ending ? null : code, signal: endedBy })
      child.on('close', finish)
      later(DRAIN_MS, finish)
    })
    // An empty text would be written, too.
    if (stdin === '') child.stdin.end()
    else child.stdin.end(stdin)
    signal?.addEventListener('abort', onAbort, { once: true })
    later(request.timeoutMs, () => end('timed-out'))
  })
}
