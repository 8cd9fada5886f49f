import { memoryFiles } from '@ext/kernel/testing'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, rulesOf, serverTool, session } from './support.js'

const of = (...rules: readonly unknown[]) => permissionWith({ rules: { rules } })

describe('a rule that is written as a map', () => {
  test.each([
    [{ effect: 'deny', tool: 'Bash', command: 'git push *' }, bash('git push'), 'deny'],
    [{ effect: 'deny', tool: 'Bash', command: 'git push *' }, bash('git pull'), 'ask'],
    [{ effect: 'allow', tool: 'Bash', command: 'npm test' }, bash('npm test'), 'allow'],
    [{ effect: 'allow', tool: 'Edit', path: './src/**' }, request('Write', { file_path: 'src/a' }), 'allow'],
    [{ effect: 'deny', tool: 'Edit', path: '.env' }, bash('echo x > .env'), 'deny'],
    [{ effect: 'allow', tool: 'WebFetch', domain: 'a.test' }, request('WebFetch', { url: 'https://a.test' }), 'allow'],
    [{ effect: 'allow', tool: 'Bash', regex: 'npm (test|run \\w+)' }, bash('npm run x'), 'allow'],
    [{ effect: 'allow', tool: 'Bash', regex: 'npm (test|run \\w+)' }, bash('npm run x && id'), 'ask'],
    [{ effect: 'allow', tool: 'Bash', regex: 'npm test' }, bash('npm test; npm test'), 'allow'],
    [{ effect: 'allow', tool: 'Bash', regex: 'npm t' }, bash('npm test'), 'ask'],
    [{ effect: 'deny', tool: 'Bash', regex: 'push.*main' }, bash('ls; git push origin main'), 'deny'],
    [{ effect: 'deny', tool: 'Skill', command: 'deploy *' }, request('Skill', { skill: 'deploy', args: 'x' }), 'deny'],
    [{ effect: 'deny', tool: 'Read', regex: '\\.pem$' }, request('Read', { file_path: 'a/b.pem' }), 'deny'],
    [{ effect: 'deny', tool: 'Read', regex: '\\.pem$' }, bash('cat a/b.pem'), 'deny'],
    [{ effect: 'deny', tool: 'Agent', params: { model: 'opus' } }, request('Agent', { model: 'opus' }), 'deny'],
    [{ effect: 'deny', tool: 'X', params: { a: 1, b: true } }, request('X', { a: 1, b: false }), 'ask'],
    [{ effect: 'deny', tool: 'X', params: { a: 1, b: true } }, request('X', { a: 1, b: true }), 'deny'],
    [
      { effect: 'ask', tool: 'mcp__db', params: { q: 'drop*' } },
      request(serverTool('db', 'run'), { q: 'drop t' }),
      'ask',
    ],
    [{ effect: 'allow', tool: 'Read' }, request('Read', { file_path: 'a' }), 'allow'],
  ] as const)('%j on %j: %s', async (rule, asked, expected) => {
    const permission = await of(rule)
    expect(permission.diagnostics).toEqual([])
    expect(permission.session(session()).decide(asked as ReturnType<typeof bash>).behavior).toBe(expected)
  })

  test('with a regular expression asks about what is only known when the line runs', async () => {
    const permission = await permissionWith({
      rules: { allow: ['Bash'], rules: [{ effect: 'deny', tool: 'Bash', regex: 'push.*main' }] },
    })
    const here = permission.session(session())
    expect(here.decide(bash('git push origin "$BRANCH"'))).toMatchObject({ behavior: 'ask' })
    expect(here.decide(bash('my-runner git push origin main')).behavior).not.toBe('allow')
    expect(here.decide(bash('git push origin dev')).behavior).toBe('allow')
  })

  test('says its name and its reason, at its place', async () => {
    const path = '/repo/.ext/config.yaml'
    const text = `permissions:
  rules:
    - name: no-push
      effect: deny
      tool: Bash
      command: git push *
      reason: Releases are made by CI.
`
    const permission = await permissionWith({
      layers: [{ kind: 'file', layer: 'project', dialect: 'ext', path }],
      files: memoryFiles({ [path]: text }),
    })
    const decision = permission.session(session()).decide(bash('git push'))
    expect(decision.decidedBy).toMatchObject({ rule: 'no-push', source: { file: path, line: 3 } })
    expect(decision.modelReason).toContain('Its reason: Releases are made by CI.')
    expect(permission.snapshot.records.map(({ name }) => name)).toEqual(['deny no-push'])
  })

  test('runs its tests when it is loaded', async () => {
    const good = {
      effect: 'deny',
      tool: 'Bash',
      command: 'git push *',
      tests: { match: ['git push', 'sudo git -C . push', { command: 'ls; git push' }], notMatch: ['git pull'] },
    }
    expect((await of(good)).diagnostics).toEqual([])
    const path = '/repo/.ext/config.yaml'
    const text = `permissions:
  rules:
    - effect: deny
      tool: Bash
      command: git push *
      tests:
        match: [git push, git pull]
        notMatch:
          - git push --force
`
    const permission = await permissionWith({
      layers: [{ kind: 'file', layer: 'project', dialect: 'ext', path }],
      files: memoryFiles({ [path]: text }),
    })
    expect(
      permission.diagnostics.map(({ code, severity, message, source }) => [code, severity, message, source.line]),
    ).toEqual([
      [
        'permission.rule.test-failed',
        'error',
        'The test the text "git pull" fails: the rule does not speak about it.',
        7,
      ],
      [
        'permission.rule.test-failed',
        'error',
        'The test the text "git push --force" fails: the rule speaks about it.',
        9,
      ],
    ])
    // It denies what it says all the same.
    expect(permission.session(session()).decide(bash('git push')).behavior).toBe('deny')
  })

  test('allows nothing while a test of it fails', async () => {
    const permission = await of({ effect: 'allow', tool: 'Bash', command: 'ls *', tests: { notMatch: ['ls -l'] } })
    expect(permission.diagnostics).toMatchObject([{ code: 'permission.rule.test-failed' }])
    expect(permission.session(session()).decide(bash('ls')).behavior).toBe('ask')
  })

  test.each([
    [{ effect: 'allow', tool: 'Edit', path: './src/**', tests: { match: ['src/a'], notMatch: ['b'] } }],
    [
      {
        effect: 'deny',
        tool: 'WebFetch',
        domain: '*.a.test',
        tests: { match: ['x.a.test', 'https://y.a.test/'], notMatch: ['a.test'] },
      },
    ],
    [{ effect: 'deny', tool: 'Skill', regex: '^deploy', tests: { match: ['deploy-all'], notMatch: ['x'] } }],
    [
      {
        effect: 'deny',
        tool: 'mcp__db__run',
        params: { q: 'x' },
        tests: { match: [{ q: 'x' }], notMatch: [{ q: 'y' }, {}] },
      },
    ],
  ])('tests of %j pass', async (rule) => {
    expect((await of(rule)).diagnostics).toEqual([])
  })

  test.each([
    ['git push', '', 'not a map'],
    [{ effect: 'forbid', tool: 'Bash' }, '/effect', 'its effect is the text "forbid"'],
    [{ tool: 'Bash' }, '/effect', 'its effect is nothing'],
    [{ effect: 'deny' }, '', 'it names no tool'],
    [{ effect: 'deny', tool: 5 }, '/tool', 'its tool is the number 5'],
    [{ effect: 'deny', tool: 'Bash', command: 'x', regex: 'y' }, '/regex', 'it has `command` and `regex`'],
    [{ effect: 'deny', tool: 'Bash', comand: 'x' }, '/comand', '`comand` is no key of a rule'],
    [{ effect: 'deny', tool: 'Bash', params: { a: {} } }, '/params/a', '`a` is a map'],
    [{ effect: 'deny', tool: 'Bash', expires: '2030-01-01' }, '/expires', 'only an allow rule can expire'],
    [{ effect: 'allow', tool: 'Bash', expires: 'soon' }, '/expires', 'it expires at the text "soon"'],
    [{ effect: 'deny', tool: 'Bash', tests: { mach: [] } }, '/tests/mach', '`mach` is unknown'],
    [{ effect: 'deny', tool: 'Bash', tests: { match: [5] } }, '/tests/match/0', 'this call is the number 5'],
  ])('%j is an error at %s, and caps what it may have been meant for', async (rule, pointer, problem) => {
    const permission = await permissionWith({ rules: { allow: ['Bash(ls)', 'Read'], rules: [rule] } })
    expect(permission.diagnostics).toMatchObject([
      { code: 'permission.rule.shape', severity: 'error', message: expect.stringContaining(problem) },
    ])
    expect(permission.diagnostics[0]?.pointer).toBe(`/permissions/rules/0${pointer}`)
    const isAllow = typeof rule === 'object' && 'effect' in rule && rule.effect === 'allow'
    expect(permission.session(session()).decide(bash('ls')).behavior).toBe(isAllow ? 'allow' : 'ask')
    const named = typeof rule === 'object' && 'tool' in rule && typeof rule.tool === 'string'
    expect(permission.session(session()).decide(request('Read', { file_path: 'a' })).behavior).toBe(
      named ? 'allow' : 'ask',
    )
  })

  test.each([
    [{ effect: 'deny', tool: 'Bash', path: 'x' }, '`Bash` has no path'],
    [{ effect: 'deny', tool: 'Read', domain: 'x' }, '`Read` has no domain'],
    [{ effect: 'deny', tool: 'X', command: 'x' }, '`X` has no command'],
    [{ effect: 'deny', tool: 'X', regex: 'x' }, 'a regular expression needs a tool'],
    [{ effect: 'deny', tool: 'Bash', regex: '(a' }, "its regular expression can't be used"],
    [{ effect: 'deny', tool: 'Bash', regex: '(?=a)' }, 'look-around'],
    [{ effect: 'allow', tool: 'X', params: { a: 1 } }, 'deny and ask rules only'],
    [{ effect: 'deny', tool: 'Bash', params: { command: 'x' } }, 'is what Bash is about'],
  ])('%j has no meaning, which is said', async (rule, problem) => {
    const { diagnostics } = await of(rule)
    expect(diagnostics).toMatchObject([
      { code: 'permission.rule.not-usable', message: expect.stringContaining(problem) },
    ])
  })

  test('a list of rules that is none may have denied anything', async () => {
    const permission = await permissionWith({ layers: [rulesOf({ allow: ['Read'], rules: { a: 1 } as never })] })
    expect(permission.session(session()).decide(request('Read', { file_path: 'a' })).behavior).toBe('ask')
  })

  test('of a project waits for consent if it allows, and ends when it says so', async () => {
    const allow = { effect: 'allow', tool: 'Bash', command: 'ls' }
    const closed = await permissionWith({ layers: [rulesOf({ rules: [allow] }, 'project')] })
    expect(closed.session(session()).decide(bash('ls')).behavior).toBe('ask')
    const over = await of({ ...allow, expires: '1969-12-31' })
    expect(over.session(session()).decide(bash('ls')).behavior).toBe('ask')
    expect(over.diagnostics).toMatchObject([{ code: 'permission.rule.expired', severity: 'warning' }])
    const later = await of({ ...allow, expires: '2099-01-01T00:00:00Z' })
    expect(later.session(session()).decide(bash('ls')).behavior).toBe('allow')
  })
})
