import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseDocument } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findOffers, type Offer } from '../src/import/offers.js'
import { writeOffers } from '../src/import/write.js'
import { locate } from '../src/locations.js'
import { demoProject, ext, extAtTerminal, temporaryFolder } from './bin.js'

interface Report {
  readonly written: boolean
  readonly read: readonly { path: string; entries: Record<string, Record<string, number>> }[]
  readonly instructions: readonly string[]
  readonly offers: readonly (Omit<Offer, 'outcome'> & { outcome: Offer['outcome'] | 'imported' })[]
  readonly diagnostics: readonly { code: string; hint?: string; source: { file?: string; line?: number } }[]
}

async function projectWith(files: Readonly<Record<string, unknown>>) {
  const project = await temporaryFolder()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return project
}

async function init(project: string, ...flags: string[]) {
  const ran = await ext(['init', '--project', project, '--json', ...flags])
  return { ...ran, report: JSON.parse(ran.stdout) as Report }
}

/** The servers that the written file has, as values. */
async function serversOf(project: string): Promise<Record<string, unknown>> {
  const file = join(project, '.ext/config.yaml')
  const { document } = await parseDocument(await readFile(file, 'utf8'), 'yaml', {
    layer: 'project',
    dialect: 'ext',
    file,
  })
  const { mcpServers = {} } = (document?.value ?? {}) as { mcpServers?: Record<string, unknown> }
  return mcpServers
}

/** What became of each entry, and why. */
function outcomes({ offers }: Report) {
  return Object.fromEntries(offers.map(({ name, outcome }) => [name, outcome]))
}

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

describe('ext init, where Claude Code’s files are', () => {
  it('says for each how much is read as it is, and what of it can’t take effect, with place and fix', async () => {
    const project = await demoProject()
    await mkdir(join(project, '.claude/agents'))
    await writeFile(join(project, '.claude/agents/reviewer.md'), '---\ndescription: Reviews.\n---\nReview.\n')
    await writeFile(join(project, 'AGENTS.md'), 'Be brief.')
    const { report, code } = await init(project)
    // The demo has a configuration of ours already.
    expect([report.written, code]).toEqual([false, 1])
    expect(report.read).toEqual(
      expect.arrayContaining([
        { path: '.mcp.json', entries: { servers: { untrusted: 1, broken: 1 } } },
        { path: '.claude/skills', entries: { skills: { loaded: 1, broken: 1 } } },
        { path: '.claude/settings.json', entries: { hooks: { untrusted: 3, broken: 1 } } },
        { path: '.claude/agents', entries: { agents: { loaded: 1 } } },
      ]),
    )
    expect(report.read).toHaveLength(4)
    expect(report.instructions).toEqual(['AGENTS.md'])
    const errors = report.diagnostics.filter(({ hint }) => hint !== undefined)
    expect(errors.map(({ source }) => source.file?.slice(project.length + 1))).toEqual(
      expect.arrayContaining(['.claude/settings.json', '.claude/skills/half-written/SKILL.md', '.mcp.json']),
    )
    const { stdout } = await ext(['init', '--project', project])
    expect(stdout).toContain('.claude/settings.json          4 hooks (3 untrusted, 1 broken)')
    expect(stdout).toContain('Waiting for approval: 4')
    expect(stdout).toContain('fix: Write `matcher: Bash` with `if: Bash(rm *)`.')
  })

  it('leaves a project that the doctor finds nothing wrong in', async () => {
    const project = await projectWith({
      '.claude/settings.json': {
        permissions: { deny: ['Read(.env)'] },
        hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
      },
      '.mcp.json': { mcpServers: { fs: { command: 'node', args: ['server.mjs'] } } },
      '.claude/skills/notes/SKILL.md': '---\nname: notes\ndescription: Writes notes. Use it for notes.\n---\nWrite.\n',
      '.cursor/mcp.json': { mcpServers: { more: { command: 'node', args: ['other.mjs'] } } },
    })
    const { report, code } = await init(project, '--import')
    expect([code, report.diagnostics]).toEqual([0, []])
    const doctor = await ext(['doctor', '--project', project, '--trust-project'])
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringContaining('0 errors, 0 warnings')])
    // Who imports has not agreed to anything.
    const untrusted = await ext(['mcp', 'list', '--json', '--project', project])
    expect(JSON.parse(untrusted.stdout)).toMatchObject({
      servers: [{ verdict: 'untrusted' }, { verdict: 'untrusted' }],
    })
  })
})

