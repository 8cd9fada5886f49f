import type { ConfigSource, LayerName } from '@ext/kernel'
import { memoryFiles } from '@ext/kernel/testing'
import { describe, expect, test } from 'vitest'
import { diagnosticCodes } from '../src/index.js'
import { bash, permissionWith, request, rulesOf, serverTool, session } from './support.js'

const claude = (path: string, layer: LayerName): ConfigSource => ({
  kind: 'file',
  layer,
  dialect: 'claude-settings',
  path,
})
const ext = (path: string, layer: LayerName): ConfigSource => ({ kind: 'file', layer, dialect: 'ext', path })

describe('reading rules', () => {
  test('from .claude/settings.json, each with its place', async () => {
    const text =
      '{\n  "permissions": {\n    "defaultMode": "plan",\n    "deny": ["Read(./.env)",\n      "Bash(rm *)"]\n  }\n}'
    const permission = await permissionWith({
      layers: [claude('/repo/.claude/settings.json', 'project')],
      files: memoryFiles({ '/repo/.claude/settings.json': text }),
    })
    expect(permission.diagnostics).toEqual([])
    expect(permission.defaultMode).toBe('plan')
    expect(permission.session(session()).decide(bash('rm x')).decidedBy).toMatchObject({
      rule: 'Bash(rm *)',
      source: { file: '/repo/.claude/settings.json', layer: 'project', line: 5, column: 7 },
    })
  })

  test('from our own YAML, each with its place', async () => {
    const text = 'permissions:\n  mode: dontAsk\n  ask:\n    - Bash(git push *)\n'
    const permission = await permissionWith({
      layers: [ext('/repo/.ext/config.yaml', 'project')],
      files: memoryFiles({ '/repo/.ext/config.yaml': text }),
    })
    expect(permission.defaultMode).toBe('dontAsk')
    expect(permission.session(session()).decide(bash('git push')).decidedBy).toMatchObject({
      rule: 'Bash(git push *)',
      source: { line: 4, column: 7 },
    })
  })

  test('a rule is a record of its own, and those of all layers are merged', async () => {
    const permission = await permissionWith({
      layers: [
        rulesOf({ deny: ['Read(a)', 'Read(a)'] }, 'user'),
        rulesOf({ deny: ['Read(a)'], allow: ['Read'] }, 'managed'),
      ],
    })
    const own = permission.snapshot.records.filter(({ source }) => source.layer !== 'built-in')
    expect(own.map(({ name, verdict }) => `${name}: ${verdict}`)).toEqual([
      'deny Read(a): loaded',
      'deny Read(a): loaded',
      'deny Read(a): loaded',
      'allow Read: loaded',
    ])
  })

  test('no file, an empty file and a file without the section are no rules', async () => {
    for (const text of ['{}', '{"permissions": null}', '{"permissions": {"allow": null}}']) {
      const permission = await permissionWith({
        layers: [claude('/repo/.claude/settings.json', 'project'), claude('/missing.json', 'user')],
        files: memoryFiles({ '/repo/.claude/settings.json': text }),
      })
      expect(permission.diagnostics).toEqual([])
    }
  })

  test.each([
    ['/repo/.claude/settings.json', 'project', '/repo/src/a', '/repo/.claude/src/a'],
    ['/repo/.claude/settings.local.json', 'local', '/repo/src/a', '/repo/.claude/src/a'],
    ['/home/u/.claude/settings.json', 'user', '/home/u/.claude/src/a', '/home/u/src/a'],
    ['/etc/ext/settings.json', 'managed', '/etc/ext/src/a', '/etc/src/a'],
  ] as const)('`/src/**` in %s of layer %s is %s', async (path, layer, inside, outside) => {
    const permission = await permissionWith({
      layers: [claude(path, layer)],
      files: memoryFiles({ [path]: '{"permissions": {"deny": ["Edit(/src/**)"]}}' }),
    })
    const here = permission.session(session())
    expect(here.decide(request('Edit', { file_path: inside })).behavior).toBe('deny')
    expect(here.decide(request('Edit', { file_path: outside })).behavior).not.toBe('deny')
  })
})

