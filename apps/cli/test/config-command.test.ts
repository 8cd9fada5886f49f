import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

async function setup(files: Readonly<Record<string, string>>) {
  const home = await temporaryFolder()
  const project = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return { home, project, run: (...args: string[]) => ext([...args, '--project', project], { home }) }
}

const FILES = {
  '~/.ext/config.yaml': [
    'model: openai-compatible:http://127.0.0.1:1/v1/x',
    'audit: false',
    'permissions: { mode: plan }',
    'mcpServers:',
    '  far: { command: node, env: { API_KEY: very-secret-0123, LEVEL: debug, TOKEN: "${TOKEN}" } }',
    '',
  ].join('\n'),
  '.ext/config.yaml': [
    'disabledHooks: [old]',
    'mcpServers:',
    '  near:',
    '    url: https://x.example/mcp',
    '    headers: { Authorization: "Bearer ${NEAR}", Cookie: abcdefgh }',
    'audit: true',
    '',
  ].join('\n'),
  '.claude/settings.json': JSON.stringify({
    permissions: { deny: ['Read(.env)'] },
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] },
  }),
}

describe('ext config show', () => {
  it('shows every value that holds with its place, in the form of its file, without secrets', async () => {
    const { home, project, run } = await setup(FILES)
    const { stdout } = await run('config', 'show', '--trust-project')
    expect(stdout.replaceAll(home, '~')).toBe(
      [
        '~/.ext/config.yaml:1:8',
        '  model: openai-compatible:http://127.0.0.1:1/v1/x',
        '~/.ext/config.yaml:2:1',
        '  audit: false',
        '~/.ext/config.yaml:3:22',
        '  permissions:',
        '    mode: plan',
        '~/.ext/config.yaml:5:8',
        '  mcpServers:',
        '    far:',
        '      command: node',
        '      env:',
        '        API_KEY: "[redacted]"',
        '        LEVEL: debug',
        '        TOKEN: ${TOKEN}',
        '.ext/config.yaml:1:1',
        '  disabledHooks:',
        '    - old',
        '.ext/config.yaml:4:5',
        '  mcpServers:',
        '    near:',
        '      url: https://x.example/mcp',
        '      headers:',
        '        Authorization: Bearer ${NEAR}',
        '        Cookie: "[redacted]"',
        '.claude/settings.json:1:25',
        '  permissions:',
        '    deny:',
        '      - Read(.env)',
        '.claude/settings.json:1:90',
        '  hooks:',
        '    PreToolUse:',
        '      - matcher: Bash',
        '        hooks:',
        '          - type: command',
        '            command: "true"',
        '8 values.',
        '',
      ].join('\n'),
    )
    expect(stdout).not.toMatch(/very-secret|abcdefgh/)
    // Nothing is shown of a place where it means nothing.
    expect(stdout).not.toContain('audit: true')
    expect(stdout).not.toContain(project)
  })

  it('says how many values have no effect, and shows them with --all and to programs', async () => {
    const { run } = await setup(FILES)
    const { stdout, code } = await run('config', 'show')
    expect(stdout).toContain('6 values; 2 more without effect, see --all.')
    expect(code).toBe(0)
    expect((await run('config', 'show', '--all')).stdout).toMatch(
      /^\.ext\/config\.yaml:4:5 {2}untrusted\n {2}mcpServers:/m,
    )
    const { values } = JSON.parse((await run('config', 'show', '--json')).stdout) as {
      values: { path: string; verdict: string; value: unknown; source: { line: number } }[]
    }
    expect(values.map(({ path, verdict }) => `${path} ${verdict}`)).toEqual([
      'model loaded',
      'audit loaded',
      'permissions.mode loaded',
      'mcpServers.far loaded',
      'disabledHooks loaded',
      'mcpServers.near untrusted',
      'permissions.deny.0 loaded',
      'hooks.PreToolUse.0 untrusted',
    ])
    expect(JSON.stringify(values)).not.toMatch(/very-secret|abcdefgh/)
  })

  it('exits with 1 if something is broken, and shows the rest', async () => {
    const { run } = await setup({
      '.ext/config.yaml': 'mcpServers: { a: { comand: x } }\npermissions: { deny: [Bash] }\n',
    })
    const { stdout, code } = await run('config', 'show')
    expect(code).toBe(1)
    expect(stdout).toContain('- Bash')
    expect(stdout).toContain('run ext doctor')
  })
})

describe('ext config schema and init', () => {
  it('prints the schema of the file, or its path', async () => {
    const { stdout } = await ext(['config', 'schema'])
    expect(JSON.parse(stdout)).toMatchObject({ properties: { mcpServers: {}, compat: {}, agents: {} } })
    const path = await ext(['config', 'schema', '--path'])
    expect(await readFile(path.stdout.trim(), 'utf8')).toBe(stdout)
  })

  it('writes the file of ext init and imports nothing', async () => {
    const { project, run } = await setup({ '.cursor/mcp.json': '{ "mcpServers": { "a": { "command": "x" } } }' })
    const { stdout, code } = await run('config', 'init')
    expect([code, stdout]).toEqual([0, 'Wrote .ext/config.yaml.\n'])
    expect(await readFile(join(project, '.ext/config.yaml'), 'utf8')).toMatch(/^# yaml-language-server/)
    expect((await run('config', 'init')).code).toBe(1)
  })
})
