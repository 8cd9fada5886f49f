import type { HostileMode } from '@ext/mcp-client/testing'
import { describe, expect, test, vi } from 'vitest'
import { listAll, listTools } from '../../src/connect/list.js'
import { type Answering, RpcError, type ServerNotice } from '../../src/connect/session.js'
import { call, faultOf, type MakeGround, MIB, never, textOf } from './ground.js'

const SAID = 'the client does not wait for it any more'
const LET_GO = 'its connection was closed'
const SOON = { timeout: 5000, interval: 2 }
const NOTHING = {
  tools: false,
  toolsChange: false,
  resources: false,
  resourcesChange: false,
  subscribe: false,
  prompts: false,
  promptsChange: false,
  logging: false,
  completions: false,
}
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** In what the revisions of MCP differ. All else in the contract holds for each of them. */
const REVISIONS = {
  // Said by `initialize`. Servers can ask and speak first, there are pings, and a session can be lost.
  '2025': {
    protocolVersion: '2025-06-18',
    greets: [
      ['no result', 'badinit', 'gave an answer to initialize that is not MCP'],
      ['no capabilities', 'badcapabilities', 'failed at initialize: the answer lacks what MCP asks for'],
      ['a version that nobody knows', 'oldversion', 'protocol version is not supported: 1999-01-01'],
    ],
    asks: 'are you there: yes, think for me: -32601',
    hasPings: true,
    /** Over HTTP: a request is cancelled by letting go of its answer, and not with a word. */
    letsGo: false,
    /** Over HTTP: who asked on one stream hears on another. */
    progressAside: true,
    isLostOverHttp: true,
  },
  // Said by `server/discover`. Requests stand for themselves, servers only answer, and changes are told to who asks for it.
  '2026': {
    protocolVersion: '2026-07-28',
    greets: [
      ['no result', 'badinit', 'gave an answer to server/discover that is not MCP'],
      ['no capabilities', 'badcapabilities', 'does not speak revision 2026-07-28 of MCP'],
      ['a version that nobody knows', 'oldversion', 'speaks only 1999-01-01, and not revision 2026-07-28 of MCP'],
    ],
    asks: undefined,
    hasPings: false,
    letsGo: true,
    progressAside: false,
    isLostOverHttp: false,
  },
} as const

export interface ContractOptions {
  /** Default 2025. */
  readonly revision?: keyof typeof REVISIONS
  readonly http?: boolean
  /** Answers and notifications take the same way, so they keep their order. Default true. */
  readonly oneWay?: boolean
}

