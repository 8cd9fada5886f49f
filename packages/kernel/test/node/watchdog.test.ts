import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { nodeProcess } from '../../src/node/index.js'
import { WATCHDOG_SCRIPT } from '../../src/node/watchdog/script.js'
import { bundlePort, hostArguments, startHost } from './hosts.js'
import {
  isRunning,
  leavesNothing,
  linux,
  markedEnv,
  nextMark,
  sleep,
  survivors,
  until,
  watchdogsOf,
} from './survivors.js'

let folder = ''
let port = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ext-watchdog-'))
  port = await bundlePort(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Children of every kind, and `ready` once all of them are up. */
const FAMILY = `
  const stubborn = 'trap "" TERM; echo up; while :; do sleep 1; done'
  const scripts = [
    'echo up; sleep 300',
    stubborn,
    '(trap "" TERM; echo up; while :; do sleep 1; done) & wait',
    '( (' + stubborn + ') & ); sleep 300',
    "setsid sh -c '" + stubborn + "' & wait",
    'echo up; kill -STOP $$',
  ]
  for (const script of scripts) {
    const child = start({ command: sh(script), cwd: '/', env })
    await new Promise((resolve) => child.onStdout(resolve))
  }
  for (let i = 0; i < 3; i++) run({ command: sh('sleep 300'), cwd: '/', env, timeoutMs: 60_000 })
  await new Promise((resolve) => setTimeout(resolve, 200))
  console.log('ready')
`
const MANY = 12

describe.skipIf(!linux)('nothing is left within a second', () => {
  it.each([
    ['is killed', 'SIGKILL', 'setInterval(() => {}, 1000)'],
    ['is ended by a signal', 'SIGTERM', 'setInterval(() => {}, 1000)'],
    ['exits', undefined, 'setTimeout(() => process.exit(0), 300)'],
    ['throws', undefined, 'setTimeout(() => { throw new Error() }, 300)'],
  ] as const)('after the host %s', async (_how, signal, rest) => {
    const mark = nextMark()
    const host = await startHost(port, mark, FAMILY + rest)
    const gone = new Promise((resolve) => host.on('exit', resolve))
    const watchdogs = watchdogsOf(host.pid)
    expect(watchdogs).toHaveLength(1)
    expect(survivors(mark).length).toBeGreaterThan(MANY)
    if (signal) host.kill(signal)
    await gone
    await leavesNothing(mark, 1000)
    await until(() => !watchdogs.some(isRunning))
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('after %s to the group of the host', async (signal) => {
    const mark = nextMark()
    const host = await startHost(port, mark, `${FAMILY}setInterval(() => {}, 1000)`)
    const gone = new Promise((resolve) => host.on('exit', resolve))
    process.kill(-(host.pid as number), signal)
    await gone
    await leavesNothing(mark, 1000)
  })

  it('after the host is killed while it starts children', async () => {
    const marks = Array.from({ length: 10 }, nextMark)
    for (const mark of marks) {
      const program = `console.log('ready')
        for (;;) start({ command: sh('trap "" TERM; while :; do sleep 1; done'), cwd: '/', env })`
      const host = await startHost(port, mark, program)
      await sleep(Math.random() * 40)
      host.kill('SIGKILL')
      await new Promise((resolve) => host.on('exit', resolve))
    }
    // A child that is just being started shows no mark yet, so it is too early to look at once.
    await sleep(1000)
    expect(marks.flatMap(survivors)).toEqual([])
  })

  it('of the groups after the host is killed, also without marks, as on macOS', async () => {
    const mark = nextMark()
    const program = `const elsewhere = nodeProcess({ platform: 'darwin' })
      for (let i = 0; i < 5; i++) elsewhere.start({ command: sh('trap "" TERM; while :; do sleep 1; done'), cwd: '/', env })
      console.log('ready')
      setInterval(() => {}, 1000)`
    const host = await startHost(port, mark, program)
    host.kill('SIGKILL')
    await new Promise((resolve) => host.on('exit', resolve))
    await sleep(1000)
    expect(survivors(mark)).toEqual([])
  })

  it('after the watchdog was killed and the next child brought another, which knows of the first', async () => {
    const mark = nextMark()
    const stubborn = `start({ command: sh('trap "" TERM; while :; do sleep 1; done'), cwd: '/', env })`
    const host = await startHost(
      port,
      mark,
      `${stubborn}; process.on('SIGUSR2', () => ${stubborn}); setInterval(() => {}, 1000); console.log('ready')`,
    )
    const [first] = watchdogsOf(host.pid)
    process.kill(Number(first), 'SIGKILL')
    await until(() => !isRunning(String(first)))
    await sleep(100)
    host.kill('SIGUSR2')
    await until(() => watchdogsOf(host.pid).length === 1)
    await sleep(200)
    host.kill('SIGKILL')
    await new Promise((resolve) => host.on('exit', resolve))
    await leavesNothing(mark, 1000)
  })

  it('of a host that ends a host, and of its children', async () => {
    const mark = nextMark()
    const inner = hostArguments(port, `${FAMILY}setInterval(() => {}, 1000)`)
    const result = await nodeProcess().run({
      command: { file: process.execPath, args: inner },
      cwd: '/',
      env: { ...markedEnv(mark), MARK: mark },
      timeoutMs: 2000,
    })
    expect(result).toMatchObject({ outcome: 'timed-out', stdout: 'ready\n' })
    await leavesNothing(mark, 1000)
  })
})

describe.skipIf(!linux)('the watchdog', () => {
  afterEach(() => void vi.useRealTimers())

  it('does not keep its host alive, and ends with it', async () => {
    const program = `await run({ command: sh('true'), cwd: '/', env, timeoutMs: 5000 })
      console.log('ready')
      await new Promise((resolve) => setTimeout(resolve, 200))`
    const host = await startHost(port, nextMark(), program)
    const watchdogs = watchdogsOf(host.pid)
    await new Promise((resolve) => host.on('exit', resolve))
    expect(watchdogs).toHaveLength(1)
    await until(() => !watchdogs.some(isRunning))
  })

  it('comes with the first child, is one for all, and holds no file of the host', async () => {
    const before = watchdogsOf(process.pid)
    const added = () => watchdogsOf(process.pid).filter((pid) => !before.includes(pid))
    const { run } = nodeProcess()
    expect(added()).toEqual([])
    const request = { command: { shell: 'sh', script: 'true' }, cwd: '/', env: {}, timeoutMs: 5000 } as const
    await Promise.all([run(request), run(request), run(request)])
    await run(request)
    const [pid, ...others] = added()
    expect(others).toEqual([])
    const control = spawn('sh', ['-c', 'read line'], { stdio: ['pipe', 'ignore', 'ignore'] })
    expect(filesOf(pid)).toEqual(filesOf(control.pid))
    control.stdin.end()
  })

  it('leaves when there was nothing to watch for half a minute, and makes room for another', async () => {
    const before = watchdogsOf(process.pid)
    const added = () => watchdogsOf(process.pid).filter((pid) => !before.includes(pid))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { run, start } = nodeProcess()
    const request = { command: { shell: 'sh', script: 'true' }, cwd: '/', env: {}, timeoutMs: 5000 } as const
    await run(request)
    vi.advanceTimersByTime(29_000)
    await run(request)
    vi.advanceTimersByTime(29_000)
    const [first, ...others] = added()
    expect(others).toEqual([])
    vi.advanceTimersByTime(1100)
    vi.useRealTimers()
    const mark = nextMark()
    const child = start({ command: { shell: 'sh', script: 'sleep 300' }, cwd: '/', env: markedEnv(mark) })
    await until(() => !isRunning(String(first)))
    await sleep(500)
    expect(added()).toHaveLength(1)
    expect(survivors(mark)).not.toEqual([])
    await child.stop({ waitMs: 0 })
    await leavesNothing(mark)
  })
})

describe.skipIf(!linux)('the script of the watchdog', () => {
  /** Talks to it as a host would. */
  const script = (host: string) =>
    spawn('sh', ['-c', WATCHDOG_SCRIPT, 'ext-watchdog', host, '1'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const stranger = (mark: string) =>
    spawn('sleep', ['300'], { detached: true, stdio: 'ignore', env: markedEnv(mark) }).pid as number

  it('ends the groups that are registered and no others', async () => {
    const marks = [nextMark(), nextMark(), nextMark()] as const
    const [kept, ended, replaced] = marks.map(stranger) as [number, number, number]
    const sidecar = script('none')
    sidecar.stdin.end(`+ 1.1 ${kept}\n+ 2.1 ${ended}\n+ 12.1 ${kept}\n+ 3.2 ${replaced}\n- 1.1\n- 12.1\n- 7.1\n`)
    const code = await new Promise((resolve) => sidecar.on('exit', resolve))
    expect(code).toBeTypeOf('number')
    await leavesNothing(marks[1])
    await leavesNothing(marks[2])
    expect(survivors(marks[0])).toEqual([String(kept)])
    process.kill(kept, 'SIGKILL')
  })

  // In a namespace of its own, where the number of the next process can be chosen.
  const unshare = ['-rpf', '--mount-proc', 'sh', '-c']
  const mayUnshare = linux && spawnSync('unshare', [...unshare, 'echo 1 >/proc/sys/kernel/ns_last_pid']).status === 0

  it.skipIf(!mayUnshare)('does not end a stranger that got the number of a group', () => {
    const program = `
      setsid sleep 300 & first=$!
      mkfifo "$2"
      sh -c "$1" ext-watchdog none 1 <"$2" & watchdog=$!
      exec 9>"$2"
      sleep 0.1
      echo "+ 1.1 $first" >&9
      sleep 0.1
      kill -KILL $first
      wait $first
      echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
      setsid sleep 300 9>&- & second=$!
      sleep 0.1
      exec 9>&-
      wait $watchdog
      kill -0 $second && echo $((first - second))`
    const { stdout } = spawnSync('unshare', [...unshare, program, 'sh', WATCHDOG_SCRIPT, join(folder, 'pipe')])
    expect(String(stdout)).toBe('0\n')
  })

  it('has nothing to do when nothing is registered', async () => {
    const sidecar = script('none')
    sidecar.stdin.end('+ 1.1 1\n- 1.1\n')
    expect(await new Promise((resolve) => sidecar.on('exit', resolve))).toBe(0)
  })
})

/** Where the file handles of a process lead. Sockets all look alike. */
function filesOf(pid: number | string | undefined): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) =>
    readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/^socket:.*/, 'socket'),
  )
}
