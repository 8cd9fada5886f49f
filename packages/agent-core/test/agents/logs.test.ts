import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AgentDefinition, RunEvent, SessionStore } from '../../src/types.js'
import { END, scripted } from '../handoff/kit.js'
import {
  type AgentSetup,
  allowed,
  authorization,
  collect,
  denied,
  echoTool,
  gate,
  hooks,
  modelOf,
  never,
  ofType,
  READS,
  resultTexts,
  runnerHooks,
  setUp,
} from '../kit.js'
import { eventsIn, killed, killedProgram, linesIn, store, temporaryFolder } from '../sessions/kit.js'

const worker: AgentDefinition = { name: 'Worker', description: 'Works.', prompt: 'You work.', model: 'child' }
const start = (more: object = {}) => ({
  calls: [{ tool: 'agent', input: { type: 'worker', prompt: 'work', ...more } }],
})
const write = (text: string) => ({ calls: [{ tool: 'Write', input: { text } }] })
const notices = (events: readonly RunEvent[]) => ofType(events, 'notice').map(({ text }) => text)
const ids = (...list: readonly string[]) => {
  const left = [...list]
  return () => left.shift() ?? `more-${left.length}`
}

interface Scene {
  readonly model?: ReturnType<typeof scripted>
  readonly child?: ReturnType<typeof scripted>
  readonly more?: Partial<AgentSetup>
}

async function scene(
  kept: SessionStore,
  { model = scripted(start(), END), child = scripted(END), more = {} }: Scene = {},
) {
  return setUp({
    model,
    models: (name) => (name === 'child' ? child : undefined),
    agents: [worker],
    store: kept,
    ids: ids('s', 'run', 'a1', 'a2', 'a3'),
    ...more,
  })
}

