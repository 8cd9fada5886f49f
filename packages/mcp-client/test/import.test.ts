import { valueAt } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ForeignProgram, importServers } from '../src/import/index.js'
import { loadServers } from '../src/index.js'

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

const SECTIONS = {
  cursor: 'mcpServers',
  vscode: 'servers',
  gemini: 'mcpServers',
  codex: 'mcp_servers',
  opencode: 'mcp',
}

/** The one server of a file, or the problem with it. */
function one(program: ForeignProgram, entry: unknown) {
  const [server] = importServers({ program, value: { [SECTIONS[program]]: { a: entry } } }).servers
  return server?.entry ?? server?.problem
}

describe('importing servers', () => {
  it.each([
    [
      'cursor',
      { command: 'x', args: ['1'], env: { A: 'b', N: 1 } },
      { command: 'x', args: ['1'], env: { A: 'b', N: '1' } },
    ],
    ['cursor', { url: 'https://x.example', headers: { A: 'b' } }, { url: 'https://x.example', headers: { A: 'b' } }],
    ['vscode', { type: 'stdio', command: 'x', disabled: true }, { command: 'x', enabled: false }],
    ['vscode', { type: 'sse', url: 'https://x.example' }, { type: 'sse', url: 'https://x.example' }],
    ['gemini', { url: 'https://x.example' }, { type: 'sse', url: 'https://x.example' }],
    [
      'gemini',
      { httpUrl: 'https://x.example', timeout: 1500 },
      { url: 'https://x.example', timeout: { call: '1500ms' } },
    ],
    ['codex', { command: 'x', startup_timeout_sec: 1.5 }, { command: 'x', timeout: { connect: '1500ms' } }],
    ['codex', { command: 'x', enabled_tools: ['a'], disabled_tools: [] }, { command: 'x', tools: { allow: ['a'] } }],
    [
      'codex',
      { url: 'https://x.example', bearer_token_env_var: 'T' },
      { url: 'https://x.example', headers: { Authorization: 'Bearer ${T}' } },
    ],
    ['opencode', { type: 'local', command: ['x', 'y'], enabled: false }, { command: 'x', args: ['y'], enabled: false }],
  ] as const)('says in our words what an entry of %s says: %j', (program, entry, expected) => {
    expect(one(program, entry)).toEqual(expected)
  })

  it.each([
    ['cursor', { env: { A: 'a ${env:B} ${workspaceFolder}${/}c ${userHome}' } }, { env: { A: 'a ${B} ./c ${HOME}' } }],
    ['cursor', { args: ['--dir', '${workspaceFolder}/a'] }, { args: ['--dir', './a'] }],
    ['vscode', { env: { A: '${input:my-key.2}' } }, { env: { A: '${MY_KEY_2}' } }],
    ['gemini', { env: { A: '$B and ${C}' } }, { env: { A: '${B} and ${C}' } }],
    ['opencode', { environment: { A: '{env:B}' } }, { env: { A: '${B}' } }],
    ['codex', { env: { A: '$B' } }, { env: { A: '$B' } }],
  ] as const)('writes variables of %s as ours: %j', (program, fields, expected) => {
    const command = program === 'opencode' ? ['x'] : 'x'
    const shown = one(program, { command, ...fields })
    expect(shown).toEqual({ command: 'x', ...expected })
  })

  it('has them replaced in an address, where that has to be said', () => {
    const expected = { url: 'https://${HOST}/mcp', expandUrl: true }
    expect(one('cursor', { url: 'https://${env:HOST}/mcp' })).toEqual(expected)
  })

  it.each([
    ['cursor', { env: { A: '${B}' } }, '`${B}` has no meaning here.'],
    ['cursor', { env: { A: '${command:pick}' } }, '`${command:pick}` has no meaning here.'],
    ['gemini', { env: { A: '${C:-d}' } }, '`${C:-d}` has no meaning here.'],
    ['opencode', { environment: { A: '{file:./b}' } }, '`{file:./b}` has no meaning here.'],
    ['codex', { env: { A: '${B}' } }, '`${B}` has no meaning here.'],
    ['cursor', { args: ['${env:B}'] }, /^`\$\{env:B\}` stands where variables are not replaced here/],
    ['gemini', { args: ['$B'] }, /^`\$B` stands where variables are not replaced here/],
    ['cursor', { cwd: 'sub', args: ['${workspaceFolder}'] }, /starts in another one/],
  ] as const)('never guesses what a text of %s means: %j', (program, fields, problem) => {
    const command = program === 'opencode' ? ['x'] : 'x'
    expect(one(program, { command, ...fields })).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    )
  })

  it.each([
    [{ command: 'x', sandbox: { network: false } }, '`sandbox` restricts the server, and nothing here can do that.'],
    [{ command: 'x', args: 'one two' }, '`args` is the text "one two", not a list of texts.'],
    [{ command: 'x', env: { A: {} } }, '`env` has no text for `A`.'],
    [{ command: 'x', disabled: 'yes' }, '`disabled` is the text "yes", not true or false.'],
    [7, 'It is the number 7, not a map.'],
    [{ command: 'x', args: ['--token', SECRET] }, 'One of its arguments looks like a secret.'],
    [{ url: `https://x.example/?api_key=${SECRET}` }, 'Its address looks like it holds a secret.'],
  ])('refuses what it can’t say: %j', (entry, problem) => {
    expect(one('cursor', entry)).toBe(problem)
  })

  it('names fields that have no effect here, and none that ask for nothing', () => {
    const entry = { command: 'x', description: 'y', autoApprove: ['a'], alwaysAllow: [], envFile: '.env', unheard: 1 }
    expect(importServers({ program: 'cursor', value: { mcpServers: { a: entry } } }).servers[0]?.notes).toEqual([
      '`autoApprove` is not carried over: its tools are asked about like others.',
      '`envFile` is not carried over: no file of variables is read; they go into `env`.',
      '`unheard` is not carried over: nothing here acts on it.',
    ])
  })

  it('puts variables in the place of secrets, one for each secret, also over several files', () => {
    const taken = new Map<string, string>()
    const servers = (token: string) => ({
      mcpServers: {
        a: { command: 'x', env: { TOKEN: token, AUTH_RETRIES: '3' } },
        b: { command: 'x', env: { TOKEN: `${SECRET}2` } },
      },
    })
    const envs = (value: unknown) =>
      importServers({ program: 'cursor', value, taken }).servers.map(({ entry }) => entry?.['env'])
    expect(envs(servers(SECRET))).toEqual([{ TOKEN: '${TOKEN}', AUTH_RETRIES: '3' }, { TOKEN: '${B_TOKEN}' }])
    expect(envs(servers(`${SECRET}3`))).toEqual([{ TOKEN: '${A_TOKEN}', AUTH_RETRIES: '3' }, { TOKEN: '${B_TOKEN}' }])
  })

  it('takes the newer form of opencode, and says so of a file without servers by name', () => {
    const value = { mcp: { servers: { a: { type: 'local', command: ['x'], timeout: { request: 100 } } } } }
    expect(importServers({ program: 'opencode', value }).servers).toEqual([
      { name: 'a', pointer: '/mcp/servers/a', entry: { command: 'x', timeout: { call: '100ms' } }, notes: [] },
    ])
    expect(importServers({ program: 'cursor', value: { mcpServers: [1] } })).toEqual({
      servers: [],
      fault: { pointer: '/mcpServers', problem: 'It holds a list, not servers by name.' },
    })
    expect(importServers({ program: 'cursor', value: 'nothing' })).toEqual({ servers: [] })
  })

  it('gives an entry or a reason for each, whatever the file holds; no entry is read otherwise than it is written', async () => {
    const ports = nodePorts({})
    const text = fc.oneof(fc.string(), fc.constantFrom('x', '${env:A}', '$A', '{env:A}', SECRET, '${workspaceFolder}'))
    const texts = fc.dictionary(fc.constantFrom('TOKEN', 'A', '__proto__'), text)
    const entry = fc.record(
      {
        command: fc.oneof(fc.constantFrom('x', ['x', 'y']), fc.anything()),
        args: fc.array(text),
        env: texts,
        environment: texts,
        url: fc.constantFrom('https://x.example/mcp', SECRET, ''),
        headers: texts,
        disabled: fc.boolean(),
        timeout: fc.oneof(fc.nat(), fc.anything()),
        other: fc.anything(),
      },
      { requiredKeys: [] },
    )
    const usual = fc.oneof(
      fc.record({ command: fc.constantFrom('x', ['x', 'y']), env: texts, disabled: fc.boolean() }),
      fc.record({ url: fc.constant('https://x.example/mcp'), headers: texts }),
    )
    const programs = fc.constantFrom<ForeignProgram>('cursor', 'vscode', 'gemini', 'codex', 'opencode')
    let loaded = 0
    await fc.assert(
      fc.asyncProperty(
        programs,
        fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof({ arbitrary: usual, weight: 4 }, entry, fc.anything())),
        async (program, servers) => {
          const file = { [SECTIONS[program]]: servers }
          const found = importServers({ program, value: file })
          if (found.fault) return
          for (const { name, pointer } of found.servers) {
            expect(valueAt(file, pointer)).toBe(valueAt(file, pointer.replace(/[^/]*$/, name)))
          }
          if (program !== 'opencode') expect(found.servers.map(({ name }) => name)).toEqual(Object.keys(servers))
          for (const { name, entry: written, problem } of found.servers) {
            expect([written === undefined, problem === undefined]).toContain(false)
            expect(JSON.stringify(written ?? {})).not.toContain(SECRET)
            if (written === undefined) continue
            const layers = [
              {
                kind: 'value',
                layer: 'user',
                dialect: 'ext',
                name: 'file',
                value: { mcpServers: { [name]: written } },
              },
            ] as const
            const { entries, diagnostics } = await loadServers({ layers, cwd: '/repo', ports })
            // Ours are words of ours.
            expect(
              diagnostics.filter(({ code }) => code === 'mcp.field.foreign' || code === 'schema.unknown-key'),
            ).toEqual([])
            loaded += entries.length
          }
        },
      ),
      { seed: 13, numRuns: 400 },
    )
    expect(loaded).toBeGreaterThan(20)
  })
})
