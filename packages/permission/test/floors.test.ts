import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, rulesOf, serverTool, session, tool } from './support.js'

const everything = { allow: ['Bash', 'Edit', 'Read', 'mcp__fs'] }
const hook = { behavior: 'allow', by: 'a hook' } as const

describe('what is critical', () => {
  test.each([
    'rm -rf /',
    'rm -rf ~',
    'rm -rf .',
    'rm -rf ..',
    'rm -rf /repo',
    'cd /; rm -rf *',
    'rm -rf "$DIR"/*',
    'find / -delete',
    'dd if=/dev/zero of=/dev/sda',
    ':(){ :|:& };:',
    'sudo sh -c "rm -rf /"',
  ])('`%s` is never allowed by rule, hook or mode, and denied where nobody is asked', async (line) => {
    const permission = await permissionWith({ rules: { allow: ['Bash', `Bash(${line})`] }, readOnlyCommands: true })
    for (const permissionMode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
      expect(permission.session(session({ permissionMode })).decide(bash(line), hook)).toMatchObject({
        behavior: 'ask',
        decidedBy: { layer: 'critical' },
        personOnly: true,
      })
    }
    expect(permission.session(session({ permissionMode: 'dontAsk' })).decide(bash(line)).behavior).toBe('deny')
    expect(await permission.session(session()).authorize(bash(line))).toMatchObject({
      behavior: 'deny',
      answeredBy: 'nobody',
    })
  })

  test('together with a deny rule it stays denied', async () => {
    const permission = await permissionWith({ rules: { deny: ['Bash(rm *)'] } })
    for (const permissionMode of ['default', 'bypassPermissions'] as const) {
      expect(permission.session(session({ permissionMode })).decide(bash('rm -rf /'))).toMatchObject({
        behavior: 'deny',
        decidedBy: { rule: 'Bash(rm *)' },
      })
    }
  })
})

describe('protected paths', () => {
  test.each([
    '.git/config',
    '.git/hooks/pre-commit',
    '.claude/settings.json',
    '.ext/config.yaml',
    '/home/u/.bashrc',
    '/home/u/.ssh/authorized_keys',
    '/home/u/.config/git/config',
    'a/.npmrc',
    'a/.mcp.json',
    '.agents/skills/a/run.sh',
    'tools/a/SKILL.md',
    'tools/a/skill.md',
    '.GIT/config',
    'x/../.git/config',
  ])('a write of %s is asked whatever allows it, by whatever hand', async (path) => {
    const rules = { allow: ['Bash', 'Edit', `Edit(${path})`, `Edit(/${path})`, 'Edit(~/**)'] }
    const permission = await permissionWith({ rules })
    for (const permissionMode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
      const here = permission.session(session({ permissionMode }))
      for (const asked of [request('Edit', { file_path: path }), bash(`echo x > ${path}`), bash(`cp a ${path}`)]) {
        expect(here.decide(asked, hook)).toMatchObject({
          behavior: 'ask',
          decidedBy: { layer: 'boundary' },
          personOnly: true,
        })
      }
    }
  })

  test('files that are only called alike are not protected, and neither is reading', async () => {
    const here = (await permissionWith({ rules: { allow: ['Edit(./**)', 'Read'] } })).session(session())
    for (const path of [
      '.gitignore',
      '.github/workflows/ci.yml',
      'git/config',
      'src/claude/a',
      'docs/SKILL.md.txt',
      'SKILL.md/notes.md',
      '.claude/worktrees/a/b',
    ]) {
      expect(here.decide(request('Edit', { file_path: path })).behavior, path).toBe('allow')
    }
    expect(here.decide(request('Read', { file_path: '.git/config' })).behavior).toBe('allow')
  })

  test('a glob that may lead to one is asked', async () => {
    const here = (await permissionWith({ rules: everything })).session(session())
    expect(here.decide(bash('rm -r .g*')).behavior).toBe('ask')
    expect(here.decide(bash('rm -r .a*')).behavior).toBe('ask')
    expect(here.decide(bash('rm -r build/*')).behavior).toBe('allow')
    expect(here.decide(bash('rm docs/*.md')).behavior).toBe('allow')
  })
})

