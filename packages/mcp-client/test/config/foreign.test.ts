import { describe, expect, test } from 'vitest'
import { claude, ofFile, one } from './helpers.js'

// Shapes as the documentation of these programs shows them, read in November 2026.
describe('a file of another program', () => {
  test('of Claude Code is read with its own words', async () => {
    const loaded = await ofFile(
      '.mcp.json',
      `{
  "mcpServers": {
    "files": { "type": "stdio", "command": "npx", "args": ["-y", "server", "\${DIR:-.}"], "env": {} },
    "web": { "type": "http", "url": "https://e.test/mcp", "headers": { "Authorization": "Bearer \${KEY:-none}" } },
    "old": { "type": "sse", "url": "https://e.test/sse", "timeout": 120000 },
    "signed": { "type": "http", "url": "https://e.test/mcp", "oauth": { "clientId": "c", "callbackPort": 8080 } },
    "helped": { "type": "http", "url": "https://e.test/mcp", "headersHelper": "get-headers", "alwaysLoad": true }
  }
}`,
    )
    expect(loaded.names).toEqual(['files', 'web', 'old', 'signed', 'helped'])
    expect(loaded.server('old').tool('any').callMs).toBe(120_000)
    expect(loaded.server('helped').always('any')).toBe(true)
    expect(loaded.places).toEqual([
      'mcp.field.unsupported .mcp.json:6:62',
      'mcp.field.unsupported .mcp.json:7:62',
      'mcp.field.foreign .mcp.json:5:58',
      'mcp.field.foreign .mcp.json:7:94',
    ])
  })

  test('of VS Code has its servers under another key, with comments and trailing commas', async () => {
    const loaded = await ofFile(
      'mcp.json',
      `{
  // From the documentation.
  "inputs": [{ "type": "promptString", "id": "key", "password": true }],
  "servers": {
    "search": {
      "type": "stdio", "command": "npx", "args": ["-y", "search"],
      "env": { "API_KEY": "\${input:key}", "HOME_OF": "\${env:HOME}" },
      "envFile": "\${workspaceFolder}/.env",
    },
    "boxed": { "command": "a", "sandboxEnabled": true },
  },
}`,
    )
    expect(loaded.names).toEqual(['search'])
    expect(loaded.places).toEqual([
      'mcp.field.refused mcp.json:10:32',
      'mcp.env.not-expanded mcp.json:7:27',
      'mcp.env.not-expanded mcp.json:7:54',
      'mcp.field.unsupported mcp.json:8:7',
      'config.syntax.json-comments mcp.json:2:3',
      'mcp.file.key mcp.json:3:3',
      'mcp.file.foreign mcp.json:4:3',
    ])
  })

  test('of Copilot names its tools in a list', async () => {
    const loaded = await claude({
      all: { type: 'local', command: 'a', tools: ['*'] },
      some: { type: 'local', command: 'a', tools: ['get', 'list'] },
      none: { type: 'http', url: 'https://e.test', tools: [] },
    })
    expect(loaded.names).toEqual(['all', 'some', 'none'])
    expect(['get', 'put'].map((tool) => loaded.server('all').offers(tool).offered)).toEqual([true, true])
    expect(['get', 'put'].map((tool) => loaded.server('some').offers(tool).offered)).toEqual([true, false])
    expect(loaded.server('none').offers('get').offered).toBe(false)
    expect(loaded.only('mcp.tools.never').message).toBe('No tool of `none` is offered: the list is empty.')
  })

  test('of Gemini or Roo chooses tools with words of its own, which are obeyed', async () => {
    const loaded = await claude({
      g: { httpUrl: 'https://e.test', timeout: 30_000, trust: true, includeTools: ['a', 'b'], excludeTools: ['b'] },
      r: { command: 'x', disabledTools: ['rm'], alwaysAllow: ['ls'], timeout: 60, disabled: false },
      both: { command: 'x', tools: { deny: ['a'] }, excludeTools: ['b'] },
    })
    expect(loaded.names).toEqual(['g', 'r'])
    expect(loaded.server('g').endpoint()).toMatchObject({ kind: 'http', url: 'https://e.test' })
    expect(['a', 'b', 'c'].map((tool) => loaded.server('g').offers(tool).offered)).toEqual([true, false, false])
    expect(loaded.server('g').trusted).toBe(false)
    expect(loaded.server('g').tool('a').callMs).toBe(30_000)
    expect(loaded.server('r').offers('rm').offered).toBe(false)
    // Roo counts in seconds; nobody means to wait for 60 ms.
    expect(loaded.server('r').tool('ls').callMs).toBe(60_000)
    expect(loaded.only('mcp.timeout.invalid').hint).toBe('Write 60000 if seconds are meant.')
    expect(loaded.only('mcp.field.twice').message).toBe('`excludeTools` says what `tools.deny` says as well.')
    expect(loaded.said('warning').filter((text) => text.includes('alwaysAllow'))).toEqual([
      'mcp.field.unsupported: `alwaysAllow` has no effect here: its tools are asked about like others. Write `allow` rules into `permissions`.',
    ])
  })

  test('of Windsurf, Cline or Cherry Studio has an address or a switch under another name', async () => {
    const loaded = await claude({
      windsurf: { serverUrl: 'https://e.test/mcp' },
      cline: { transportType: 'stdio', command: 'a', autoApprove: [], disabled: true },
      cherry: { command: 'a', isActive: false, name: 'Cherry', description: 'a server' },
      twice: { url: 'https://e.test', serverUrl: 'https://other.test' },
    })
    expect(loaded.server('windsurf').endpoint()).toMatchObject({ url: 'https://e.test/mcp' })
    expect(loaded.snapshot.records.map(({ name, verdict }) => `${name} ${verdict}`).sort()).toEqual([
      'cherry disabled',
      'cline disabled',
      'twice broken',
      'windsurf loaded',
    ])
    expect(loaded.said('warning')).toEqual([])
  })

  test('of opencode says what it can not have here', async () => {
    const loaded = await claude({ o: { type: 'local', command: ['npx', '-y', 'x'], environment: { A: 'b' } } })
    expect(loaded.only('mcp.command.invalid').hint).toContain('the rest of the list into `args`')
    expect(loaded.said('info').map((text) => text.split('.')[2])).toEqual([
      'foreign: `type: local` is read as `stdio`',
      'foreign: `environment` is read as `env`',
    ])
  })

  test('of a plugin has the servers all over the top', async () => {
    const loaded = await ofFile('.mcp.json', '{"$schema": "s", "github": {"type": "http", "url": "https://e.test"}}')
    expect(loaded.names).toEqual(['github'])
    expect(loaded.diagnostics).toHaveLength(1)
    expect(loaded.only('mcp.file.foreign').message).toContain('read as the names of servers')
  })
})