describe('a sub-agent', () => {
  it('has a log of its own that says whose it is, for its owner alone, and nobody works on it after its end', async () => {
    const folder = temporaryFolder()
    const kept = store(folder)
    const child = scripted(write('x'), { say: 'I wrote.' })
    const interceptor = hooks()
    const { session, agent } = await scene(kept, { child, more: { tools: [echoTool('Write')], interceptor } })
    await session.run('go').result
    const heard = interceptor.log.find(({ event }) => event === 'SubagentStop')?.payload
    expect(heard).toMatchObject({ agent_id: 'a1', agent_transcript_path: kept.place('s.a1') })
    const file = kept.place('s.a1')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(file)).sort()).toEqual(['s.a1.jsonl', 's.jsonl', 's.jsonl.owner'])
    const call = (await kept.read('s')).events.find(({ type }) => type === 'start')
    const callId = call?.type === 'start' ? call.call : ''
    expect(linesIn(file)[0]).toMatchObject({
      id: 's.a1',
      parent: { session: 's', agent: 'a1', name: 'Worker', call: callId },
    })
    expect(eventsIn(file).map(({ type }) => type)).toEqual([
      'run',
      'message',
      'message',
      'start',
      'result',
      'message',
      'end',
    ])
    expect(eventsIn(file).at(-1)).toMatchObject({ reason: 'done', turns: 2 })
    expect(eventsIn(kept.place('s')).filter(({ type }) => type === 'sub_agent')).toMatchObject([
      { log: 's.a1', agent: 'a1', name: 'Worker', call: callId },
    ])
    await agent.close()
  })

  it('is in no list and no search unless somebody asks for it, and is no session to resume', async () => {
    const kept = store()
    const { session, agent } = await scene(kept, { child: scripted({ say: 'a rare word' }) })
    await session.run('go').result
    await agent.close()
    expect((await kept.list()).map(({ id }) => id)).toEqual(['s'])
    expect(await kept.search('You work')).toEqual([])
    const all = await kept.list({ subAgents: true })
    expect(all.map(({ id, title, parent }) => [id, title, parent?.name])).toContainEqual(['s.a1', 'work', 'Worker'])
    expect((await kept.search('rare', { subAgents: true })).map((each) => each.session.id).sort()).toEqual([
      's',
      's.a1',
    ])
    const next = await scene(kept)
    for (const fork of [false, true]) {
      await expect(next.agent.resume('s.a1', { fork })).rejects.toMatchObject({
        code: 'agent-core.session.sub-agent',
        message: expect.stringContaining('the sub-agent Worker of s'),
      })
    }
    // Nobody is left working on it.
    await (await kept.open('s.a1')).writer.close()
  })

  it('of a sub-agent, of a hook and in the background has one as well, linked to whoever has started it', async () => {
    const kept = store()
    const agents = [worker, { ...worker, name: 'deep', model: 'deep' }]
    // The first answer is that of whoever works for the hook.
    const model = scripted(END, start(), start({ background: true }), END, END)
    const child = scripted({ calls: [{ tool: 'agent', input: { type: 'deep', prompt: 'deeper' } }] }, END, END)
    const deep = scripted(END, END)
    const made = runnerHooks((runner, event, session) =>
      event === 'UserPromptSubmit' ? runner.run({ prompt: 'check', session }, {}) : undefined,
    )
    const { session, agent } = await scene(kept, {
      model,
      more: {
        agents,
        models: (name) => ({ child, deep })[name],
        interceptor: made.interceptor,
        limits: { maxAgentDepth: 2 },
        tasks: {},
        ids: ids('s', 'run', 'hook', 'a1', 'a2', 'behind'),
      },
    })
    made.join(agent)
    await session.run('go').result
    await expect.poll(() => session.tasks.list()[0]?.state).toBe('completed')
    await agent.close()
    const list = await kept.list({ subAgents: true })
    const parents = Object.fromEntries(
      list.map(({ id, parent }) => [
        id,
        parent && `${parent.session}: ${parent.name}, ${parent.task ?? (parent.call ? 'call' : 'hook')}`,
      ]),
    )
    expect(parents).toEqual({
      s: undefined,
      's.hook': 's: helper, hook',
      's.a1': 's: Worker, call',
      's.a2': 's.a1: deep, call',
      's.behind': 's: Worker, task-1',
    })
  })

  it('is not kept where its session is not, and a log that can’t be begun costs the log alone', async () => {
    const kept = store()
    const broken: SessionStore = {
      ...kept,
      create: async (header) => {
        if (header.parent) throw new Error('the disk is full')
        return kept.create(header)
      },
    }
    const { session, agent } = await scene(broken, { child: scripted({ say: 'ok' }) })
    const events = await collect(session.run('go'))
    expect(notices(events)).toEqual(['The session is not kept from here on: the disk is full'])
    expect(ofType(events, 'notice')[0]).toMatchObject({ agent_type: 'Worker' })
    expect(resultTexts(session)).toEqual(['ok'])
    await agent.close()
  })
})

/** Where a process hangs until it is ended. */
interface Stuck {
  isStuck: boolean
  here(): Promise<never>
}

function stuckAt(): Stuck {
  const stuck: Stuck = {
    isStuck: false,
    here() {
      stuck.isStuck = true
      return never()
    },
  }
  return stuck
}

/** A session that is ended while something hangs in its sub-agent, and the next process. */
async function ended(first: Scene, stuck: Stuck, change: (place: (id: string) => string) => void = () => {}) {
  const folder = temporaryFolder()
  const { session } = await scene(store(folder), first)
  session.run('go')
  await expect.poll(() => stuck.isStuck).toBe(true)
  const kept = store(killed(folder))
  change((id) => kept.place(id))
  return kept
}

