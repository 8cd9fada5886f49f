import { readFile } from 'node:fs/promises'
import { nodePorts } from '@ext/kernel/node'
import { fakeClock } from '@ext/kernel/testing'
import { describe, expect, test } from 'vitest'
import { defineHook } from '../../src/index.js'
import type { FunctionHook } from '../../src/types.js'
import { codes, extSource, fire, load, only, rule, scene, session, texts } from '../support.js'

const withFunctions = (...functions: FunctionHook[]) => scene([], { functions })

describe('a function gets', () => {
  test('the same payload as a command, as the value that it is', async () => {
    const seen: unknown[] = []
    const at = await withFunctions(defineHook('PreToolUse', (payload) => void seen.push(payload)))
    const input = { when: new Date(0) } as never
    await fire(at, 'PreToolUse', { tool_input: input })
    expect(seen).toEqual([
      {
        cwd: at.root,
        hook_event_name: 'PreToolUse',
        permission_mode: 'default',
        schema_version: 1,
        session_id: 'session-1',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        tool_input: input,
        tool_name: 'Bash',
        tool_use_id: 'call-1',
      },
    ])
    expect((seen[0] as { tool_input: unknown }).tool_input).toBe(input)
  })

  test('only what its matcher and its condition fit', async () => {
    const seen: unknown[] = []
    const note = defineHook('PreToolUse', ({ tool_input }) => void seen.push(tool_input['command']), {
      matcher: 'Bash',
      if: 'Bash(git push *)',
    })
    const at = await withFunctions(note)
    const call = (tool_name: string, command: string) =>
      at.session.fire('PreToolUse', () => ({ tool_name, tool_input: { command }, tool_use_id: '1' }))
    await call('Bash', 'git push origin')
    expect(call('Bash', 'ls')).toBeUndefined()
    expect(call('Edit', 'git push origin')).toBeUndefined()
    expect(seen).toEqual(['git push origin'])
  })
})

describe('a function can not change', () => {
  test.each<[string, (payload: never) => void]>([
    [
      'the input',
      ({ tool_input }: { tool_input: { command: string } }) => {
        tool_input.command = 'rm -rf /'
      },
    ],
    ['a part of the input', ({ tool_input }: { tool_input: { list: string[] } }) => void tool_input.list.push('b')],
    [
      'the payload',
      (payload: { session_id: string }) => {
        payload.session_id = 'other'
      },
    ],
  ])('%s that others see: it throws', async (_what, fn) => {
    const seen: unknown[] = []
    const at = await withFunctions(
      defineHook('PreToolUse', fn as never, { name: 'changes', sequential: true }),
      defineHook('PreToolUse', (payload) => void seen.push(payload.session_id, payload.tool_input), {
        sequential: true,
      }),
    )
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'ls', list: ['a'] } })
    expect(seen).toEqual(['session-1', { command: 'ls', list: ['a'] }])
    expect(result.runs[0]).toMatchObject({ hook: 'changes', outcome: 'failed', cause: 'it threw' })
  })
})

