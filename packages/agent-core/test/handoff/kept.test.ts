import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentDefinition, HandoffOptions, Model } from '../../src/types.js'
import { type AgentSetup, allowed, CWD, collect, echoTool, gate, ofType, resultTexts, setUp } from '../kit.js'
import { eventsIn, killedProgram, linesIn, store, temporaryFolder } from '../sessions/kit.js'
import { billing, END, handing, over, scripted } from './kit.js'

const AS_BILLING: AgentDefinition = { ...billing, model: 'billing', tools: ['Read'], permissionMode: 'plan' }
const notices = (events: Parameters<typeof ofType>[0]) => ofType(events, 'notice').map(({ text }) => text)

/** A session that Billing has, in a store, whose process has ended. */
async function handedOver(handoff: HandoffOptions = {}, more: Partial<AgentSetup> = {}) {
  const folder = temporaryFolder()
  const kept = store(folder)
  const setup = handing(
    scripted(over('billing', { reason: 'money' })),
    { billing: scripted(END) },
    { handoff, store: kept, agents: [AS_BILLING], ...more },
  )
  const { agent, session } = await setUp({ ...setup, tools: [echoTool('Read'), echoTool('Write')] })
  await session.run('Why?').result
  await agent.close()
  return { folder, kept, id: session.id, file: kept.place(session.id) }
}

/** The next process. */
async function next(kept: AgentSetup['store'], more: Partial<AgentSetup> = {}) {
  const first = scripted(END, END)
  const other = scripted(END, END)
  const modes: unknown[] = []
  const permission = gate(() => allowed())
  const setup = handing(
    first,
    { billing: other },
    {
      ...(kept ? { store: kept } : {}),
      agents: [AS_BILLING],
      tools: [echoTool('Read'), echoTool('Write')],
      system: 'You are first.',
      ids: () => 'fresh',
      gate: {
        session(ref) {
          modes.push(`${ref.agent?.type ?? 'first'}: ${ref.permissionMode}`)
          return permission.session(ref)
        },
      },
      ...more,
    },
  )
  const { agent } = await setUp(setup)
  return { agent, first, other, modes }
}

describe('a session that was handed over and is resumed', () => {
  it('goes on as the agent that has it, with its prompt, model, tools and mode', async () => {
    const { kept, id, file } = await handedOver()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(linesIn(file)[0]).toMatchObject({ version: 3, permissionMode: 'default' })
    expect(eventsIn(file).filter(({ type }) => type === 'handoff' || type === 'agent')).toMatchObject([
      { type: 'handoff', to: 'Billing', reason: 'money' },
      { type: 'agent', name: 'Billing', permissionMode: 'plan', turn: 1 },
    ])
    const { agent, first, other, modes } = await next(kept)
    const session = await agent.resume(id)
    expect(session.agent).toBe('Billing')
    const events = await collect(session.run('And now?'))
    expect(ofType(events, 'session_start')).toMatchObject([{ source: 'resume', agent: 'Billing', tools: ['Read'] }])
    expect(first.requests).toEqual([])
    expect(other.requests[0]).toMatchObject({ system: 'You are billing.', tools: [{ name: 'Read' }] })
    expect(modes.at(-1)).toBe('Billing: plan')
    await agent.close()
    // And once more.
    const third = await next(kept)
    expect((await third.agent.resume(id)).agent).toBe('Billing')
    await third.agent.close()
  })

  it('has what the filter has left, and the log has all of it', async () => {
    const { kept, id, file } = await handedOver({ inputFilter: (all) => all.slice(0, 1) })
    const { agent, other } = await next(kept)
    const session = await agent.resume(id)
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    await session.run('And now?').result
    expect(other.requests[0]?.messages).toHaveLength(3)
    expect(eventsIn(file).filter(({ type }) => type === 'message' || type === 'result').length).toBeGreaterThan(3)
  })

  it('takes the mode that a person chooses, made stricter by the definition as it is now', async () => {
    const { kept, id } = await handedOver()
    const { agent, modes } = await next(kept, { agents: [{ ...AS_BILLING, permissionMode: 'default' }] })
    await (await agent.resume(id)).end()
    // Nobody has said anything, and what was strict stays so.
    expect(modes.at(-1)).toBe('Billing: plan')
    const session = await agent.resume(id, { permissionMode: 'acceptEdits' })
    expect(modes.at(-1)).toBe('Billing: default')
    await session.clear()
    expect(modes.at(-1)).toBe('first: acceptEdits')
  })

  it('is refused if there is no such agent any more, unless somebody gives it back to the first one', async () => {
    const { kept, id, file } = await handedOver()
    const before = readFileSync(file, 'utf8')
    const { agent, first, modes } = await next(kept, { agents: [{ ...billing, name: 'Billings' }] })
    for (const fork of [false, true]) {
      await expect(agent.resume(id, { fork })).rejects.toMatchObject({
        code: 'agent-core.session.agent',
        message: expect.stringMatching(/the agent Billing, .*\(there is Billings\)\. Repair or restore .*`handBack`/),
      })
    }
    expect(readFileSync(file, 'utf8')).toBe(before)
    const session = await agent.resume(id, { handBack: true })
    expect(session.agent).toBeUndefined()
    await session.run('And now?').result
    expect(first.requests[0]).toMatchObject({ system: 'You are first.' })
    expect(modes.at(-1)).toBe('first: default')
    await agent.close()
    // The log says so too.
    const third = await next(kept)
    expect((await third.agent.resume(id)).agent).toBeUndefined()
  })

  it('goes on as that agent also where nobody can hand over any more', async () => {
    const { kept, id } = await handedOver()
    const { agent, other } = await next(kept, {
      handoff: undefined as never,
      agents: [{ ...AS_BILLING, handoff: false }],
    })
    await (await agent.resume(id)).run('And now?').result
    expect(other.requests).toHaveLength(1)
  })

  it.each([
    ['without a mode', { type: 'agent', at: '', name: 'Billing', turn: 1 }],
    ['with a profile that there is not', { type: 'agent', at: '', permissionMode: 'plan', profile: 'all', turn: 1 }],
    [
      'with half a conversation',
      { type: 'agent', at: '', permissionMode: 'plan', turn: 1, messages: [{ role: 'tool', results: [{}] }] },
    ],
    ['of a handoff to nobody', { type: 'handoff', at: '' }],
  ])('ends before an entry %s, which is said', async (_, entry) => {
    const { kept, id, file } = await handedOver()
    const lines = readFileSync(file, 'utf8').split('\n')
    const at = lines.findIndex((line) => line.startsWith('{"type":"agent"'))
    writeFileSync(file, [...lines.slice(0, at), JSON.stringify(entry), ...lines.slice(at)].join('\n'))
    const { agent } = await next(kept)
    const session = await agent.resume(id)
    const events = await collect(session.run('on'))
    expect(notices(events)[0]).toContain('The line can’t be used')
    // What stood before it is the wish to hand over, which is carried out.
    expect(session.agent).toBe('Billing')
  })
})

