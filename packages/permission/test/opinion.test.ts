import type { AuthorizeRequest, Behavior, Opinion, PermissionMode } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, session } from './support.js'

const allow: Opinion = { behavior: 'allow', by: 'hook no-push', reason: 'fine by me' }
const ask: Opinion = { behavior: 'ask', by: 'hook no-push', reason: 'it is late' }

const rules = {
  deny: ['Bash(rm *)', 'Read(.env)'],
  ask: ['Bash(git push *)'],
  allow: ['Bash(ls *)', 'Bash(git *)', 'Bash(find *)', 'Bash(cat *)', 'Bash(echo *)', 'Edit', 'Read(./src/**)'],
}

type Row = readonly [
  what: string,
  request: AuthorizeRequest,
  mode: PermissionMode,
  alone: Behavior,
  withAllow: Behavior,
  withAsk: Behavior,
  overruled: boolean,
]

const MATRIX: readonly Row[] = [
  ['a denied command', bash('rm x'), 'default', 'deny', 'deny', 'deny', true],
  ['a denied file', request('Read', { file_path: '.env' }), 'default', 'deny', 'deny', 'deny', true],
  ['a denied file, by a command', bash('cat .env'), 'default', 'deny', 'deny', 'deny', true],
  ['a denied command in bypass', bash('rm x'), 'bypassPermissions', 'deny', 'deny', 'deny', true],
  ['a command of an ask rule', bash('git push'), 'default', 'ask', 'ask', 'ask', true],
  ['a critical command', bash('find / -delete'), 'default', 'ask', 'ask', 'ask', true],
  ['a critical command in bypass', bash('find / -delete'), 'bypassPermissions', 'ask', 'ask', 'ask', true],
  ['a critical command that is denied', bash('rm -rf /'), 'default', 'deny', 'deny', 'deny', true],
  ['a protected path', request('Edit', { file_path: '.git/config' }), 'default', 'ask', 'ask', 'ask', true],
  ['a protected path, by a command', bash('echo x > .git/config'), 'default', 'ask', 'ask', 'ask', true],
  ['a place outside', request('Edit', { file_path: '/etc/hosts' }), 'default', 'ask', 'ask', 'ask', true],
  ['what can not be judged', bash('ls $('), 'default', 'ask', 'ask', 'ask', true],
  ['what nothing speaks about', bash('npm test'), 'default', 'ask', 'allow', 'ask', false],
  ['what nothing speaks about in plan', bash('npm test'), 'plan', 'deny', 'deny', 'deny', true],
  ['what nothing speaks about in dontAsk', bash('npm test'), 'dontAsk', 'deny', 'deny', 'deny', true],
  ['what nothing speaks about in bypass', bash('npm test'), 'bypassPermissions', 'allow', 'allow', 'ask', false],
  ['an allowed command', bash('ls'), 'default', 'allow', 'allow', 'ask', false],
  ['an allowed command in dontAsk', bash('ls'), 'dontAsk', 'allow', 'allow', 'deny', false],
  ['an allowed file', request('Read', { file_path: 'src/a' }), 'default', 'allow', 'allow', 'ask', false],
]

describe("a hook's opinion × what permission says", () => {
  test.each(MATRIX)('%s', async (_what, asked, permissionMode, alone, withAllow, withAsk, overruled) => {
    const here = (await permissionWith({ rules })).session(session({ permissionMode }))
    expect(here.decide(asked).behavior, 'alone').toBe(alone)
    expect(here.decide(asked, allow).behavior, 'with allow').toBe(withAllow)
    expect(here.decide(asked, ask).behavior, 'with ask').toBe(withAsk)
    const { notices } = await here.authorize(asked, { opinion: allow })
    expect(notices.map(({ text }) => text.split(':', 1)[0])).toEqual(
      overruled ? ['permission.hook.allow-overruled'] : [],
    )
  })

  test('an allow that does not count is a notice that names hook, rule and place', async () => {
    const here = (await permissionWith({ rules })).session(session())
    const { behavior, notices, decision } = await here.authorize(bash('rm x'), { opinion: allow })
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
    const decision = (await permissionWith({ rules })).session(session()).decide(bash('ls'), ask)
    expect(decision).toMatchObject({ behavior: 'ask', decidedBy: { layer: 'opinion' } })
    expect(decision.reason).toMatch(/hook no-push wants it asked: it is late/)
  })
})