describe('a function answers', () => {
  test('and how long it took is known', async () => {
    const clock = fakeClock()
    const slow = defineHook('Stop', () => clock.advance(40))
    expect((await fire(await scene([], { functions: [slow], ports: { clock } }), 'Stop')).runs).toMatchObject([
      { ms: 40 },
    ])
    const both = await scene([], { functions: [slow, defineHook('Stop', () => {})], ports: { clock } })
    expect((await fire(both, 'Stop')).runs).toMatchObject([{ ms: 40 }, { ms: 0 }])
  })

  test('nothing: no decision', async () => {
    const result = await fire(await withFunctions(defineHook('Stop', function quiet() {})), 'Stop')
    expect(result).toEqual({
      runs: [
        {
          hook: 'quiet',
          outcome: 'noDecision',
          ms: expect.any(Number),
          source: { layer: 'built-in', name: 'createHooks({functions})' },
        },
      ],
      context: [],
      notices: [],
    })
  })

  test('with the replies of its event', async () => {
    const deny = defineHook('PreToolUse', (_payload, { reply }) => reply.deny('not today'), { name: 'guard' })
    expect((await fire(await withFunctions(deny), 'PreToolUse')).block).toEqual({ by: 'guard', reason: 'not today' })
    const ask = defineHook('PreToolUse', (_payload, { reply }) => reply.ask('unusual'), { name: 'guard' })
    expect((await fire(await withFunctions(ask), 'PreToolUse')).opinion).toMatchObject({
      behavior: 'ask',
      reason: 'unusual',
    })
    const rewrite = defineHook('PreToolUse', (_payload, { reply }) => reply.rewrite({ command: 'ls -l' }), {
      name: 'guard',
    })
    expect((await fire(await withFunctions(rewrite), 'PreToolUse')).updatedInput).toEqual({
      by: 'guard',
      input: { command: 'ls -l' },
    })
    const allow = defineHook('PermissionRequest', (_payload, { reply }) => reply.allow(['Bash(ls)']), { name: 'guard' })
    expect((await fire(await withFunctions(allow), 'PermissionRequest')).answer).toMatchObject({
      behavior: 'allow',
      rules: ['Bash(ls)'],
    })
    const refuse = defineHook('PermissionRequest', (_payload, { reply }) => reply.deny('no'), { name: 'guard' })
    expect((await fire(await withFunctions(refuse), 'PermissionRequest')).answer).toMatchObject({ behavior: 'deny' })
    const retry = defineHook('PermissionDenied', (_payload, { reply }) => reply.retry(), { name: 'guard' })
    expect((await fire(await withFunctions(retry), 'PermissionDenied')).retry).toEqual({ by: 'guard' })
    const output = defineHook('PostToolUse', (_payload, { reply }) => reply.rewrite('cut'), { name: 'guard' })
    expect((await fire(await withFunctions(output), 'PostToolUse')).updatedOutput).toEqual({
      by: 'guard',
      output: 'cut',
    })
    const system = defineHook('BeforeModel', (_payload, { reply }) => reply.rewrite({ system: 'Be kind.' }))
    expect((await fire(await withFunctions(system), 'BeforeModel')).updatedRequest?.request).toEqual({
      system: 'Be kind.',
    })
  })

  test('several at once, spread into one', async () => {
    const hook = defineHook('Stop', (_payload, { reply }) => ({
      ...reply.block('go on'),
      ...reply.context('the tests are red'),
      ...reply.message('sent back'),
    }))
    const result = await fire(await withFunctions(hook), 'Stop')
    expect(result).toMatchObject({ block: { reason: 'go on' }, context: [{ text: 'the tests are red' }] })
    expect(texts(result.notices)).toEqual(['sent back'])
  })

  test('later', async () => {
    const hook = defineHook('Stop', async (_payload, { reply }) => {
      await new Promise((done) => setTimeout(done, 5))
      return reply.stop('enough')
    })
    expect((await fire(await withFunctions(hook), 'Stop')).stop?.reason).toBe('enough')
  })

  test('with a field that has no effect: it is told', async () => {
    const hook = defineHook('SessionEnd', (() => ({ hookSpecificOutput: { additionalContext: 'x' } })) as never)
    expect(texts((await fire(await withFunctions(hook), 'SessionEnd')).notices)).toEqual([
      'ignored: `additionalContext`, which SessionEnd does not honour',
    ])
  })
})

test('the reply of a class counts, wherever its fields stand', async () => {
  class Answer {
    get decision() {
      return 'block' as const
    }
    reason = 'no'
  }
  const guard = defineHook('PreToolUse', () => new Answer() as never, { name: 'guard' })
  expect((await fire(await withFunctions(guard), 'PreToolUse')).block).toEqual({ by: 'guard', reason: 'no' })
})

