import { describe, expect, test } from 'vitest'
import { one, type Reading } from './helpers.js'

async function keys(entry: string, reading?: Reading) {
  const server = (await one(entry, reading)).server('a')
  return { endpoint: server.endpointKey(), entry: server.entryKey() }
}

const BASE = '{ command: a, args: [x], env: { A: "${T}" }, tools: { deny: rm } }'

describe('what a reload compares', () => {
  test('is equal for the same in other words', async () => {
    const env = { T: 't' }
    const same =
      '{ tools: { deny: [rm] }, env: { A: t }, type: stdio, enabled: true, args: [x], command: a, timeout: { call: 60s } }'
    expect(await keys(same, { env })).toEqual(await keys(BASE, { env }))
  })

  test.each([
    ['another value of a variable', BASE, { env: { T: 'other' } }],
    ['another argument', '{ command: a, args: [y], env: { A: t }, tools: { deny: rm } }', {}],
    ['another folder', '{ command: a, args: [x], cwd: b, env: { A: t }, tools: { deny: rm } }', {}],
  ])('is different in what is started with %s', async (_what, entry, reading) => {
    const base = await keys(BASE, { env: { T: 't' } })
    expect((await keys(entry, reading)).endpoint).not.toBe(base.endpoint)
    expect((await keys(entry, reading)).entry).not.toBe(base.entry)
  })

  test.each([
    'trust: true',
    'timeout: { call: 1s }',
    'timeout: { total: 1h }',
    'keepAlive: false',
    'reconnect: { attempts: 1 }',
    'limits: { concurrency: 1 }',
    'limits: { maxResult: 1KiB }',
    'limits: { rate: { perSecond: 1 } }',
    'limits: { breaker: false }',
    'tools: { deny: rn }',
    'tools: { allow: rm }',
    'tools: { deny: rm, perTool: { x: { timeout: 1s } } }',
  ])('is different in the rest of the entry with { %s }', async (field) => {
    const [base, other] = [await keys('{ command: a }'), await keys(`{ command: a, ${field} }`)]
    expect(other.endpoint).toBe(base.endpoint)
    expect(other.entry).not.toBe(base.entry)
  })

  test('tells addresses apart by headers and form', async () => {
    const of = (rest: string) => keys(`{ url: "https://e.test"${rest} }`)
    const different = ['', ', type: sse', ', headers: { A: b }', ', listen: off', ', protocol: 2026']
    const found = await Promise.all(different.map(of))
    expect(new Set(found.map(({ endpoint }) => endpoint)).size).toBe(5)
  })
})

describe('secrets', () => {
  test('of a program are what came out of variables, and what has a secret’s name', async () => {
    const entry = `{
      command: a, args: [--token=arg-1, --api-key, arg-2, --verbose, plain], inheritEnv: [MY_SECRET, REGION],
      env: { A: "x\${T}", PASSWORD: literal-1, HOME_OF: "\${HOME}", PLAIN: visible } }`
    const env = { T: 'variable-1', HOME: '/home/me', MY_SECRET: 'handed-1', REGION: 'eu', UNUSED_TOKEN: 'never' }
    const secrets = (await one(entry, { env })).server('a').secrets()
    expect([...secrets].sort()).toEqual(['arg-1', 'arg-2', 'handed-1', 'literal-1', 'variable-1'])
  })

  test('of an address stand in its headers and its query', async () => {
    const entry = `{ url: "https://e.test/?api_key=query-1&x=y", headers: { Authorization: "Bearer literal-1", X: "\${T}" } }`
    const secrets = (await one(entry, { env: { T: 'variable-1' } })).server('a').secrets()
    expect([...secrets].sort()).toEqual(['Bearer literal-1', 'literal-1', 'query-1', 'variable-1'])
  })

  test('stand nowhere in a snapshot that is printed', async () => {
    const loaded = await one('{ command: a, env: { A: "${T}" } }', { env: { T: 'variable-1' } })
    expect(JSON.stringify(loaded.snapshot)).not.toContain('variable-1')
  })
})
