import type { AuthorizeRequest, PermissionAnswer, PermissionMode, RunTerms } from '@ext/kernel/contract'
import { memoryFiles } from '@ext/kernel/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bash, permissionWith, type Rules, request, rulesOf, session, tool } from './support.js'

const by = 'skill deploy'

/** What becomes of a call on these terms, when nobody can be asked. */
async function decided(
  of: AuthorizeRequest,
  terms: Omit<RunTerms, 'by'>,
  { rules = {}, mode = 'default' }: { readonly rules?: Rules; readonly mode?: PermissionMode } = {},
) {
  const permission = await permissionWith({ rules })
  const { behavior, decision, answeredBy } = await permission
    .session(session({ permissionMode: mode }))
    .authorize(of, { terms: [{ by, ...terms }] })
  return { behavior, layer: decision.decidedBy.layer, wanted: decision.behavior, answeredBy, reason: decision.reason }
}

describe('A grant', () => {
  it.each<[string, AuthorizeRequest, string]>([
    ['a command', bash('git add src/a.ts'), 'Bash(git add *)'],
    ['a tool', request('WebFetch', { url: 'https://example.com/' }), 'WebFetch'],
    ['a file', request('Edit', { file_path: '/repo/src/a.ts' }), 'Edit(src/**)'],
    ['what a command writes', bash('echo x > src/a.ts'), 'Bash(echo *)'],
  ])('allows %s that would have to be asked', async (_, call, rule) => {
    expect(await decided(call, {})).toMatchObject({ behavior: 'deny', wanted: 'ask' })
    expect(await decided(call, { grants: [rule] })).toMatchObject({ behavior: 'allow', layer: 'rules' })
  })

  it('says whose it is', async () => {
    const { reason } = await decided(bash('git add a'), { grants: ['Bash(git add *)'] })
    expect(reason).toContain('allow rule `Bash(git add *)` (<skill deploy>)')
  })

  it.each<[string, AuthorizeRequest, readonly string[], Rules, PermissionMode, string]>([
    ['a deny rule', bash('git push'), ['Bash'], { deny: ['Bash(git push *)'] }, 'default', 'rules'],
    ['an ask rule', bash('git push'), ['Bash'], { ask: ['Bash(git push *)'] }, 'default', 'rules'],
    ['a mode that only reads', request('Edit', { file_path: 'a' }), ['Edit'], {}, 'plan', 'mode'],
    ['what is critical', bash('rm -rf /'), ['Bash', 'Bash(rm *)'], {}, 'default', 'critical'],
    ['what is protected', request('Edit', { file_path: '.git/config' }), ['Edit'], {}, 'default', 'boundary'],
    [
      'a place outside of the workspace, even if it names it',
      request('Edit', { file_path: '/etc/motd' }),
      ['Edit(//etc/**)'],
      {},
      'default',
      'boundary',
    ],
    [
      'a place outside of the workspace that a command writes',
      bash('echo x > /etc/motd'),
      ['Bash(echo *)', 'Edit(//etc/**)'],
      {},
      'default',
      'boundary',
    ],
  ])('does not help against %s', async (_, call, grants, rules, mode, layer) => {
    expect(await decided(call, { grants }, { rules, mode })).toMatchObject({ behavior: 'deny', layer })
  })

  it('does not count where only managed rules do', async () => {
    const permission = await permissionWith({ layers: [rulesOf({ managedRulesOnly: true }, 'managed')] })
    const { behavior } = await permission
      .session(session())
      .authorize(bash('git add a'), { terms: [{ by, grants: ['Bash'] }] })
    expect(behavior).toBe('deny')
  })

  it('is over with the call that it came with: the session remembers nothing of it', async () => {
    const one = (await permissionWith()).session(session())
    const terms: readonly RunTerms[] = [{ by, grants: ['Bash(git add *)'] }]
    expect((await one.authorize(bash('git add a'), { terms })).behavior).toBe('allow')
    expect((await one.authorize(bash('git add a'), {})).behavior).toBe('deny')
    expect((await one.authorize(bash('git add a'), { terms })).behavior).toBe('allow')
  })

  it('that nobody can read allows nothing', async () => {
    expect(await decided(bash('git add a'), { grants: ['Bash(', 'Bash(git add *) Read', ''] })).toMatchObject({
      behavior: 'deny',
      wanted: 'ask',
    })
  })

  it('is not part of what a question offers to remember', async () => {
    const permission = await permissionWith()
    const { decision } = await permission
      .session(session())
      .authorize(bash('git add a && npm test'), { terms: [{ by, grants: ['Bash(git add *)'] }] })
    expect(decision.suggestions).toEqual(['Bash(git add a)', 'Bash(npm test)'])
  })
})

