import { describe, expect, test } from 'vitest'
import { extSource, fire, load, only, project, rule, samples, scene, texts } from '../support.js'

const yaml = async (text: string, more: Parameters<typeof load>[1] = {}) => {
  const root = await project({ 'config.yaml': text })
  return load([{ kind: 'file', layer: 'user', dialect: 'ext', path: `${root}/config.yaml` }], { root, ...more })
}

describe('a rule in YAML', () => {
  test('loads with everything that it can say', async () => {
    const hooks = await yaml(`
hooks:
  - name: format
    event: PostToolUse
    matcher: Edit|Write
    if: Edit(src/**)
    action:
      type: shell
      command: ./format.sh
      shell: bash
      env: {MODE: quick}
      passEnv: [PATH]
      cwd: tools
    timeout: 5s
    once: true
    onFailure: block
    stdout: context
`)
    expect(hooks.diagnostics).toEqual([])
    expect(hooks.snapshot.entries).toMatchObject([
      {
        name: 'format',
        value: {
          event: 'PostToolUse',
          matcher: { text: 'Edit|Write' },
          condition: { text: 'Edit(src/**)' },
          action: { command: './format.sh', shell: 'bash', env: { MODE: 'quick' }, passEnv: ['PATH'], cwd: 'tools' },
          timeoutMs: 5000,
          once: true,
          onFailure: 'block',
          stdout: 'context',
        },
      },
    ])
  })

  test('may say only_once for once', async () => {
    const hooks = await load([extSource(rule('Stop', 'true', { only_once: true }))])
    expect(hooks.snapshot.entries[0]?.value.once).toBe(true)
  })

  test('without a name is called after its script', async () => {
    const named = async (action: object) =>
      (await load([extSource({ event: 'Stop', action: { type: 'command', ...action } })])).snapshot.entries[0]?.name
    expect(await named({ command: '"$HOOK_PROJECT_DIR"/.ext/guard.sh --strict' })).toBe('guard.sh')
    expect(await named({ command: 'python3', args: ['tools/check.py', '--all'] })).toBe('check.py')
    expect(await named({ command: 'npm run lint' })).toBe('npm')
  })

  test('that is broken costs only itself, and says where and why', async () => {
    const hooks = await yaml(`
hooks:
  - event: PreToolUse
    action: {type: command}
  - event: Stop
    action: {type: command, command: echo}
  - just a text
  - event: Stop
    action: {type: command, command: [echo]}
    onFailure: explode
    tiemout: 5s
`)
    expect(hooks.snapshot.entries).toHaveLength(1)
    expect(hooks.diagnostics.map(({ code, source }) => [code, source.line, source.column])).toEqual([
      ['schema.required', 4, 13],
      ['schema.type', 7, 5],
      ['schema.type', 9, 38],
      ['schema.value', 10, 16],
      ['schema.unknown-key', 11, 5],
    ])
    expect(hooks.diagnostics.at(-1)?.hint).toBe('Did you mean `timeout`?')
    expect(hooks.snapshot.records.map(({ verdict }) => verdict)).toEqual(['broken', 'broken', 'broken', 'loaded'])
  })

  test('of which nothing is a list, or a file that is no map, is reported', async () => {
    expect(only(await yaml('hooks: {PreToolUse: []}')).code).toBe('config.shape')
    expect(only(await yaml('- event: Stop')).message).toContain('a list, not a map')
    expect((await yaml('')).diagnostics).toEqual([])
    expect((await yaml('hooks:')).diagnostics).toEqual([])
  })
})

