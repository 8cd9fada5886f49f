import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { claudeSource, codes, extSource, load, only, rule, type Setup } from '../support.js'

const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'NotebookEdit', 'mcp__memory__store', 'mcp__memory__find']
const knownTools = () => TOOLS

const native = (matcher: string | undefined, setup: Setup = {}) =>
  load([extSource(rule('PreToolUse', 'true', matcher === undefined ? {} : { matcher }))], setup)
const claude = (matcher: unknown, setup: Setup = {}, event = 'PreToolUse') =>
  load([claudeSource({ [event]: [{ matcher, hooks: [{ type: 'command', command: 'true' }] }] })], setup)

type Hooks = Awaited<ReturnType<typeof load>>
const listensTo = (hooks: Hooks, names: readonly string[] = TOOLS) =>
  names.filter((name) => hooks.snapshot.entries[0]?.value.matcher.test(name))

describe('a matcher', () => {
  test.each([undefined, '', '*'])('%j matches every tool', async (matcher) => {
    expect(listensTo(await native(matcher))).toEqual(TOOLS)
    expect(listensTo(await claude(matcher))).toEqual(TOOLS)
  })

  test.each(['Edit|Write', 'Edit, Write', 'Edit |Write'])('%j is a list of whole names', async (matcher) => {
    expect(listensTo(await native(matcher))).toEqual(['Edit', 'Write'])
    expect(listensTo(await claude(matcher))).toEqual(['Edit', 'Write'])
  })

  test('with a hyphen is a name, not a part of one', async () => {
    expect(listensTo(await claude('my-tool'), ['my-tool', 'my-tool-2'])).toEqual(['my-tool'])
  })

  test('with anything else is a regular expression: for the whole name in our files, for any part in Claude files', async () => {
    expect(listensTo(await native('.*Edit'))).toEqual(['Edit', 'NotebookEdit'])
    expect(listensTo(await native('Edit.?'))).toEqual(['Edit'])
    expect(listensTo(await claude('Edit.?'))).toEqual(['Edit', 'NotebookEdit'])
    expect(listensTo(await claude('^Edit$'))).toEqual(['Edit'])
    expect(listensTo(await native('/Edit/'))).toEqual(['Edit'])
    expect(listensTo(await native('mcp__memory__.*'))).toEqual(['mcp__memory__store', 'mcp__memory__find'])
  })

  test('cares for case', async () => {
    expect(listensTo(await native('bash'))).toEqual([])
  })

  test('that names a well-known tool fits the tools of the host that are like it', async () => {
    const tools = { edit_file: { as: 'Edit' }, shell: { as: 'Bash' }, hire: { as: 'Agent' } }
    const names = Object.keys(tools)
    expect(listensTo(await native('Edit', { tools }), names)).toEqual(['edit_file'])
    expect(listensTo(await claude('Ba.h', { tools }), names)).toEqual(['shell'])
    expect(listensTo(await native('edit_file', { tools }), names)).toEqual(['edit_file'])
    // anthropics/claude-code#95769, #56151: the tool Task became Agent, and guards stopped working.
    expect(listensTo(await claude('Task', { tools }), names)).toEqual(['hire'])
  })

  test('made of names matches exactly those names', async () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,12}$/)
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 5 }), fc.array(name), async (names, others) => {
        const hooks = await native(names.join('|'))
        const renamed = names.map((each) => ({ Task: 'Agent', MultiEdit: 'Edit' })[each] ?? each)
        for (const subject of [...names, ...others]) {
          expect(listensTo(hooks, [subject]).length === 1).toBe(names.includes(subject) || renamed.includes(subject))
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('a matcher that is meant as something else is an error with a fix', () => {
  test.each([
    // anthropics/claude-code#30143
    ['Bash(*)', 'hooks.matcher.permission-syntax', 'Write `matcher: Bash` with `if: Bash(*)`.'],
    ['Bash(git push:*)', 'hooks.matcher.permission-syntax', 'Write `matcher: Bash` with `if: Bash(git push:*)`.'],
    // anthropics/claude-code#5314
    ['Edit:.*\\.cs', 'hooks.matcher.permission-syntax', 'Write `matcher: Edit` with `if: Edit(*.cs)`.'],
    // baekenough/oh-my-customcode: `||` is an empty branch that matches everything, `==` never matches.
    [
      'tool == "Edit" || tool == "Write"',
      'hooks.matcher.pseudo-code',
      'Write names or a regular expression, here: Edit|Write.',
    ],
    ['tool == "Bash" && x', 'hooks.matcher.pseudo-code', 'Write names or a regular expression, here: Bash.'],
    ['tool_name =~ x', 'hooks.matcher.pseudo-code', 'Write names or a regular expression, for example Edit|Write.'],
    ['/bash/i', 'hooks.matcher.regex', 'Leave the flags out; (?i) at the start ignores case.'],
    ['(?!Bash).*', 'hooks.matcher.regex', 'Write names such as Edit|Write, or a plain regular expression.'],
    ['Edit(', 'hooks.matcher.regex', 'Write names such as Edit|Write, or a plain regular expression.'],
  ])('%s', async (matcher, code, hint) => {
    for (const hooks of [await native(matcher), await claude(matcher)]) {
      expect(only(hooks)).toMatchObject({ code, severity: 'error', hint })
      expect(hooks.snapshot.entries).toEqual([])
    }
  })

  test('look-around says that it has no linear form', async () => {
    expect(only(await native('(?=Edit)Edit')).message).toContain('look-around')
  })

  test('a regular expression that only looks like a rule is none', async () => {
    expect((await native('mcp__memory__(store|find)')).diagnostics).toEqual([])
  })
})

describe('a matcher that loads is warned about when', () => {
  test.each(['Edit.?|', '|Edit.?', 'Edit.?||Write', 'x(|Edit.?)', '(?:|Edit.?)', '(Edit.?|)'])(
    'a branch is empty: %s',
    async (matcher) => {
      const hooks = await claude(matcher)
      expect(codes(hooks)).toEqual(['hooks.matcher.empty-branch'])
      expect(only(hooks).message).toContain('so it matches everything')
      expect(codes(await native(matcher))).toEqual(['hooks.matcher.empty-branch'])
    },
  )

  test.each(['Edit|', '|Edit', 'Edit||Write'])(
    'a name of a list is empty, which matches nothing: %s',
    async (matcher) => {
      const hooks = await claude(matcher)
      expect(only(hooks).message).toContain('which matches nothing')
      expect(listensTo(hooks, ['Bash'])).toEqual([])
    },
  )

  test.each(['a\\||b.?', '[|]x', 'a|b.?'])('but not when a | only looks like one: %s', async (matcher) => {
    expect((await native(matcher)).diagnostics).toEqual([])
  })

  test('it fits no tool', async () => {
    expect(only(await native('Bahs', { knownTools }))).toMatchObject({
      code: 'hooks.matcher.no-match',
      severity: 'warning',
      hint: 'Did you mean `Bash`?',
    })
    expect((await native('Bahs')).diagnostics).toEqual([])
  })

  test('it fits only in another case', async () => {
    expect(only(await native('bash', { knownTools }))).toMatchObject({
      code: 'hooks.matcher.case',
      hint: 'Write Bash; case matters.',
    })
    expect(codes(await native('Edit|write', { knownTools }))).toEqual(['hooks.matcher.case'])
    expect(codes(await claude('^bash$', { knownTools }))).toEqual(['hooks.matcher.case'])
  })

  test('it names a tool by its former name', async () => {
    expect(only(await native('MultiEdit', { knownTools }))).toMatchObject({
      code: 'hooks.matcher.renamed',
      hint: 'Write Edit.',
    })
    expect((await native('Edit|MultiEdit|Write', { knownTools })).diagnostics).toEqual([])
  })

  test('it names a tool as another product does', async () => {
    expect(only(await native('run_shell_command', { knownTools }))).toMatchObject({
      code: 'hooks.matcher.alias',
      hint: 'Write Bash.',
    })
    expect(only(await native('Edit|write_file', { knownTools })).hint).toBe('Write Write.')
    expect(only(await native('Edit', { knownTools: () => ['edit_file'] })).hint).toBe('Write edit_file.')
  })

  test('it names an MCP server instead of a tool', async () => {
    expect(only(await claude('mcp__memory', { knownTools }))).toMatchObject({
      code: 'hooks.matcher.server',
      hint: 'Write mcp__memory__.* to match all of them.',
    })
  })

  test('but not when it names tools of a server that may come later', async () => {
    expect((await native('mcp__github__.*', { knownTools })).diagnostics).toEqual([])
    expect((await native('mcp__github__create_issue', { knownTools })).diagnostics).toEqual([])
  })

  test('it matches more than whole names in a Claude file', async () => {
    expect(only(await claude('Edit.?', { knownTools }))).toMatchObject({
      code: 'hooks.matcher.wide',
      message: '`Edit.?` also matches NotebookEdit: in this format it may match any part of a name.',
    })
    expect((await claude('^Edit.?$', { knownTools })).diagnostics).toEqual([])
  })

  test('the event has nothing to match', async () => {
    // trailofbits/skills has `*` on Stop, which loses nothing.
    expect((await claude('*', {}, 'Stop')).diagnostics).toEqual([])
    expect((await claude('', {}, 'Stop')).diagnostics).toEqual([])
    const hooks = await claude('Bash', {}, 'Stop')
    expect(only(hooks)).toMatchObject({ code: 'hooks.matcher.ignored' })
    expect(listensTo(hooks, [''])).toEqual([''])
  })

  test('nothing of that kind ever happens', async () => {
    for (const [event, matcher, hint] of [
      [
        'Notification',
        'auth_success',
        'Known here: permission_prompt, elicitation_dialog, idle_prompt, stream_error, hook_failing, mcp_status.',
      ],
      ['ConfigChange', 'user_setting', 'Did you mean `user_settings`?'],
      ['SessionEnd', 'exit', 'Known here: clear, resume, logout, prompt_input_exit, other.'],
      ['StopFailure', 'rate_limits', 'Did you mean `rate_limit`?'],
    ] as const) {
      expect(only(await claude(matcher, {}, event))).toMatchObject({ code: 'hooks.matcher.no-match', hint })
    }
    expect(only(await claude('Permission_prompt', {}, 'Notification'))).toMatchObject({
      code: 'hooks.matcher.case',
      hint: 'Write permission_prompt; case matters.',
    })
  })

  test('no session starts like that', async () => {
    expect((await claude('startup|resume', {}, 'SessionStart')).diagnostics).toEqual([])
    expect(only(await claude('restored', {}, 'SessionStart')).message).toBe(
      '`restored` fits nothing that SessionStart is fired for.',
    )
  })
})

describe('a matcher for something other than tools', () => {
  const at = (event: string, matcher: string, setup: Setup = {}) =>
    load([extSource(rule(event, 'true', { matcher }))], setup)

  test('is not compared with the names of tools', async () => {
    const tools = { bash: { as: 'Bash' }, hire: { as: 'Agent' } }
    for (const [event, matcher] of [
      ['SubagentStart', 'reviewer'],
      ['SubagentStop', 'bash'],
      ['SubagentStart', 'Task'],
      ['SubagentStart', 'mcp__agents'],
      ['SubagentStart', 'Agent:(reviewer|tester)'],
      ['BeforeModel', 'anthropic/claude-.*'],
      ['AfterModel', 'Edit.?'],
    ] as const) {
      expect((await at(event, matcher, { tools, knownTools })).diagnostics, `${event} ${matcher}`).toEqual([])
    }
    expect(listensTo(await at('SubagentStart', 'Bash', { tools }), ['bash', 'Bash'])).toEqual(['Bash'])
    expect(listensTo(await at('SubagentStart', 'Task', { tools }), ['Agent', 'hire', 'Task'])).toEqual(['Task'])
  })

  test('follows the same two forms', async () => {
    const models = ['anthropic/claude-opus-4', 'claude-opus-4', 'claude-opus-4-mini']
    expect(listensTo(await at('BeforeModel', 'claude-opus-4'), models)).toEqual(['claude-opus-4'])
    expect(listensTo(await at('BeforeModel', '.*/claude-.*'), models)).toEqual(['anthropic/claude-opus-4'])
    expect(listensTo(await claude('claude-.*', {}, 'BeforeModel'), models)).toEqual(models)
  })
})
