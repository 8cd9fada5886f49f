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
        { layer: 'critical', verdict: 'none', reason: 'It does nothing that is critical.' },
        {
          layer: 'boundary',
          verdict: 'none',
          reason: 'It writes nothing outside the workspace and nothing protected.',
        },
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

  test.each([
    'xargs /bin/ls',
    'sudo xargs /bin/ls && git status',
    '/bin/ls $X',
    '/bin/ls $X $Y',
    'find . -exec /bin/ls {} +',
  ])('an exact deny rule is asked where the rest of the command may be nothing: %s', async (line) => {
    const permission = await permissionWith({ rules: { deny: ['Bash(/bin/ls)'], allow: ['Bash'] } })
    const here = permission.session(session())
    expect(here.decide(bash(line)).behavior).toBe('ask')
    expect(here.decide(bash('xargs /bin/ls -l')).behavior).toBe('allow')
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
  test.each(['ls $(', 'eval "$LINE"', '$TOOL x', 'ls\u00a0-l', `echo ${'x'.repeat(10_000)}`])(
    'what can not be judged, such as %j, is asked in every mode that does not forbid it, whatever allows it',
    async (line) => {
      const here = await permissionWith({ rules: { allow: ['Bash', `Bash(${line})`] }, readOnlyCommands: true })
      for (const permissionMode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
        const decision = here.session(session({ permissionMode })).decide(bash(line), allowHook)
        expect(decision).toMatchObject({ behavior: 'ask', decidedBy: { layer: 'shell' } })
        expect(decision.modelReason).toMatch(/Write it so that it is plain what runs/)
      }
    },
  )

  test('every command needs a rule; several rules may do it together', async () => {
    const here = (await permissionWith({ rules: { allow: ['Bash(ls *)', 'Bash(wc *)'] } })).session(session())
    expect(here.decide(bash('ls | wc -l'))).toMatchObject({
      behavior: 'allow',
      decidedBy: { layer: 'rules', rule: 'Bash(ls *)' },
      reason:
        'Bash may run. The allow rule `Bash(ls *)` (<user rules>), the allow rule `Bash(wc *)` (<user rules>) ' +
        'speak about this call.',
    })
    expect(here.decide(bash('ls | sort')).behavior).toBe('ask')
  })

  test('what a command may be, but need not be, is asked where a deny rule is about it', async () => {
    const rules = {
      allow: ['Bash(git *)', 'Bash(cat *)', 'Bash(my-runner *)'],
      deny: ['Bash(git push *)', 'Read(./.env)'],
    }
    const here = (await permissionWith({ rules })).session(session())
    for (const [line, rule] of [
      ['git $WHAT origin', 'Bash(git push *)'],
      ['my-runner git push', 'Bash(git push *)'],
      ['cat .e*', 'Read(./.env)'],
      ['cat "$FILE"', 'Read(./.env)'],
    ] as const) {
      const decision = here.decide(bash(line))
      expect(decision.behavior, line).toBe('ask')
      if (decision.decidedBy.rule) expect(decision.decidedBy.rule).toBe(rule)
    }
    expect(here.decide(bash('cat src/*')).behavior).toBe('allow')
  })

  test('commands that only read run without a rule where that is wanted, but not with a redirect', async () => {
    const on = (await permissionWith({ readOnlyCommands: true, rules: { ask: ['Bash(pwd)'] } })).session(session())
    for (const line of ['ls -l', 'git status && git diff', 'grep -r x src | head', 'cd src && cat a.ts']) {
      expect(on.decide(bash(line)), line).toMatchObject({ behavior: 'allow', decidedBy: { layer: 'mode' } })
    }
    for (const line of ['ls > f', 'npm test', 'ls && npm test', 'pwd', 'cat $(', 'find . -delete']) {
      expect(on.decide(bash(line)).behavior, line).toBe('ask')
    }
    const off = (await permissionWith()).session(session())
    expect(off.decide(bash('ls -l')).behavior).toBe('ask')
  })

  test('tools that only read do so in the workspace without a rule where that is wanted, and only there', async () => {
    const on = (await permissionWith({ readOnlyCommands: true, rules: { deny: ['Read(./.env)'] } })).session(session())
    const read = (path: string) => request('Read', { file_path: path })
    for (const path of ['src/a.ts', '/repo/src/a.ts', './']) {
      expect(on.decide(read(path)), path).toMatchObject({ behavior: 'allow', decidedBy: { layer: 'mode' } })
    }
    for (const path of ['../other', '/etc/passwd', '~/.ssh/id_rsa']) {
      expect(on.decide(read(path)).behavior, path).toBe('ask')
    }
    expect(on.decide(read('.env')).behavior).toBe('deny')
    expect(on.decide(request('Edit', { file_path: 'src/a.ts' })).behavior).toBe('ask')
    // What a server says of its tool is not believed.
    expect(on.decide(request(serverTool('fs', 'read_file', 'read'), { path: 'src/a.ts' })).behavior).toBe('ask')
    const off = (await permissionWith()).session(session())
    expect(off.decide(read('src/a.ts')).behavior).toBe('ask')
  })

  test('configuration has the last word about commands that only read', async () => {
    const off = await permissionWith({ readOnlyCommands: true, rules: { readOnlyCommands: false } })
    expect(off.session(session()).decide(bash('ls')).behavior).toBe('ask')
    const on = await permissionWith({ rules: { readOnlyCommands: true } })
    expect(on.session(session()).decide(bash('ls')).behavior).toBe('allow')
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

  test('in plan the working folder itself may be searched', async () => {
    const plan = (await permissionWith()).session(session({ permissionMode: 'plan' }))
    for (const input of [{ pattern: 'x' }, { pattern: 'x', path: '.' }, { pattern: 'x', path: '/repo' }]) {
      expect(plan.decide(request('Grep', input)).behavior).toBe('allow')
    }
    expect(plan.decide(request('Grep', { pattern: 'x', path: '..' })).behavior).toBe('ask')
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
    expect(here.decide(bash('ls "')).reason).toMatch(/can't be parsed/)
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