describe('the workspace', () => {
  test('writes outside of it do not follow from a rule about a tool or a command', async () => {
    const here = (await permissionWith({ rules: everything })).session(session())
    for (const asked of [
      request('Edit', { file_path: '/etc/hosts' }),
      request('Write', { file_path: '../other/a' }),
      request('Edit', { file_path: '/repo-2/a' }),
      request('Edit', {}),
      bash('echo x > /tmp/x'),
      bash('cp a ../b'),
      bash('echo x > "$WHERE"'),
    ]) {
      expect(here.decide(asked, hook), JSON.stringify(asked.call.input)).toMatchObject({ behavior: 'ask' })
    }
    for (const asked of [request('Edit', { file_path: 'a/b' }), bash('echo x > a/b'), bash('ls > /dev/null')]) {
      expect(here.decide(asked).behavior, JSON.stringify(asked.call.input)).toBe('allow')
    }
  })

  test('a rule that names a place outside lets it be written, one for everywhere does not', async () => {
    const of = async (rule: string) =>
      (await permissionWith({ rules: { allow: [rule, 'Bash(echo *)'] } })).session(session())
    const write = request('Write', { file_path: '/tmp/out/a' })
    for (const rule of ['Edit(//tmp/**)', 'Edit(//tmp/out/a)']) {
      expect((await of(rule)).decide(write).behavior, rule).toBe('allow')
      expect((await of(rule)).decide(bash('echo x > /tmp/out/a')).behavior, rule).toBe('allow')
    }
    for (const rule of ['Edit', 'Edit(//**)', 'Edit(//*/out/a)', 'Edit(~/**)', 'Edit(./**)']) {
      expect((await of(rule)).decide(write).behavior, rule).toBe('ask')
      expect((await of(rule)).decide(bash('echo x > /tmp/out/a')).behavior, rule).toBe('ask')
    }
    expect((await of('Edit(~/notes/**)')).decide(request('Write', { file_path: '~/notes/a' })).behavior).toBe('allow')
  })

  test('can have further folders, from configuration that is approved', async () => {
    const rules = { additionalDirectories: ['../lib', '/srv/data'], allow: ['Edit'] }
    const writes = ['/lib/a', '/srv/data/x', '/repo/a'].map((path) => request('Edit', { file_path: path }))
    const here = (await permissionWith({ rules })).session(session())
    for (const write of writes) expect(here.decide(write).behavior).toBe('allow')
    expect(here.decide(request('Edit', { file_path: '/srv/other' })).behavior).toBe('ask')
    const edits = await permissionWith({ rules: { additionalDirectories: ['/srv/data'] } })
    expect(
      edits.session(session({ permissionMode: 'acceptEdits' })).decide(request('Edit', { file_path: '/srv/data/x' }))
        .behavior,
    ).toBe('allow')
    const layers = [rulesOf({ additionalDirectories: ['/srv/data'] }, 'project'), rulesOf({ allow: ['Edit'] })]
    const closed = (await permissionWith({ layers })).session(session())
    expect(closed.decide(request('Edit', { file_path: '/srv/data/x' })).behavior).toBe('ask')
  })

  test('in bypassPermissions nobody is asked about it', async () => {
    const here = (await permissionWith()).session(session({ permissionMode: 'bypassPermissions' }))
    expect(here.decide(request('Edit', { file_path: '/etc/hosts' })).behavior).toBe('allow')
    expect(here.decide(bash('echo x > /tmp/x')).behavior).toBe('allow')
  })
})

describe('a tool of a server', () => {
  const info = (kind: 'read' | 'meta' | 'exec', readOnly: unknown, trusted: boolean) => ({
    ...serverTool('db', 'query', kind),
    annotations: { readOnly: readOnly as boolean, destructive: false, idempotent: false, openWorld: false },
    source: { server: 'db', tool: 'query', trusted },
  })
  test.each([
    ['read', true, true, 'allow'],
    ['read', true, false, 'deny'],
    ['read', 'true', true, 'deny'],
    ['read', 1, true, 'deny'],
    ['read', false, true, 'deny'],
    ['exec', true, true, 'deny'],
    ['meta', true, true, 'deny'],
  ] as const)('of kind %s that says readOnly %s, trusted %s: %s in plan', async (kind, readOnly, trusted, expected) => {
    const permission = await permissionWith({ rules: { allow: ['mcp__db'] } })
    for (const origin of ['main', 'agent'] as const) {
      const here = permission.session(session({ permissionMode: 'plan', origin }))
      expect(here.decide(request(info(kind, readOnly, trusted))).behavior).toBe(expected)
    }
  })

  test('a kind that nobody knows is the strictest', async () => {
    const here = (await permissionWith()).session(session({ permissionMode: 'plan' }))
    expect(here.decide(request(tool('Odd', { kind: 'harmless' as never }))).behavior).toBe('deny')
  })
})

describe('a sub-agent in plan', () => {
  test('may use nothing but what only reads', async () => {
    const rules = { allow: ['Bash', 'Edit', 'WebFetch', 'Read', 'mcp__fs'] }
    const permission = await permissionWith({ rules })
    const here = permission.session(
      session({ origin: 'agent', permissionMode: 'plan', agent: { id: 'a', type: 'Explore' } }),
    )
    const verdict = (...asked: Parameters<typeof request>) => here.decide(request(...asked)).behavior
    expect(verdict('Read', { file_path: 'a' })).toBe('allow')
    expect(verdict('Skill', { skill: 'x' })).toBe('allow')
    expect(verdict('Bash', { command: 'git log | head' })).toBe('allow')
    expect(verdict('Bash', { command: 'npm test' })).toBe('deny')
    expect(verdict('Bash', { command: 'ls > f' })).toBe('deny')
    expect(verdict('Edit', { file_path: 'a' })).toBe('deny')
    expect(verdict('WebFetch', { url: 'https://a.test' })).toBe('deny')
    expect(verdict(serverTool('fs', 'write'))).toBe('deny')
  })
})
