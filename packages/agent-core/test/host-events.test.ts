import { describe, expect, it } from 'vitest'
import { byNow, collect, echoTool, hooks, never, ofType, play, scripted, settle, setUp } from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }
const by = 'me'
const CONFIG = { source: 'user_settings', file_path: '/home/u/.ext/config.yaml' } as const
const COMMAND = {
  expansion_type: 'slash_command',
  command_name: 'release',
  command_args: '1.2',
  command_source: 'project',
} as const
const RAN = { hook: by, outcome: 'decided', ms: 1 } as const

describe('hooks of UserPromptExpansion', () => {
  it('hear of a command before it becomes a text, and what they say goes to the model with it', async () => {
    const model = scripted(END)
    const interceptor = hooks({ UserPromptExpansion: () => ({ context: [{ by, text: 'on main' }] }) })
    const { session } = await setUp({ model, interceptor })
    const expand = async () => ({ context: [{ by: 'skill release', text: 'Release it.' }] })
    await session.run('/release 1.2', { command: COMMAND, expand }).result
    expect(interceptor.log.find(({ event }) => event === 'UserPromptExpansion')?.payload).toEqual({
      ...COMMAND,
      prompt: '/release 1.2',
    })
    const sent = JSON.stringify(model.requests[0]?.messages)
    expect([sent.includes('Release it.'), sent.includes('[hook me] on main')]).toEqual([true, true])
  })

  it('can keep it from that: nothing is expanded, no model is asked, and the prompt leaves no trace', async () => {
    const model = scripted(END)
    const interceptor = hooks({ UserPromptExpansion: () => ({ block: { by, reason: 'not on Fridays' } }) })
    const { session } = await setUp({ model, interceptor })
    let expanded = false
    const run = session.run('/release 1.2', {
      command: COMMAND,
      expand: async () => {
        expanded = true
        return { context: [] }
      },
    })
    expect(ofType(await collect(run), 'notice')).toMatchObject([{ by, text: 'not on Fridays' }])
    expect(await run.result).toMatchObject({ reason: 'blocked' })
    expect([expanded, session.messages, model.requests]).toEqual([false, [], []])
  })

  it('hear nothing of other prompts', async () => {
    const interceptor = hooks({ UserPromptExpansion: () => ({}) })
    await play({ model: scripted(END), interceptor })
    expect(interceptor.log.map(({ event }) => event)).not.toContain('UserPromptExpansion')
  })
})

