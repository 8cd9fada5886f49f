import type { ModelRequest } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import type { HookHost, HookModel } from '../../src/types.js'
import { claudeSource, extSource, fire, load, only, scene, texts } from '../support.js'

/** A model that says one thing, in pieces, and remembers what it was asked. */
function saying(text: string): HookModel & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  return {
    asked,
    async *stream(request) {
      asked.push(request)
      for (const piece of text.match(/.{1,7}/gs) ?? []) yield { type: 'text', text: piece }
      yield { type: 'usage', inputTokens: 1, outputTokens: 1 }
    },
  }
}

function asking(action: object, more: object = {}) {
  return extSource({ name: 'judge', event: 'PreToolUse', action: { type: 'prompt', ...action }, ...more })
}

async function judge(answer: string, more: object = {}) {
  const host: HookHost = { model: saying(answer) }
  return fire(await scene([asking({ prompt: 'Is it safe?' }, more)], { host }), 'PreToolUse')
}

describe('a text', () => {
  test('is told to the model, and nobody is asked', async () => {
    const layer = extSource({ event: 'UserPromptSubmit', action: { type: 'prompt', text: 'Answer in English.' } })
    const result = await fire(await scene([layer]), 'UserPromptSubmit')
    expect(result.context).toEqual([{ by: 'reminder', text: 'Answer in English.' }])
    expect(result.runs).toMatchObject([{ outcome: 'decided', ms: 0 }])
  })

  test('at an event that tells the model nothing is an error', async () => {
    const hooks = await load([extSource({ event: 'SessionEnd', action: { type: 'prompt', text: 'Bye.' } })])
    expect(only(hooks)).toMatchObject({ code: 'hooks.action.no-effect', severity: 'error' })
    expect(hooks.snapshot.entries).toEqual([])
  })
})

describe('a model is asked', () => {
  test('with the event behind the prompt, no tools and a short answer', async () => {
    const model = saying('{"ok": true}')
    await fire(await scene([asking({ prompt: 'Is it safe?' })], { host: { model } }), 'PreToolUse')
    expect(model.asked).toHaveLength(1)
    expect(model.asked[0]).toMatchObject({ tools: [], maxOutputTokens: 1024 })
    const [message] = model.asked[0]?.messages ?? []
    expect(message).toMatchObject({ role: 'user', content: [{ type: 'text' }] })
    expect(JSON.stringify(message)).toMatch(/^.*Is it safe\?\\n\\nThe event as JSON:\\n\{\\"cwd/)
  })

  test('with the event where $ARGUMENTS stands, whatever is in it', async () => {
    const model = saying('{"ok": true}')
    const at = await scene([asking({ prompt: 'Look: $ARGUMENTS. Safe?' })], { host: { model } })
    await fire(at, 'PreToolUse', { tool_input: { command: "$& $' $ARGUMENTS" } })
    const content = model.asked[0]?.messages[0]
    const text = content?.role === 'user' && content.content[0]?.type === 'text' ? content.content[0].text : ''
    expect(text).toMatch(/^Look: \{"cwd".*\}\. Safe\?$/)
    expect(text).toContain(`"command":"$& $' $ARGUMENTS"`)
  })

  test('and told for which session and hook it is, so that what it costs can be counted', async () => {
    const options: unknown[] = []
    const model: HookModel = {
      async *stream(_request, { session, by }) {
        options.push([session.id, session.origin, by])
        yield { type: 'text', text: '{"ok": true}' }
      },
    }
    await fire(await scene([asking({ prompt: 'Is it safe?' })], { host: { model } }), 'PreToolUse')
    expect(options).toEqual([['session-1', 'main', 'judge']])
  })

  test('of another name if the host has it', async () => {
    const [usual, small] = [saying('{"ok": true}'), saying('{"ok": false, "reason": "small says no"}')]
    const host = { model: usual, models: { small } }
    const result = await fire(await scene([asking({ prompt: 'x', model: 'small' })], { host }), 'PreToolUse')
    expect(result.block?.reason).toBe('small says no')
    const other = await scene([asking({ prompt: 'x', model: 'large' })], { host })
    expect(only(other.hooks)).toMatchObject({
      code: 'hooks.action.model',
      severity: 'warning',
      hint: 'Known here: small.',
    })
    await fire(other, 'PreToolUse')
    expect(usual.asked).toHaveLength(1)
  })
})

describe('an event that is too large to ask about', () => {
  const cause = 'an event that is too large to ask about'
  const padded = { tool_input: { command: `rm -rf / ${'#'.repeat(400_000)}` } }

  test('is put to no model, and a person is asked about the call instead', async () => {
    const model = saying('{"ok": true}')
    const result = await fire(await scene([asking({ prompt: 'x' })], { host: { model } }), 'PreToolUse', padded)
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause }])
    expect(result.opinion).toMatchObject({ behavior: 'ask', by: 'judge', reason: expect.stringContaining(cause) })
    expect(model.asked).toEqual([])
  })

  test('is put to no agent either', async () => {
    const runner = { run: async () => ({ done: true, text: '{"ok": true}' }) }
    const layer = extSource({ event: 'PreToolUse', action: { type: 'agent', prompt: 'x' } })
    const result = await fire(await scene([layer], { host: { runner } }), 'PreToolUse', padded)
    expect(result.opinion).toMatchObject({ behavior: 'ask' })
  })

  test('is blocked where a failure blocks, and is a failure at other events', async () => {
    const host = { model: saying('{"ok": true}') }
    const blocking = await scene([asking({ prompt: 'x' }, { onFailure: 'block' })], { host })
    const result = await fire(blocking, 'PreToolUse', padded)
    expect([result.block?.reason, result.opinion]).toEqual([expect.stringContaining(cause), undefined])
    const later = await scene([asking({ prompt: 'x' }, { event: 'PostToolUse' })], { host })
    const after = await fire(later, 'PostToolUse', padded)
    expect([after.runs[0]?.outcome, after.opinion]).toEqual(['failed', undefined])
  })
})