describe('a copy of a session that was handed over', () => {
  it('is had by the same agent, also when it is resumed itself; the other one goes on as it was', async () => {
    const { kept, id } = await handedOver()
    const { agent } = await next(kept)
    const copy = await agent.resume(id, { fork: true })
    expect(copy.agent).toBe('Billing')
    await copy.run('Otherwise').result
    await agent.close()
    const third = await next(kept, { ids: () => 'other' })
    const again = await third.agent.resume('fresh')
    expect(again.agent).toBe('Billing')
    const own = again.fork()
    expect(own.agent).toBe('Billing')
    await own.run('x').result
    expect(third.modes.filter((mode) => mode === 'Billing: plan').length).toBeGreaterThan(1)
    expect(eventsIn(kept.place('other')).filter(({ type }) => type === 'agent')).toMatchObject([
      { name: 'Billing', permissionMode: 'plan' },
    ])
    expect(linesIn(kept.place('other'))[0]).toMatchObject({ permissionMode: 'default', from: 'fresh' })
  })
})

/** A store that holds the beginning of a log. */
function cutOff(lines: readonly string[], count: number): ReturnType<typeof store> {
  const kept = store(temporaryFolder())
  mkdirSync(dirname(kept.place('s')), { recursive: true })
  writeFileSync(kept.place('s'), `${lines.slice(0, count).join('\n')}\n`)
  return kept
}