describe('an action', () => {
  test('an action that nobody knows is an error', async () => {
    const hooks = await load([extSource({ event: 'Stop', action: { type: 'comand', command: 'true' } })])
    expect(only(hooks)).toMatchObject({ code: 'hooks.action.unknown', hint: 'Did you mean `command`?' })
    expect(only(await load([extSource({ event: 'Stop', action: { type: 7 } })])).code).toBe('hooks.action.unknown')
  })

  test.each([
    [{ type: 'command' }, 'command'],
    [{ type: 'shell', args: ['x'] }, 'command'],
    [{ type: 'http' }, 'url'],
    [{ type: 'url', method: 'PUT' }, 'url'],
    [{ type: 'agent' }, 'prompt'],
    [{ type: 'subagent', agent: 'x' }, 'prompt'],
    [{}, 'type'],
  ])('an action that lacks a field is an error that names it: %j', async (action, field) => {
    const { message } = only(await load([extSource({ event: 'Stop', action })]))
    expect(message).toBe(`\`action\` lacks the field \`${field}\`.`)
  })

  test('a field of another action is said', async () => {
    const action = { type: 'command', command: 'true', url: 'https://example.com' }
    expect(only(await load([extSource({ event: 'Stop', action })])).message).toBe(
      '`url` is not known here, so nothing reads it.',
    )
  })
})

describe('events', () => {
  test.each([
    ['pre_tool_use', 'PreToolUse'],
    ['preToolUse', 'PreToolUse'],
    ['BeforeTool', 'PreToolUse'],
    ['after_tool', 'PostToolUse'],
    ['BeforeAgent', 'UserPromptSubmit'],
    ['session_start', 'SessionStart'],
    ['subagent_stop', 'SubagentStop'],
    ['PreUserMessage', 'BeforeModel'],
    ['postToolBatch', 'PostToolBatch'],
    ['PreCompress', 'PreCompact'],
    ['SessionResume', 'SessionStart'],
    ['instructions_loaded', 'InstructionsLoaded'],
  ])('%s means %s', async (written, event) => {
    const hooks = await load([extSource(rule(written, 'true'))])
    expect(hooks.diagnostics).toEqual([])
    expect(hooks.snapshot.entries[0]?.value.event).toBe(event)
  })

  test.each(['Setup', 'cwd_changed', 'TeammateIdle'])(
    '%s exists elsewhere and is never fired here, which is said',
    async (name) => {
      const hooks = await load([extSource(rule(name, 'true'))])
      expect(only(hooks)).toMatchObject({ code: 'hooks.event.not-fired', severity: 'error' })
      expect(hooks.snapshot.entries).toEqual([])
    },
  )

  test('a name that nobody knows gets the nearest one', async () => {
    expect(only(await load([extSource(rule('PreToolUes', 'true'))]))).toMatchObject({
      code: 'hooks.event.unknown',
      hint: 'Did you mean `PreToolUse`?',
    })
    expect(only(await load([extSource(rule('whenever', 'true'))])).hint).toContain('Use one of: SessionStart')
  })
})