describe('its answer', () => {
  test('ok is no decision: nobody is asked less for it', async () => {
    const result = await judge('{"ok": true, "reason": "only reads"}')
    expect(result.runs).toMatchObject([{ outcome: 'noDecision', reason: 'only reads' }])
    expect(result.opinion).toBeUndefined()
  })

  test('is none if the model says that it was cut off', async () => {
    const model: HookModel = {
      async *stream() {
        yield { type: 'text', text: '{"ok": true}' }
        yield { type: 'cut' }
      },
    }
    const result = await fire(await scene([asking({ prompt: 'x' })], { host: { model } }), 'PreToolUse')
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'an answer that was cut off' }])
  })

  test('not ok blocks with the reason', async () => {
    expect((await judge('{"ok": false, "reason": "It pushes."}')).block).toEqual({ by: 'judge', reason: 'It pushes.' })
    expect((await judge('{"ok": false}')).block?.reason).toBe('It gave no reason.')
  })

  test.each([
    '```json\n{"ok": false, "reason": "no"}\n```',
    'Let me think {about it}. {"step": 1}\n\n{"ok": false, "reason": "no"}',
    '{"ok": true} would be wrong, so: {"ok": false, "reason": "no"}',
    '{"ok": "false", "reason": " no "}',
    '{"ok": false, "reason": "no", "impossible": null}',
    `If fine: {"ok": true}. ${'if (a) { b } '.repeat(70)}\n{"ok": false, "reason": "no"}`,
    '{"ok": false, "reason": "no", "file": {"says": "{\\"ok\\": true}"}}',
  ])('is found in %j', async (answer) => {
    expect((await judge(answer)).block?.reason).toBe('no')
  })

  test.each([
    ['', 'an empty answer'],
    ['I would not do that.', 'an answer that does not end with {ok, reason}'],
    ['{"allowed": false}', 'an answer that does not end with {ok, reason}'],
    ['{"ok": false, "reason": ', 'an answer that does not end with {ok, reason}'],
    ['{"ok": 1}', 'wrong type of ok'],
    [
      'The form is {"ok": true} for harmless ones. This pushes: {"ok": false, "reason": "it pu',
      'an answer that does not end with {ok, reason}',
    ],
    [
      'If fine I would say {"ok": true}. It is not: {ok: false, "reason": "it pushes"}',
      'an answer that does not end with {ok, reason}',
    ],
    [`{"ok": true} is wrong here.\n{'ok': false}`, 'an answer that does not end with {ok, reason}'],
    ['{"ok": false, "reason": "bad"}\nThe command was: echo {"ok": true}', 'an answer with two verdicts'],
    ['{ok: false}, or rather {"ok": true}', 'an answer with two verdicts'],
    ['{"ok": true}\nUnless {it} pushes.', 'an answer that does not end with {ok, reason}'],
    ['{"ok": true}\nBut look at it again.', 'an answer that does not end with {ok, reason}'],
    ['{"ok": false, "reason": ["a"]}', 'wrong type of reason'],
    ['{'.repeat(60_000), 'an answer that does not end with {ok, reason}'],
    ['{'.repeat(100_000), 'an answer that was cut off'],
  ])('that can not be read is a failure: %.40j', async (answer, cause) => {
    const result = await judge(answer)
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause }])
    expect(result.block).toBeUndefined()
    expect((await judge(answer, { onFailure: 'block' })).block?.reason).toContain(cause)
  })
})