/** What holds for every session, however its server is reached, whichever SDK is underneath, whatever they speak. */
export function sessionContract(
  name: string,
  ground: MakeGround,
  { revision = '2025', http = false, oneWay = true }: ContractOptions = {},
): void {
  const differs = REVISIONS[revision]
  const make: MakeGround = (mode, ...options) =>
    ground(revision === '2026' ? (`${mode}@2026` as HostileMode) : mode, ...options)
  const open: MakeGround = async (...options) => {
    const ground = await make(...options)
    await ground.session.open(never)
    return ground
  }

  describe(`a session over ${name}`, () => {
    test('hears who the server is and what it can do', async () => {
      const { session } = await make('storm')
      expect(await session.open(never)).toEqual({
        name: 'storm',
        version: '1',
        protocolVersion: differs.protocolVersion,
        capabilities: { ...NOTHING, tools: true, toolsChange: true },
      })
    })

    test.each<readonly [string, HostileMode, string]>(differs.greets)(
      'does not open for a server that greets with %s',
      async (_what, mode, message) => {
        const { session } = await make(mode)
        const fault = await faultOf(session.open(never))
        expect(fault.message).toContain(message)
        expect(fault.kind).toBe('protocol')
        await session.close()
        await session.closed
      },
    )

    test('is not opened any longer than its signal allows, and leaves nothing behind', async () => {
      const { session } = await make('mute')
      const controller = new AbortController()
      const opening = faultOf(session.open(controller.signal))
      await wait(300)
      const aborted = performance.now()
      controller.abort(new Error('private'))
      expect((await opening).cause).toBe(controller.signal.reason)
      expect(performance.now() - aborted).toBeLessThan(100)
      await session.close()
      await session.closed
    })

    test('goes on, whatever becomes of the signal with which it was opened', async () => {
      const { session } = await make('echo')
      const controller = new AbortController()
      await session.open(controller.signal)
      controller.abort()
      expect(await call(session, { text: 'hi' })).toBe('hi')
    })

    test('reads lists to the last page, and cuts those off that never end', async () => {
      const names = async (mode: Parameters<MakeGround>[0]) => {
        const { tools, cut } = await listTools((await open(mode)).session, never)
        return { names: tools.map((tool) => (tool as { name: string }).name), cut }
      }
      expect(await names('pages')).toEqual({ names: ['page-1', 'page-2', 'page-3'], cut: undefined })
      expect(await names('loop')).toEqual({ names: ['once'], cut: 'it sent the cursor "x" a second time' })
      expect((await names('endless')).cut).toBe('it has more than 100 pages')
      expect(await names('notools')).toEqual({ names: [], cut: undefined })
    })

    test('gives lists and results as they were sent, whatever is in them', async () => {
      const broken = await open('badschema')
      const list = (await broken.session.list('tools', undefined, never)) as { readonly tools: readonly unknown[] }
      expect(list.tools).toHaveLength(8)
      expect(list.tools[2]).toEqual({ name: 'list', description: 'Does list.', inputSchema: [] })

      const { session } = await open('odd')
      const ask = (what: string) => session.call('echo', { what }, { signal: never })
      expect(await ask('video')).toEqual({
        content: [{ type: 'video', data: 'AAAA', mimeType: 'video/mp4' }, 'loose', { type: 'image' }],
      })
      expect(await ask('badcontent')).toEqual({ content: 'text' })
      expect(await ask('badmeta')).toEqual({ content: [{ type: 'text', text: 'meta' }], _meta: null })
      expect(await ask('extra')).toEqual({ content: [{ type: 'text', text: 'extra' }] })
      expect(await ask('nothing')).toEqual({})
    })

    test.each([
      ['malformed', 'protocol', 'gave an answer to tools/call that is not MCP'],
      ['baderror', 'protocol', 'gave an answer to tools/call that is not MCP'],
      ['neither', 'protocol', 'gave an answer to tools/call that is not MCP'],
      ['rpcerror', 'remote', 'refused tools/call: MCP error -32602: city is missing'],
    ] as const)('an answer that is %s fails its call at once, and no other', async (what, kind, message) => {
      const { session } = await open('odd')
      const fault = await faultOf(session.call('echo', { what }, { signal: never }))
      expect(fault).toMatchObject({ kind, message, effect: 'unknown' })
      expect(await session.call('echo', { what: 'nothing' }, { signal: never })).toEqual({})
    })

    test('calls a tool by exactly the name that the server gave it', async () => {
      const { session } = await open('named')
      for (const tool of ['a.b/c', 'grüße 🧀', '__proto__', 'x'.repeat(500)]) {
        expect(textOf(await session.call(tool, {}, { signal: never }))).toBe(tool)
      }
    })

    test('answers that come byte by byte are whole', async () => {
      expect(await call((await open('utf8')).session)).toBe('grüße 🧀')
    })

    test('answers many calls at once, each with its own', async () => {
      const { session } = await open('echo')
      const texts = Array.from({ length: 100 }, (_, index) => String(index))
      expect(await Promise.all(texts.map((text) => call(session, { text })))).toEqual(texts)
    })

    test('thirty megabytes do not cost the connection', async () => {
      const { session } = await open('huge')
      expect(await call(session)).toHaveLength(30 * MIB)
      expect(await call(session)).toHaveLength(30 * MIB)
    })

    test('an answer over the limit fails its own call at once; the others and the connection live', async () => {
      const { session } = await open('toolarge', [String(3 * MIB)], { maxMessageBytes: 2 * MIB })
      const [large, small] = await Promise.all([faultOf(call(session)), call(session, { small: true })])
      expect(large).toMatchObject({ kind: 'protocol', effect: 'unknown' })
      expect(large.message).toBe('gave an answer of more than 2 MiB, which was dropped')
      expect(small).toBe('small')
      expect(await call(session, { small: true })).toBe('small')
      expect(session.seen.tooLarge).toBe(1)
    })

    test('an abort tells the server at once, with a fixed reason, and rejects at once', async () => {
      const { session, log } = await open('slow')
      const controller = new AbortController()
      const calling = faultOf(call(session, {}, controller.signal))
      await vi.waitUntil(() => log().includes('called'), SOON)
      const aborted = performance.now()
      controller.abort(new Error('private'))
      const fault = await calling
      expect(performance.now() - aborted).toBeLessThan(50)
      expect(fault).toMatchObject({ effect: 'unknown', cause: controller.signal.reason })
      await vi.waitUntil(() => log().includes('cancelled'), SOON)
      // It is sent in the same tick; on a busy machine it takes its time to get there.
      expect(performance.now() - aborted).toBeLessThan(1000)
      expect(log()).toContain(`cancelled: ${http && differs.letsGo ? LET_GO : SAID}`)
      expect(log()).not.toContain('private')
    })

    test('an abort in the same tick tells the server, too, if it knows of the call', async () => {
      const { session, log } = await open('slow')
      const controller = new AbortController()
      const calling = faultOf(call(session, {}, controller.signal))
      controller.abort()
      await calling
      if (!http || !differs.letsGo) return void (await vi.waitUntil(() => log().includes('cancelled'), SOON))
      // Where letting go is all there is, nothing was there yet to let go of.
      await session.ping(never)
      expect(log()).toBe('')
    })

    test('nothing is sent for a signal that has aborted before', async () => {
      const { session, log } = await open('slow')
      expect(await faultOf(call(session, {}, AbortSignal.abort()))).toMatchObject({ effect: 'none' })
      await session.ping(never)
      expect(log()).toBe('')
    })

    test('a signal that aborts after the answer does nothing', async () => {
      const { session, log } = await open('echo')
      const controller = new AbortController()
      await call(session, {}, controller.signal)
      controller.abort()
      await session.ping(never)
      expect(log()).toBe('')
    })

    test('an answer that comes after the abort is ignored', async () => {
      const { session, log } = await open('sleepy')
      const controller = new AbortController()
      const late = faultOf(call(session, { ms: 150, text: 'late' }, controller.signal))
      await vi.waitUntil(() => log().includes('called'), SOON)
      controller.abort()
      await late
      expect(await call(session, { ms: 300, text: 'mine' })).toBe('mine')
      expect(session.seen.junk.lines).toBe(0)
    })

    test('progress is heard in order, if it was asked for', async () => {
      const { session } = await open('progress')
      const heard: unknown[] = []
      const onProgress = (progress: unknown) => heard.push(progress)
      // Over a stream of its own the server can speak only once that is there.
      await wait(50)
      const input = oneWay ? { steps: 2 } : { steps: 2, lastMs: 100 }
      expect(textOf(await session.call('echo', input, { signal: never, onProgress }))).toBe('2 steps')
      // What is answered with one document has no way for anything else.
      if (!oneWay && !differs.progressAside) return expect(heard).toEqual([])
      await vi.waitUntil(() => heard.length === 2, SOON)
      expect(heard).toEqual([
        { progress: 1, total: 2, message: 'step 1' },
        { progress: 2, total: 2, message: 'step 2' },
      ])
      expect(await call(session, { steps: 2 })).toBe('2 steps')
      expect(heard).toHaveLength(2)
    })

    test('a change of the tools is heard each time', async () => {
      let heard = 0
      const { session } = await open('storm', ['5'], {
        onNotice: ({ type }) => {
          if (type === 'changed') heard++
        },
      })
      await wait(50)
      await call(session)
      await vi.waitUntil(() => heard === 5, SOON)
      expect((await listTools(session, never)).tools).toHaveLength(2)
    })

    test('the server gets answers to what it asks: it is here, and it can do nothing else', async () => {
      const { session } = await open('asks')
      await wait(50)
      if (differs.asks !== undefined) return expect(await call(session)).toBe(differs.asks)
      expect(await faultOf(call(session, {}, AbortSignal.timeout(200)))).toMatchObject({ effect: 'unknown' })
    })

    test('what the server asks is answered by the host, and its call hears of it meanwhile', async () => {
      const heard: string[] = []
      const answering: Answering = {
        capabilities: { sampling: {}, elicitation: { form: {} } },
        async answer(method, params) {
          heard.push(`${method} ${JSON.stringify(params)}`)
          if (method === 'no') throw new RpcError(-7, 'no way')
          if (method === 'broken') throw new Error('private')
          return { said: method }
        },
      }
      const { session } = await open('inquires', [], { answering })
      await wait(50)
      const ask = async (method: string, params?: object) => {
        const input = { method, ...(params ? { params } : {}) }
        const onAsked = () => {
          heard.push('asked')
          return () => heard.push('answered')
        }
        return JSON.parse(textOf(await session.call('echo', input as never, { signal: never, onAsked })))
      }
      expect(await ask('sampling/createMessage', { a: 1 })).toEqual([{ said: 'sampling/createMessage' }])
      expect(heard).toEqual(['asked', 'sampling/createMessage {"a":1}', 'answered'])
      if (differs.asks === undefined) {
        expect((await faultOf(ask('roots/list'))).message).toContain("can't give (roots/list)")
        expect((await faultOf(ask('no'))).message).toContain("can't give (no)")
        return
      }
      expect(await ask('roots/list')).toEqual([{ said: 'roots/list' }])
      expect(await ask('no')).toEqual([{ error: { code: -7, message: 'no way' } }])
      expect(await ask('broken')).toEqual([{ error: { code: -32603, message: 'The request could not be answered.' } }])
      expect(heard.filter((each) => each === 'asked')).toHaveLength(1)
    })

    test('a question that the server takes back, or does not live to see answered, is given up', async () => {
      const reasons: boolean[] = []
      const answering: Answering = {
        capabilities: { sampling: {} },
        answer: (_method, _params, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reasons.push(true)
              reject(signal.reason)
            })
          }),
      }
      const { session } = await open('inquires', [], { answering })
      await wait(50)
      const method = 'sampling/createMessage'
      // Where questions come in place of a result, none is taken back, and an abort is what ends them.
      const controller = new AbortController()
      if (differs.asks === undefined) {
        const aborted = faultOf(call(session, { method }, controller.signal))
        await wait(100)
        controller.abort()
        expect((await aborted).cause).toBe(controller.signal.reason)
      } else expect(await call(session, { method, cancel: true })).toBe('[]')
      await vi.waitUntil(() => reasons.length === 1, SOON)
      if (differs.asks === undefined) return
      const unanswered = faultOf(call(session, { method }))
      await wait(100)
      await session.close()
      await unanswered
      expect(reasons).toHaveLength(2)
    })

    test('what the server tells is heard, and what is none is left out', async () => {
      const heard: ServerNotice[] = []
      const { session } = await open('library', [], { onNotice: (notice) => heard.push(notice) })
      await wait(50)
      await session.ask('resources/subscribe', { uri: 'file:///a' }, { signal: never })
      await call(session, { data: { b: 1 } })
      // What is answered with one document has no way for what is logged meanwhile.
      const logs = oneWay || differs.progressAside ? 1 : 0
      await vi.waitUntil(() => heard.length === 3 + logs, SOON)
      const expected = [
        { type: 'updated', uri: 'file:///a' },
        { type: 'changed', what: 'resources' },
        { type: 'changed', what: 'prompts' },
        ...(logs ? [{ type: 'log', level: 'warning', logger: 'shelf', data: { b: 1 } }] : []),
      ]
      if (revision === '2025') return expect(heard).toEqual(expected)
      // What is told to those who asked for it takes another way.
      expect(heard).toHaveLength(expected.length)
      expect(heard).toEqual(expect.arrayContaining(expected))
    })

    test('gives other lists and answers as they were sent', async () => {
      const { session } = await open('library', ['3', '1'])
      expect((await listAll(session, 'resources', never)).items).toHaveLength(3)
      expect((await listAll(session, 'resourceTemplates', never)).items).toHaveLength(1)
      expect((await listAll(session, 'prompts', never)).items).toHaveLength(3)
      const ask = (uri: string) => session.ask('resources/read', { uri }, { signal: never })
      expect(await ask('none:///')).toEqual({ contents: 'none' })
      expect(await faultOf(ask('nowhere'))).toMatchObject({ kind: 'remote', refusal: { code: -32002 } })
      const plain = await open('echo')
      expect((await listAll(plain.session, 'resources', never)).items).toEqual([])
    })

    test('whether it is there, a server says, or it ends with the signal', async () => {
      await (await open('echo')).session.ping(never)
      if (!differs.hasPings) return
      const { session } = await open('noping')
      expect(await faultOf(session.ping(AbortSignal.timeout(100)))).toMatchObject({ effect: 'unknown' })
      expect(await call(session, { text: 'hi' })).toBe('hi')
    })

    test('a server that dies in a call: that call may have had an effect, the next one has none', async () => {
      const { session, log } = await open('die')
      expect(await faultOf(call(session))).toMatchObject({ kind: 'network', effect: 'unknown' })
      if (!http || differs.isLostOverHttp) {
        expect(await faultOf(call(session))).toMatchObject({ kind: 'network', effect: 'none' })
        await session.closed
      }
      expect(log()).toContain('fatal: out of cheese')
    })

    test('closing ends what is open at once, and for good; twice is once', async () => {
      const { session, log } = await open('slow')
      const calling = faultOf(call(session))
      await vi.waitUntil(() => log().includes('called'), SOON)
      const closing = performance.now()
      await Promise.all([
        session.close(),
        session.close(),
        calling.then((fault) => {
          expect(fault).toMatchObject({ message: 'was closed', kind: 'network', effect: 'unknown' })
          expect(performance.now() - closing).toBeLessThan(100)
        }),
      ])
      await session.closed
      await session.close()
      expect(await faultOf(call(session))).toMatchObject({ kind: 'network', effect: 'none' })
    })

    test('a session that was never opened is closed, too', async () => {
      const { session } = await make('mute')
      await session.close()
      await session.closed
    })
  })
}
