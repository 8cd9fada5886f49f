import { describe, expect, test } from 'vitest'
import { claudeSource, codes, fire, load, only, project, scene, texts } from '../support.js'

const settings = async (value: unknown, layer: 'user' | 'project' = 'user') => {
  const root = await project({ '.claude/settings.json': JSON.stringify(value, null, 2) })
  return load([{ kind: 'file', layer, dialect: 'claude-settings', path: `${root}/.claude/settings.json` }], { root })
}

describe('a settings file', () => {
  test('has one hook per handler, each with its own place', async () => {
    const hooks = await settings({
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              { type: 'command', command: './guard.sh' },
              { type: 'command', command: './log.sh' },
            ],
          },
        ],
        Stop: [{ hooks: [{ type: 'command', command: './done.sh' }] }],
      },
    })
    expect(hooks.diagnostics).toEqual([])
    expect(
      hooks.snapshot.entries.map(({ name, value, at }) => [name, value.event, value.matcher.text, at().line]),
    ).toEqual([
      ['guard.sh', 'PreToolUse', 'Bash', 7],
      ['log.sh', 'PreToolUse', 'Bash', 11],
      ['done.sh', 'Stop', '*', 21],
    ])
  })

  test('may hold flat entries, next to nested ones', async () => {
    // rohitg00/agentmemory: groups of the form {type, command} without an inner `hooks`.
    const hooks = await settings({
      hooks: {
        PreToolUse: [
          { type: 'command', command: './flat.sh', matcher: 'Bash' },
          { matcher: 'Edit', hooks: [{ type: 'command', command: './nested.sh' }] },
        ],
      },
    })
    expect(hooks.diagnostics).toEqual([])
    expect(hooks.snapshot.entries.map(({ name, value }) => [name, value.matcher.text])).toEqual([
      ['flat.sh', 'Bash'],
      ['nested.sh', 'Edit'],
    ])
  })

  test('loses only the handler that is broken', async () => {
    const hooks = await settings({
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [{ type: 'command' }, 'text', { type: 'command', command: './guard.sh', timeout: 0 }],
          },
          { matcher: 'Bash', hooks: [{ type: 'command', command: './kept.sh' }] },
          { matcher: 'Bash' },
          'text',
        ],
        Nonsense: [{ hooks: [{ type: 'command', command: './a.sh' }] }],
        preEditHook: { command: 'npx', args: ['x'] },
      },
    })
    expect(hooks.snapshot.entries.map(({ name }) => name)).toEqual(['kept.sh'])
    expect(codes(hooks).toSorted()).toEqual([
      'hooks.event.unknown',
      'hooks.shape',
      'hooks.shape',
      'hooks.shape',
      'hooks.timeout.invalid',
      'schema.required',
      'schema.type',
    ])
    expect(hooks.snapshot.records).toHaveLength(8)
    for (const { source, hint } of hooks.diagnostics) expect([source.line, hint]).not.toContain(undefined)
  })

  test('says of an event that there is not so, also where no hook stands below it yet', async () => {
    const hooks = await settings({
      hooks: { Stopp: [{ hooks: [] }], Nonsense: [], Stop: [], PreToolUse: [{ hooks: [] }] },
    })
    expect(hooks.diagnostics).toMatchObject([
      { code: 'hooks.event.unknown', severity: 'warning', hint: 'Did you mean `Stop`?', pointer: '/hooks/Stopp' },
      { code: 'hooks.event.unknown', severity: 'warning', pointer: '/hooks/Nonsense' },
    ])
  })

  // anthropics/claude-code#3672: key `preToolUse` and matcher {}; the hooks never fired and nothing said so.
  test('takes camelCase event names, and rejects a matcher that is no text', async () => {
    const handler = { type: 'command', command: './a.sh' }
    const hooks = await settings({
      hooks: {
        preToolUse: [
          { matcher: {}, hooks: [handler] },
          { matcher: 'Bash', hooks: [handler] },
        ],
      },
    })
    expect(only(hooks)).toMatchObject({ code: 'hooks.matcher.type', source: { line: 5 } })
    expect(hooks.snapshot.entries).toHaveLength(1)
  })

  test('without hooks, or with hooks that are no map, is no trouble or reported', async () => {
    expect((await settings({ permissions: {} })).diagnostics).toEqual([])
    expect(only(await settings({ hooks: [] })).code).toBe('config.shape')
    expect(only(await settings([])).code).toBe('config.shape')
  })

  test('names keys beside `hooks` that look like a handler', async () => {
    const hooks = await settings({
      hooks: {
        Stop: [{ description: 'x', id: 'y', command: './shown.sh', hooks: [{ type: 'command', command: './run.sh' }] }],
      },
    })
    expect(only(hooks)).toMatchObject({ code: 'hooks.group.key', severity: 'warning' })
    expect(hooks.snapshot.entries.map(({ name }) => name)).toEqual(['run.sh'])
  })
})