describe('an event that the program fires', () => {
  it('has the answer of the hooks, and is told in the run that is under way', async () => {
    const interceptor = hooks({ ConfigChange: () => ({ runs: [RAN], block: { by, reason: 'no' } }) })
    let block: unknown
    const { session } = await setUp({
      model: scripted(CALL, END),
      interceptor,
      tools: [
        echoTool('Echo', {
          run: async () => {
            block = (await session.fire('ConfigChange', () => CONFIG)).block
            return { content: [], isError: false }
          },
        }),
      ],
    })
    const events = await collect(session.run('go'))
    expect(block).toEqual({ by, reason: 'no' })
    const types = events.map(({ type }) => type)
    expect(ofType(events, 'hook')).toMatchObject([{ event: 'ConfigChange', hook: by }])
    expect(types.indexOf('hook')).toBeLessThan(types.indexOf('tool_result'))
  })

  it('is told with the next run where none is under way, behind the beginning of the session, or with its end', async () => {
    const interceptor = hooks({ ConfigChange: () => ({ runs: [RAN], notices: [{ by, text: 'hm' }] }) })
    const { session } = await setUp({ model: scripted(END), interceptor })
    await session.fire('ConfigChange', () => CONFIG)
    const types = (await collect(session.run('go'))).map(({ type }) => type)
    expect(types.slice(0, 3)).toEqual(['session_start', 'hook', 'notice'])
    await session.fire('ConfigChange', () => CONFIG)
    expect((await session.end()).map(({ type }) => type)).toEqual(['hook', 'notice', 'session_end'])
  })

  it('has no answer where nobody listens, the hooks fail, or the session has ended', async () => {
    const nothing = { runs: [], context: [], notices: [] }
    const deaf = await setUp({ model: scripted(END) })
    expect(await deaf.session.fire('ConfigChange', () => expect.unreachable())).toEqual(nothing)
    const broken = await setUp({
      model: scripted(END),
      interceptor: hooks({
        ConfigChange: () => {
          throw new Error('gone')
        },
      }),
    })
    expect(await broken.session.fire('ConfigChange', () => CONFIG)).toEqual(nothing)
    const events = await collect(broken.session.run('go'))
    expect(ofType(events, 'notice')).toMatchObject([
      { text: 'ConfigChange: the hooks failed, so they count as silent: gone' },
    ])
    await broken.session.end()
    expect(await broken.session.fire('ConfigChange', () => expect.unreachable())).toEqual(nothing)
  })

  it('ends with its signal, with the reason', async () => {
    const { session } = await setUp({ model: scripted(END), interceptor: hooks({ ConfigChange: never }) })
    const controller = new AbortController()
    const fired = session.fire('ConfigChange', () => CONFIG, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(fired).rejects.toThrow('enough')
  })

  it('can end the run that is under way, before its next turn, and not the one after it', async () => {
    const interceptor = hooks({ ConfigChange: () => ({ stop: { by, reason: 'start again' } }) })
    const model = scripted(CALL, END, END)
    const { session } = await setUp({
      model,
      interceptor,
      tools: [
        echoTool('Echo', {
          run: async () => {
            await session.fire('ConfigChange', () => CONFIG)
            return { content: [], isError: false }
          },
        }),
      ],
    })
    const run = session.run('go')
    expect(ofType(await collect(run), 'notice')).toMatchObject([{ by, text: 'start again' }])
    expect(await run.result).toMatchObject({ reason: 'stopped', turns: 1 })
    await session.fire('ConfigChange', () => CONFIG)
    expect(await session.run('on').result).toMatchObject({ reason: 'done' })
  })
})

describe('beforeTurn', () => {
  it('is asked before each turn of the session, which waits for it, and says what it has to', async () => {
    const order: string[] = []
    const { events } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      interceptor: hooks({
        BeforeModel: () => {
          order.push('model')
          return {}
        },
      }),
      async beforeTurn({ id, cwd }) {
        await settle()
        order.push(`${id} in ${cwd}`)
        return order.length === 1 ? ['rules have changed'] : undefined
      },
    })
    expect(order).toEqual(['id-1 in /srv', 'model', 'id-1 in /srv', 'model'])
    expect(ofType(events, 'notice')).toMatchObject([{ text: 'rules have changed' }])
  })

  it('costs nothing but itself when it fails, which is said once, and ends with the run', async () => {
    const failing = async () => Promise.reject(new Error('no such disk'))
    const { events, result } = await play({ model: scripted(CALL, END), tools: [echoTool()], beforeTurn: failing })
    expect(result.reason).toBe('done')
    expect(ofType(events, 'notice')).toMatchObject([{ text: '`beforeTurn` failed: no such disk' }])
    const { session } = await setUp({ model: scripted(END), beforeTurn: never })
    const controller = new AbortController()
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
  })
})

describe('idleMs', () => {
  it('has hooks told that nobody says anything, once after each run', async () => {
    const interceptor = hooks({ Notification: () => ({}) })
    const { session, clock } = await setUp({ model: scripted(END, END), interceptor, idleMs: 60_000 })
    const told = () => interceptor.log.filter(({ event }) => event === 'Notification').map(({ payload }) => payload)
    clock.advance(120_000)
    expect(told()).toEqual([])
    await session.run('go').result
    clock.advance(59_999)
    await settle()
    expect(told()).toEqual([])
    clock.advance(1)
    await settle()
    expect(told()).toEqual([{ notification_type: 'idle_prompt', message: 'It is your turn.' }])
    clock.advance(600_000)
    await settle()
    expect(told()).toHaveLength(1)
    await session.run('on').result
    await session.end()
    clock.advance(600_000)
    expect(await byNow(Promise.resolve(told().length))).toBe(1)
  })
})
