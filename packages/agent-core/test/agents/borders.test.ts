import { describe, expect, it } from 'vitest'
import type { AgentDefinition, Extension } from '../../src/types.js'
import { echoTool, nonsense, ofType, play, scripted, setUp } from '../kit.js'

const START = { calls: [{ tool: 'agent', input: { type: 'worker', prompt: 'work' } }] }
const END = { say: 'done' }
const worker: AgentDefinition = { name: 'worker', description: 'Works.', prompt: 'Work.', model: 'm' }
const use = (tool: string) => scripted({ calls: [{ tool, input: { text: 'x' } }] }, END)
const toolsOf = (tools: ReturnType<NonNullable<ReturnType<Extension['session']>['tools']>>): Extension => ({
  session: () => ({ tools: () => tools }),
})

describe('a definition of a sub-agent', () => {
  it.each<[string, Partial<AgentDefinition>, string]>([
    ['a limit of turns that is not a number', { maxTurns: Number.NaN }, '`maxTurns` must be a whole number from 1 up'],
    ['no turns', { maxTurns: 0 }, '`maxTurns` must be a whole number from 1 up; it is 0.'],
    ['a mode that there is not', { permissionMode: nonsense('yolo') }, '`permissionMode` is the text "yolo"'],
  ])('with %s is refused when the agent is made', async (_, part, problem) => {
    const making = setUp({ model: scripted(END), agents: [{ ...worker, ...part }] })
    await expect(making).rejects.toMatchObject({
      code: 'agent-core.agents',
      message: expect.stringContaining(`The sub-agent worker can’t be used: ${problem}`),
    })
  })

  it('that the host changes later stays what it was', async () => {
    const definition = { ...worker, tools: [] }
    const { agent, session } = await setUp({
      model: scripted(START, END),
      models: () => use('Echo'),
      agents: [definition],
    })
    Reflect.deleteProperty(definition, 'tools')
    const run = session.run('go')
    const events = []
    for await (const event of run) events.push(event)
    expect(ofType(events, 'agent_start')).toMatchObject([{ tools: [] }])
    await agent.close()
  })
})

describe('the tools of a sub-agent', () => {
  it('are none that its starter can not reach behind one of the same name', async () => {
    const own = echoTool('search')
    const remote = echoTool('search', { source: { server: 'x', tool: 'search', trusted: false } })
    const { events } = await play({
      model: scripted(START, END),
      models: () => use('search'),
      tools: [own],
      extensions: [toolsOf([remote])],
      agents: [{ ...worker, tools: ['mcp__x'] }],
    })
    expect(ofType(events, 'agent_start')).toMatchObject([{ tools: [] }])
    expect([own.ran, remote.ran]).toEqual([[], []])
  })

  it('are none that an extension brings only to it', async () => {
    const extra = echoTool('Extra')
    const { events } = await play({
      model: scripted(START, END),
      models: () => use('Extra'),
      extensions: [{ session: (ref) => ({ tools: () => (ref.agent ? [extra] : []) }) }],
      agents: [worker],
    })
    expect(ofType(events, 'tool_rejected')).toMatchObject([{ tool: 'Extra' }])
    expect(extra.ran).toEqual([])
  })

  it('may be other objects than those of its starter, if they are the same tools', async () => {
    const { events } = await play({
      model: scripted(START, END),
      models: () => use('Load'),
      extensions: [{ session: () => toolsOf([echoTool('Load')]).session(nonsense({})) }],
      agents: [worker],
    })
    expect(ofType(events, 'agent_start')).toMatchObject([{ tools: ['Load'] }])
    expect(ofType(events, 'tool_result')).toMatchObject([{ tool: 'Load', is_error: false }, { tool: 'agent' }])
  })
})
