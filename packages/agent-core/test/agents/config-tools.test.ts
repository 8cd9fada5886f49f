import type { ToolInfo, ToolTable } from '@ext/kernel/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NamedTool } from '../../src/agents/index.js'
import { mayUseTool, toolMatches } from '../../src/agents/tool-list.js'
import { agent, loadOne, said } from './config-kit.js'

const own = (name: string): NamedTool => ({ name, source: { tool: name, trusted: true } })
const remote = (server: string, tool: string, name = `mcp__${server}__${tool}`): NamedTool => ({
  name,
  source: { server, tool, trusted: false },
})
const info = (tool: NamedTool, system = false): ToolInfo => ({
  ...tool,
  description: '',
  inputSchema: {},
  kind: 'exec',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  ...(system ? { system } : {}),
})

const TABLE: ToolTable = { shell: { as: 'Bash' }, mcp__fs__write_file: { as: 'Edit' }, agent: { as: 'Agent' } }
const KNOWN = [own('shell'), own('agent'), remote('fs', 'write_file'), remote('github', 'get_issue')]

describe('A list of tools in a file', () => {
  it.each([
    ['tools: Read, Bash', ['Read', 'Bash']],
    ['tools: Read Bash,Grep', ['Read', 'Bash', 'Grep']],
    ['tools: [Read, Bash]', ['Read', 'Bash']],
    ['tools:\n  - Read\n  - Bash, Grep', ['Read', 'Bash', 'Grep']],
    ['tools: Read, Read', ['Read']],
    ['tools: "*"', ['*']],
    ['tools: mcp__github, mcp__fs__*', ['mcp__github', 'mcp__fs__*']],
    ['tools: Bash(*)', ['Bash']],
    ['tools: Bash(git *), Bash', ['Bash']],
    ['tools: []', []],
  ])('is understood as `%s`', async (field, tools) => {
    const { definitions, diagnostics } = await loadOne(agent(`description: D.\n${field}`))
    expect(definitions).toMatchObject([{ tools }])
    expect(diagnostics).toEqual([])
  })

  it('leaves out what means some calls of a tool only, since a list can not keep that', async () => {
    const { definitions, diagnostics } = await loadOne(
      agent('description: D.\ntools: Read, Bash(git log, (x)), Agent(worker)'),
    )
    expect(definitions).toMatchObject([{ tools: ['Read'] }])
    expect(diagnostics).toMatchObject([
      {
        code: 'agents.tools.specifier',
        severity: 'warning',
        message: expect.stringMatching(/^`Bash\(git log, \(x\)\)`.*does not get `Bash`/),
        hint: expect.stringContaining('permission rules'),
        source: { line: 3 },
      },
      { message: expect.stringContaining('`Agent(worker)`') },
    ])
  })

  it('takes the whole tool away where some of its calls are disallowed', async () => {
    const { definitions, diagnostics } = await loadOne(agent('description: D.\ndisallowedTools: Edit, Bash(rm *)'))
    expect(definitions).toMatchObject([{ disallowedTools: ['Edit', 'Bash'] }])
    expect(diagnostics).toMatchObject([{ message: expect.stringContaining('loses all of `Bash`') }])
  })

  it('says which names mean no tool, and what was probably meant', async () => {
    const { definitions, diagnostics } = await loadOne(
      agent('description: D.\ntools: Bsah, Edit, mcp__githb, Task, mcp__fs, Frobnicate'),
      { tools: TABLE, knownTools: () => KNOWN },
    )
    expect(definitions[0]?.tools).toContain('Bsah')
    expect(diagnostics).toMatchObject([
      {
        code: 'agents.tools.unknown',
        severity: 'warning',
        message: '`tools` names what is no tool here: `Bsah`, `mcp__githb`, `Frobnicate`.',
        hint: 'Did you mean `Bash` where it says `Bsah`, `mcp__github` where it says `mcp__githb`?',
      },
    ])
  })

  it('is not held against tools as long as those are not known', async () => {
    const { diagnostics } = await loadOne(agent('description: D.\ntools: Frobnicate'), { tools: TABLE })
    expect(said(diagnostics)).toEqual([])
  })
})