describe('what is written for another program', () => {
  const handler = { type: 'command', command: './run.sh' }

  test.each(['matchers', 'Matcher', 'tools', 'tool_name'])(
    'a group with `%s` in place of `matcher` listens to everything, and is told the right word',
    async (key) => {
      const hooks = await settings({ hooks: { PreToolUse: [{ [key]: 'Bash', hooks: [handler] }] } })
      expect(only(hooks)).toMatchObject({
        code: 'hooks.group.key',
        hint: 'Did you mean `matcher`? Without it the hooks listen to all.',
      })
    },
  )

  test.each([{ enabled: false }, { disabled: true }])('%j switches no hook off, and says what does', async (off) => {
    const ofHandler = await settings({ hooks: { Stop: [{ hooks: [{ ...handler, ...off }] }] } })
    expect(only(ofHandler)).toMatchObject({
      code: 'hooks.key.unsupported',
      hint: 'The hooks run all the same. Remove them, or name them in `disabledHooks`.',
    })
    const ofGroup = await settings({ hooks: { Stop: [{ ...off, hooks: [handler] }] } })
    expect(only(ofGroup)).toMatchObject({ code: 'hooks.group.key', hint: only(ofHandler).hint })
    const rule = { event: 'Stop', action: handler, ...off }
    const ofRule = await load([
      { kind: 'value', layer: 'user', dialect: 'ext', name: 'test', value: { hooks: [rule] } },
    ])
    expect(only(ofRule)).toMatchObject({ code: 'hooks.key.unsupported', hint: only(ofHandler).hint })
  })

  test.each([{ enabled: true }, { disabled: false }])('%j asks for nothing', async (on) => {
    expect((await settings({ hooks: { Stop: [{ hooks: [{ ...handler, ...on }] }] } })).diagnostics).toEqual([])
  })
})

describe('timeout', () => {
  const timed = (timeout: unknown) =>
    claudeSource({ Stop: [{ hooks: [{ type: 'command', command: 'true', timeout }] }] })

  test('is in seconds', async () => {
    expect((await load([timed(5)])).snapshot.entries[0]?.value.timeoutMs).toBe(5000)
    expect((await load([timed(0.5)])).snapshot.entries[0]?.value.timeoutMs).toBe(500)
  })

  // shanraisshan/claude-code-hooks: "timeout": 5000, which is 83 minutes.
  test('that looks like milliseconds is said', async () => {
    const hooks = await load([timed(5000)])
    expect(only(hooks)).toMatchObject({ code: 'hooks.timeout.unit', hint: 'Write 5 if milliseconds were meant.' })
    expect(hooks.snapshot.entries[0]?.value.timeoutMs).toBe(5_000_000)
  })

  test.each([0, -1, '5', 1e9])('%j is an error', async (timeout) => {
    const hooks = await load([timed(timeout)])
    expect(hooks.snapshot.entries).toEqual([])
    expect(only(hooks)).toMatchObject({
      code: 'hooks.timeout.invalid',
      hint: 'Write a number of seconds such as 30.',
    })
  })
})

