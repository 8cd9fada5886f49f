import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defineTool } from '../../src/index.js'
import type { AgentDefinition, AgentSession, RunEvent, SessionStore } from '../../src/types.js'
import { END, scripted } from '../handoff/kit.js'
import {
  type AgentSetup,
  allowed,
  collect,
  echoTool,
  gate,
  hooks,
  never,
  ofType,
  play,
  resultTexts,
  setUp,
} from '../kit.js'
import { killed, killedProgram, store, temporaryFolder } from '../sessions/kit.js'

const worker: AgentDefinition = { name: 'worker', description: 'Works.', prompt: 'You work.', model: 'child' }
const calls = (tool: string, input: Record<string, string | boolean>) => ({ calls: [{ tool, input }] })
const behind = calls('agent', { type: 'worker', prompt: 'write both', background: true })
const write = (text: string) => calls('Write', { text })
const notices = (events: readonly RunEvent[]) => ofType(events, 'notice').map(({ text }) => text)

const list = (...items: readonly string[]) => {
  const left = [...items]
  return () => left.shift() ?? `more-${left.length}`
}

/** The next process: all that it does is told in `ran`, and what the model is told about the task in `told`. */
async function next(kept: SessionStore, more: Partial<AgentSetup> = {}) {
  const model = scripted(END, END)
  const child = scripted(END)
  const tool = echoTool('Write')
  const { agent } = await setUp({
    model,
    models: () => child,
    agents: [worker],
    tools: [tool],
    tasks: {},
    store: kept,
    ids: list('r1', 'r2', 'r3'),
    ...more,
  })
  const ran = () => [...tool.ran, ...child.requests]
  const told = () => model.requests[0]?.messages.at(-1)
  return { agent, ran, told }
}

/** Goes on as a user would. */
function goOn(session: AgentSession): Promise<readonly RunEvent[]> {
  return collect(session.isUnfinished ? session.continue() : session.run('on'))
}

/** A session whose process is ended once its worker has come so far: in its background, so that its run is over, or in front. */
async function cutOff(
  child: ReturnType<typeof scripted>,
  more: Partial<AgentSetup>,
  isSoFar: () => boolean,
  where: 'behind' | 'in front' = 'behind',
) {
  const folder = temporaryFolder()
  const { session } = await setUp({
    model: scripted(behind, END),
    models: () => child,
    agents: [worker],
    tasks: {},
    store: store(folder),
    ids: list('s', 'r', 'a'),
    ...more,
  })
  const { result } = session.run('go')
  if (where === 'behind') await result
  await expect.poll(isSoFar).toBe(true)
  return store(killed(folder))
}

function change(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}

/** Starts something in the background that never ends. */
const behindForEver = defineTool({
  name: 'Behind',
  description: 'Goes on.',
  kind: 'exec',
  inputSchema: { type: 'object' },
  run: async (_input, { background }) =>
    (await background?.({ kind: 'command', subject: 'for ever', run: never }))?.id ?? 'no',
})

/** The worker hangs in its second call. */
async function hanging() {
  const ran: string[] = []
  const run: ReturnType<typeof echoTool>['run'] = ({ text }) => {
    ran.push(String(text))
    return text === 'two' ? never() : Promise.resolve({ content: [], isError: false })
  }
  const child = scripted({ say: 'First one.', ...write('one') }, { say: 'Now two.', ...write('two') })
  return cutOff(child, { tools: [echoTool('Write', { run })] }, () => ran.length === 2)
}