describe('if', () => {
  const push = { tool_input: { command: 'git push origin main' } }
  const status = { tool_input: { command: 'git status' } }

  test('knows a tool of a server by where it comes from, also when its name is a hashed one', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'exit 2', { if: 'mcp__my__fs__write_file' }))])
    const named = (server: string) => ({
      tool_name: 'mcp__my_fs_write_file_0k3x9a1b',
      server,
      server_tool: 'write_file',
    })
    expect((await fire(at, 'PreToolUse', named('my__fs'))).block).toBeDefined()
    await expect(fire(at, 'PreToolUse', named('other'))).rejects.toThrow('no hook ran')
  })

  test('is decided before anything is started', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'exit 2', { if: 'Bash(git push *)' }))])
    expect((await fire(at, 'PreToolUse', push)).block).toBeDefined()
    expect(at.session.fire('PreToolUse', () => ({ tool_name: 'Bash', tool_use_id: '1', ...status }))).toBeUndefined()
  })

  test('takes the widest reading: what is hidden in a command fits', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'exit 2', { if: 'Bash(git push *)' }))])
    for (const command of ['cd x && git push', 'echo $(git push)', 'FORCE=1 git push']) {
      expect((await fire(at, 'PreToolUse', { tool_input: { command } })).block, command).toBeDefined()
    }
  })

  test('reads relative paths from the working folder of the session', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'exit 2', { if: 'Edit(./src/**)' }))])
    const edit = (file_path: string) => ({ tool_name: 'Edit', tool_use_id: '1', tool_input: { file_path } })
    expect((await fire(at, 'PreToolUse', edit('src/a.ts'))).block).toBeDefined()
    const elsewhere = at.hooks.session({
      ...at,
      id: 'other',
      cwd: `${at.root}/src`,
      origin: 'main',
      permissionMode: 'default',
    })
    expect(elsewhere.fire('PreToolUse', () => edit('a.ts'))).toBeUndefined()
    expect(await elsewhere.fire('PreToolUse', () => edit('src/a.ts'))).toMatchObject({ block: { by: 'exit' } })
  })

  test.each([['Bash(git push'], [''], [5], [{ all_of: [] }]])(
    'that is no rule is said, and the hook runs always: %j',
    async (condition) => {
      const at = await scene([extSource(rule('PreToolUse', 'exit 2', { if: condition }))])
      expect(only(at.hooks)).toMatchObject({ code: 'hooks.if.invalid', severity: 'error' })
      expect((await fire(at, 'PreToolUse', status)).block).toBeDefined()
    },
  )

  test('of which only the tool is understood runs for every call of that tool', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'exit 2', { if: 'Strange(thing)' }))])
    expect(only(at.hooks).message).toContain('so the hook runs for every call of that tool')
    expect((await fire(at, 'PreToolUse', { tool_name: 'Strange' })).block).toBeDefined()
    expect(at.session.fire('PreToolUse', () => ({ tool_name: 'Bash', tool_use_id: '1', ...status }))).toBeUndefined()
  })

  test('at an event without a tool is an error, since the hook would never run', async () => {
    for (const event of ['Stop', 'PostToolBatch', 'SubagentStart']) {
      const hooks = await load([extSource(rule(event, 'true', { if: 'Bash(git *)' }))])
      expect(only(hooks)).toMatchObject({ code: 'hooks.if.no-tool' })
      expect(hooks.snapshot.entries).toEqual([])
    }
  })

  test('counts at every event about a tool', async () => {
    for (const event of ['PermissionRequest', 'PermissionDenied', 'PostToolUse', 'PostToolUseFailure'] as const) {
      const at = await scene([extSource(rule(event, 'true', { if: 'Bash(git *)' }))])
      expect(at.session.fire(event, () => samples[event])).toBeUndefined()
      expect((await fire(at, event, { tool_input: { command: 'git status' } })).runs).toHaveLength(1)
    }
  })
})

test('onFailure: block where a failing hook never blocks is said', async () => {
  for (const event of ['Stop', 'SessionStart']) {
    const at = await scene([extSource(rule(event, 'exit 1', { onFailure: 'block' }))])
    expect(only(at.hooks).code).toBe('hooks.on-failure.no-effect')
  }
  const at = await scene([extSource(rule('Stop', 'exit 1', { onFailure: 'block' }))])
  const result = await fire(at, 'Stop')
  expect(result.block).toBeUndefined()
  expect(texts(result.notices)).toEqual(['failed (exit 1)'])
})

test('stdout: context where the model is told nothing is said, and the user gets the text', async () => {
  for (const event of ['SessionEnd', 'AfterModel', 'SubagentStop', 'Notification'] as const) {
    const at = await scene([extSource(rule(event, 'echo hello', { stdout: 'context' }))])
    expect(only(at.hooks)).toMatchObject({
      code: 'hooks.stdout.no-effect',
      hint: 'Write `stdout: user`, or remove it.',
    })
    const { context, notices } = await fire(at, event)
    expect([context, texts(notices)]).toEqual([[], ['hello']])
  }
  expect((await load([extSource(rule('PreToolUse', 'true', { stdout: 'context' }))])).diagnostics).toEqual([])
})

