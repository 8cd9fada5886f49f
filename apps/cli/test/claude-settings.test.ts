import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Diagnostic, EntryRecord } from '@ext/kernel'
import { describe, expect, it } from 'vitest'
import { compose } from '../src/compose.js'
import { ext, temporaryFolder } from './bin.js'

async function write(folder: string, files: Readonly<Record<string, unknown>>) {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
}

/** What `ext doctor` says of files in a home and in a project, each finding in one line. */
async function doctor(files: { readonly home?: object; readonly project?: object }, ...flags: string[]) {
  const [home, project] = [await temporaryFolder(), await temporaryFolder()]
  const place = (text: string) =>
    text.replaceAll(home, '~').replaceAll(`${project}/`, '').replaceAll(project, 'PROJECT')
  await write(home, JSON.parse(JSON.stringify(files.home ?? {}).replaceAll('PROJECT', project)))
  await write(project, { ...files.project })
  const ran = await ext(['doctor', '--json', '--project', project, ...flags], { home })
  const { entries, diagnostics } = JSON.parse(ran.stdout) as { entries: EntryRecord[]; diagnostics: Diagnostic[] }
  return {
    code: ran.code,
    verdicts: Object.fromEntries(entries.map(({ name, verdict }) => [name, verdict])),
    said: diagnostics.map(({ severity, code, message, hint, source: { file = '', line, column } }) => ({
      at: `${place(file)}:${line}:${column}`,
      severity,
      code,
      message: place(message),
      hint,
    })),
  }
}

describe('settings of Claude Code', () => {
  it('lose no rule, hook or server to a wrong place without a word', async () => {
    const hook = { matcher: 'Bash', hooks: [{ type: 'command', command: 'exit 2' }] }
    const server = { files: { command: 'node' } }
    const { said } = await doctor({
      home: { '.claude/settings.json': { mcpServers: server, premissions: { deny: ['Read'] } } },
      project: {
        '.claude/settings.json': {
          deny: ['Bash(rm:*)'],
          PreToolUse: [hook],
          mcpServers: server,
          disallowedTools: ['Bash'],
        },
      },
    })
    expect(said.every(({ severity, code }) => severity === 'warning' && code === 'cli.settings.misplaced')).toBe(true)
    const hints = Object.fromEntries(said.map(({ at, hint }) => [at, hint]))
    expect(hints).toEqual({
      '.claude/settings.json:2:3': 'Put it below a key `permissions`.',
      '.claude/settings.json:5:3': 'Put it below a key `hooks`.',
      '.claude/settings.json:16:3': 'Put the servers into `.mcp.json`, below `mcpServers`.',
      '.claude/settings.json:21:3': 'Write its rules into `deny` below a key `permissions`.',
      '~/.claude/settings.json:2:3':
        'Put the servers into `~/.ext/config.yaml`, below `mcpServers`, or add each with `ext mcp add`.',
      '~/.claude/settings.json:7:3': 'Did you mean `permissions`?',
    })
  })

  it('name what they close or bring elsewhere and not here, and what is for Claude Code alone in one line', async () => {
    const { said } = await doctor({
      project: {
        '.claude/settings.json': {
          $schema: 'https://json.schemastore.org/claude-code-settings.json',
          sandbox: { enabled: true },
          deniedMcpServers: [{ serverName: 'x' }],
          enabledPlugins: { 'formatter@acme': true },
          env: { FOO: 'bar' },
          enabledMcpjsonServers: ['files'],
          statusLine: { type: 'command', command: 'date' },
          outputStyle: 'Explanatory',
          skillOverrides: {},
          includeCoAuthoredBy: false,
        },
      },
    })
    const found = said.map(({ severity, message }) => `${severity} ${message}`)
    expect(found).toEqual([
      'warning `sandbox` has no effect here: commands run without a sandbox.',
      'warning `deniedMcpServers` has no effect here: any server that is approved may run.',
      'warning `enabledPlugins` has no effect here: hooks, skills, agents and servers of plugins are not read.',
      'info `env` reaches the hooks of this file alone: commands, servers and `ext` itself do not get these variables.',
      'info `enabledMcpjsonServers` has no effect here: it approves no server.',
      'info Nothing here reads `statusLine`, `outputStyle`.',
    ])
    expect(said.every(({ at, hint }) => /:\d+:\d+$/.test(at) && hint)).toBe(true)
  })

  it('keep a server off that somebody declined in Claude Code, also in a project that is trusted', async () => {
    const { verdicts, said } = await doctor(
      {
        project: {
          '.mcp.json': { mcpServers: { good: { command: 'node' }, declined: { command: 'node' } } },
          '.claude/settings.local.json': { disabledMcpjsonServers: ['declined'] },
        },
      },
      '--trust-project',
    )
    expect(verdicts).toMatchObject({ good: 'loaded', declined: 'disabled' })
    expect(said).toMatchObject([{ at: '.mcp.json:6:17', code: 'mcp.rejected.off' }])
  })

  it('keep sessions out of the mode that asks nothing', async () => {
    const [home, project] = [await temporaryFolder(), await temporaryFolder()]
    await write(project, {
      '.claude/settings.json': { permissions: { disableBypassPermissionsMode: 'disable' } },
      'script.yaml': 'turns:\n  - say: Done.\n',
    })
    const flags = ['--project', project, '--permission-mode', 'bypassPermissions']
    const refused = 'The mode bypassPermissions is switched off ('
    const run = await ext(['run', 'go', '--model', `scripted:${project}/script.yaml`, ...flags], { home })
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(refused)])
    const explained = await ext(['explain', 'Bash', '--input', '{}', ...flags], { home })
    expect([explained.code, explained.stderr]).toEqual([2, expect.stringContaining('settings.json:3:37')])
  })

  it('of the administrator hold without approval, and only the administrator can switch them off', async () => {
    const settings = {
      permissions: { deny: ['Bash(curl:*)'] },
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'audit-it' }] }] },
      allowManagedPermissionRulesOnly: true,
    }
    const load = async (files: object, config = '') => {
      const [managedFolder, project] = [await temporaryFolder(), await temporaryFolder()]
      await write(managedFolder, { 'managed-settings.json': settings, ...files })
      await write(project, { '.ext/config.local.yaml': config })
      const extensions = await compose({ project, managedFolder, trustProject: false, connect: false, report() {} })
      const loaded = extensions.records
        .filter(({ source }) => source.layer === 'managed' && source.file?.endsWith('managed-settings.json'))
        .map(({ axis, name, verdict }) => `${verdict} ${axis} ${name}`)
      await extensions.close()
      return loaded.toSorted()
    }
    const all = [
      'loaded hooks audit-it',
      'loaded permissions deny Bash(curl:*)',
      'loaded permissions managed rules only',
    ]
    expect(await load({})).toEqual(all)
    expect(await load({}, 'compat: { claude: false }')).toEqual(all)
    expect(await load({ 'config.yaml': 'compat: { claude: false }' })).toEqual([])
  })
})

