import { expect, test, vi } from 'vitest'
import { isAlive } from '../helpers.js'
import { call, faultOf, launchOf, MIB, never, sessionWith } from './ground.js'

const SOON = { timeout: 5000, interval: 5 }
const opened = async (...options: Parameters<typeof sessionWith>) => {
  const session = sessionWith(...options)
  await session.open(never)
  return session
}

test('a program that does not exist is final, and says what to check', async () => {
  const launch = { ...launchOf('echo'), command: { file: 'no-such-program', args: [] } }
  const session = sessionWith(launch)
  const fault = await faultOf(session.open(never))
  expect(fault).toMatchObject({ kind: 'network', effect: 'none', final: true })
  expect(fault.message).toBe(`\`no-such-program\` was not found, or the folder ${launch.cwd} does not exist`)
  expect(fault.hint).toContain('Check `command` and `cwd`')
  expect(session.seen.notStarted).toBe(true)
  await session.closed
})

test('a server that ends says with which code, and its last words are kept', async () => {
  const session = sessionWith(launchOf('exit'))
  const fault = await faultOf(session.open(never))
  expect(fault).toMatchObject({ kind: 'network', message: 'exited with code 3', final: false })
  expect(session.seen).toMatchObject({ end: 'exited with code 3', stderrTail: 'no database at db.sqlite\n' })
})

test('lines on stdout that are no messages are skipped and counted', async () => {
  const session = await opened(launchOf('junk'))
  expect(await call(session, { text: 'hi' })).toBe('hi')
  expect(session.seen.junk).toEqual({ lines: 3, first: 'Welcome to the server!' })
})

test('stderr is heard line by line, in order and masked, and never is a message', async () => {
  const lines: string[] = []
  const session = await opened(launchOf('chatty', ['3000']), {
    mask: (text) => text.replaceAll('2999', '***'),
    onLog: (line) => lines.push(line),
  })
  await call(session)
  await vi.waitUntil(() => lines.length === 3000, SOON)
  expect(lines.slice(-3)).toEqual(['line 2998 of the log', 'line *** of the log', 'line 3000 of the log'])
  expect(session.seen.stderrTail).toContain('line *** of the log\nline 3000 of the log\n')
  expect(session.seen.junk.lines).toBe(0)
})

test('a server that no longer reads: what it could not have read had no effect', async () => {
  const shut = await opened(launchOf('shut'))
  await vi.waitUntil(async () => {
    const fault = await faultOf(call(shut, {}, AbortSignal.timeout(500))).catch(() => undefined)
    return fault?.message === 'does not read its input any more' && fault.effect === 'none'
  }, SOON)

  // More than fits into a pipe.
  const deaf = await opened(launchOf('deaf', ['300']))
  const fault = await faultOf(call(deaf, { text: 'x'.repeat(MIB) }))
  expect(fault).toMatchObject({ message: 'exited with code 5', effect: 'none' })
})

test('it gets the environment that it was given, and nothing of the host', async () => {
  const session = await opened(launchOf('env', [], { DECLARED: 'yes' }))
  const env = JSON.parse(await call(session)) as Record<string, string>
  expect(Object.keys(env).filter((name) => !/^(EXT_RUN_ID|__CF|PWD|SHLVL|_)/.test(name))).toEqual(['DECLARED'])
})

test('closing waits for the real end, and a second one with less patience hurries it', async () => {
  const session = await opened(launchOf('stubborn'))
  const pid = Number(await call(session))
  const started = performance.now()
  const patient = session.close({ waitMs: 10_000, graceMs: 10_000 })
  await session.close({ waitMs: 100, graceMs: 100 })
  expect(isAlive(pid)).toBe(false)
  await patient
  await session.closed
  expect(performance.now() - started).toBeLessThan(3000)
  expect(session.seen.end).toBe('was ended by SIGKILL')
})

test('what a server started ends with it, also when it dies by itself', async () => {
  const session = await opened(launchOf('tree'))
  const [parent = 0, child = 0] = (await call(session)).split(' ').map(Number)
  expect([isAlive(parent), isAlive(child)]).toEqual([true, true])
  process.kill(parent, 'SIGKILL')
  await session.closed
  await vi.waitUntil(() => !isAlive(child), SOON)
  expect(session.seen.end).toBe('was ended by SIGKILL')
})

test('a server that starts late is waited for', async () => {
  const session = sessionWith(launchOf('late', ['500']))
  expect((await session.open(never)).name).toBe('late')
})