describe('a function that fails', () => {
  const failing = async (fn: () => unknown, options: object = {}) => {
    const hook = defineHook('PreToolUse', fn as never, { name: 'guard', ...options })
    return fire(await withFunctions(hook), 'PreToolUse')
  }
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  const throws = () => {
    throw new Error('oops')
  }
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  }
  const many: unknown[] = []
  many.push(many, many)

  test.each<[string, () => unknown, string]>([
    ['throws', throws, 'it threw'],
    ['rejects', async () => throws(), 'it threw'],
    ['throws nothing', () => Promise.reject(undefined), 'it threw'],
    ['returns a text', () => 'no', 'wrong type of reply'],
    ['resolves with a list', async () => ['no'], 'wrong type of reply'],
    [
      'returns what is no JSON',
      () => ({ hookSpecificOutput: { updatedInput: circular } }),
      'wrong type of hookSpecificOutput',
    ],
    ['returns a field of the wrong type', () => ({ decision: 1 }), 'unknown decision'],
    [
      'returns itself in an answer to a request',
      () => ({ decision: { behavior: 'allow', updatedInput: circular } }),
      'wrong type of decision',
    ],
    ['returns a bigint', () => ({ systemMessage: 5n }), 'wrong type of systemMessage'],
    ['returns a symbol', async () => ({ systemMessage: Symbol('a') }), 'wrong type of systemMessage'],
    [
      'returns what throws when it is read',
      () => ({
        get decision() {
          return throws()
        },
      }),
      'wrong type of decision',
    ],
    [
      'resolves with what throws when it is read',
      async () => ({
        get decision() {
          return throws()
        },
      }),
      'wrong type of decision',
    ],
    ['returns a revoked proxy', revoked, 'it threw'],
    ['resolves with a revoked proxy', async () => revoked(), 'it threw'],
    [
      'throws a revoked proxy',
      () => {
        throw revoked()
      },
      'it threw',
    ],
    ['rejects with a revoked proxy', () => Promise.reject(revoked()), 'it threw'],
    ['returns what never ends', () => ({ reason: many }), 'wrong type of reason'],
  ])('because it %s counts like a command that does', async (_name, fn, cause) => {
    const result = await failing(fn)
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause }])
    expect(result.block).toBeUndefined()
    const guarded = await failing(fn, { onFailure: 'block' })
    expect(guarded.block?.reason).toBe(`The hook failed (${cause}), and it is set to block when it fails.`)
  })

  test('because it takes too long is left alone, and its signal aborts', async () => {
    const clock = fakeClock()
    let signal: AbortSignal | undefined
    const slow = defineHook(
      'PreToolUse',
      (_payload, context) => {
        signal = context.signal
        return new Promise<void>(() => {})
      },
      { timeout: '2s' },
    )
    const at = await scene([], { functions: [slow], ports: { clock } })
    const running = fire(at, 'PreToolUse')
    await expect.poll(() => signal).toBeDefined()
    clock.advance(1999)
    expect(signal?.aborted).toBe(false)
    clock.advance(1)
    expect((await running).runs).toMatchObject([{ outcome: 'timedOut', cause: 'no answer within 2s', ms: 2000 }])
    expect(signal?.aborted).toBe(true)
  })

  test('because a part of its reply is no JSON still blocks with the rest', async () => {
    const result = await failing(() => ({ decision: 'block', reason: 'no', systemMessage: 5n }))
    expect(result.block).toEqual({ by: 'guard', reason: 'no' })
  })

  test('does not cost its siblings', async () => {
    const fine = defineHook('PreToolUse', (_payload, { reply }) => reply.deny('no'), { name: 'fine' })
    const at = await withFunctions(defineHook('PreToolUse', throws, { name: 'bad' }), fine)
    const result = await fire(at, 'PreToolUse')
    expect(result.runs).toMatchObject([
      { hook: 'bad', outcome: 'failed' },
      { hook: 'fine', outcome: 'decided' },
    ])
    expect(result.block?.by).toBe('fine')
  })
})

