import type { Authorization, EventResult, JsonObject, Tool } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../src/types.js'
import { allowed, denied, echoTool, gate, hooks, play, resultTexts, scripted } from './kit.js'

const END = { say: 'done' }

interface Case {
  readonly name: string
  readonly pre?: Partial<EventResult>
  readonly answer?: () => Authorization
  readonly tool?: Partial<Tool>
  readonly input?: Record<string, string>
  readonly calls?: string
  /** What happened in which order. */
  readonly order: readonly string[]
  readonly cause?: string
  readonly executed?: boolean
  readonly model: string
}

function circular(): JsonObject {
  const input: Record<string, JsonObject> = {}
  input['text'] = input
  return input
}

const cases: readonly Case[] = [
  {
    name: 'succeeds',
    order: ['PreToolUse', 'gate', 'run', 'PostToolUse'],
    executed: true,
    model: 'echo: hi',
  },
  {
    name: 'is blocked by a hook',
    pre: { block: { by: 'guard', reason: 'not today' } },
    order: ['PreToolUse', 'PostToolUseFailure'],
    cause: 'blocked',
    executed: false,
    model: '[hook guard] not today',
  },
  {
    name: 'is rewritten',
    pre: { updatedInput: { by: 'fixer', input: { text: 'better' } } },
    order: ['PreToolUse', 'gate', 'run', 'PostToolUse'],
    executed: true,
    model: 'echo: better\ninput of Echo was changed by hook fixer: {"text":"better"}',
  },
  {
    name: 'no longer fits after a rewrite',
    pre: { updatedInput: { by: 'fixer', input: { text: 5 } } },
    order: ['PreToolUse', 'PostToolUseFailure'],
    cause: 'invalid',
    executed: false,
    model:
      'input of Echo was changed by hook fixer and can no longer be used. The input does not fit the schema of Echo:\n- /text must be string',
  },
  {
    name: 'is denied',
    answer: () => denied(),
    order: ['PreToolUse', 'gate', 'PostToolUseFailure'],
    cause: 'denied',
    executed: false,
    model: 'model: a rule denies it',
  },
  {
    name: 'meets a gate that crashes',
    answer: () => {
      throw new Error('no rules')
    },
    order: ['PreToolUse', 'gate', 'PostToolUseFailure'],
    cause: 'denied',
    executed: false,
    model: 'Echo was not permitted: the permission check failed. Do without it.',
  },
  {
    name: 'meets a gate that gives no answer',
    answer: () => undefined as never,
    order: ['PreToolUse', 'gate', 'PostToolUseFailure'],
    cause: 'denied',
    executed: false,
    model: 'Echo was not permitted: the permission check failed. Do without it.',
  },
  {
    name: 'is rewritten to something that never ends',
    pre: { updatedInput: { by: 'fixer', input: circular() } },
    order: ['PreToolUse', 'PostToolUseFailure'],
    cause: 'invalid',
    executed: false,
    model:
      'input of Echo was changed by hook fixer and can no longer be used. The input of Echo is nested deeper than 200 levels.',
  },
  {
    name: 'is rewritten to something that is no JSON',
    tool: { inputSchema: { type: 'object' } },
    pre: { updatedInput: { by: 'fixer', input: { text: 1n } as never } },
    order: ['PreToolUse', 'PostToolUseFailure'],
    cause: 'invalid',
    executed: false,
    model:
      'input of Echo was changed by hook fixer and can no longer be used. The input of Echo holds a bigint, which is no JSON.',
  },
  {
    name: 'crashes',
    tool: {
      run: () => {
        throw new Error('boom')
      },
    },
    order: ['PreToolUse', 'gate', 'run', 'PostToolUseFailure'],
    cause: 'crashed',
    executed: true,
    model: 'Echo crashed: boom',
  },
  {
    name: 'gives no result at all',
    tool: { run: async () => undefined as never },
    order: ['PreToolUse', 'gate', 'run', 'PostToolUseFailure'],
    cause: 'crashed',
    executed: true,
    model: 'Echo crashed: it gave no result with a list of content blocks',
  },
  ...[[null], [{ text: 'no type' }], [{ type: 'text' }], [{ type: 'resource' }]].map((content) => ({
    name: `gives ${JSON.stringify(content)} for a result`,
    tool: { run: async () => ({ content, isError: false }) as never },
    order: ['PreToolUse', 'gate', 'run', 'PostToolUseFailure'],
    cause: 'crashed' as const,
    executed: true,
    model: 'Echo crashed: it gave no result with a list of content blocks',
  })),
  {
    name: 'answers with an error',
    tool: { run: async () => ({ content: [{ type: 'text', text: 'no such file' }], isError: true }) },
    order: ['PreToolUse', 'gate', 'run', 'PostToolUseFailure'],
    cause: 'remote',
    executed: true,
    model: 'no such file',
  },
  {
    name: 'names an unknown tool',
    calls: 'Ecko',
    order: [],
    model: 'There is no tool Ecko. Did you mean Echo?',
  },
  {
    name: 'does not fit the schema',
    input: { txt: 'hi' },
    order: [],
    model:
      'The input does not fit the schema of Echo:\n- the input must have required property \'text\'\n- the input must NOT have additional properties ("txt")',
  },
]

describe('a call', () => {
  it.each(cases)('that $name takes its steps in order and ends once', async (each) => {
    const order: string[] = []
    const step =
      <A extends readonly unknown[], R>(name: string, take: (...args: A) => R) =>
      (...args: A): R => {
        order.push(name)
        return take(...args)
      }
    const echo = echoTool('Echo', each.tool)
    const interceptor = hooks({
      PreToolUse: step('PreToolUse', () => each.pre),
      PostToolUse: step('PostToolUse', () => undefined),
      PostToolUseFailure: step('PostToolUseFailure', () => undefined),
    })
    const { session, events, clock } = await play({
      model: scripted({ calls: [{ tool: each.calls ?? 'Echo', input: each.input ?? { text: 'hi' } }] }, END),
      interceptor,
      gate: gate(step('gate', () => (each.answer ?? allowed)())),
      tools: [{ ...echo, run: step('run', echo.run) }],
    })

    expect(order).toEqual(each.order)
    expect(resultTexts(session)).toEqual([each.model])
    const failure = interceptor.log.find(({ event }) => event === 'PostToolUseFailure')
    if (each.cause === undefined) expect(failure).toBeUndefined()
    else expect(failure?.payload).toMatchObject({ cause: each.cause, executed: each.executed, error: each.model })
    expect(endsOf(events)).toEqual([
      each.order.length === 0
        ? { type: 'tool_rejected', reason: each.model }
        : { type: 'tool_result', executed: each.executed, is_error: each.cause !== undefined },
    ])
    expect(clock.pending).toBe(0)
  })
})

function endsOf(events: readonly RunEvent[]): readonly object[] {
  return events.flatMap((event): object[] => {
    if (event.type === 'tool_rejected') return [{ type: event.type, reason: event.reason }]
    if (event.type === 'tool_result') return [{ type: event.type, executed: event.executed, is_error: event.is_error }]
    return []
  })
}