/** Both agents hand over until they are told not to. Begins the session, or continues the run in it that was cut off. */
async function restless(kept: ReturnType<typeof store>, id: string, maxHandoffs: number) {
  const model: Model = {
    id: 'restless',
    async *stream({ messages, system }) {
      if (JSON.stringify(messages.at(-1)).includes('which is the limit')) yield { type: 'text', text: 'I stay.' }
      else {
        const to = system.startsWith('You are billing.') ? 'main' : 'billing'
        yield { type: 'tool_call', id: `c${messages.length}`, name: 'handoff', input: { to } }
      }
    },
  }
  const { agent } = await setUp(handing(model, {}, { store: kept, limits: { maxHandoffs }, ids: () => 'run' }))
  const session = existsSync(kept.place(id)) ? await agent.resume(id) : agent.session({ id, cwd: CWD })
  const run = session.messages.length === 0 ? session.run('go') : session.isUnfinished ? session.continue() : undefined
  const { reason } = (await run?.result) ?? { reason: 'done' }
  await agent.close()
  const lines = readFileSync(kept.place(id), 'utf8').split('\n').slice(0, -1)
  // Who has had it, one after the other: it is said again when a session is taken up.
  const holders = eventsIn(kept.place(id)).flatMap((event) => (event.type === 'agent' ? [event.name] : []))
  const handoffs = [undefined, ...holders].filter((name, index, all) => index > 0 && name !== all[index - 1]).length
  return { lines, reason, handoffs, firstCall: lines.findIndex((line) => line.includes('"calls":[{')) + 1 }
}

describe('a process that is ended', () => {
  it('at any moment of a handoff leaves a session that comes to the same end', async () => {
    const { file, id } = await handedOver()
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const seen = new Set<string>()
    for (let count = lines.findIndex((line) => line.includes('"calls":[{')) + 1; count <= lines.length; count++) {
      const folder = temporaryFolder()
      const kept = store(folder)
      const place = kept.place(id)
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, `${lines.slice(0, count).join('\n')}\n`)
      const { agent } = await next(kept)
      const session = await agent.resume(id)
      seen.add(String(session.agent))
      const run = session.isUnfinished ? session.continue() : session.run('on')
      expect((await run.result).reason).toBe('done')
      // Of one that had begun and of which nothing else is known nobody can say whether it took place: it did not.
      const began =
        resultTexts(session)[0]?.startsWith('Interrupted') &&
        !lines.slice(0, count).some((line) => line.startsWith('{"type":"handoff"'))
      expect([count, session.agent]).toEqual([count, began ? undefined : 'Billing'])
      await agent.close()
      expect((await kept.read(id)).diagnostics).toEqual([])
    }
    expect(seen).toEqual(new Set(['undefined', 'Billing']))
  })

  it('at any moment, and once more at any moment, leaves a run that hands over as often as it may, and no more', async () => {
    const MOST = 2
    const whole = await restless(store(), 's', MOST)
    expect(whole.handoffs).toEqual(MOST)
    const cut = (lines: readonly string[], count: number) => restless(cutOff(lines, count), 's', MOST)
    for (let count = whole.firstCall; count < whole.lines.length; count++) {
      const once = await cut(whole.lines, count)
      expect([count, once.handoffs, once.reason]).toEqual([count, MOST, 'done'])
      // Behind each line that is written when it is taken up, and a little later.
      for (let again = count + 1; again < Math.min(count + 6, once.lines.length); again++) {
        const twice = await cut(once.lines, again)
        expect([count, again, twice.handoffs, twice.reason]).toEqual([count, again, MOST, 'done'])
      }
    }
  })

  it('and once more right when the session is taken up, leaves an order that is still carried out', async () => {
    const { lines } = await restless(store(), 's', 2)
    const ordered = lines.findLastIndex((line) => line.startsWith('{"type":"handoff"')) + 1
    const again = await restless(cutOff(lines, ordered), 's', 2)
    expect(again.lines.slice(ordered, ordered + 2).map((line) => JSON.parse(line))).toMatchObject([
      { type: 'resume' },
      { type: 'agent', name: 'Billing' },
    ])
    const { agent } = await next(cutOff(again.lines, ordered + 2))
    const session = await agent.resume('s')
    expect(session.agent).toBe('Billing')
    await session.continue().result
    expect(session.agent).toBeUndefined()
    await agent.close()
  })

  it('with a signal that nobody can hold up goes on as the agent that had the conversation, which is handed over no more often', async () => {
    const folder = await killedProgram('killed-handoff.mjs')
    const kept = store(folder)
    const other = scripted(over('main'), END)
    const agents = [{ ...billing, name: 'billing', model: 'billing', permissionMode: 'plan' }] as const
    const { agent } = await next(kept, { agents, models: () => other, limits: { maxHandoffs: 1 } })
    const session = await agent.resume('s')
    expect(session.agent).toBe('billing')
    const events = await collect(session.continue())
    expect(resultTexts(session).slice(-2)).toEqual([
      expect.stringContaining('Interrupted: the program was ended while write ran.'),
      expect.stringContaining('The conversation was handed over 1 times in this run, which is the limit.'),
    ])
    expect(session.agent).toBe('billing')
    expect(other.requests[0]?.system).toBe('You are billing.')
    expect(ofType(events, 'result')).toMatchObject([{ reason: 'done' }])
    await agent.close()
  })
})