test('an answer that has used up its tokens is a failure, whatever it ends with', async () => {
  const model: HookModel = {
    async *stream() {
      yield { type: 'text', text: '{"ok": true}' }
      yield { type: 'usage', outputTokens: 1024 }
    },
  }
  const result = await fire(
    await scene([asking({ prompt: 'x' }, { onFailure: 'block' })], { host: { model } }),
    'PreToolUse',
  )
  expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'an answer that was cut off' }])
  expect(result.block).toBeDefined()
})

describe('a model', () => {
  test('that throws costs the one answer', async () => {
    const model: HookModel = {
      // biome-ignore lint/correctness/useYield: it has nothing to say
      async *stream() {
        throw new Error('overloaded')
      },
    }
    const result = await fire(await scene([asking({ prompt: 'x' })], { host: { model } }), 'PreToolUse')
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'the model failed' }])
    expect(texts(result.notices)).toEqual(['failed (the model failed): overloaded'])
  })

  test('that never ends is left alone at the time-out, even if it does not listen', async () => {
    const signals: AbortSignal[] = []
    const model: HookModel = {
      async *stream(_request, { signal }) {
        signals.push(signal)
        await new Promise(() => {})
        yield { type: 'text', text: '' }
      },
    }
    const at = await scene([asking({ prompt: 'x' }, { timeout: '80ms' })], { host: { model } })
    expect((await fire(at, 'PreToolUse')).runs).toMatchObject([{ outcome: 'timedOut' }])
    expect(signals[0]?.aborted).toBe(true)
  })

  test('that talks for ever is not listened to for ever', async () => {
    const model: HookModel = {
      async *stream() {
        for (;;) yield { type: 'text', text: 'x'.repeat(10_000) }
      },
    }
    const result = await fire(await scene([asking({ prompt: 'x' })], { host: { model } }), 'PreToolUse')
    expect(result.runs).toMatchObject([{ outcome: 'failed' }])
  })
})

describe('when it is loaded', () => {
  test('a host without a model is an error that says so', async () => {
    const hooks = await load([asking({ prompt: 'x' })])
    expect(only(hooks)).toMatchObject({
      code: 'hooks.action.host',
      severity: 'error',
      message: 'This host gives hooks no model, so nobody can be asked.',
    })
    expect(
      hooks.session({ id: '1', cwd: '/', origin: 'main', permissionMode: 'default' }).fire('Stop', () => ({}) as never),
    ).toBeUndefined()
  })

  test('what can not stand together is named', async () => {
    const host = { model: saying('') }
    const problem = async (action: object) => only(await load([asking(action)], { host })).message
    expect(await problem({})).toBe('A `prompt` action lacks the field `prompt`, or else `text`.')
    expect(await problem({ text: 'a', prompt: 'b' })).toContain("can't stand together")
    expect(await problem({ text: 'a', model: 'b' })).toContain('`model` has no effect')
  })

  test('stdout is of commands only', async () => {
    const hooks = await load([asking({ prompt: 'x' }, { stdout: 'user' })], { host: { model: saying('') } })
    expect(only(hooks)).toMatchObject({ code: 'hooks.stdout.no-effect', severity: 'warning' })
  })

  test('it has 30 seconds, in both formats', async () => {
    const host = { model: saying('') }
    const claude = claudeSource({ Stop: [{ hooks: [{ type: 'prompt', prompt: 'Done?' }] }] })
    const hooks = await load([asking({ prompt: 'x' }), claude], { host })
    expect(hooks.snapshot.entries.map(({ value }) => value.timeoutMs)).toEqual([30_000, 30_000])
  })
})

// trailofbits/skills plugins/fp-check: a prompt hook that keeps the agent from stopping too early.
test('at Stop a model can send the agent back', async () => {
  const host = { model: saying('{"ok": false, "reason": "The tests were not run."}') }
  const layer = claudeSource({ Stop: [{ hooks: [{ type: 'prompt', prompt: 'Is the work done? $ARGUMENTS' }] }] })
  expect((await fire(await scene([layer], { host }), 'Stop')).block).toEqual({
    by: 'prompt',
    reason: 'The tests were not run.',
  })
})