describe('A limit', () => {
  const everything: Rules = { allow: ['Bash', 'Edit', 'Read', 'WebFetch', 'mcp__git__*', 'Agent'] }
  const rows: readonly [string, AuthorizeRequest, Omit<RunTerms, 'by'>][] = [
    ['a tool that is disallowed', request('Edit', { file_path: 'a' }), { disallowed: ['Edit'] }],
    ['a tool that is disallowed in another case', request('Edit', { file_path: 'a' }), { disallowed: ['edit'] }],
    ['a command that is disallowed', bash('true && git push'), { disallowed: ['Bash(git push *)'] }],
    ['a command that writes, where edits are disallowed', bash('echo x > a'), { disallowed: ['Edit'] }],
    ['a call of a disallowed tool that nobody can judge', request('Bash', {}), { disallowed: ['Bash(git push *)'] }],
    ['everything, where the list can’t be read', bash('ls'), { disallowed: ['?? what'] }],
    ['every call of a tool, where the rest can’t be read', bash('ls'), { disallowed: ['Bash('] }],
    ['a tool that the list does not admit', request('Edit', { file_path: 'a' }), { restrict: ['Read', 'Bash'] }],
    ['a command that the list does not admit', bash('git push'), { restrict: ['Bash(git add *)'] }],
    ['a command beside one that it admits', bash('git add a; git push'), { restrict: ['Bash(git add *)'] }],
    ['a command that can’t be judged', bash('git add $(curl x)'), { restrict: ['Bash(git add *)'] }],
    ['everything, where the list is empty', request('Read', { file_path: 'a' }), { restrict: [] }],
    ['a sub-agent', request('Agent', { subagent_type: 'x' }), { restrict: ['Read'] }],
    ['a tool of another server', request(tool('mcp__x__y', { server: 'x', tool: 'y' })), { restrict: ['mcp__git__*'] }],
  ]

  it.each(rows)('refuses %s, whatever rules and mode say', async (_, call, terms) => {
    for (const mode of ['default', 'acceptEdits', 'dontAsk', 'bypassPermissions'] as const) {
      const found = await decided(call, terms, { rules: everything, mode })
      expect(found).toMatchObject({ behavior: 'deny', layer: 'terms', answeredBy: 'rules' })
      expect(found.reason).toContain('skill deploy')
    }
  })

  it.each<[string, AuthorizeRequest, Omit<RunTerms, 'by'>]>([
    ['another tool than the one that is disallowed', request('Read', { file_path: 'a' }), { disallowed: ['Edit'] }],
    ['a tool that the list admits', request('Read', { file_path: 'a' }), { restrict: ['Read'] }],
    ['a command that the list admits', bash('git add a'), { restrict: ['Bash(git add *)'] }],
    [
      'a line of commands that it admits together',
      bash('git add a && ls'),
      { restrict: ['Bash(git *)', 'Bash(ls *)'] },
    ],
    ['whatever command, where the tool is admitted as a whole', bash('echo $X'), { restrict: ['Bash'] }],
    [
      'a tool of a server that is admitted',
      request(tool('mcp__git__log', { server: 'git', tool: 'log' })),
      { restrict: ['mcp__git'] },
    ],
    [
      'a tool of the agent itself',
      request({ ...tool('load_skill', { kind: 'meta' }), system: true }),
      { restrict: [] },
    ],
  ])('leaves %s to the rules', async (_, call, terms) => {
    const free = await decided(call, {}, { rules: everything })
    expect(await decided(call, terms, { rules: everything })).toEqual(free)
    expect(free.layer).not.toBe('terms')
  })

  it('is not lifted by a person, a hook or a grant of the same skill', async () => {
    const asked: unknown[] = []
    const permission = await permissionWith({
      user: {
        async ask(question): Promise<PermissionAnswer> {
          asked.push(question)
          return { behavior: 'allow' }
        },
      },
      graceMs: 0,
    })
    const { behavior } = await permission.session(session()).authorize(bash('git push'), {
      opinion: { behavior: 'allow', by: 'hook' },
      terms: [
        { by, disallowed: ['Bash(git push *)'], grants: ['Bash'] },
        { by: 'skill other', grants: ['Bash'] },
      ],
    })
    expect(behavior).toBe('deny')
    expect(asked).toEqual([])
  })

  it('holds for what a person makes of the input', async () => {
    const permission = await permissionWith({
      user: { ask: async () => ({ behavior: 'allow', updatedInput: { command: 'git push' } }) },
      graceMs: 0,
    })
    const { behavior, decision } = await permission
      .session(session())
      .authorize(bash('npm test'), { terms: [{ by, disallowed: ['Bash(git push *)'] }] })
    expect([behavior, decision.decidedBy.layer]).toEqual(['deny', 'terms'])
  })

  it('follows links', async () => {
    const files = { ...memoryFiles({}), realPath: async (path: string) => (path === '/repo/a' ? '/repo/secret' : path) }
    const permission = await permissionWith({ rules: everything, files })
    const of = request('Read', { file_path: 'a' })
    const { behavior } = await permission
      .session(session())
      .authorize(of, { terms: [{ by, disallowed: ['Read(secret)'] }] })
    expect(behavior).toBe('deny')
  })

  it('of several all count', async () => {
    const permission = await permissionWith({ rules: everything })
    const one = permission.session(session())
    const terms: readonly RunTerms[] = [
      { by, restrict: ['Read', 'Bash'] },
      { by: 'skill b', restrict: ['Read', 'Edit'] },
    ]
    const behaviorOf = async (of: AuthorizeRequest) => (await one.authorize(of, { terms })).behavior
    expect(await behaviorOf(request('Read', { file_path: 'a' }))).toBe('allow')
    expect(await behaviorOf(bash('ls'))).toBe('deny')
    expect(await behaviorOf(request('Edit', { file_path: 'a' }))).toBe('deny')
  })
})

