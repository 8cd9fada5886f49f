import { toolName } from '@ext/mcp-client'
import { describe, expect, it } from 'vitest'
import { toolTable } from '../src/tool-table.js'

describe('the table of tools', () => {
  it('knows the tools of the official filesystem server, whatever it is called and however it is started', () => {
    const table = toolTable(
      [
        { name: 'disk', command: { file: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] } },
        { name: 'other', command: { file: 'node', args: ['server.js'] } },
      ],
      toolName,
    )
    expect(table['mcp__disk__write_file']).toEqual({ as: 'Edit', path: 'path' })
    expect(Object.keys(table).filter((name) => name.startsWith('mcp__other__'))).toEqual([])
  })

  it('knows them under the names that they get, also where a name has to end with a hash', () => {
    const args = ['-y', '@modelcontextprotocol/server-filesystem', '.']
    const table = toolTable([{ name: 'my__disk', command: { file: 'npx', args } }], toolName)
    expect(table[toolName('my__disk', 'write_file')]).toEqual({ as: 'Edit', path: 'path' })
    expect(table).not.toHaveProperty('mcp__my__disk__write_file')
  })

  it('always knows the tools of its own, and what starts sub-agents and skills', () => {
    expect(toolTable([], toolName)).toEqual({
      Bash: { as: 'Bash', command: 'command' },
      Read: { as: 'Read', path: 'file_path' },
      Write: { as: 'Write', path: 'file_path' },
      Edit: { as: 'Edit', path: 'file_path' },
      Glob: { as: 'Glob', path: 'path' },
      Grep: { as: 'Grep', path: 'path' },
      WebFetch: { as: 'WebFetch', url: 'url' },
      agent: { as: 'Agent' },
      list_mcp_resources: { as: 'ListMcpResourcesTool' },
      read_mcp_resource: { as: 'ReadMcpResourceTool' },
      load_skill: { as: 'Skill' },
      task_output: { as: 'TaskOutput' },
      task_stop: { as: 'TaskStop' },
    })
  })
})