describe('The name of a tool in a list', () => {
  it.each<[string, NamedTool]>([
    ['shell', own('shell')],
    ['Bash', own('shell')],
    ['Ba*', own('shell')],
    ['*', own('anything')],
    ['*', remote('fs', 'write_file')],
    ['Agent', own('agent')],
    ['Task', own('agent')],
    ['Edit', remote('fs', 'write_file')],
    ['mcp__fs', remote('fs', 'write_file')],
    ['mcp__fs__*', remote('fs', 'write_file')],
    ['mcp__fs__write_*', remote('fs', 'write_file')],
    ['mcp__fs__write_file', remote('fs', 'write_file')],
    ['mcp__*', remote('fs', 'write_file')],
    ['mcp__f*', remote('fs', 'write_file')],
    ['mcp__git__hub', remote('git__hub', 'get')],
    ['mcp__git__hub__get', remote('git__hub', 'get', 'mcp__git__hub__get_1a2b')],
    ['mcp__git__hub__get_1a2b', remote('git__hub', 'get', 'mcp__git__hub__get_1a2b')],
  ])('%s means the tool %j', (pattern, tool) => {
    expect(toolMatches(pattern, tool, TABLE)).toBe(true)
  })

  it.each<[string, NamedTool]>([
    ['bash', own('shell')],
    ['Bas', own('shell')],
    ['Edit', own('shell')],
    ['constructor', own('shell')],
    ['mcp__git', remote('github', 'get_issue')],
    ['mcp__git', remote('git__hub', 'get')],
    ['mcp__git__*', remote('git__hub', 'get')],
    ['mcp__git__hub__get', remote('git', 'hub__put')],
    ['mcp__fs', own('mcp__fs__write_file_of_the_host')],
  ])('%s does not mean the tool %j', (pattern, tool) => {
    expect(toolMatches(pattern, tool, TABLE)).toBe(false)
  })
})

describe('What an agent may use', () => {
  it('is everything without a list, and nothing with an empty one', () => {
    expect(mayUseTool({}, info(own('shell')), TABLE)).toBe(true)
    expect(mayUseTool({ tools: [] }, info(own('shell')), TABLE)).toBe(false)
  })

  it('is always what belongs to the agent itself, unless that is taken away by name', () => {
    const loadSkill = info(own('load_skill'), true)
    expect(mayUseTool({ tools: [] }, loadSkill, TABLE)).toBe(true)
    expect(mayUseTool({ disallowedTools: ['load_skill'] }, loadSkill, TABLE)).toBe(false)
  })

  it.each<[string, NamedTool]>([
    ['bash', own('shell')],
    ['mcp__git__*', remote('git__hub', 'get')],
    ['mcp__git', remote('git__hub', 'get')],
    ['mcp__my_disk', remote('my disk', 'read', 'mcp__my_disk__read_1a2b')],
    ['MCP__FS', remote('fs', 'read')],
  ])('is never what %s takes away, in any case and every reading', (pattern, tool) => {
    expect(mayUseTool({ tools: [tool.name], disallowedTools: [pattern] }, info(tool), TABLE)).toBe(false)
  })

  it('only shrinks with a longer list of what it may not use', () => {
    const name = fc.constantFrom('*', 'Bash', 'mcp__fs', 'mcp__git*', 'mcp__github__get_issue', 'Task', 'Edit')
    const names = fc.array(name, { maxLength: 4 })
    fc.assert(
      fc.property(names, names, name, fc.constantFrom(...KNOWN), (tools, disallowedTools, more, tool) => {
        const before = mayUseTool({ tools, disallowedTools }, info(tool), TABLE)
        const after = mayUseTool({ tools, disallowedTools: [...disallowedTools, more] }, info(tool), TABLE)
        expect(after && !before).toBe(false)
        if (toolMatches(more, tool, TABLE)) expect(after).toBe(false)
      }),
    )
  })
})
