import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listTools } from '../../src/connect/list.js'
import type { Session } from '../../src/connect/session.js'
import { faultOf, never, remoteOf, sessionWith, textOf } from './ground.js'
import { officialLaunch, serveOfficial } from './official.js'

/** A server on @modelcontextprotocol/server: what the two SDKs take for revision 2026-07-28 is what is spoken here. */
let http: Awaited<ReturnType<typeof serveOfficial>>
beforeAll(async () => {
  http = await serveOfficial()
})
afterAll(() => http.close())

const GREETING = {
  name: 'official',
  version: '1.2.3',
  protocolVersion: '2026-07-28',
  capabilities: { tools: true, toolsChange: true },
  instructions: 'Be brief.',
}

describe.each([
  ['stdio', () => sessionWith(officialLaunch('2026'), changes)],
  ['HTTP', () => sessionWith(remoteOf(http.url, { protocol: '2026' }), changes)],
  ['HTTP, which is found out', () => sessionWith(remoteOf(http.url, { protocol: 'auto' }), changes)],
] as const)('a server of revision 2026-07-28 over %s', (over, make) => {
  let session: Session
  const ask = (tool: string, input = {}, signal: AbortSignal = never) => session.call(tool, input, { signal })

  test('is one session from its greeting to its end', { timeout: 30_000 }, async () => {
    session = make()
    expect(await session.open(never)).toMatchObject(GREETING)
    const { tools, mirrors } = await listTools(session, never)
    const count = tools.length
    expect(count).toBeGreaterThanOrEqual(10)
    expect(mirrors).toBe(over !== 'stdio')
    await session.ping(never)

    expect(textOf(await ask('echo', { text: 'grüße' }))).toBe('grüße')
    expect(textOf(await ask('naïve tool'))).toBe('found')
    expect(await ask('numbers')).toMatchObject({ structuredContent: [1, 2, 3] })
    expect(await ask('numbers')).not.toHaveProperty('resultType')

    const heard: unknown[] = []
    await session.call('steps', {}, { signal: never, onProgress: ({ progress }) => heard.push(progress) })
    expect(heard).toEqual([1, 2])

    // The server refuses a call whose headers do not say the same.
    const input = { region: ' EU-Süd ', deep: { count: -3 }, other: 'not a header' }
    expect(JSON.parse(textOf(await ask('mirrored', input)))).toEqual(input)

    expect(textOf(await ask('rounds'))).toBe('after ***')
    const question = await faultOf(ask('question'))
    expect(question).toMatchObject({ kind: 'remote', effect: 'unknown' })
    expect(question.message).toContain('elicitation')

    let before = told
    await ask('grow')
    await vi.waitUntil(() => told > before, { timeout: 5000 })
    before = told
    // Over HTTP it now wants another header than it had said: the list is asked for again, and then the call is made.
    expect(textOf(await ask('moved', { place: 'here' }))).toBe('here')
    if (over !== 'stdio') expect(told).toBeGreaterThan(before)
    expect((await listTools(session, never)).tools.length).toBe(count + 1)
  })
})

let told = 0
const changes = { onNotice: () => void told++ }
