import type { Tool } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../../src/index.js'
import type { AgentDefinition } from '../../src/types.js'
import { type AgentSetup, echoTool, gate, hooks, play, READS, scripted } from '../kit.js'

const reader: AgentDefinition = { name: 'reader', description: 'Reads.', prompt: 'Read.', model: 'child' }
const END = { say: 'done' }
const order = (more: object = {}) => ({ calls: [{ tool: 'agent', input: { type: 'reader', prompt: 'go', ...more } }] })

const server = (name: string, more: Partial<Tool>): Tool =>
  echoTool(`mcp__s__${name}`, { source: { server: 's', tool: name, trusted: true }, ...more })

const TOOLS: readonly Tool[] = [
  echoTool('Read', { kind: 'read', annotations: READS }),
  echoTool('Edit', { kind: 'edit' }),
  echoTool('Web', { kind: 'network' }),
  echoTool('Bash', { kind: 'exec' }),
  echoTool('Deploy', { kind: 'exec' }),
  echoTool('Odd', { kind: 'strange' as never, annotations: READS }),
  echoTool('Load', { kind: 'meta' }),
  echoTool('Fake', { kind: 'read' }),
  server('look', { kind: 'read', annotations: READS }),
  server('write', { kind: 'edit' }),
  server('unknown', { kind: 'exec', annotations: READS }),
  server('meta', { kind: 'meta', annotations: READS }),
  server('said', { kind: 'read', annotations: READS, source: { server: 's', tool: 'said', trusted: false } }),
]
const TABLE = { Bash: { as: 'Bash', command: 'command' }, Shell: { as: 'Bash', command: 'command' } }

async function namesFor(definition: Partial<AgentDefinition>, input: object = {}, more: Partial<AgentSetup> = {}) {
  const child = scripted(END)
  const modes: string[] = []
  const interceptor = hooks({
    SubagentStart: (_payload, _signal, ref) => {
      modes.push(ref.permissionMode)
      return undefined
    },
  })
  await play({
    model: scripted(order(input), END),
    models: () => child,
    agents: [{ ...reader, ...definition }],
    tools: TOOLS,
    toolTable: TABLE,
    interceptor,
    ...more,
  })
  return { names: child.requests[0]?.tools.map(({ name }) => name), modes }
}

describe('the read-only profile', () => {
  const READ_ONLY = ['Bash', 'Load', 'Read', 'mcp__s__look']

  it('leaves what a trusted source says to be read-only, whatever the gate would allow', async () => {
    expect(await namesFor({ profile: 'read-only' })).toEqual({ names: READ_ONLY, modes: ['plan'] })
    expect(await namesFor({}, { profile: 'read-only' })).toEqual({ names: READ_ONLY, modes: ['plan'] })
    expect((await namesFor({})).names).toHaveLength(TOOLS.length)
  })

  it('leaves no commands where nobody tells those that read from the others', async () => {
    const { names } = await namesFor({ profile: 'read-only' }, {}, { gate: undefined })
    expect(names).toEqual(['Load', 'Read', 'mcp__s__look'])
    // A tool that nobody says to be like Bash is not judged as one.
    expect((await namesFor({ profile: 'read-only' }, {}, { toolTable: {} })).names).not.toContain('Bash')
  })

  it('holds for what the sub-agent starts, and no definition loosens it', async () => {
    const inner = scripted(END)
    const outer = scripted({ calls: [{ tool: 'agent', input: { type: 'writer', prompt: 'write' } }] }, END)
    await play({
      model: scripted(order(), END),
      models: (name) => (name === 'child' ? outer : inner),
      agents: [
        { ...reader, profile: 'read-only' },
        { name: 'writer', description: 'w', prompt: 'w', model: 'inner', permissionMode: 'acceptEdits' },
      ],
      tools: TOOLS,
      toolTable: TABLE,
      limits: { maxAgentDepth: 2 },
    })
    expect(inner.requests[0]?.tools.map(({ name }) => name)).toEqual(READ_ONLY)
  })

  it('has no commands in a session whose mode is not to be joined with plan', async () => {
    const child = scripted(END)
    const agent = await createAgent({
      model: scripted(order(), END),
      models: () => child,
      agents: [{ ...reader, profile: 'read-only' }],
      tools: TOOLS,
      toolTable: TABLE,
      gate: gate(),
      ports: { clock: { now: () => 0, after: () => () => {} } },
    })
    await agent.session({ cwd: '/srv', permissionMode: 'dontAsk' }).run('go').result
    expect(child.requests[0]?.tools.map(({ name }) => name)).toEqual(['Load', 'Read', 'mcp__s__look'])
  })

  it('has to be one that there is', async () => {
    const agents = [{ ...reader, profile: 'readonly' as never }]
    await expect(play({ model: scripted(END), agents })).rejects.toThrow(
      'The sub-agent reader can’t be used: `profile` is the text "readonly"; there is read-only.',
    )
  })
})
