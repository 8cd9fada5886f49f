import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as testing from '@ext/mcp-client/testing'
import { expect, test } from 'vitest'
import { listTools } from '../src/connect/list.js'
import { call, faultOf, launchOf, never, remoteOf, served, sessionWith } from './connect/ground.js'

test('the servers for tests are these functions', () => {
  expect(Object.keys(testing).sort()).toEqual(['hostileServer', 'runHostileServer', 'serveHostile'])
})

test('a mode that does not exist is said at once, with those that do', async () => {
  const wrong = 'nice' as testing.HostileMode
  await expect(testing.serveHostile(wrong)).rejects.toThrow('There is no mode "nice". There are: echo, ')
  await expect(testing.runHostileServer(wrong)).rejects.toThrow('There is no mode "nice"')
})

const opened = async (...options: Parameters<typeof launchOf>) => {
  const session = sessionWith(launchOf(...options))
  await session.open(never)
  return session
}
const scratch = () => join(tmpdir(), `ext-hostile-${crypto.randomUUID()}.jsonl`)
const linesOf = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1)

test('`flaky` fails the first calls of its life, `many` has many tools', async () => {
  const flaky = await opened('flaky', ['2'])
  expect((await faultOf(call(flaky))).message).toContain('failure 1')
  expect((await faultOf(call(flaky))).message).toContain('failure 2')
  expect(await call(flaky, { text: 'hi' })).toBe('hi')
  const { tools } = await listTools(await opened('many', ['150']), never)
  expect(tools).toHaveLength(150)
})

test('`unready` refuses to start as often as it is told, over all its processes', async () => {
  const file = scratch()
  const fault = await faultOf(sessionWith(launchOf('unready', [file, '1'])).open(never))
  expect(fault.message).toContain('the database is starting')
  expect((await sessionWith(launchOf('unready', [file, '1'])).open(never)).name).toBe('unready')
})

test('`crash` dies before a call was written down, or after it and before the answer, as its exit code says', async () => {
  const ends = new Set<string>()
  for (let seed = 1; ends.size < 2 && seed < 50; seed++) {
    const file = scratch()
    const session = await opened('crash', [file, '1', String(seed * 7919)])
    const { message, effect } = await faultOf(call(session, { key: 'a' }))
    expect(effect).toBe('unknown')
    expect(await linesOf(file)).toEqual(message === 'exited with code 8' ? ['{"key":"a"}'] : [])
    ends.add(message)
  }
  expect([...ends].sort()).toEqual(['exited with code 7', 'exited with code 8'])
})

test('over HTTP a crash breaks all connections and forgets all sessions, and the server is there again at once', async () => {
  const file = scratch()
  const server = await served('crash', { args: [file, '1'] })
  const session = sessionWith(remoteOf(server.url))
  await session.open(never)
  expect(await faultOf(call(session))).toMatchObject({ message: 'broke the connection', effect: 'unknown' })
  expect(await faultOf(call(session))).toMatchObject({ message: 'no longer knows the session', effect: 'none' })
  expect(await sessionWith(remoteOf(server.url)).open(never)).toMatchObject({ name: 'crash' })
})
