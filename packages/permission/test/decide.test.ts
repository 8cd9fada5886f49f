import type { PermissionMode, ToolKind } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, rulesOf, serverTool, session, tool } from './support.js'

const allowHook = { behavior: 'allow', by: 'hook no-push' } as const
const askHook = { behavior: 'ask', by: 'hook no-push', reason: 'it is late' } as const

describe('rules', () => {
  test('deny comes before ask, and ask before allow, whatever is more precise and in whatever layer', async () => {
    const permission = await permissionWith({
      layers: [
        rulesOf({ allow: ['Bash(git push origin main)'] }, 'managed'),
        rulesOf({ ask: ['Bash(git push *)'], allow: ['Read'] }, 'user'),
        rulesOf({ deny: ['Bash(git push *)', 'Read'] }, 'project'),
      ],
    })
    const here = permission.session(session())
    expect(here.decide(bash('git push origin main'))).toMatchObject({
      behavior: 'deny',
      decidedBy: { layer: 'rules', rule: 'Bash(git push *)', source: { layer: 'project', name: 'project rules' } },
    })
    expect(here.decide(request('Read', { file_path: 'a' })).behavior).toBe('deny')
    await permission.replace([rulesOf({ ask: ['Bash(git push *)'], allow: ['Bash(git push origin main)'] })])
    expect(here.decide(bash('git push origin main')).behavior).toBe('ask')
  })

  test('a decision names every layer that was consulted, and says why to people and to the model', async () => {
    const permission = await permissionWith({ rules: { deny: ['Edit(.env)'] } })
    const decision = permission.session(session()).decide(request('Write', { file_path: 'a/.env' }))
    expect(decision).toEqual({
      behavior: 'deny',
      decidedBy: { layer: 'rules', rule: 'Edit(.env)', source: { layer: 'user', name: 'user rules' } },
      reason: 'Write is denied. The deny rule `Edit(.env)` (<user rules>) speaks about this call.',
      modelReason:
        'Write was not permitted. The deny rule `Edit(.env)` (<user rules>) speaks about this call. ' +
        'Do not try the same in another form: reach the goal without it, or say that you need it.',
      trace: [
        { layer: 'shell', verdict: 'none', reason: 'Write runs no command line.' },
        {
          layer: 'rules',
          verdict: 'deny',
          reason: 'The deny rule `Edit(.env)` (<user rules>) speaks about this call.',
          rule: 'Edit(.env)',
          source: { layer: 'user', name: 'user rules' },
        },
        { layer: 'mode', verdict: 'none', reason: 'Mode default says nothing about this call (kind edit).' },
        { layer: 'opinion', verdict: 'none', reason: 'No hook has an opinion.' },
        { layer: 'default', verdict: 'none', reason: 'Another layer has answered.' },
      ],
    })
  })

  test('what nothing speaks about is asked', async () => {
    const decision = (await permissionWith()).session(session()).decide(bash('ls'))
    expect(decision).toMatchObject({ behavior: 'ask', decidedBy: { layer: 'default' } })
    expect(decision.modelReason).toMatch(/needs the consent of a person/)
  })

  test('relative patterns and paths start in the working folder of the session', async () => {
    const permission = await permissionWith({ rules: { deny: ['Read(./.env)'], allow: ['Read(./**)'] } })
    const elsewhere = permission.session(session({ cwd: '/srv/tree/' }))
    expect(elsewhere.decide(request('Read', { file_path: '.env' })).behavior).toBe('deny')
    expect(elsewhere.decide(request('Read', { file_path: '/srv/tree/.env' })).behavior).toBe('deny')
    expect(elsewhere.decide(request('Read', { file_path: '/repo/.env' })).behavior).toBe('ask')
    expect(elsewhere.decide(request('Read', { file_path: 'a' })).behavior).toBe('allow')
  })
})