describe('a file in which no servers are found is not empty without a word', () => {
  test.each([
    ['{}', 'mcp.file.no-servers', 'under the key `mcpServers`', 1],
    ['{ "mcpservers": {} }', 'mcp.file.no-servers', 'Did you mean `mcpServers` where it says `mcpservers`?', 3],
    ['{ "servers": [] }', 'mcp.file.no-servers', 'Did you mean `mcpServers`', 3],
    ['{ "theme": "dark" }', 'mcp.file.no-servers', 'under the key `mcpServers`', 1],
    ['[]', 'config.shape', 'Write a map here', 1],
    ['{ "mcpServers": [] }', 'config.shape', 'Write a map of names to entries', 17],
  ])('%s', async (text, code, hint, column) => {
    const loaded = await ofFile('.mcp.json', text)
    expect(loaded.diagnostics).toHaveLength(1)
    expect(loaded.only(code)).toMatchObject({ hint: expect.stringContaining(hint), source: { line: 1, column } })
  })
})

describe('off', () => {
  test.each(['config.yaml', '.mcp.json'])('is read in the words of other programs in %s', async (name) => {
    const servers = {
      off: { command: 'true', disabled: true },
      on: { command: 'true', disabled: false },
      inactive: { command: 'true', isActive: false },
      both: { command: 'true', enabled: true, disabled: true },
      unclear: { command: 'true', disabled: 'yes' },
    }
    const loaded = await ofFile(name, JSON.stringify({ mcpServers: servers }))
    expect(loaded.snapshot.records.map(({ name: server, verdict }) => `${server} ${verdict}`).sort()).toEqual([
      'both disabled',
      'inactive disabled',
      'off disabled',
      'on loaded',
      'unclear broken',
    ])
    expect(loaded.only('mcp.field.refused').message).toContain('`disabled` restricts the server')
  })
})

test('the same words are understood in YAML, where a number is no time', async () => {
  const loaded = await one('{ serverUrl: "https://e.test", excludeTools: [rm] }')
  expect(loaded.server('a').offers('rm').offered).toBe(false)
  expect((await one('{ command: a, timeout: 5000 }')).only('mcp.timeout.invalid').hint).toBe(
    'Write `timeout: { call: 5000ms }` if one call is meant.',
  )
})

test('a key that objects have a meaning for is a key like others', async () => {
  const loaded = await ofFile('.mcp.json', '{"mcpServers": {"a": {"__proto__": {"command": "x"}, "trust": false}}}')
  expect(loaded.names).toEqual([])
  expect(loaded.said('error')).toHaveLength(1)
  expect(loaded.only('schema.unknown-key').message).toContain('`__proto__`')
})

test('a misspelt word of another program is told the right one, and a folder of the project how it is written', async () => {
  const server = { command: 'a', cwd: '${CLAUDE_PROJECT_DIR}', enviroment: { A: 'b' } }
  const loaded = await ofFile('.mcp.json', JSON.stringify({ mcpServers: { a: server } }))
  expect(loaded.only('schema.unknown-key').hint).toBe('Did you mean `environment`?')
  expect(loaded.only('mcp.env.not-expanded').hint).toBe('Write a relative path, which starts at the project.')
})