describe('what the format knows and this version does not', () => {
  test('a hook of type mcp_tool is an error that says what works', async () => {
    const hooks = await load([claudeSource({ Stop: [{ hooks: [{ type: 'mcp_tool', server: 'a', tool: 'b' }] }] })])
    expect(only(hooks)).toMatchObject({
      code: 'hooks.action.unsupported',
      expected: ['command', 'http', 'prompt', 'agent'],
    })
  })

  test('PowerShell is an error', async () => {
    const hooks = await load([
      claudeSource({ Stop: [{ hooks: [{ type: 'command', command: 'x', shell: 'powershell' }] }] }),
    ])
    expect(only(hooks).code).toBe('hooks.action.unsupported')
  })

  test.each(['rewakeMessage', 'rewakeSummary', 'once', 'statusMessage'])(
    '%s is said, and the hook runs',
    async (key) => {
      const handler = { type: 'command', command: 'true', [key]: true }
      const hooks = await load([claudeSource({ Stop: [{ hooks: [handler] }] })])
      expect(only(hooks)).toMatchObject({ code: 'hooks.key.unsupported', severity: 'warning' })
      expect(hooks.snapshot.entries).toHaveLength(1)
      const off = { type: 'command', command: 'true', [key]: false }
      expect((await load([claudeSource({ Stop: [{ hooks: [off] }] })])).diagnostics).toEqual([])
    },
  )

  test('policies of a file that is not managed are said', async () => {
    expect(codes(await load([claudeSource({}, { allowManagedHooksOnly: true })]))).toEqual(['hooks.policy.misplaced'])
  })

  test('an unknown key is said', async () => {
    // ruvnet/claude-flow has a key `blocking`.
    const hooks = await load([
      claudeSource({ Stop: [{ hooks: [{ type: 'command', command: 'true', blocking: false }] }] }),
    ])
    expect(only(hooks)).toMatchObject({ code: 'schema.unknown-key', severity: 'warning' })
    expect(hooks.snapshot.entries).toHaveLength(1)
  })
})

test('the env block of the file is set for its hooks, and what is no text in it is reported', async () => {
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'echo "$MODE"' }] }] }
  const at = await scene([claudeSource(hooks, { env: { MODE: 'quick', LEVEL: 5 } })])
  expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual(['quick'])
  expect(only(at.hooks)).toMatchObject({ code: 'config.shape', message: '`env.LEVEL` holds the number 5, not a text.' })
})

test('onFailure is read as newer versions of the format have it', async () => {
  const at = await scene([
    claudeSource({ PreToolUse: [{ hooks: [{ type: 'command', command: 'exit 1', onFailure: 'block' }] }] }),
  ])
  expect((await fire(at, 'PreToolUse')).block?.reason).toBe(
    'The hook failed (exit 1), and it is set to block when it fails.',
  )
})

test('a hook of a project needs approval, and an unapproved one is visible', async () => {
  const value = { hooks: { Stop: [{ hooks: [{ type: 'command', command: './x.sh' }] }] } }
  const hooks = await settings(value, 'project')
  expect(hooks.snapshot.entries).toEqual([])
  expect(hooks.snapshot.records).toMatchObject([{ name: 'x.sh', verdict: 'untrusted' }])
  expect(only(hooks).code).toBe('config.entry.untrusted')
  const path = hooks.snapshot.files[0]?.file ?? ''
  const approved = await load([{ kind: 'file', layer: 'project', dialect: 'claude-settings', path }], {
    approved: ({ value: { action } }) => action.type === 'command' && action.command === './x.sh',
  })
  expect(approved.snapshot.entries).toHaveLength(1)
})