describe('command lines', () => {
  test.each(['ls && ls', 'ls > f', 'ls $(id)', 'ls *'])(
    '`%s` is asked in every mode that does not forbid it, whatever rules and hooks allow',
    async (line) => {
      const here = await permissionWith({ rules: { allow: ['Bash', 'Bash(ls *)', `Bash(${line})`] } })
      for (const permissionMode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
        const decision = here.session(session({ permissionMode })).decide(bash(line), allowHook)
        expect(decision).toMatchObject({ behavior: 'ask', decidedBy: { layer: 'shell' } })
        expect(decision.reason).toMatch(/can't be judged by plain words/)
        expect(decision.modelReason).toMatch(/a single plain command/)
      }
    },
  )

  test('a command that names a file of a path rule is asked, and the rule is named', async () => {
    const permission = await permissionWith({
      rules: { allow: ['Bash(cat *)', 'Bash(cat .env)', 'Bash(grep *)'], deny: ['Read(./.env)'] },
    })
    const here = permission.session(session())
    for (const line of ['cat .env', 'cat ./src/../.env', 'grep -f.env x', 'grep --file=.env x']) {
      expect(here.decide(bash(line))).toMatchObject({
        behavior: 'ask',
        decidedBy: { layer: 'shell', rule: 'Read(./.env)' },
      })
    }
    expect(here.decide(bash('cat README.md')).behavior).toBe('allow')
  })

  test('a command that is close to a denied one is asked, since options have many forms', async () => {
    const permission = await permissionWith({
      rules: { allow: ['Bash(git *)', 'Bash(git push -v)'], deny: ['Bash(git push --force *)'] },
    })
    const here = permission.session(session())
    expect(here.decide(bash('git push --force origin')).behavior).toBe('deny')
    expect(here.decide(bash('git push origin +main'))).toMatchObject({
      behavior: 'ask',
      decidedBy: { layer: 'shell', rule: 'Bash(git push --force *)' },
    })
    expect(here.decide(bash('git status')).behavior).toBe('allow')
    expect(here.decide(bash('git push -v')).behavior).toBe('allow')
  })

  test('the exact text of a sharp command can be allowed', async () => {
    const here = (await permissionWith({ rules: { allow: ['Bash(rm *)', 'Bash(rm -r ./build)'] } })).session(session())
    expect(here.decide(bash('rm -r ./build')).behavior).toBe('allow')
    expect(here.decide(bash('rm -r ./src'))).toMatchObject({ behavior: 'ask', decidedBy: { layer: 'shell' } })
  })
})

describe('protected paths', () => {
  test.each([
    '.git/config',
    '.git/hooks/pre-commit',
    '.claude/settings.json',
    '.ext/config.yaml',
    '/home/u/.bashrc',
    'a/.npmrc',
  ])('an edit of %s is asked whatever allows it', async (path) => {
    const permission = await permissionWith({ rules: { allow: ['Edit', `Edit(${path})`] } })
    for (const permissionMode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
      const decision = permission
        .session(session({ permissionMode }))
        .decide(request('Edit', { file_path: path }), allowHook)
      expect(decision).toMatchObject({
        behavior: 'ask',
        decidedBy: { layer: 'rules', source: { layer: 'built-in', name: 'protected paths' } },
      })
    }
  })

  test('files that are only called alike are not protected', async () => {
    const here = (await permissionWith({ rules: { allow: ['Edit(./**)'] } })).session(session())
    for (const path of ['.gitignore', '.github/workflows/ci.yml', 'git/config', 'src/claude/a']) {
      expect(here.decide(request('Edit', { file_path: path })).behavior, path).toBe('allow')
    }
  })
})

describe('modes', () => {
  const KINDS: readonly ToolKind[] = ['read', 'edit', 'exec', 'network', 'meta']
  test.each<[PermissionMode, string]>([
    ['default', 'ask ask ask ask allow'],
    ['acceptEdits', 'ask allow ask ask allow'],
    ['plan', 'allow deny deny ask allow'],
    ['dontAsk', 'deny deny deny deny allow'],
    ['bypassPermissions', 'allow allow allow allow allow'],
  ])('%s without a rule: read, edit, exec, network, meta = %s', async (permissionMode, expected) => {
    const tools = { it: { as: 'Read', path: 'path' } }
    const here = (await permissionWith({ tools })).session(session({ permissionMode }))
    const verdicts = KINDS.map((kind) => here.decide(request(tool('it', { kind }), { path: 'src/a' })).behavior)
    expect(verdicts.join(' ')).toBe(expected)
  })

  test('acceptEdits and plan reach as far as the working folder', async () => {
    const permission = await permissionWith()
    const edit = permission.session(session({ permissionMode: 'acceptEdits' }))
    const plan = permission.session(session({ permissionMode: 'plan' }))
    for (const path of ['/etc/hosts', '../other/a', '/repo-2/a', '~/a']) {
      expect(edit.decide(request('Edit', { file_path: path })).behavior, path).toBe('ask')
      expect(plan.decide(request('Read', { file_path: path })).behavior, path).toBe('ask')
    }
    expect(edit.decide(request(serverTool('fs', 'write', 'edit'), { path: 'a' })).behavior).toBe('ask')
    expect(edit.decide(request('Edit', {})).behavior).toBe('ask')
  })

  test('plan forbids changes that a rule allows', async () => {
    const permission = await permissionWith({ rules: { allow: ['Edit', 'Bash(npm test)'] } })
    const plan = permission.session(session({ permissionMode: 'plan' }))
    expect(plan.decide(request('Edit', { file_path: 'a' }))).toMatchObject({
      behavior: 'deny',
      decidedBy: { layer: 'mode' },
    })
    expect(plan.decide(bash('npm test'), allowHook).behavior).toBe('deny')
    expect(plan.decide(bash('npm test')).modelReason).toMatch(/describe what you would have done/)
  })

  test('dontAsk denies what would be asked, and says what that was', async () => {
    const permission = await permissionWith({ rules: { ask: ['Read'], allow: ['Bash(ls *)', 'Grep'] } })
    const here = permission.session(session({ permissionMode: 'dontAsk' }))
    expect(here.decide(bash('ls -l')).behavior).toBe('allow')
    const asked = here.decide(request('Read', { file_path: 'a' }))
    expect(asked).toMatchObject({ behavior: 'deny', decidedBy: { layer: 'mode' } })
    expect(asked.reason).toMatch(/ask rule `Read`/)
    expect(here.decide(bash('ls; id')).reason).toMatch(/several commands/)
    expect(here.decide(bash('ls'), askHook)).toMatchObject({ behavior: 'deny', decidedBy: { layer: 'opinion' } })
  })

  test('bypassPermissions still denies and asks what rules say', async () => {
    const permission = await permissionWith({ rules: { deny: ['Bash(rm *)'], ask: ['Bash(git push *)'] } })
    const here = permission.session(session({ permissionMode: 'bypassPermissions' }))
    expect(here.decide(bash('rm x')).behavior).toBe('deny')
    expect(here.decide(bash('git push')).behavior).toBe('ask')
    expect(here.decide(bash('rm -rf /')).behavior).toBe('deny')
    expect(here.decide(bash('npm test')).behavior).toBe('allow')
  })
})

describe("a hook's opinion", () => {
  const rules = { deny: ['Bash(rm *)'], ask: ['Bash(git push *)'], allow: ['Bash(ls *)', 'Bash(git *)'] }
  test.each([
    ['rm x', 'deny', 'deny', 'deny', true],
    ['git push', 'ask', 'ask', 'ask', true],
    ['ls | wc', 'ask', 'ask', 'ask', true],
    ['ls', 'allow', 'allow', 'ask', false],
    ['npm test', 'ask', 'allow', 'ask', false],
  ])('`%s`: %s alone, %s with allow, %s with ask', async (line, alone, allowed, asked, overruled) => {
    const here = (await permissionWith({ rules })).session(session())
    expect(here.decide(bash(line)).behavior).toBe(alone)
    expect(here.decide(bash(line), allowHook).behavior).toBe(allowed)
    expect(here.decide(bash(line), askHook).behavior).toBe(asked)
    const { notices } = await here.authorize(bash(line), { opinion: allowHook })
    expect(notices).toHaveLength(overruled ? 1 : 0)
  })

  test('an allow that does not count is a notice that names hook, rule and place', async () => {
    const here = (await permissionWith({ rules })).session(session())
    const { behavior, notices, decision } = await here.authorize(bash('rm x'), {
      opinion: { ...allowHook, reason: 'fine by me' },
    })
    expect(behavior).toBe('deny')
    expect(notices).toEqual([
      {
        by: 'hook no-push',
        text:
          'permission.hook.allow-overruled: hook no-push allowed the call (fine by me), which does not count: ' +
          'The deny rule `Bash(rm *)` (<user rules>) speaks about this call.',
      },
    ])
    expect(decision.trace.find(({ layer }) => layer === 'opinion')?.reason).toMatch(/does not count/)
  })

  test('an ask names the hook and its reason', async () => {
    const decision = (await permissionWith({ rules })).session(session()).decide(bash('ls'), askHook)
    expect(decision).toMatchObject({ behavior: 'ask', decidedBy: { layer: 'opinion' } })
    expect(decision.reason).toMatch(/hook no-push wants it asked: it is late/)
  })
})