describe('a question that is open in a sub-agent when the process ends', () => {
  const open = async (change?: Parameters<typeof ended>[2]) => {
    const tool = echoTool('Write')
    const stuck = stuckAt()
    const asking = gate(({ call }) => (call.name === 'Write' ? stuck.here() : allowed()))
    const child = scripted({ calls: [{ tool: 'Read', input: { text: 'r' } }] }, write('1'))
    const read = echoTool('Read', { annotations: READS })
    const kept = await ended({ child, more: { tools: [tool, read], gate: asking } }, stuck, change)
    expect([tool.ran, read.ran]).toEqual([[], [{ text: 'r' }]])
    return kept
  }

  it.each(['yes', 'no'] as const)('is asked again, and the sub-agent goes on with the answer (%s)', async (answer) => {
    const kept = await open()
    const tool = echoTool('Write')
    const read = echoTool('Read', { annotations: READS })
    const child = scripted({ say: 'I am done.' })
    const model = scripted(END)
    const asked: string[] = []
    const permission = gate(({ call }) => {
      asked.push(call.name)
      if (call.name !== 'Write') return allowed()
      return answer === 'yes' ? { ...authorization('allow', 'a person'), answeredBy: 'user' } : denied()
    })
    const interceptor = hooks()
    const next = await scene(kept, { model, child, more: { tools: [tool, read], gate: permission, interceptor } })
    const session = await next.agent.resume('s')
    expect(session.isUnfinished).toBe(true)
    const events = await collect(session.continue())
    expect(asked).toEqual(['agent', 'Write'])
    expect([tool.ran.length, read.ran]).toEqual([answer === 'yes' ? 1 : 0, []])
    expect(notices(events)).toContain('The sub-agent Worker goes on where it was when the program was ended.')
    expect(resultTexts(session)).toEqual(['I am done.'])
    expect(child.requests).toHaveLength(1)
    expect(child.requests[0]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ])
    expect(ofType(events, 'agent_start')).toMatchObject([{ agent_id: 'a1', agent_type: 'Worker' }])
    expect(ofType(events, 'agent_end')).toMatchObject([{ reason: 'done', turns: 3 }])
    expect(
      interceptor.log.filter(({ event }) => event === 'PostToolUse' || event === 'PostToolUseFailure'),
    ).toHaveLength(2)
    await next.agent.close()
    expect(readdirSync(dirname(kept.place('s'))).sort()).toEqual(['s.a1.jsonl', 's.jsonl'])
    for (const id of ['s', 's.a1']) expect((await kept.read(id)).diagnostics).toEqual([])
  })

  it('is given up where another prompt comes, and the model is told what was under way and where its log is', async () => {
    const kept = await open()
    const next = await scene(kept, { model: scripted(END) })
    const session = await next.agent.resume('s')
    await session.run('Something else').result
    expect(resultTexts(session)).toEqual([
      'Interrupted: the program was ended while the sub-agent Worker was at work, and its result is lost. What it did may have taken effect; look before you start it again. Its log is s.a1.',
    ])
  })

  it('is given up in a copy', async () => {
    const kept = await open()
    const next = await scene(kept, { model: scripted(END), more: { ids: () => 'copy' } })
    const copy = await next.agent.resume('s', { fork: true })
    expect(resultTexts(copy)).toEqual([expect.stringContaining('Its log is s.a1.')])
  })

  it.each<[string, (file: string) => void, string]>([
    ['is gone', (file) => rmSync(file), 'There is no session `s.a1`'],
    [
      'is damaged',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('{"type":"run"', '{"type":"rum"')),
      'there is no event `rum`',
    ],
    [
      'is of a newer version',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"version":3', '"version":9')),
      'The log has version 9',
    ],
    [
      'is that of another session',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"session":"s"', '"session":"t"')),
      'the log s.a1 is not that of this call',
    ],
    ['is no log', (file) => writeFileSync(file, 'x\n'), 'does not say whose session it is'],
    [
      'does not say whose it is',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"agent":"a1"', '"agent":1')),
      'its `parent` does not say whose sub-agent it is of',
    ],
  ])(
    'can’t be asked again if the log %s: the call is interrupted, and nothing is done twice',
    async (_, change, why) => {
      const kept = await open((place) => change(place('s.a1')))
      const tool = echoTool('Write')
      const child = scripted(END)
      const next = await scene(kept, { model: scripted(END), child, more: { tools: [tool] } })
      const session = await next.agent.resume('s')
      expect((await session.continue().result).reason).toBe('done')
      expect(resultTexts(session)[0]).toMatch(/^Interrupted: .* It can’t be taken up again: /s)
      expect(resultTexts(session)[0]).toContain(why)
      expect([tool.ran, child.requests]).toEqual([[], []])
      await next.agent.close()
    },
  )

  it('can’t be asked again while another process works on the sub-agent, or once its definition is gone', async () => {
    const kept = await open()
    const { writer } = await kept.open('s.a1')
    const next = await scene(kept, { model: scripted(END, END) })
    const session = await next.agent.resume('s')
    await session.continue().result
    expect(resultTexts(session)[0]).toContain('This process works on the session.')
    await writer.close()
    await next.agent.close()

    const other = await open()
    const without = await scene(other, { model: scripted(END), more: { agents: [{ ...worker, name: 'other' }] } })
    const again = await without.agent.resume('s')
    await again.continue().result
    expect(resultTexts(again)[0]).toContain('while the sub-agent Worker was at work')
  })

  it('survives a log that breaks off in its last line', async () => {
    const kept = await open((place) => appendFileSync(place('s.a1'), '{"type":"mess'))
    const child = scripted({ say: 'I am done.' })
    const next = await scene(kept, { model: scripted(END), child, more: { tools: [echoTool('Write')] } })
    const session = await next.agent.resume('s')
    const events = await collect(session.continue())
    expect(resultTexts(session)).toEqual(['I am done.'])
    expect(notices(events).join()).toContain('The last line breaks off')
  })
})