describe('a hook that can never do what it is for is named when it loads', () => {
  const hook = (more: object) =>
    extSource({ event: 'PreToolUse', action: { type: 'command', command: 'true' }, ...more })
  const http = (more: object) => hook({ action: { type: 'http', url: 'https://example.com/', ...more } })

  test.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://192.168.1.1:8080/',
    'http://127.1/',
    'http://0.0.0.0/',
    'http://[fd00::1]/',
    'http://[::ffff:127.0.0.1]/',
  ])('%s, which is no public address', async (url) => {
    expect(only(await load([http({ url })]))).toMatchObject({ code: 'hooks.http.refused', severity: 'warning' })
  })

  test('but this machine and the public internet are fine', async () => {
    for (const url of ['http://localhost:1234/', 'http://127.0.0.1/', 'http://[::1]:80/', 'https://8.8.8.8/']) {
      expect((await load([http({ url })])).diagnostics).toEqual([])
    }
  })

  test.each(['Host', 'content-length', 'Transfer-Encoding'])('the header %s, which can not be set', async (name) => {
    expect(only(await load([http({ headers: { [name]: 'x' } })]))).toMatchObject({
      code: 'hooks.http.refused',
      severity: 'error',
    })
  })

  test('a matcher and an `if` about different tools', async () => {
    const both = (matcher: string) => load([hook({ matcher, if: 'Bash(git push *)' })])
    expect(only(await both('Edit|Write'))).toMatchObject({ code: 'hooks.if.other-tool', severity: 'warning' })
    for (const matcher of ['Edit|Bash', 'run_shell_command', 'B.*', '*']) {
      expect((await both(matcher)).diagnostics).toEqual([])
    }
  })

  test.each([
    ['Bash', 'Edit(*.ts)'],
    ['Bash|WebFetch', 'Read(.env)'],
    ['Agent', 'Write(docs/**)'],
    ['mcp__fs__read', 'Agent(reviewer)'],
  ])('a hook for %s whose `if` is %s, which no such call fits', async (matcher, rule) => {
    expect(only(await load([hook({ matcher, if: rule })]))).toMatchObject({ code: 'hooks.if.other-tool' })
  })

  test('but a rule about one kind of files fits tools for another', async () => {
    for (const matcher of ['Write', 'MultiEdit|Bash', 'Read', 'edit_file']) {
      expect((await load([hook({ matcher, if: 'Edit(*.ts)' })])).diagnostics).toEqual([])
    }
    const tools = { mcp__fs__write: { as: 'Edit', path: 'path' } }
    expect((await load([hook({ matcher: 'mcp__fs__write', if: 'Edit(*.ts)' })], { tools })).diagnostics).toEqual([])
  })

  test('two rules in one `if`: the hook runs for all, and it is said', async () => {
    const found = only(await load([hook({ matcher: 'Bash', if: 'Bash(git *)|Bash(npm *)' })]))
    expect(found).toMatchObject({
      code: 'hooks.if.invalid',
      message: expect.stringContaining('two rules stand in one text'),
    })
  })

  test.each([
    ['!Bash', 'Nothing in a matcher means “not”: name the tools that it is for.'],
    ['"Bash"', 'Write names such as Edit|Write.'],
    ['Edit;Write', 'Write names such as Edit|Write.'],
  ])('the matcher %s, which fits no tool whichever there are', async (matcher, hint) => {
    expect(only(await load([hook({ matcher })]))).toMatchObject({ code: 'hooks.matcher.no-match', hint })
  })

  test.each(['SessionEnd', 'SubagentStop'])('asyncRewake at %s, where nobody is left to be woken', async (event) => {
    expect(only(await load([hook({ event, asyncRewake: true })]))).toMatchObject({ code: 'hooks.async.no-wake' })
  })

  test.each([
    ['mcp__github__*', 'Write mcp__github__.*.'],
    ['mcp__github__*|Bash', 'Write mcp__github__.*|Bash.'],
  ])('the matcher %s, which is no pattern of a shell', async (matcher, hint) => {
    const found = only(await load([hook({ matcher })], { knownTools: () => ['mcp__github__create_issue', 'Bash'] }))
    expect(found).toMatchObject({ code: 'hooks.matcher.server', severity: 'warning', hint })
  })
})