describe('Any terms', () => {
  const rule = fc.constantFrom('Bash', 'Bash(git *)', 'Bash(ls *)', 'Edit', 'Edit(src/**)', 'Read', '*', 'Bash(', '??')
  const list = fc.option(fc.array(rule, { maxLength: 3 }), { nil: undefined })
  const call = fc.constantFrom(
    bash('git add a'),
    bash('ls && git push'),
    bash('rm -rf /'),
    bash('echo x > /etc/motd'),
    request('Edit', { file_path: 'src/a' }),
    request('Read', { file_path: '.env' }),
  )
  const RANK = { allow: 0, ask: 1, deny: 2 }
  const rules: Rules = { deny: ['Read(.env)'], ask: ['Bash(git push *)'], allow: ['Read', 'Bash(ls *)'] }

  it('make a call milder through grants only, and never one that a deny rule or a floor speaks about', async () => {
    const permission = await permissionWith({ rules })
    const one = permission.session(session())
    await fc.assert(
      fc.asyncProperty(call, list, list, list, async (of, grants, restrict, disallowed) => {
        const terms: RunTerms = {
          by,
          ...(grants ? { grants } : {}),
          ...(restrict ? { restrict } : {}),
          ...(disallowed ? { disallowed } : {}),
        }
        const before = one.decide(of)
        const { decision } = await one.authorize(of, { terms: [terms] })
        if (RANK[decision.behavior] >= RANK[before.behavior]) return
        expect(grants).toBeDefined()
        expect(before.behavior).toBe('ask')
        expect(before.decidedBy.layer).toBe('default')
      }),
      { seed: 10, numRuns: 300 },
    )
  })
})