it('counts what a sub-agent has used before and after its process was ended, in totals and budget', async () => {
  const usage = { type: 'usage', inputTokens: 10, outputTokens: 1 } as const
  const write1 = { type: 'tool_call', id: 'w', name: 'Write', input: { text: '1' } } as const
  const stuck = stuckAt()
  const asking = gate(({ call }) => (call.name === 'Write' ? stuck.here() : allowed()))
  const more = { tools: [echoTool('Write')], gate: asking }
  const kept = await ended({ child: modelOf([write1, usage]), more }, stuck)
  const next = await scene(kept, {
    model: scripted(END),
    child: modelOf([{ type: 'text', text: 'ok' }, usage]),
    more: { tools: [echoTool('Write')] },
  })
  const session = await next.agent.resume('s')
  const result = await session.continue().result
  expect(result.usage).toEqual({ inputTokens: 20, outputTokens: 2 })
  expect(session.totals).toMatchObject({ inputTokens: 20, outputTokens: 2 })
  await next.agent.close()
  const third = await scene(kept)
  expect((await third.agent.resume('s')).totals).toMatchObject({ inputTokens: 20, outputTokens: 2 })
})

describe('a process that is ended', () => {
  it('at any moment of a sub-agent leaves one that comes to the same end, and does nothing twice', async () => {
    const folder = temporaryFolder()
    const kept = store(folder)
    const tool = echoTool('Write')
    const child = scripted(write('1'), { say: 'I wrote.' })
    const { session, agent } = await scene(kept, { child, more: { tools: [tool] } })
    await session.run('go').result
    await agent.close()
    const main = readFileSync(kept.place('s'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    const own = readFileSync(kept.place('s.a1'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    const startsAt = main.findIndex((line) => line.startsWith('{"type":"sub_agent"')) + 1
    for (let count = 1; count <= own.length; count++) {
      const at = store(temporaryFolder())
      mkdirSync(dirname(at.place('s')), { recursive: true })
      writeFileSync(at.place('s'), `${main.slice(0, startsAt).join('\n')}\n`)
      writeFileSync(at.place('s.a1'), `${own.slice(0, count).join('\n')}\n`)
      const again = echoTool('Write')
      const modelOfChild = scripted(...(count < 4 ? [write('1'), { say: 'I wrote.' }] : [{ say: 'I wrote.' }]))
      const next = await scene(at, { model: scripted(END), child: modelOfChild, more: { tools: [again] } })
      const resumed = await next.agent.resume('s')
      expect((await resumed.continue().result).reason).toBe('done')
      expect([count, resultTexts(resumed)]).toEqual([count, ['I wrote.']])
      const began = own.slice(0, count).some((line) => line.startsWith('{"type":"start"'))
      expect([count, again.ran.length]).toEqual([count, began ? 0 : 1])
      await next.agent.close()
      const { events, diagnostics } = await at.read('s.a1')
      expect([count, diagnostics]).toEqual([count, []])
      expect(events.filter((event) => event.type === 'message' && event.prompt)).toHaveLength(1)
    }
  })

  it('with a signal that nobody can hold up asks again in the sub-agent', async () => {
    const folder = await killedProgram('killed-agent.mjs')
    const kept = store(folder)
    const tool = echoTool('Write')
    const next = await scene(kept, {
      model: scripted(END),
      child: scripted({ say: 'I wrote.' }),
      more: { tools: [tool], agents: [{ ...worker, name: 'worker' }], tasks: {} },
    })
    const session = await next.agent.resume('s')
    const events = await collect(session.continue())
    expect(tool.ran).toEqual([{ text: '1' }])
    expect(resultTexts(session)).toEqual([expect.stringContaining('Started in the background as task-1'), 'I wrote.'])
    expect(notices(events).join('\n')).toMatch(
      /task-1 \(worker: wait\) was still running .* The log of the sub-agent is s\.[\w-]+\./,
    )
    await next.agent.close()
    expect(readdirSync(dirname(kept.place('s'))).filter((name) => name.endsWith('.owner'))).toEqual([
      expect.stringMatching(/^s\..*\.owner$/),
    ])
  })
})

describe('what ran in the background when the process ended', () => {
  it('has ended with it: model and user are told once, with the log of a sub-agent, and ids go on', async () => {
    const model = scripted(start({ background: true, prompt: 'wait' }), END)
    const child = scripted(write('1'))
    const stuck = stuckAt()
    const tool = echoTool('Write', { run: () => stuck.here() })
    const kept = await ended({ model, child, more: { tools: [tool], tasks: {} } }, stuck)
    const second = scripted(start({ background: true, prompt: 'again' }), END, END)
    const next = await scene(kept, { model: second, child: scripted(END), more: { tasks: {}, ids: ids('run2', 'b1') } })
    const session = await next.agent.resume('s')
    const events = await collect(session.run('on'))
    expect(notices(events)[0]).toBe(
      'task-1 (Worker: wait) was still running when the program was ended, and was cut off after 1 turn. It does not go on by itself. No call of it has a result. Under way, so that it may have taken effect: Write {"text":"1"}. The log of the sub-agent is s.a1.',
    )
    const [first] = second.requests
    expect(JSON.stringify(first?.messages.at(-1))).toContain(
      '[task-1 cancelled: the program was ended while it ran] Worker: wait',
    )
    expect(resultTexts(session).at(-1)).toContain('Started in the background as task-2')
    await next.agent.close()
    const third = await scene(kept, { model: scripted(END) })
    expect(notices(await collect((await third.agent.resume('s')).run('more')))).toEqual([])
  })

  it('and has ended before is not told of again, and one of which the model had not heard is', async () => {
    const model = scripted(start({ background: true }), { say: 'I go.' })
    const folder = temporaryFolder()
    const asking = hooks({ Stop: () => never() })
    const { session } = await scene(store(folder), { model, more: { tasks: {}, interceptor: asking } })
    session.run('go')
    await expect.poll(() => session.tasks.list()[0]?.state).toBe('completed')
    const kept = store(killed(folder))
    const second = scripted(END, END)
    const next = await scene(kept, { model: second, more: { tasks: {} } })
    const resumed = await next.agent.resume('s')
    const events = await collect(resumed.run('on'))
    expect(notices(events)).toEqual([])
    expect(JSON.stringify(second.requests[0]?.messages)).toContain('[task-1 completed: done] Worker: work')
    await next.agent.close()
  })
})