describe('functions and files', () => {
  test('run together, and the files have the last word', async () => {
    const mine = defineHook('PreToolUse', (_payload, { reply }) => reply.rewrite({ command: 'mine' }), { name: 'mine' })
    const theirs = `echo '{"hookSpecificOutput": {"updatedInput": {"command": "theirs"}}}'`
    const at = await scene([extSource(rule('PreToolUse', theirs, { name: 'theirs' }))], { functions: [mine] })
    expect((await fire(at, 'PreToolUse')).updatedInput).toEqual({ by: 'theirs', input: { command: 'theirs' } })
  })

  test('a guard that did not fit sees what a function makes of the input, and the function is called once', async () => {
    let calls = 0
    const mine = defineHook('PreToolUse', (_payload, { reply }) => {
      calls++
      return reply.rewrite({ command: 'git push --force' })
    })
    const guard = rule('PreToolUse', 'cat > seen.json; exit 2', { name: 'guard', if: 'Bash(git push *)' })
    const at = await scene([extSource(guard)], { functions: [mine] })
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'ls' } })
    expect(result.block?.by).toBe('guard')
    expect(JSON.parse(await readFile(`${at.root}/seen.json`, 'utf8'))).toMatchObject({
      tool_input: { command: 'git push --force' },
      rewritten: true,
    })
    expect(calls).toBe(1)
  })

  test('stay when the files are replaced', async () => {
    let calls = 0
    const at = await withFunctions(defineHook('Stop', () => void calls++))
    await at.hooks.replace([])
    await at.session.fire('Stop', () => ({ stop_hook_active: false, last_assistant_message: '', iteration: 1 }))
    expect(calls).toBe(1)
  })

  test('once is once', async () => {
    let calls = 0
    const at = await withFunctions(defineHook('Stop', () => void calls++, { once: true }))
    await fire(at, 'Stop')
    expect(at.session.fire('Stop', () => ({}) as never)).toBeUndefined()
    expect(calls).toBe(1)
  })
})

test('an abort rejects with its reason and reaches the function', async () => {
  let signal: AbortSignal | undefined
  const at = await withFunctions(
    defineHook('Stop', (_payload, context) => {
      signal = context.signal
      return new Promise<void>(() => {})
    }),
  )
  const ending = new AbortController()
  const running = at.session.fire('Stop', () => ({}) as never, { signal: ending.signal })
  await expect.poll(() => signal).toBeDefined()
  ending.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  expect(signal?.aborted).toBe(true)
})

describe('what can never run is named when it is loaded', () => {
  test('as in files', async () => {
    const problems = async (options: object) =>
      codes(await load([], { functions: [defineHook('PreToolUse', () => {}, options)] }))
    expect(await problems({ timeout: '0s' })).toEqual(['hooks.timeout.invalid'])
    expect(await problems({ timeout: 5 })).toEqual(['hooks.timeout.invalid'])
    expect(await problems({ matcher: 'Bash(*)' })).toEqual(['hooks.matcher.permission-syntax'])
    expect(await problems({ if: '((' })).toEqual(['hooks.if.invalid'])
    expect(await problems({ nonsense: 1 })).toEqual(['schema.unknown-key'])
  })

  test('also what is no function, or no event', async () => {
    const broken = [{ event: 'Stop', fn: 1 }, { event: 'Stopp', fn: () => {} }, undefined]
    const hooks = await load([], { functions: broken as never })
    expect(codes(hooks)).toEqual(['hooks.action.fields', 'hooks.event.unknown', 'hooks.action.fields'])
  })

  test('in a file there are none', async () => {
    expect(only(await load([extSource({ event: 'Stop', action: { type: 'function' } })]))).toMatchObject({
      code: 'hooks.action.unsupported',
      message: 'A file can name no function; those are given to `createHooks` as `functions`.',
    })
  })
})

test('no process, no timer and no JSON for one that answers at once', async () => {
  const untouchable = new Proxy({}, { get: () => () => expect.unreachable() })
  const ports = nodePorts()
  const hook = defineHook('PostToolUse', () => ({ systemMessage: 'seen' }))
  const at = await scene([], {
    functions: [hook],
    ports: { process: untouchable as never, clock: { now: ports.clock.now, after: () => expect.unreachable() } },
  })
  const response = { toJSON: () => expect.unreachable() }
  expect(texts((await fire(at, 'PostToolUse', { tool_response: response as never })).notices)).toEqual(['seen'])
})

test('sessions have nothing in common', async () => {
  const at = await withFunctions(
    defineHook('Stop', ({ session_id }) => ({ systemMessage: session_id }), { once: true }),
  )
  const other = at.hooks.session(session(at.root, 'session-2'))
  expect(texts((await fire(at, 'Stop')).notices)).toEqual(['session-1'])
  expect(texts((await fire({ session: other }, 'Stop')).notices)).toEqual(['session-2'])
})