describe('ext doctor', () => {
  it('names rules that never have an effect, or another one than they show', async () => {
    const permissions = {
      allow: ['Bash(npm test 2>&1)', 'Bash(git push --tags)', 'Bash(*)'],
      deny: ['Edit|Write', 'mcp_github_*', 'Bash(git push:*)'],
    }
    const { said } = await doctor({ home: { '.claude/settings.json': { permissions } } })
    expect(said.map(({ at, code }) => `${at} ${code}`)).toEqual([
      '~/.claude/settings.json:4:7 permission.lint.compound',
      '~/.claude/settings.json:5:7 permission.lint.unreachable',
      '~/.claude/settings.json:9:7 permission.lint.unknown-tool',
      '~/.claude/settings.json:10:7 permission.lint.unknown-tool',
    ])
  })

  it('shows no secret of the lines that it shows', async () => {
    const project = await temporaryFolder()
    const [secret, key] = ['sk-ant-api03-abcdefghijklmnopqrstuvwxyz', 'hunter2hunter2']
    const web = { url: 'https://e.test/mcp', headers: { Authorization: `Bearer ${secret}` }, env: { API_KEY: key } }
    await write(project, { '.mcp.json': JSON.stringify({ mcpServers: { web } }) })
    const { stdout } = await ext(['doctor', '--project', project])
    expect(stdout).toContain('"headers":{"Authorization":"***')
    expect(stdout).not.toContain(secret)
    expect(stdout).not.toContain(key)
  })

  it('names files at the root of a repository that do not hold in the folder below', async () => {
    const [home, root] = [await temporaryFolder(), await temporaryFolder()]
    await write(root, {
      '.git/HEAD': '',
      '.claude/settings.json': { permissions: { deny: ['Bash(rm:*)'] } },
      '.ext/config.yaml': 'permissions: { deny: [Read] }',
      'app/.claude/settings.json': {},
      'app/web/.keep': '',
    })
    const said = async (project: string, ...more: string[]) => {
      const { stdout } = await ext(['doctor', '--json', '--project', project, ...more], { home })
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] }
      return diagnostics.map(({ code, source: { file = '' } }) => `${code} ${file.replace(root, '')}`).toSorted()
    }
    const above = ['cli.file.above /.claude/settings.json', 'cli.file.above /.ext/config.yaml']
    expect(await said(join(root, 'app'))).toEqual(above)
    expect(await said(join(root, 'app/web'))).toEqual(
      [...above, 'cli.file.above /app/.claude/settings.json'].toSorted(),
    )
    expect(await said(root)).toEqual([])
    await write(home, { '.ext/config.yaml': 'compat: { claude: false }' })
    expect(await said(join(root, 'app'))).toContain(above[1])
    expect(await said(join(root, 'app'))).not.toContain(above[0])
  })

  it('names servers that Claude Code has in the file of its own state', async () => {
    const server = { command: 'node' }
    const state = {
      mcpServers: { mine: server, other: server },
      projects: { PROJECT: { mcpServers: { here: server } }, '/elsewhere': { mcpServers: { there: server } } },
    }
    const { said } = await doctor({ home: { '.claude.json': state } })
    expect(said.map(({ at, code, message }) => [at, code, message])).toEqual([
      [
        '~/.claude.json:2:3',
        'cli.file.not-read',
        'Claude Code has 2 servers here, which ext does not read: mine, other.',
      ],
      ['~/.claude.json:12:7', 'cli.file.not-read', 'Claude Code has 1 server here, which ext does not read: here.'],
    ])
    const off = { '.ext/config.yaml': 'compat: { claude: { mcpServers: false } }', '.claude.json': state }
    expect((await doctor({ home: off })).said).toEqual([])
    const broken = { '.claude.json': '{' }
    expect((await doctor({ home: broken })).said).toEqual([])
  })
})
