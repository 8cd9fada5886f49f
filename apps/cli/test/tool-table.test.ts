import { describe, expect, it } from 'vitest'
import { toolTable } from '../src/tool-table.js'

describe('the table of tools', () => {
  it('knows the tools of the official filesystem server, whatever it is called and however it is started', () => {
    const table = toolTable([
      { name: 'disk', command: { file: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] } },
      { name: 'other', command: { file: 'node', args: ['server.js'] } },
    ])
    expect(table['mcp__disk__write_file']).toEqual({ as: 'Edit', path: 'path' })
    expect(Object.keys(table).filter((name) => name.startsWith('mcp__other__'))).toEqual([])
  })

  it('always knows the shell', () => {
    expect(toolTable([])).toEqual({ Bash: { as: 'Bash', command: 'command' } })
  })
})
