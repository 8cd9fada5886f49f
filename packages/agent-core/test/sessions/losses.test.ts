import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Durable, SessionStore, SessionWriter } from '../../src/types.js'
import { byNow, collect, echoTool, never, ofType, scripted, settle, setUp } from '../kit.js'
import { header, store, temporaryFolder } from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }

function fake(writer: Partial<SessionWriter>, more: Partial<SessionStore> = {}): SessionStore {
  const whole = { append: () => {}, sync: async () => {}, close: async () => {}, ...writer }
  const unused = () => Promise.reject(new Error('not here'))
  return { create: async () => whole, open: unused, read: unused, list: unused, search: unused, ...more }
}

describe('a session that can’t be kept', () => {
  it('goes on where its folder can’t be made, which is said once', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    const { session } = await setUp({
      model: scripted(CALL, { say: 'ok' }, { say: 'ok' }),
      tools: [echoTool()],
      store: store(file),
    })
    const run = session.run('go')
    const [notice, ...others] = ofType(await collect(run), 'notice')
    expect(notice?.text).toMatch(/^The session is not kept from here on: E(NOTDIR|EXIST)/)
    expect(others).toEqual([])
    expect((await run.result).reason).toBe('done')
    expect(ofType(await collect(session.run('more')), 'notice')).toEqual([])
    expect(await session.end()).toMatchObject([{ type: 'session_end' }])
  })

  it('goes on where its log can be read and not be written, which is said once', async () => {
    const kept = store()
    const first = await setUp({ model: scripted({ say: 'one' }), store: kept })
    await first.session.run('go').result
    await first.agent.close()
    const file = kept.place(first.session.id)
    // A folder where the owner of the log would be noted: nobody can claim it, whatever this user may do.
    mkdirSync(`${file}.owner`)
    const before = readFileSync(file, 'utf8')
    const { agent } = await setUp({ model: scripted({ say: 'one' }, { say: 'two' }), store: kept })
    const session = await agent.resume(first.session.id)
    const run = session.run('on')
    expect(ofType(await collect(run), 'notice').map(({ text }) => text)).toEqual([
      expect.stringContaining('The session is not kept from here on: '),
    ])
    expect(await run.result).toMatchObject({ reason: 'done', text: 'two' })
    await agent.close()
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('goes on when the disk is full, and what is kept by then can be resumed', async () => {
    const folder = temporaryFolder()
    const child = fileURLToPath(new URL('../fixtures/full-disk.mjs', import.meta.url))
    // The system itself refuses to write more than 4 KiB into a file.
    const shell = `ulimit -f 8 2>/dev/null; exec "$@"`
    const args = ['-c', shell, 'sh', process.execPath, child, folder]
    const { stdout } = await promisify(execFile)('sh', args)
    const { reason, notices, messages } = JSON.parse(stdout)
    expect(reason).toBe('done')
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatch(/^The session is not kept from here on: EFBIG/)
    const { agent } = await setUp({ model: scripted(), store: store(folder) })
    const session = await agent.resume('s')
    expect(session.messages.length).toBeGreaterThan(2)
    expect(session.messages.length).toBeLessThan(messages)
  })

  it('goes on when the store fails or hangs', async () => {
    const failing = [
      { append: () => Promise.reject(new Error('no database')) },
      {
        append() {
          throw new Error('no database')
        },
      },
      { sync: () => Promise.reject(new Error('no database')) },
    ]
    for (const writer of failing) {
      const { session } = await setUp({
        model: scripted(CALL, { say: 'ok' }),
        tools: [echoTool()],
        store: fake(writer),
      })
      const run = session.run('go')
      expect(ofType(await collect(run), 'notice').map(({ text }) => text)).toEqual([
        'The session is not kept from here on: no database',
      ])
      expect((await run.result).reason).toBe('done')
    }
    for (const hanging of [fake({ append: never }), fake({ sync: never }), fake({}, { create: never })]) {
      const { session, clock } = await setUp({
        model: scripted(CALL, { say: 'ok' }),
        tools: [echoTool()],
        store: hanging,
      })
      const run = session.run('go')
      await settle()
      expect(await byNow(run.result)).toBe('open')
      clock.advance(10_000)
      expect(await run.result).toMatchObject({ reason: 'done' })
      expect(ofType(await collect(run), 'notice').map(({ text }) => text)).toEqual([
        'The session is not kept from here on: Over the limit of 10000 ms',
      ])
      await session.end()
      expect(clock.pending).toBe(0)
    }
  })

  it('ends at once when it is aborted while the store hangs', async () => {
    const { session, clock } = await setUp({ model: scripted({ say: 'ok' }), store: fake({ sync: never }) })
    const controller = new AbortController()
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    clock.advance(150)
    expect(await byNow(run.result)).not.toBe('open')
  })

  it('says of a store that hands out nonsense what it could not use', async () => {
    const message = { role: 'user', content: [{ type: 'text', text: 'hi' }] } as const
    const events = [
      { type: 'message', at: '', message },
      { type: 'start', at: '', call: 'nobody' },
      { type: 'message', at: '', message },
    ] as const
    const writer = { append: () => {}, sync: async () => {}, close: async () => {} }
    const { agent } = await setUp({
      model: scripted({ say: 'ok' }),
      store: fake({}, { open: async () => ({ header, events, diagnostics: [], writer }) }),
    })
    const session = await agent.resume('s')
    expect(session.messages).toEqual([message])
    expect(ofType(await collect(session.run('go')), 'notice').map(({ text }) => text)).toEqual([
      'Event 2 of the session can’t be used: there is no such call. The session ends before it.',
    ])
  })
})

it('a tool does not begin before a slow store has what came before it', async () => {
  const order: string[] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const tool = echoTool('Echo', {
    run: async () => {
      order.push('tool')
      return { content: [], isError: false }
    },
  })
  const append: SessionWriter['append'] = async (events) => {
    const [{ type } = { type: 'none' }] = events
    if (type === 'start') await released
    order.push(type)
  }
  const { session } = await setUp({ model: scripted(CALL, { say: 'ok' }), tools: [tool], store: fake({ append }) })
  const run = session.run('go')
  await settle()
  expect(order).toEqual(['run', 'message', 'message'])
  release()
  await run.result
  expect(order).toEqual(['run', 'message', 'message', 'start', 'tool', 'result', 'message', 'end'])
})

it('a durable run in an agent with a store is refused: its log would have everything twice', async () => {
  const { session } = await setUp({ model: scripted(), store: store() })
  const durable: Durable = { step: (_, fn) => fn(), now: () => 0, uuid: () => 'x' }
  expect(() => session.run('go', { durable })).toThrow(expect.objectContaining({ code: 'agent-core.session.durable' }))
  expect(session.messages).toEqual([])
})