describe('ext init --import', () => {
  it('takes over servers of Cursor and VS Code, in our words', async () => {
    const project = await projectWith({
      '.cursor/mcp.json': {
        mcpServers: {
          files: {
            type: 'stdio',
            command: 'node',
            args: ['${workspaceFolder}/server.mjs'],
            env: { A: '${env:B}', N: 1 },
          },
          off: { command: 'x', disabled: true, autoApprove: ['a'] },
          remote: { url: 'https://x.example/mcp', headers: { 'X-Region': 'eu' } },
        },
      },
      '.vscode/mcp.json':
        '{ // with a comment\n "inputs": [{ "id": "api-key", "type": "promptString", "password": true }],\n' +
        ' "servers": { "gallery": { "type": "stdio", "command": "npx", "args": ["-y", "g"], "env": { "KEY": "${input:api-key}" } } } }',
    })
    const { report, code } = await init(project, '--import')
    expect(code).toBe(0)
    expect(outcomes(report)).toEqual({ files: 'imported', off: 'imported', remote: 'imported', gallery: 'imported' })
    expect(await serversOf(project)).toEqual({
      files: { command: 'node', args: ['./server.mjs'], env: { A: '${B}', N: '1' } },
      off: { command: 'x', enabled: false },
      remote: { url: 'https://x.example/mcp', headers: { 'X-Region': 'eu' } },
      gallery: { command: 'npx', args: ['-y', 'g'], env: { KEY: '${API_KEY}' } },
    })
    expect(report.offers.find(({ name }) => name === 'off')?.notes).toEqual([
      '`autoApprove` is not carried over: its tools are asked about like others.',
    ])
    expect(report.offers.find(({ name }) => name === 'gallery')).toMatchObject({
      program: 'VS Code',
      source: { line: 3 },
    })
  })

  it('takes over servers of Gemini CLI with their lists of tools, and what switches servers off', async () => {
    const project = await projectWith({
      '.gemini/settings.json': {
        mcp: { excluded: ['off'] },
        tools: { exclude: ['run_shell_command(rm)'] },
        mcpServers: {
          old: { url: 'https://x.example/sse', headers: { 'X-Id': '$ID' } },
          new: { httpUrl: 'https://x.example/mcp', timeout: 5000, includeTools: ['a', 'b'], excludeTools: ['b'] },
          off: { command: 'x', trust: true },
        },
      },
    })
    const { report, code } = await init(project, '--import')
    expect(code).toBe(0)
    expect(await serversOf(project)).toEqual({
      old: { type: 'sse', url: 'https://x.example/sse', headers: { 'X-Id': '${ID}' } },
      new: { url: 'https://x.example/mcp', timeout: { call: '5s' }, tools: { allow: ['a', 'b'], deny: ['b'] } },
      off: { command: 'x', enabled: false },
    })
    expect(report.offers.find(({ name }) => name === 'tools.exclude')).toMatchObject({
      what: 'permissions',
      outcome: 'refused',
      reason: expect.stringContaining('do not hold here'),
      hint: expect.stringContaining('permissions'),
    })
  })

  it('takes over servers of Codex and opencode', async () => {
    const project = await projectWith({
      '.codex/config.toml': [
        'sandbox_mode = "read-only"',
        '[mcp_servers.docs]',
        'command = "npx"',
        'args = ["-y", "docs"]',
        'env_vars = ["LOCAL"]',
        'startup_timeout_sec = 20.5',
        'tool_timeout_sec = 45',
        'enabled_tools = ["search"]',
        '[mcp_servers.figma]',
        'url = "https://mcp.figma.com/mcp"',
        'bearer_token_env_var = "FIGMA_TOKEN"',
        'env_http_headers = { "X-Region" = "REGION" }',
      ].join('\n'),
      'opencode.jsonc': {
        mcp: {
          local: { type: 'local', command: ['bun', 'x', 'tool'], environment: { K: '{env:KEY}' }, enabled: false },
          far: { type: 'remote', url: 'https://r.example/mcp', oauth: {} },
        },
        permission: { bash: 'ask' },
      },
      '.opencode/opencode.json': {
        mcp: { servers: { second: { type: 'local', command: ['x'], disabled: true, timeout: { startup: 1500 } } } },
      },
    })
    const { report, code } = await init(project, '--import')
    expect(code).toBe(0)
    expect(await serversOf(project)).toEqual({
      docs: {
        command: 'npx',
        args: ['-y', 'docs'],
        inheritEnv: ['LOCAL'],
        timeout: { connect: '20500ms', call: '45s' },
        tools: { allow: ['search'] },
      },
      figma: {
        url: 'https://mcp.figma.com/mcp',
        headers: { Authorization: 'Bearer ${FIGMA_TOKEN}', 'X-Region': '${REGION}' },
      },
      local: { command: 'bun', args: ['x', 'tool'], env: { K: '${KEY}' }, enabled: false },
      far: { url: 'https://r.example/mcp' },
      second: { command: 'x', enabled: false, timeout: { connect: '1500ms' } },
    })
    expect(report.offers.find(({ name }) => name === 'figma')).toMatchObject({ source: { line: 9 } })
    expect(report.offers.filter(({ outcome }) => outcome === 'refused').map(({ name }) => name)).toEqual([
      'sandbox_mode',
      'permission',
    ])
  })

  it('never copies what looks like a secret, and says which variable to set', async () => {
    const project = await projectWith({
      '.cursor/mcp.json': {
        mcpServers: {
          github: { command: 'npx', args: ['-y', 'gh'], env: { GITHUB_TOKEN: SECRET, LEVEL: 'debug' } },
          other: { command: 'npx', args: ['-y', 'gh2'], env: { GITHUB_TOKEN: `${SECRET}2` } },
          linear: { url: 'https://l.example/mcp', headers: { Authorization: `Bearer ${SECRET}` } },
          'in-args': { command: 'npx', args: ['--token', SECRET] },
          'in-url': { url: `https://u.example/mcp?api_key=${SECRET}` },
        },
      },
    })
    const { report, stdout, code } = await init(project, '--import')
    expect(code).toBe(1)
    expect(await serversOf(project)).toEqual({
      github: { command: 'npx', args: ['-y', 'gh'], env: { GITHUB_TOKEN: '${GITHUB_TOKEN}', LEVEL: 'debug' } },
      // Two secrets never share a variable.
      other: { command: 'npx', args: ['-y', 'gh2'], env: { GITHUB_TOKEN: '${OTHER_GITHUB_TOKEN}' } },
      linear: { url: 'https://l.example/mcp', headers: { Authorization: 'Bearer ${LINEAR_AUTHORIZATION}' } },
    })
    expect(report.offers.find(({ name }) => name === 'github')?.notes).toEqual([
      '`GITHUB_TOKEN` looks like a secret and is not copied: set `GITHUB_TOKEN` to what stands there.',
    ])
    expect(outcomes(report)).toMatchObject({ 'in-args': 'refused', 'in-url': 'refused' })
    expect(stdout).not.toContain(SECRET)
    expect(await readFile(join(project, '.ext/config.yaml'), 'utf8')).not.toContain(SECRET)
  })

  it('says why, of each entry that can’t be taken over, and takes over its siblings', async () => {
    const project = await projectWith({
      '.vscode/mcp.json': {
        servers: {
          good: { command: 'x' },
          asks: { command: 'x', args: ['${input:url}'] },
          boxed: { command: 'x', sandboxEnabled: true },
          elsewhere: { command: 'x', cwd: 'sub', args: ['${workspaceFolder}/a'] },
          'no name!': { command: 'x' },
          nothing: {},
          number: 7,
          words: { command: ['x'] },
        },
      },
      '.cursor/mcp.json': '{ "mcpServers": ',
      '.codex/config.toml': '[mcp_servers.a\n',
      '.gemini/settings.json': { mcpServers: ['x'] },
      '.cursor/hooks.json': { hooks: {} },
      '.cursor/rules/a.mdc': 'Be brief.',
    })
    const { report, code } = await init(project, '--import')
    expect(code).toBe(1)
    expect(await serversOf(project)).toEqual({ good: { command: 'x' } })
    for (const offer of report.offers.filter(({ name }) => name !== 'good')) {
      expect([offer.name, offer.outcome, offer.reason]).toEqual([offer.name, 'refused', expect.stringMatching(/./)])
    }
    expect(report.offers.map(({ name }) => name)).toEqual([
      ...['.cursor/mcp.json', '.cursor/hooks.json', '.cursor/rules'],
      ...['good', 'asks', 'boxed', 'elsewhere', 'no name!', 'nothing', 'number', 'words'],
      ...['mcpServers', '.codex/config.toml'],
    ])
  })

  it('knows what is there already, however it is written, and never replaces an entry of the same name', async () => {
    const project = await projectWith({
      '.mcp.json': {
        mcpServers: { same: { command: 'x', args: ['1'], env: { T: '${T}' } }, different: { command: 'x' } },
      },
      '.cursor/mcp.json': {
        mcpServers: {
          same: { type: 'stdio', args: ['1'], command: 'x', env: { T: '${env:T}' } },
          different: { command: 'y' },
          ours: { command: 'z' },
        },
      },
      '.ext/config.yaml':
        '# Mine.\nmcpServers:\n  # By hand.\n  ours: { command: z } # keep\npermissions: { ask: [Bash] }\n',
    })
    const { report, code } = await init(project, '--import')
    expect(outcomes(report)).toEqual({ same: 'there', different: 'refused', ours: 'there' })
    expect(report.offers.find(({ name }) => name === 'different')?.reason).toContain('.mcp.json:1:')
    expect(code).toBe(1)
    expect(await readFile(join(project, '.ext/config.yaml'), 'utf8')).toBe(
      '# Mine.\nmcpServers:\n  # By hand.\n  ours: { command: z } # keep\npermissions: { ask: [Bash] }\n',
    )
  })

  it('keeps comments and everything else of a file that is there, and does nothing a second time', async () => {
    const project = await projectWith({
      '.cursor/mcp.json': { mcpServers: { added: { command: 'y', env: { A_TOKEN: 'abcdefgh12345678' } } } },
      '.ext/config.yaml':
        '# Mine.\nmcpServers:\n  # By hand.\n  ours: { command: z } # keep\npermissions:\n  ask: [Bash] # always\n',
    })
    expect((await init(project, '--yes')).code).toBe(0)
    const text = await readFile(join(project, '.ext/config.yaml'), 'utf8')
    for (const part of ['# Mine.', '# By hand.', 'ours: { command: z } # keep', 'ask: [ Bash ] # always']) {
      expect(text.replace('[Bash]', '[ Bash ]')).toContain(part)
    }
    expect(await serversOf(project)).toEqual({
      ours: { command: 'z' },
      added: { command: 'y', env: { A_TOKEN: '${A_TOKEN}' } },
    })
    const again = await init(project, '--import')
    expect([again.code, outcomes(again.report)]).toEqual([0, { added: 'there' }])
    expect(await readFile(join(project, '.ext/config.yaml'), 'utf8')).toBe(text)
  })

  it('imports nothing without a flag where nobody can be asked, and into no file that is not valid', async () => {
    const files = { '.cursor/mcp.json': { mcpServers: { added: { command: 'y' } } } }
    const project = await projectWith(files)
    const { stdout, code } = await ext(['init', '--project', project])
    expect([code, stdout]).toEqual([0, expect.stringContaining('ext init --import')])
    expect(await serversOf(project)).toEqual({})

    const broken = await projectWith({ ...files, '.ext/config.yaml': 'a: [\n' })
    const refused = await init(broken, '--import')
    expect([refused.code, outcomes(refused.report)]).toEqual([1, { added: 'refused' }])
    expect(await readFile(join(broken, '.ext/config.yaml'), 'utf8')).toBe('a: [\n')
  })

  it.each([
    ['y', { added: { command: 'y' } }],
    ['n', {}],
  ])('asks at a terminal; %s', async (key, servers) => {
    const project = await projectWith({ '.cursor/mcp.json': { mcpServers: { added: { command: 'y' } } } })
    const { code } = await extAtTerminal(['init'], { cwd: project, after: /Import 1 server/, keys: key })
    expect(code).toBe(0)
    expect(await serversOf(project)).toEqual(servers)
  })

  it('never loses an entry and never copies a secret, whatever the files hold', async () => {
    const ports = nodePorts()
    const name = fc.constantFrom('a', 'b', 'c')
    const value = fc.oneof(
      fc.constantFrom('plain', SECRET, `Bearer ${SECRET}`, '${env:X}', '${workspaceFolder}/x', `pre ${SECRET}`),
      fc.string(),
    )
    const entry = fc.record(
      {
        command: fc.oneof(fc.constantFrom('node', 'x'), fc.integer()),
        args: fc.array(value, { maxLength: 2 }),
        env: fc.dictionary(fc.constantFrom('API_KEY', 'TOKEN', 'LEVEL'), value),
        url: fc.constantFrom('https://x.example/mcp', `https://x.example/?token=${SECRET}`, 'no address'),
        headers: fc.dictionary(fc.constantFrom('Authorization', 'X-Id'), value),
        disabled: fc.boolean(),
        unknown: fc.anything(),
      },
      { requiredKeys: [] },
    )
    const servers = fc.dictionary(name, fc.oneof(entry, fc.jsonValue()))
    let total = 0
    await fc.assert(
      fc.asyncProperty(servers, servers, async (cursor, vscode) => {
        const project = await projectWith({
          '.cursor/mcp.json': { mcpServers: cursor },
          '.vscode/mcp.json': { servers: vscode },
          '.ext/config.yaml': '# Mine.\nmcpServers:\n  a: { command: own }\n',
        })
        const offers = await findOffers(locate(project, {}, '/nonexistent', '/nonexistent'), ports)
        const found = offers.filter(({ what }) => what === 'server').map(({ name: each }) => each)
        expect(found).toEqual([...Object.keys(cursor), ...Object.keys(vscode)])
        const file = join(project, '.ext/config.yaml')
        const fresh = offers.filter(({ outcome }) => outcome === 'new')
        const { imported, refused } = await writeOffers(file, fresh)
        expect([imported, refused]).toEqual([fresh, []])
        total += imported.length
        const text = await readFile(file, 'utf8')
        expect(text).not.toContain(SECRET)
        expect(JSON.stringify(offers)).not.toContain(SECRET)
        expect(text.startsWith('# Mine.')).toBe(true)
        const written = await serversOf(project)
        expect(Object.keys(written)).toEqual(['a', ...fresh.map(({ name: each }) => each)])
        expect(written['a']).toEqual({ command: 'own' })
      }),
      { seed: 12, numRuns: 60 },
    )
    expect(total).toBeGreaterThan(10)
  }, 60_000)
})
