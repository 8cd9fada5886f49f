import type { EventResult } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { claudeSource, extSource, fire, rule, runRule, scene, texts } from '../support.js'

const print = (reply: unknown) => `cat > /dev/null; printf '%s' '${JSON.stringify(reply)}'`
const decision = (value: unknown) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: value } })
const answerTo = (reply: unknown, more = '') => runRule('PermissionRequest', print(reply) + more)
const allowing = (updatedPermissions: unknown) => answerTo(decision({ behavior: 'allow', updatedPermissions }))

describe('a hook answers a permission request', () => {
  // The shapes are those of Claude Code's hook reference, section "PermissionRequest decision control".
  test('with an allow, its message, another input and rules', async () => {
    const { answer, notices } = await answerTo(
      decision({
        behavior: 'allow',
        message: 'only listing',
        updatedInput: { command: 'ls -l' },
        updatedPermissions: ['Bash(ls *)'],
      }),
    )
    expect(answer).toEqual({
      behavior: 'allow',
      by: 'guard',
      reason: 'only listing',
      updatedInput: { command: 'ls -l' },
      rules: ['Bash(ls *)'],
    })
    expect(notices).toEqual([])
  })

  test('with a deny and its message', async () => {
    const { answer, block } = await answerTo(decision({ behavior: 'deny', message: 'not on Friday' }))
    expect(answer).toEqual({ behavior: 'deny', by: 'guard', reason: 'not on Friday' })
    expect(block).toBeUndefined()
  })

  test('with a deny that ends the run as well', async () => {
    const { answer, stop } = await answerTo(decision({ behavior: 'deny', message: 'stolen key', interrupt: true }))
    expect(answer?.behavior).toBe('deny')
    expect(stop).toEqual({ by: 'guard', reason: 'stolen key' })
  })

  test('from a Claude Code settings file', async () => {
    const handler = { type: 'command', command: print(decision({ behavior: 'allow' })) }
    const at = await scene([claudeSource({ PermissionRequest: [{ matcher: 'Bash', hooks: [handler] }] })])
    expect((await fire(at, 'PermissionRequest')).answer?.behavior).toBe('allow')
  })

  test.each([
    [{ decision: { behavior: 'allow' } }, 'allow'],
    [{ decision: { behavior: 'deny' } }, 'deny'],
    [{ decision: 'approve' }, 'allow'],
    [{ decision: 'block' }, 'deny'],
    [decision('deny'), 'deny'],
    [{ decision: 'approve', ...decision({ behavior: 'deny' }) }, 'deny'],
  ])('in other words: %j', async (reply, behavior) => {
    expect((await answerTo(reply)).answer?.behavior).toBe(behavior)
  })

  test('by the common reason when the decision has none', async () => {
    expect((await answerTo({ reason: 'no', ...decision({ behavior: 'deny' }) })).answer?.reason).toBe('no')
  })

  test('or says nothing, and others are asked', async () => {
    for (const command of ['exit 0', 'echo hello', 'exit 1']) {
      expect((await runRule('PermissionRequest', command)).answer).toBeUndefined()
    }
  })

  test('a failing hook denies only where its rule says so', async () => {
    const { answer } = await runRule('PermissionRequest', 'exit 1', { onFailure: 'block' })
    expect(answer).toMatchObject({ behavior: 'deny', reason: expect.stringContaining('The hook failed (exit 1)') })
  })

  test('the same input is no change of it', async () => {
    const { answer } = await answerTo(decision({ behavior: 'allow', updatedInput: { command: 'ls' } }))
    expect(answer).toEqual({ behavior: 'allow', by: 'guard' })
  })
})

describe('an allow does not count', () => {
  test('with exit 2, which denies', async () => {
    const { answer, notices } = await answerTo(decision({ behavior: 'allow' }), '; echo no >&2; exit 2')
    expect(answer).toEqual({ behavior: 'deny', by: 'guard', reason: 'no' })
    expect(texts(notices)).toEqual(['contradiction: it says allow and exits with 2, which blocks'])
  })

  test('with another exit code, nor does what comes with it', async () => {
    const allow = decision({ behavior: 'allow', updatedInput: { command: 'pwd' }, updatedPermissions: ['Bash'] })
    const { answer, notices } = await answerTo(allow, '; exit 1')
    expect(answer).toBeUndefined()
    expect(texts(notices)).toEqual(['failed (exit 1)', 'ignored: allow (exit 1)', 'ignored: updatedInput (exit 1)'])
  })

  test.each([
    [decision({}), 'unknown decision'],
    [decision({ behavior: 'ask' }), 'unknown decision'],
    [decision(true), 'unknown decision'],
    [decision({ behavior: 'allow', message: 5 }), 'wrong type of message'],
    [decision({ behavior: 'allow', updatedInput: 'pwd' }), 'wrong type of updatedInput'],
    [decision({ behavior: 'allow', updatedPermissions: 'Bash' }), 'wrong type of updatedPermissions'],
    [decision({ behavior: 'allow', updatedPermissions: [5] }), 'wrong type of updatedPermissions'],
  ])('when something is wrong with it: %j', async (reply, cause) => {
    const { answer, runs } = await answerTo(reply)
    expect(answer).toBeUndefined()
    expect(runs).toMatchObject([{ outcome: 'failed', cause }])
  })

  test('while a deny does, whatever is wrong beside it', async () => {
    const { answer, runs } = await answerTo(decision({ behavior: 'deny', interrupt: 'yes' }))
    expect(answer?.behavior).toBe('deny')
    expect(runs).toMatchObject([{ outcome: 'decided', cause: 'wrong type of interrupt' }])
  })
})