describe('consent', () => {
  const foreign: readonly LayerName[] = ['plugin', 'project', 'local']

  test('allow rules of others wait for it, deny and ask rules do not', async () => {
    for (const layer of foreign) {
      const layers = [rulesOf({ allow: ['Bash(ls)'], deny: ['Bash(rm *)'], ask: ['Bash(git *)'] }, layer)]
      const closed = (await permissionWith({ layers })).session(session())
      expect(closed.decide(bash('ls')).behavior).toBe('ask')
      expect(closed.decide(bash('rm x')).behavior).toBe('deny')
      expect(closed.decide(bash('git log')).decidedBy.layer).toBe('rules')
      const open = (await permissionWith({ layers, approved: () => true })).session(session())
      expect(open.decide(bash('ls')).behavior).toBe('allow')
    }
  })

  test('a rule that waits is a warning and a record', async () => {
    const permission = await permissionWith({ layers: [rulesOf({ allow: ['Bash(ls)'] }, 'project')] })
    expect(permission.diagnostics).toMatchObject([{ code: 'config.entry.untrusted', severity: 'warning' }])
    expect(permission.snapshot.records).toContainEqual(
      expect.objectContaining({ name: 'allow Bash(ls)', verdict: 'untrusted' }),
    )
  })

  test('approval is asked for each entry on its own', async () => {
    const permission = await permissionWith({
      layers: [rulesOf({ allow: ['Bash(ls)', 'Bash(id)'] }, 'project')],
      approved: ({ value }) => value.kind === 'rule' && value.text === 'Bash(id)',
    })
    const here = permission.session(session())
    expect(here.decide(bash('ls')).behavior).toBe('ask')
    expect(here.decide(bash('id')).behavior).toBe('allow')
  })

  test.each([
    ['bypassPermissions', 'default'],
    ['acceptEdits', 'default'],
    ['default', 'default'],
    ['plan', 'plan'],
    ['dontAsk', 'dontAsk'],
  ] as const)('a project that wants mode %s without approval gets %s', async (mode, expected) => {
    const layers = [rulesOf({ mode }, 'project')]
    const permission = await permissionWith({ layers })
    expect(permission.defaultMode).toBe(expected)
    expect(permission.diagnostics.map(({ code }) => code)).toEqual(
      mode === expected && mode !== 'default' ? [] : ['config.entry.untrusted'],
    )
    expect((await permissionWith({ layers, approved: () => true })).defaultMode).toBe(mode)
  })

  test('a project can not loosen the mode of the user, and the nearest mode wins otherwise', async () => {
    const user = rulesOf({ mode: 'dontAsk' }, 'user')
    expect((await permissionWith({ layers: [rulesOf({ mode: 'default' }, 'project'), user] })).defaultMode).toBe(
      'dontAsk',
    )
    expect((await permissionWith({ layers: [rulesOf({ mode: 'acceptEdits' }, 'managed'), user] })).defaultMode).toBe(
      'acceptEdits',
    )
  })
})

