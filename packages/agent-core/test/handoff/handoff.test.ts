import type { Message, SessionRef } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { ScriptTurn } from '../../src/scripted/index.js'
import type { AgentDefinition, HandoffEvent, HandoffOptions } from '../../src/types.js'
import { journal } from '../journal.js'
import {
  allowed,
  collect,
  denied,
  echoTool,
  gate,
  hooks,
  never,
  nonsense,
  ofType,
  play,
  READS,
  resultTexts,
  settle,
  setUp,
} from '../kit.js'
import { billing, END, handing, over, scripted } from './kit.js'

const toolNames = ({ requests }: ReturnType<typeof scripted>, turn = 0) => requests[turn]?.tools.map(({ name }) => name)
const helper: AgentDefinition = { name: 'helper', description: 'Helps.', prompt: 'You help.' }
const notices = (events: Parameters<typeof ofType>[0]) => ofType(events, 'notice').map(({ text }) => text)
const lastText = (messages: readonly Message[] | undefined) => {
  const last = messages?.at(-1)
  return last?.role === 'user' ? last.content.map((block) => (block.type === 'text' ? block.text : '')).join() : ''
}

describe('a conversation that is handed over', () => {
  it('goes on with the prompt, model and tools of the other agent from the next model call on, in the same session', async () => {
    const first = scripted(over('BILLING', { reason: 'It is about money.' }))
    const other = scripted(END, { say: 'again' })
    const tools = [echoTool('Read', { annotations: READS }), echoTool('Write')]
    const setup = handing(
      first,
      { billing: other },
      { tools, agents: [{ ...billing, model: 'billing', tools: ['Read'] }] },
    )
    const { session, events, result } = await play(setup, 'Why 12 dollars?')
    expect(ofType(events, 'handoff')).toMatchObject([{ from: 'main', to: 'Billing', reason: 'It is about money.' }])
    expect(first.requests).toHaveLength(1)
    expect(toolNames(first)).toEqual(['Read', 'Write', 'agent', 'handoff'])
    expect(other.requests[0]?.system).toBe('You are billing.')
    expect(toolNames(other)).toEqual(['Read'])
    expect(other.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(resultTexts(session)).toEqual(['Billing has the conversation once this turn is over.'])
    expect(result).toMatchObject({ reason: 'done', text: 'done', turns: 2 })
    expect(session.agent).toBe('Billing')
    await session.run('And now?').result
    expect(other.requests).toHaveLength(2)
    expect(first.requests).toHaveLength(1)
  })

  it('is offered only where the host switches it on, and to definitions that take it over', async () => {
    for (const [more, names] of [
      [{ handoff: undefined as never }, ['agent']],
      [{ agents: [helper] }, ['agent']],
      [{ limits: { maxHandoffs: 0 } }, ['agent']],
      [{ agents: [billing, helper] }, ['agent', 'handoff']],
    ] as const) {
      const model = scripted(END)
      const { handoff, ...others } = handing(model, {}, more)
      await play({ ...others, ...(handoff ? { handoff } : {}) })
      expect(toolNames(model)).toEqual(names)
    }
  })

  it('lists whom it can go to, and answers another name with the one that was meant', async () => {
    const first = scripted(over('biling'), over('helper'), over('main'), over('nobody at all'), END)
    const { session, events } = await play(handing(first, {}, { agents: [billing, helper] }))
    expect(first.requests[0]?.tools.find(({ name }) => name === 'handoff')?.description).toBe(
      'Hands this conversation over to another agent, which goes on with it in your place once this turn is over. Agents:\n- Billing: Answers questions about money.',
    )
    expect(resultTexts(session)).toEqual([
      'There is no agent biling to hand over to. Did you mean Billing?',
      'helper takes no conversation over. There are: Billing.',
      'main has the conversation: that is you.',
      'There is no agent nobody at all to hand over to. There are: Billing.',
    ])
    expect(ofType(events, 'handoff')).toEqual([])
    expect(session.agent).toBeUndefined()
  })

  it('can be handed back to the first agent, which has its prompt and tools again', async () => {
    const first = scripted(over(), END)
    const other = scripted(over('desk'))
    const setup = handing(
      first,
      { billing: other },
      { system: 'You are the desk.', handoff: { first: 'desk' }, tools: [echoTool()] },
    )
    const { session, events } = await play({ ...setup, agents: [{ ...billing, model: 'billing', tools: ['handoff'] }] })
    expect(ofType(events, 'handoff').map(({ from, to }) => [from, to])).toEqual([
      ['desk', 'Billing'],
      ['Billing', 'desk'],
    ])
    expect(toolNames(other)).toEqual(['handoff'])
    expect(toolNames(first, 1)).toEqual(['Echo', 'agent', 'handoff'])
    expect(first.requests[1]?.system).toBe('You are the desk.')
    expect(session.agent).toBeUndefined()
  })

  it('is handed over so often in a run and no more, and once in a turn', async () => {
    const first = scripted(over(), over(), END)
    const other = scripted(over('main'), over('main'))
    const { session, events } = await play(handing(first, { billing: other }, { limits: { maxHandoffs: 3 } }))
    expect(ofType(events, 'handoff')).toHaveLength(3)
    expect(resultTexts(session).at(-1)).toBe(
      'The conversation was handed over 3 times in this run, which is the limit. Go on with it yourself.',
    )
    const twice = scripted({ calls: [...over().calls, ...over('main').calls, ...over('billing').calls] })
    const played = await play(handing(twice, { billing: scripted(END) }))
    expect(resultTexts(played.session)).toEqual([
      expect.stringContaining('Billing has the conversation once this turn is over.') as unknown as string,
      'main has the conversation: that is you.',
      'The conversation goes to Billing already.',
    ])
    expect(ofType(played.events, 'handoff')).toHaveLength(1)
  })

  it('goes the way of every call: a hook or the gate can keep it where it is', async () => {
    const interceptor = hooks({ PreToolUse: () => ({ block: { by: 'guard', reason: 'stay' } }) })
    const blocked = await play(handing(scripted(over(), END), {}, { interceptor }))
    expect(resultTexts(blocked.session)).toEqual(['[hook guard] stay'])
    expect(interceptor.log.map(({ event }) => event)).toContain('PostToolUseFailure')
    const refusing = gate(({ call }) => (call.name === 'handoff' ? denied() : allowed()))
    const refused = await play(handing(scripted(over(), END), {}, { gate: refusing }))
    expect(resultTexts(refused.session)).toEqual(['model: a rule denies it'])
    expect([blocked.session.agent, refused.session.agent]).toEqual([undefined, undefined])
  })

  it('is none of a sub-agent’s', async () => {
    const child = scripted(END)
    const start = { calls: [{ tool: 'agent', input: { type: 'billing', prompt: 'x' } }] }
    await play(handing(scripted(start, END), { billing: child }))
    expect(toolNames(child)).toEqual([])
  })
})

describe('the limits of whoever takes over', () => {
  it('hold as for a sub-agent: a tool that is not in its list does not exist', async () => {
    const other = scripted({ calls: [{ tool: 'Write', input: { text: 'x' } }] }, END)
    const agents = [{ ...billing, model: 'billing', tools: ['Read'] }]
    const write = echoTool('Write')
    const tools = [write, echoTool('Read')]
    const { events } = await play(handing(scripted(over()), { billing: other }, { agents, tools }))
    expect(ofType(events, 'tool_rejected')).toMatchObject([{ tool: 'Write' }])
    expect(write.ran).toEqual([])
  })

  it('make the mode stricter and never looser, also once it is handed back; clear begins in the first one', async () => {
    const modes: unknown[] = []
    const asking = gate(() => allowed())
    const watching = {
      session: (ref: Parameters<typeof asking.session>[0]) => {
        modes.push(ref.permissionMode)
        return asking.session(ref)
      },
    }
    const agents = [
      { ...billing, model: 'billing', permissionMode: 'plan' },
      { ...billing, name: 'free', model: 'free', permissionMode: 'bypassPermissions' },
    ] as const
    const others = { billing: scripted(over('free')), free: scripted(over('main')) }
    const { session, events } = await play(handing(scripted(over(), END), others, { agents, gate: watching }))
    // The last two are views that were there already or come with `clear`.
    expect(modes).toEqual(['default', 'plan', 'plan', 'plan'])
    expect(notices(events)).toContain(
      'The agent free wants the mode bypassPermissions, which is not stricter than plan; it keeps plan.',
    )
    await session.clear()
    expect(modes.at(-1)).toBe('default')
    expect(session.agent).toBeUndefined()
  })

  it('keep a read-only agent’s successors read-only', async () => {
    const agents = [
      { ...billing, model: 'billing', profile: 'read-only' },
      { ...billing, name: 'writer', model: 'writer' },
    ] as const
    const others = { billing: scripted(over('writer')), writer: scripted(END) }
    const tools = [echoTool('Read', { kind: 'read', annotations: READS }), echoTool('Write')]
    await play(handing(scripted(over()), others, { agents, tools }))
    expect(toolNames(others.billing)).toEqual(['Read', 'agent', 'handoff'])
    expect(toolNames(others.writer)).toEqual(['Read', 'agent', 'handoff'])
  })

  it('count its turns from the handoff on, within those of the run', async () => {
    const echo = { calls: [{ tool: 'Echo', input: { text: 'x' } }] }
    const agents = [{ ...billing, model: 'billing', maxTurns: 2 }]
    const { result } = await play(
      handing(scripted(echo, over()), { billing: scripted(echo, echo, echo) }, { agents, tools: [echoTool()] }),
    )
    expect(result).toMatchObject({ reason: 'max_turns', turns: 4 })
    const few = await play(
      handing(
        scripted(over()),
        { billing: scripted(echo, echo) },
        { agents, tools: [echoTool()], limits: { maxTurns: 2 } },
      ),
    )
    expect(few.result).toMatchObject({ reason: 'max_turns', turns: 2 })
  })

  it('say of a model that nobody knows which one is used', async () => {
    const first = scripted(over(), END)
    const { events } = await play(handing(first, {}, { agents: [{ ...billing, model: 'gone' }] }))
    expect(notices(events)).toEqual([
      `The agent Billing wants the model gone, which is not known; ${first.id} is used.`,
    ])
  })
})

describe('hooks', () => {
  it('see a session of the agent that has it; back at the first one they go on where they were', async () => {
    const refs: unknown[] = []
    const ended: unknown[] = []
    const listening = hooks()
    const interceptor = {
      session: (ref: Parameters<typeof listening.session>[0]) => {
        refs.push([ref.id, ref.origin, ref.agent])
        return { ...listening.session(ref), end: () => void ended.push(ref.agent?.type) }
      },
    }
    const setup = handing(scripted(over(), END), { billing: scripted(over('main')) }, { interceptor })
    const { agent } = await play(setup)
    expect(refs).toEqual([
      ['id-1', 'main', undefined],
      ['id-1', 'main', { type: 'Billing' }],
    ])
    const fired = listening.log.map(({ event }) => event)
    expect(fired.filter((event) => event === 'Stop')).toHaveLength(1)
    expect(fired).not.toContain('SubagentStop')
    await agent.close()
    expect(listening.log.filter(({ event }) => event === 'SessionEnd')).toHaveLength(1)
    // The one that is told of the end is the last one that had the conversation.
    expect(ended).toEqual(['Billing'])
  })

  it('that can’t be ended cost a notice', async () => {
    const interceptor = {
      session: () => ({
        fire: () => undefined,
        end() {
          throw new Error('no way')
        },
      }),
    }
    const { agent } = await play(handing(scripted(over()), { billing: scripted(END) }, { interceptor }))
    expect(notices(await agent.close())).toEqual([
      'Hooks of an agent that had the conversation before could not be ended: no way',
    ])
  })

  it('can have sub-agents run right after it, with the tools of the new holder', async () => {
    const agents = [
      { ...billing, model: 'billing', tools: ['Read', 'agent'] },
      { ...helper, model: 'helper' },
    ]
    const tools = [echoTool('Read'), echoTool('Write')]
    const child = scripted(END)
    const start = { calls: [{ tool: 'agent', input: { type: 'helper', prompt: 'x' } }] }
    await play(handing(scripted(over()), { billing: scripted(start, END), helper: child }, { agents, tools }))
    expect(toolNames(child)).toEqual(['Read'])
  })
})

describe('skills of the definition', () => {
  it('are loaded as for a sub-agent; one that can’t be is named', async () => {
    const other = scripted(END)
    const modes: string[] = []
    const extensions = [
      {
        session: () => ({
          expand: async ({ name }: { name: string }, { session }: { session: SessionRef }) => {
            modes.push(session.permissionMode)
            if (name === 'gone') throw new Error('no such skill')
            return { context: [{ by: `skill ${name}`, text: `How to ${name}.` }] }
          },
        }),
      },
    ]
    const agents = [{ ...billing, model: 'billing', skills: ['refund', 'gone'], permissionMode: 'plan' } as const]
    const { events } = await play(handing(scripted(over()), { billing: other }, { agents, extensions }))
    expect(lastText(other.requests[0]?.messages)).toBe('How to refund.')
    expect(modes).toEqual(['plan', 'plan'])
    expect(notices(events)).toEqual(['Billing begins without it: no such skill'])
  })
})

describe('a filter', () => {
  const filtering = (handoff: HandoffOptions, ...first: readonly ScriptTurn[]) => {
    const other = scripted(END)
    const model = scripted(...first)
    return { other, model, setup: handing(model, { billing: other }, { handoff }) }
  }

  it('decides what the next agent sees, and is told of the handoff', async () => {
    const seen: HandoffEvent[] = []
    const inputFilter: HandoffOptions['inputFilter'] = async (messages, event) => {
      seen.push(event)
      return messages.filter(({ role }) => role === 'user')
    }
    const { other, setup } = filtering({ inputFilter }, over('billing', { reason: 'money' }))
    const { session } = await play(setup, 'Why?')
    expect(seen).toEqual([{ from: 'main', to: 'Billing', reason: 'money' }])
    expect(other.requests[0]?.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }])
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  const call: Message = { role: 'assistant', text: '', calls: [{ id: 'a', name: 'Echo', input: {} }] }
  it.each<[string, HandoffOptions['inputFilter'], string]>([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
      'its filter failed: boom',
    ],
    ['rejects', async () => Promise.reject(new Error('boom')), 'its filter failed: boom'],
    [
      'gives no list',
      () => nonsense('all of it'),
      'what its filter gave can’t be used: messages must be a list; it is',
    ],
    ['gives nothing', () => nonsense(undefined), 'what its filter gave can’t be used: messages must be a list'],
    ['gives no message', () => [], 'what its filter gave can’t be used: there is no message'],
    ['gives what is no JSON', () => nonsense([() => {}]), 'what its filter gave can’t be used: it holds a function'],
    [
      'parts a call from its result',
      (all) => all.filter(({ role }) => role !== 'tool'),
      'the calls of message 2 have no results',
    ],
    [
      'parts a result from its call',
      (all) => all.filter(({ role }) => role !== 'assistant'),
      'must have one result for each call before it',
    ],
    ['puts a call without a result at the end', (all) => [...all, call], 'the calls of message 4 have no results'],
    [
      'lets the other agent have the last word',
      (all) => [...all, { role: 'assistant', text: 'x', calls: [] }],
      'nothing would be asked',
    ],
  ])('that %s keeps the conversation where it is, and user and model are told', async (_, inputFilter, why) => {
    const told: unknown[] = []
    const handoff: HandoffOptions = { onHandoff: (event) => told.push(event), ...(inputFilter ? { inputFilter } : {}) }
    const { other, model, setup } = filtering(handoff, over(), END)
    const { session, events, result } = await play(setup)
    expect(result.reason).toBe('done')
    expect([other.requests.length, told, session.agent]).toEqual([0, [], undefined])
    expect(notices(events)).toEqual([expect.stringContaining('The conversation was not handed over to Billing: ')])
    expect(notices(events)[0]).toContain(why)
    expect(lastText(model.requests[1]?.messages)).toContain('Go on with it yourself.]')
  })

  it('that hangs is given up in time, and one that changes what it gets changes nothing', async () => {
    const { setup } = filtering({ inputFilter: never }, over(), END)
    const { session, clock } = await setUp(setup)
    const run = session.run('go')
    await settle()
    clock.advance(120_000)
    expect(notices(await collect(run))[0]).toContain('Over the limit of 120000 ms')
    const emptied = filtering({ inputFilter: (all) => (all as Message[]).splice(0) }, over(), END)
    const played = await play(emptied.setup)
    expect(played.session.messages.length).toBeGreaterThan(3)
  })

  it('is given up with its run, and the next one hands over', async () => {
    let calls = 0
    const inputFilter: HandoffOptions['inputFilter'] = (all) => (++calls === 1 ? never() : all)
    const { other, setup } = filtering({ inputFilter }, over())
    const { session } = await setUp(setup)
    const controller = new AbortController()
    const run = session.run('go', { signal: controller.signal })
    await settle()
    controller.abort()
    expect((await run.result).reason).toBe('aborted')
    expect(session.agent).toBeUndefined()
    const events = await collect(session.run('on'))
    expect(ofType(events, 'handoff')).toHaveLength(1)
    expect(other.requests).toHaveLength(1)
    expect(session.agent).toBe('Billing')
  })
})

