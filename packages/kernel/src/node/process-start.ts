import type { RunningProcess } from '../types.js'
import { explainStart, type Launched, type Launcher, type LaunchRequest, onStartFailure } from './process-launch.js'
import { DEFAULT_GRACE_MS, DRAIN_MS, UNKILLABLE_MS } from './process-limits.js'

/** See `ProcessPort.start`. */
export function start(request: LaunchRequest, launcher: Launcher): RunningProcess {
  let launched: Launched
  try {
    launched = launcher.launch(request)
  } catch (error) {
    return notStarted(explainStart(error, request))
  }
  const { child } = launched
  let gone = false
  const exited = new Promise<Awaited<RunningProcess['exited']>>((resolve) => {
    onStartFailure(child, request, (message) => {
      gone = true
      resolve({ exitCode: null, signal: null, message })
    })
    child.on('exit', (exitCode, signal) => {
      gone = true
      // A server that died must not leave its own children running, however far they went.
      launched.finish(true)
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
        launched.signal('SIGTERM')
        await within(graceMs, exited)
      }
      if (!gone) {
        launched.signal('SIGKILL')
        await within(UNKILLABLE_MS, exited)
      }
      if (gone) await exited
      // A child in uninterruptible sleep does not even die of KILL; the host goes on without it.
      else launched.finish(true)
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