describe('what is broken', () => {
  test.each([
    ['deny', 'Bash(git push', 'Bash', 'permission.rule.malformed'],
    ['ask', 'Bash(git push', 'Bash', 'permission.rule.malformed'],
    ['deny', 'Edit(', 'Write', 'permission.rule.malformed'],
    ['deny', 'WebFetch(domain:a/b)', 'WebFetch', 'permission.rule.not-usable'],
    ['deny', 'Bash(command:rm *)', 'Bash', 'permission.rule.not-usable'],
    ['deny', 'bash(rm *)', 'Bash', 'permission.rule.not-usable'],
  ])('a %s rule `%s` is an error, and caps %s at ask until it is fixed', async (effect, rule, name, code) => {
    const permission = await permissionWith({
      rules: { [effect]: [rule], allow: ['Bash(ls)', 'Edit', 'WebFetch', 'Read'] },
    })
    expect(permission.diagnostics).toMatchObject([
      { code, severity: 'error', entry: expect.any(String), hint: expect.any(String) },
    ])
    expect(permission.snapshot.records.filter(({ verdict }) => verdict === 'broken')).toHaveLength(1)
    const here = permission.session(session())
    for (const permissionMode of ['default', 'bypassPermissions'] as const) {
      const decision = permission
        .session(session({ permissionMode }))
        .decide(request(name, { command: 'ls', file_path: 'a' }), { behavior: 'allow', by: 'a hook' })
      expect(decision).toMatchObject({ behavior: 'ask', decidedBy: { layer: 'rules', source: { name: 'user rules' } } })
      expect(decision.reason).toContain(`The ${effect} rule \`${rule}\` (<user rules>) can't be understood`)
    }
    expect(here.decide(request('Read', { file_path: 'a' })).behavior).toBe('allow')
  })

  test.each([['git push'], [''], [5], [null], [{ tool: 'Bash' }], ['(x)'], ['Bash(a), Edit(b)']])(
    'a deny rule %j names no tool, so every tool is capped',
    async (rule) => {
      const permission = await permissionWith({ rules: { deny: [rule], allow: ['Read', 'mcp__fs'] } })
      expect(permission.diagnostics).toMatchObject([{ severity: 'error' }])
      const here = permission.session(session())
      expect(here.decide(request('Read', { file_path: 'a' })).behavior).toBe('ask')
      expect(here.decide(request(serverTool('fs', 'read'))).behavior).toBe('ask')
    },
  )

  test('a deny rule still denies what a broken one beside it leaves at ask', async () => {
    const permission = await permissionWith({ rules: { deny: ['Bash(git push', 'Bash(rm *)'] } })
    expect(permission.session(session()).decide(bash('rm x')).behavior).toBe('deny')
  })

  test('a broken allow rule allows nothing and caps nothing', async () => {
    const permission = await permissionWith({ rules: { allow: ['Bash(git', 'mcp__*', 'Agent2(model:x)', 7, 'Read'] } })
    expect(permission.diagnostics.map(({ code }) => code)).toEqual([
      'permission.rule.not-text',
      'permission.rule.malformed',
      'permission.rule.not-usable',
      'permission.rule.not-usable',
    ])
    expect(permission.session(session()).decide(request('Read', { file_path: 'a' })).behavior).toBe('allow')
  })

  test.each([
    ['{"permissions": []}', 'config.shape'],
    ['{"permissions": {"deny": "Read"}}', 'config.shape'],
    ['{"permissions": {"ask": {"Read": true}}}', 'config.shape'],
    ['{"permissions": {', 'config.syntax.json'],
  ])('%s may have denied anything, so everything is asked', async (text, code) => {
    const path = '/repo/.claude/settings.json'
    const permission = await permissionWith({
      layers: [claude(path, 'project'), rulesOf({ allow: ['Read'] })],
      files: memoryFiles({ [path]: text }),
    })
    expect(permission.diagnostics).toMatchObject([{ code, severity: 'error' }])
    const decision = permission.session(session()).decide(request('Read', { file_path: 'a' }))
    expect(decision).toMatchObject({ behavior: 'ask', decidedBy: { layer: 'rules', source: { file: path } } })
  })

  test('a list of allow rules that is none caps nothing', async () => {
    const path = '/repo/.claude/settings.json'
    const permission = await permissionWith({
      layers: [claude(path, 'project'), rulesOf({ allow: ['Read'] })],
      files: memoryFiles({ [path]: '{"permissions": {"allow": "Read"}}' }),
    })
    expect(permission.session(session()).decide(request('Read', { file_path: 'a' })).behavior).toBe('allow')
  })

  test('an unknown mode is an error with the known ones, and the mode is default', async () => {
    const permission = await permissionWith({ rules: { mode: 'acceptedits' as never } })
    expect(permission.defaultMode).toBe('default')
    expect(permission.diagnostics).toMatchObject([
      {
        code: 'permission.mode.unknown',
        hint: 'Did you mean `acceptEdits`?',
        expected: expect.arrayContaining(['plan']),
      },
    ])
  })

  test('`manual` in settings of Claude Code is the mode that asks, also above a looser one', async () => {
    const [user, local] = ['/home/u/.claude/settings.json', '/repo/.claude/settings.local.json']
    const files = memoryFiles({
      [user]: '{"permissions": {"defaultMode": "acceptEdits"}}',
      [local]: '{"permissions": {"defaultMode": "manual"}}',
    })
    const layers = [claude(user, 'user'), claude(local, 'local')]
    const permission = await permissionWith({ layers, files, approved: () => true })
    expect(permission.diagnostics).toEqual([])
    expect(permission.defaultMode).toBe('default')
  })

  test.each(['disable', true])(
    'disableBypassPermissionsMode: %j keeps every session out of that mode, whichever file says so',
    async (disableBypassPermissionsMode) => {
      const layers = [
        rulesOf({ disableBypassPermissionsMode }, 'project'),
        rulesOf({ mode: 'bypassPermissions' }, 'user'),
      ]
      const permission = await permissionWith({ layers })
      expect(permission.diagnostics).toEqual([])
      expect(permission.defaultMode).toBe('default')
      expect(permission.bypassOff).toMatchObject({ layer: 'project' })
      const here = permission.session(session({ permissionMode: 'bypassPermissions' }))
      expect(here.mode).toBe('default')
      expect(here.decide(bash('npm install')).behavior).toBe('ask')
      here.setMode('acceptEdits')
      expect(here.mode).toBe('acceptEdits')
      here.setMode('bypassPermissions')
      expect(here.decide(bash('npm install')).behavior).toBe('ask')
      await permission.replace([])
      expect(permission.bypassOff).toBeUndefined()
      expect(here.decide(bash('npm install')).behavior).toBe('allow')
    },
  )

  test('a value of disableBypassPermissionsMode that can not be understood is an error with the right one', async () => {
    const permission = await permissionWith({ layers: [rulesOf({ disableBypassPermissionsMode: 'yes' }, 'user')] })
    expect(permission.diagnostics).toMatchObject([{ code: 'permission.setting.not-usable', expected: ['disable'] }])
  })

  test('keys of Claude Code that close more than is closed here are named, with what closes it', async () => {
    const path = '/repo/.claude/settings.json'
    const keys = [
      'blockReadsOutsideWorkingDirectories',
      'blockWritesOutsideWorkingDirectories',
      'denyInsteadOfPrompting',
    ]
    const text = JSON.stringify({ permissions: Object.fromEntries(keys.map((key) => [key, true])) }, null, 2)
    const permission = await permissionWith({ layers: [claude(path, 'user')], files: memoryFiles({ [path]: text }) })
    expect(permission.diagnostics.map(({ code, source, hint }) => [code, source.line, hint])).toEqual([
      ['permission.key.not-used', 3, expect.stringContaining('Read(//**)')],
      ['permission.key.not-used', 4, expect.stringContaining('Edit(//etc/**)')],
      ['permission.key.not-used', 5, expect.stringContaining('"dontAsk"')],
    ])
  })

  test('keys that have no effect are said, at their place', async () => {
    const path = '/repo/.claude/settings.json'
    const text = `{
  "permissions": {
    "disableAutoMode": "disable",
    "alow": []
  }
}`
    const permission = await permissionWith({ layers: [claude(path, 'user')], files: memoryFiles({ [path]: text }) })
    expect(permission.diagnostics.map(({ code, source, hint }) => [code, source.line, hint])).toEqual([
      ['permission.key.not-used', 3, 'There is no such mode here.'],
      ['permission.key.unknown', 4, 'Did you mean `allow`?'],
    ])
  })

  test('managed settings of Claude Code can let no other allow rule count; other files can not', async () => {
    const path = '/etc/claude/managed.json'
    const text = '{"allowManagedPermissionRulesOnly": true, "permissions": {"allow": ["Bash(ls)"]}}'
    const files = memoryFiles({ [path]: text })
    const of = (layer: LayerName) =>
      permissionWith({ layers: [claude(path, layer), rulesOf({ allow: ['Bash(id)'] })], files })
    const managed = await of('managed')
    expect(managed.diagnostics).toEqual([])
    const here = managed.session(session())
    expect([here.decide(bash('ls')).behavior, here.decide(bash('id')).behavior]).toEqual(['allow', 'ask'])
    const user = await of('user')
    expect(user.diagnostics).toMatchObject([{ code: 'permission.setting.not-usable', severity: 'error' }])
    expect(user.session(session()).decide(bash('id')).behavior).toBe('allow')
  })

  test.each([
    [{ readOnlyCommands: 'yes' }, 'permission.setting.not-usable'],
    [{ managedRulesOnly: 1 }, 'permission.setting.not-usable'],
    [{ additionalDirectories: [5] }, 'permission.directory.not-usable'],
    [{ additionalDirectories: [''] }, 'permission.directory.not-usable'],
    [{ additionalDirectories: '../x' as never }, 'config.shape'],
  ])('%j is an error and changes nothing', async (rules, code) => {
    const permission = await permissionWith({ rules: { ...rules, allow: ['Bash(ls)'] } })
    expect(permission.diagnostics).toMatchObject([{ code, severity: 'error' }])
    const here = permission.session(session())
    expect([here.decide(bash('ls')).behavior, here.decide(bash('pwd')).behavior]).toEqual(['allow', 'ask'])
  })

  test('a dialect without a reader is an error of the program', async () => {
    await expect(permissionWith({ layers: [{ ...rulesOf({}), dialect: 'toml' }] })).rejects.toThrow(/`toml`/)
  })

  test('every code has its line', () => {
    for (const [code, line] of Object.entries(diagnosticCodes)) {
      expect(code).toMatch(/^permission\.[a-z.-]+$/)
      expect(line).toMatch(/\.$/)
    }
  })
})