describe('onHandoff', () => {
  it('is told once the conversation is handed over; a throw or a rejection is only said', async () => {
    const told: unknown[] = []
    const run = (onHandoff: HandoffOptions['onHandoff']) =>
      play(handing(scripted(over()), { billing: scripted(END) }, { handoff: { ...(onHandoff ? { onHandoff } : {}) } }))
    await run((event) => told.push(event))
    expect(told).toEqual([{ from: 'main', to: 'Billing' }])
    for (const broken of [
      () => {
        throw new Error('oh')
      },
      async () => Promise.reject(new Error('oh')),
    ]) {
      const { events, result, session } = await run(broken)
      expect(notices(events)).toEqual(['`onHandoff` failed when it was told of the handoff: oh'])
      expect([result.reason, session.agent]).toEqual(['done', 'Billing'])
    }
    expect((await run(never)).result.reason).toBe('done')
  })
})

describe('a durable run', () => {
  it.each(['handoff:1', 'handoff:1:told', 'handoff:1:skill:refund'])(
    'that is played again after step %s is handed over alike, and nobody is asked or told twice',
    async (step) => {
      const calls: string[] = []
      const handoff: HandoffOptions = {
        inputFilter: (all) => {
          calls.push('filter')
          return all
        },
        onHandoff: () => void calls.push('told'),
      }
      const extensions = [
        { session: () => ({ expand: async () => ({ context: [{ by: 'skill refund', text: 'How.' }] }) }) },
      ]
      const other = scripted(END)
      const agents = [{ ...billing, model: 'billing', skills: ['refund'] }]
      const setup = () => setUp(handing(scripted(over()), { billing: other }, { handoff, agents, extensions }))
      const { open } = journal()
      const killed = open({ step, moment: 'after' })
      ;(await setup()).session.run('go', { durable: killed })
      await killed.dead
      const { session } = await setup()
      const run = session.run('go', { durable: open() })
      expect(ofType(await collect(run), 'handoff')).toHaveLength(1)
      expect(session.agent).toBe('Billing')
      expect(calls).toEqual(['filter', 'told'])
      expect(lastText(other.requests[0]?.messages)).toBe('How.')
    },
  )
})

describe('options', () => {
  it.each<[unknown, string]>([
    ['yes', '`handoff` must be a map'],
    [{ first: ' ' }, '`handoff.first` must be a name'],
    [{ first: 'BILLING' }, 'The first agent can’t be called BILLING: a definition has that name.'],
    [{ inputFilter: [] }, '`handoff.inputFilter` must be a function'],
    [{ onHandoff: 'x' }, '`handoff.onHandoff` must be a function'],
  ])('%j are refused when the agent is made', async (handoff, message) => {
    const making = setUp(handing(scripted(END), {}, { handoff: nonsense(handoff) }))
    await expect(making).rejects.toMatchObject({
      code: 'agent-core.handoff',
      message: expect.stringContaining(message),
    })
  })
})