describe('a sub-agent that was at work in the background when the process was ended', () => {
  it('by a signal that nobody can hold up is told of as it is: cut off, how far it came, how to start it again', async () => {
    const folder = await killedProgram('killed-tasks.mjs')
    const kept = store(join(folder, 'sessions'))
    const { agent, ran, told } = await next(kept)
    const session = await agent.resume('s')
    const log = (await kept.list({ subAgents: true })).find(({ parent }) => parent)?.id
    const command = 'yes | head -c 100000; sleep 600'
    const facts = [
      'There are results of: Write, Bash.',
      'Under way, so that it may have taken effect: Write {"text":"two"}.',
      `In its own background, and ended with it: task-2 (${command}).`,
    ]
    expect(notices(await goOn(session))).toEqual([
      `task-1 (worker: write both) was still running when the program was ended, and was cut off after 3 turns. It does not go on by itself. ${facts.join(' ')} The log of the sub-agent is ${log}.`,
    ])
    const text = [
      '[task-1 cancelled: the program was ended while it ran] worker: write both',
      'It was cut off after 3 turns, is not finished, and does not go on by itself.',
      ...facts,
      `Look first at what may have taken effect. To have the rest done, start worker again with the tool \`agent\`, and say what is done. The log of the sub-agent is ${log}.`,
      'It said last: Now two.',
    ]
    expect(told()).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'on' },
        { type: 'text', text: text.join('\n') },
      ],
    })
    // Nothing is done twice, and nobody is told twice.
    expect(ran()).toEqual([])
    expect(readFileSync(join(folder, 'effects'), 'utf8')).toBe('one\ntwo\n')
    await agent.close()
    const third = await next(kept)
    expect(notices(await goOn(await third.agent.resume('s')))).toEqual([])
    expect(JSON.stringify(third.told())).not.toContain('task-1')
  })

  it('is not said to be cut off if it had come to its end, and its starter alone had not heard of it', async () => {
    const child = scripted(write('one'), { say: 'Both are written.' })
    let isAsked = false
    const interceptor = hooks({
      TaskCompleted: () => {
        isAsked = true
        return never()
      },
    })
    const kept = await cutOff(child, { tools: [echoTool('Write')], interceptor }, () => isAsked)
    const heard = hooks()
    const { agent, ran, told } = await next(kept, { interceptor: heard })
    const end = 'Whether hooks of TaskCompleted let it pass is not known.'
    expect(notices(await goOn(await agent.resume('s')))).toEqual([
      `task-1 (worker: write both) had come to its end (done) when the program was ended. The model is told now. ${end} The log of the sub-agent is s.a.`,
    ])
    expect(JSON.stringify(told())).toContain(
      `[task-1 ended: done; the program was ended before you were told. ${end}] worker: write both\\nBoth are written."`,
    )
    expect(ran()).toEqual([])
    expect(heard.log.filter(({ event }) => event.startsWith('Task') || event.startsWith('Subagent'))).toEqual([])
  })

  it.each<[string, (file: string) => void, string]>([
    ['is gone', (file) => rmSync(file), 'There is no session `s.a`'],
    ['is damaged', (file) => change(file, '{"type":"run"', '{"type":"rum"'), 'there is no event `rum`'],
    ['is of a newer version', (file) => change(file, '"version":3', '"version":9'), 'The log has version 9'],
    [
      'is that of another task',
      (file) => change(file, '"task":"task-1"', '"task":"task-9"'),
      'is not that of this task',
    ],
  ])('is told of without how far it came, if its log %s', async (_, spoil, why) => {
    const kept = await hanging()
    spoil(kept.place('s.a'))
    const { agent, ran, told } = await next(kept)
    const [notice, ...others] = notices(await goOn(await agent.resume('s')))
    expect([notice, others]).toEqual([expect.stringContaining(`How far it came is not known: `), []])
    expect(notice).toContain(why)
    expect(JSON.stringify(told())).toContain('What it did may have taken effect; look before you start it again.')
    expect(JSON.stringify(told())).not.toContain('cut off after')
    expect(ran()).toEqual([])
  })

  it('can’t be started again if its definition is gone, and is said to have done nothing of what it had only asked for', async () => {
    const stuck = { isAsked: false }
    const asking = gate(({ call }) => {
      if (call.name !== 'Write') return allowed()
      stuck.isAsked = true
      return never()
    })
    const more = { tools: [echoTool('Write')], gate: asking }
    const kept = await cutOff(scripted(write('one')), more, () => stuck.isAsked)
    const { agent, told } = await next(kept, { agents: [{ ...worker, name: 'other' }] })
    await goOn(await agent.resume('s'))
    const text = JSON.stringify(told())
    expect(text).toContain(
      'No call of it has a result.\\nWithout a result, and without effect: Write {\\"text\\":\\"one\\"}.',
    )
    expect(text).toContain('There is no sub-agent worker any more that could be started again.')
  })

  it('is told of truly wherever in its log that was, and nothing is done twice', async () => {
    const whole = await hanging()
    const lines = readFileSync(whole.place('s.a'), 'utf8').split('\n').slice(0, -1)
    for (let count = 1; count <= lines.length; count++) {
      const own = lines.slice(0, count)
      const kept = store(temporaryFolder())
      mkdirSync(dirname(kept.place('s')), { recursive: true })
      writeFileSync(kept.place('s'), readFileSync(whole.place('s')))
      writeFileSync(kept.place('s.a'), `${own.join('\n')}\n`)
      const { agent, ran, told } = await next(kept)
      await goOn(await agent.resume('s'))
      const text = JSON.stringify(told())
      const has = (beginning: string) => own.filter((line) => line.startsWith(beginning)).length
      const turns = has('{"type":"message"') - 1
      if (turns >= 0) expect([count, text]).toEqual([count, expect.stringContaining(`cut off after ${turns} turn`)])
      const [starts, results] = [has('{"type":"start"'), has('{"type":"result"')]
      expect([count, text.includes('There are results of: Write.')]).toEqual([count, results > 0])
      expect([count, text.includes('may have taken effect: Write')]).toEqual([count, starts > results])
      expect([count, ran()]).toEqual([count, []])
      await agent.close()
    }
  })

  it('is not begun again where the call that had begun it has no result yet', async () => {
    const whole = await hanging()
    const lines = readFileSync(whole.place('s'), 'utf8').split('\n')
    const kept = store(temporaryFolder())
    mkdirSync(dirname(kept.place('s')), { recursive: true })
    const begun = lines.findIndex((line) => line.startsWith('{"type":"sub_agent"')) + 1
    writeFileSync(kept.place('s'), `${lines.slice(0, begun).join('\n')}\n`)
    writeFileSync(kept.place('s.a'), readFileSync(whole.place('s.a')))
    const { agent, ran, told } = await next(kept)
    const session = await agent.resume('s')
    await goOn(session)
    expect(resultTexts(session)).toEqual([expect.stringMatching(/^Interrupted: .* look before you repeat it\.$/)])
    expect(JSON.stringify(told())).toContain('It was cut off after 2 turns')
    expect(ran()).toEqual([])
  })

  it('or a command of one in front, which goes on itself, is told to that one', async () => {
    const isStuck = { now: false }
    const run: ReturnType<typeof echoTool>['run'] = () => {
      isStuck.now = true
      return never()
    }
    const front = calls('agent', { type: 'worker', prompt: 'write both' })
    const first = scripted(calls('Behind', {}), write('two'))
    const more = { model: scripted(front), tools: [behindForEver, echoTool('Write', { run })] }
    const kept = await cutOff(first, more, () => isStuck.now, 'in front')
    const child = scripted(END)
    const { agent } = await next(kept, { models: () => child })
    await goOn(await agent.resume('s'))
    expect(child.requests[0]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', results: [{ content: [{ text: expect.stringMatching(/^Interrupted: .* while Write ran\./) }] }] },
      { content: [{ text: expect.stringMatching(/^\[task-1 cancelled: .*\] for ever\nWhat it did may have taken/) }] },
    ])
  })

  it('is the affair of the other session for a copy, whose model is told so', async () => {
    const kept = await hanging()
    const { agent, told } = await next(kept, { ids: () => 'copy' })
    const copy = await agent.resume('s', { fork: true })
    await goOn(copy)
    const text =
      '[task-1 is left to the session s, of which this conversation is a copy: you are not told how it ends] worker: write both'
    expect(told()).toMatchObject({ content: [{ text: 'on' }, { text }] })
    await agent.close()
    const again = await next(kept)
    await goOn(await again.agent.resume('copy'))
    expect(JSON.stringify(again.told())).not.toContain('task-1')

    const model = scripted(calls('Behind', {}), END, END)
    const { session } = await play({ model, tools: [behindForEver], tasks: {} })
    const live = session.fork()
    await live.run('on').result
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({
      content: [{ text: 'on' }, { text: expect.stringContaining(`[task-1 is left to the session ${session.id},`) }],
    })
  })
})