test('what has no meaning beside the behavior is said', async () => {
  const deny = await answerTo(decision({ behavior: 'deny', updatedInput: {}, updatedPermissions: null }))
  expect(texts(deny.notices)).toEqual(['ignored: `decision.updatedInput`, which has no meaning beside deny'])
  const allow = await answerTo(decision({ behavior: 'allow', interrupt: true, note: 'x' }))
  expect(texts(allow.notices)).toEqual([
    'ignored: `decision.interrupt`, which has no meaning beside allow',
    'ignored: `decision.note`, which has no meaning beside allow',
  ])
  expect(texts((await answerTo({ decision: 'ask' })).notices)).toEqual([
    'ignored: `decision: ask`, which PermissionRequest does not honour',
  ])
})

// Entries as in Claude Code's hook reference, section "Permission update entries".
describe('rules to remember', () => {
  const rules = [{ toolName: 'Bash', ruleContent: 'npm test:*' }, { toolName: 'Read' }]
  const entry = { type: 'addRules', rules, behavior: 'allow', destination: 'session' }

  test("are read from Claude Code's entries", async () => {
    const { answer, notices } = await allowing([entry, 'Edit(src/**)'])
    expect(answer?.rules).toEqual(['Bash(npm test:*)', 'Read', 'Edit(src/**)'])
    expect(notices).toEqual([])
  })

  test('hold for the session, wherever they are to be written', async () => {
    const { answer, notices } = await allowing([{ ...entry, destination: 'localSettings' }])
    expect(answer?.rules).toEqual(['Bash(npm test:*)', 'Read'])
    expect(texts(notices)).toEqual([
      'ignored: `destination`, which is the text "localSettings"; the rules hold for the session',
    ])
  })

  test.each([
    [{ ...entry, behavior: 'deny' }, 'type the text "addRules" with behavior the text "deny"'],
    [{ ...entry, type: 'removeRules' }, 'type the text "removeRules" with behavior the text "allow"'],
    [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }, 'type the text "setMode"'],
    [{ type: 'addDirectories', directories: ['/'], destination: 'session' }, 'type the text "addDirectories"'],
    [{}, 'type nothing'],
  ])('are all that an answer can change, which is said: %j', async (update, named) => {
    const { answer, notices } = await allowing([update, 'Bash(ls)'])
    expect(answer?.rules).toEqual(['Bash(ls)'])
    expect(texts(notices)).toEqual([
      `ignored: \`updatedPermissions\` of ${named}; an answer can only add rules that allow`,
    ])
  })

  test.each([undefined, 'Bash', ['Bash'], [{ ruleContent: 'ls' }], [{ toolName: 'Bash', ruleContent: 5 }]])(
    'of the wrong form make the hook fail: %j',
    async (rules) => {
      const { answer, runs } = await allowing([{ ...entry, rules }])
      expect(answer).toBeUndefined()
      expect(runs).toMatchObject([{ outcome: 'failed', cause: 'wrong type of updatedPermissions' }])
    },
  )
})

describe('several answers become one in config order', () => {
  const answering = (name: string, value: unknown, delay = 0) =>
    rule('PermissionRequest', `${print(decision(value))}; sleep ${delay}`, { name })
  const foldOf = async (...rules: unknown[]): Promise<EventResult> =>
    fire(await scene([extSource(...rules)]), 'PermissionRequest')

  test('a deny beats every allow, whoever is first, and takes nothing of theirs', async () => {
    const allow = answering('allow', {
      behavior: 'allow',
      updatedInput: { command: 'pwd' },
      updatedPermissions: ['Bash'],
    })
    const deny = answering('deny', { behavior: 'deny', message: 'no' }, 0.1)
    const { answer, notices } = await foldOf(allow, deny, answering('late', { behavior: 'deny', message: 'never' }))
    expect(answer).toEqual({ behavior: 'deny', by: 'deny', reason: 'no\nnever' })
    expect(notices).toEqual([])
  })

  test('allows are joined: the first one gives its name, reasons and rules add up', async () => {
    const { answer } = await foldOf(
      answering('slow', { behavior: 'allow', message: 'fine', updatedPermissions: ['A', 'B'] }, 0.1),
      rule('PermissionRequest', 'true', { name: 'silent' }),
      answering('fast', { behavior: 'allow', message: 'sure', updatedPermissions: ['B', 'C'] }),
    )
    expect(answer).toEqual({ behavior: 'allow', by: 'slow', reason: 'fine\nsure', rules: ['A', 'B', 'C'] })
  })

  test('of two other inputs the last one counts under the name of its hook, and the conflict is said', async () => {
    const { answer, notices } = await foldOf(
      answering('first', { behavior: 'allow', updatedInput: { command: 'pwd' } }),
      answering('last', { behavior: 'allow', updatedInput: { command: 'id' } }),
    )
    expect(answer).toEqual({ behavior: 'allow', by: 'last', updatedInput: { command: 'id' } })
    expect(notices).toEqual([
      { by: 'last', text: 'its rewrite of the input is used; that of first is dropped' },
      { by: 'first', text: 'ignored: updatedInput, since the input was rewritten already' },
    ])
  })
})
