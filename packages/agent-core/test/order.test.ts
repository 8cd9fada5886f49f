import type { Authorization, EventResult, JsonObject, ToolResult } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { Durable } from '../src/types.js'
import { allowed, denied, echoTool, gate, hooks, scripted, settle, setUp } from './kit.js'

/** What is the case in one row. Whatever is not given goes well. */
interface Way {
  readonly ends: string
  readonly input?: JsonObject
  readonly tool?: string
  readonly pre?: Partial<EventResult>
  readonly permission?: () => Authorization | Promise<Authorization>
  readonly result?: () => Promise<ToolResult>
  /** Happens once everything waits. */
  readonly meanwhile?: 'abort' | 'time'
  /** What is recorded of the call, in order. */
  readonly order: readonly string[]
  /** Of the Post event. */
  readonly post?: JsonObject
  /** What the model reads. */
  readonly told: string
}

const by = 'guard'
const hang = () => new Promise<never>(() => {})
const FAILURE = 'PostToolUseFailure'

const ways: readonly Way[] = [
  {
    ends: 'done',
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', 'run hi', 'PostToolUse', 'tool_result'],
    told: 'echo: hi',
  },
  {
    ends: 'done with the input that a hook gave it',
    pre: { updatedInput: { by, input: { text: 'new' } } },
    order: ['tool_call', 'PreToolUse', 'gate new', 'permission', 'run new', 'PostToolUse', 'tool_result'],
    told: 'echo: new\ninput of Echo was changed by hook guard: {"text":"new"}',
  },
  {
    ends: 'done with the input that was allowed in its place',
    permission: () => ({ ...allowed(), answeredBy: 'user', updatedInput: { by: 'user', input: { text: 'new' } } }),
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', 'run new', 'PostToolUse', 'tool_result'],
    told: 'echo: new\ninput of Echo was changed by user: {"text":"new"}',
  },
  {
    ends: 'unknown',
    tool: 'Ecko',
    order: ['tool_call', 'tool_rejected'],
    told: 'There is no tool Ecko. Did you mean Echo?',
  },
  {
    ends: 'invalid',
    input: { txt: 'hi' },
    order: ['tool_call', 'tool_rejected'],
    told: expect.stringContaining('The input does not fit the schema of Echo:') as unknown as string,
  },
  {
    ends: 'blocked',
    pre: { block: { by, reason: 'not now' } },
    order: ['tool_call', 'PreToolUse', FAILURE, 'tool_result'],
    post: { cause: 'blocked', executed: false },
    told: '[hook guard] not now',
  },
  {
    ends: 'invalid after a rewrite',
    pre: { updatedInput: { by, input: { text: 1 } } },
    order: ['tool_call', 'PreToolUse', FAILURE, 'tool_result'],
    post: { cause: 'invalid', executed: false },
    told: expect.stringContaining('was changed by hook guard and can no longer be used') as unknown as string,
  },
  {
    ends: 'denied',
    permission: () => denied(),
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', 'PermissionDenied', FAILURE, 'tool_result'],
    post: { cause: 'denied', executed: false },
    told: 'model: a rule denies it',
  },
  {
    ends: 'denied by a gate that fails',
    permission: () => {
      throw new Error('out of order')
    },
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', 'PermissionDenied', FAILURE, 'tool_result'],
    post: { cause: 'denied', executed: false },
    told: 'Echo was not permitted: the permission check failed. Do without it.',
  },
  {
    ends: 'invalid in the form in which it was allowed',
    permission: () => ({ ...allowed(), updatedInput: { by: 'user', input: { text: 1 } } }),
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', FAILURE, 'tool_result'],
    post: { cause: 'invalid', executed: false },
    told: expect.stringContaining('was changed by user and can no longer be used') as unknown as string,
  },
  {
    ends: 'aborted while somebody is asked',
    permission: hang,
    meanwhile: 'abort',
    order: ['tool_call', 'PreToolUse', 'gate hi', FAILURE, 'tool_result'],
    post: { cause: 'aborted', executed: false },
    told: 'The run was aborted before Echo ran.',
  },
  {
    ends: 'aborted while it runs',
    result: hang,
    meanwhile: 'abort',
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', 'run hi', FAILURE, 'tool_result'],
    post: { cause: 'aborted', executed: true },
    told: 'The run was aborted while Echo ran.',
  },
  {
    ends: 'timed out',
    result: hang,
    meanwhile: 'time',
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', 'run hi', FAILURE, 'tool_result'],
    post: { cause: 'timeout', executed: true, duration_ms: 5000 },
    told: 'Echo was ended: it ran longer than 5000 ms.',
  },
  {
    ends: 'crashed',
    result: async () => {
      throw new Error('no memory')
    },
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', 'run hi', FAILURE, 'tool_result'],
    post: { cause: 'crashed', executed: true, error: 'Echo crashed: no memory' },
    told: 'Echo crashed: no memory',
  },
  {
    ends: 'failed at the tool',
    result: async () => ({ content: [{ type: 'text', text: 'no such file' }], isError: true }),
    order: ['tool_call', 'PreToolUse', 'gate hi', 'permission', 'run hi', FAILURE, 'tool_result'],
    post: { cause: 'remote', executed: true, error: 'no such file' },
    told: 'no such file',
  },
]

const OF_CALLS = ['tool_call', 'tool_rejected', 'tool_result', 'permission']
const HOOKS_OF_CALLS = ['PreToolUse', 'PermissionDenied', 'PostToolUse', FAILURE]

interface Where {
  readonly agent: 'main loop' | 'sub-agent'
  readonly batch: 'single' | 'in a batch'
}

/** Plays one call, alone or with another before and behind it, in the run itself or in a sub-agent. */
async function record(way: Way, { agent, batch }: Where) {
  const log: string[] = []
  const posts: JsonObject[] = []
  /** The id of the call that counts: the others go well and are not noted. */
  const id = batch === 'single' ? 'call_1_1' : 'call_1_2'
  const own = agent === 'main loop' ? undefined : 'worker'
  const interceptor = hooks({
    ...Object.fromEntries(
      HOOKS_OF_CALLS.map((event) => [
        event,
        (payload: JsonObject, _: unknown, ref: { agent?: { type: string } }) => {
          if (payload['tool_use_id'] !== id || ref.agent?.type !== own) return {}
          log.push(event)
          if (event.startsWith('Post')) posts.push(payload)
          return event === 'PreToolUse' ? way.pre : {}
        },
      ]),
    ),
  })
  const echo = echoTool('Echo')
  const run: typeof echo.run = async (input, context) => {
    if (context.callId !== id) return echo.run(input, context)
    log.push(`run ${input['text']}`)
    return way.result ? way.result() : echo.run(input, context)
  }
  const other = { tool: 'Echo', input: { text: 'other' } }
  const call = { tool: way.tool ?? 'Echo', input: way.input ?? { text: 'hi' } }
  const calls = batch === 'single' ? [call] : [other, call, other]
  const turns = [{ calls }, { say: 'done' }]
  const start = { calls: [{ tool: 'agent', input: { type: 'worker', prompt: 'work' } }] }
  const child = scripted(...turns)
  const { session, clock } = await setUp({
    model: agent === 'main loop' ? scripted(...turns) : scripted(start, { say: 'done' }),
    models: () => child,
    agents: [{ name: 'worker', description: 'Works.', prompt: 'You work.', model: 'child' }],
    tools: [{ ...echo, run }],
    interceptor,
    limits: { toolTimeoutMs: 5000, unknownToolsInARow: 1000 },
    gate: gate(({ call: { id: asked, input, name } }) => {
      if (name === 'agent' || asked !== id) return allowed()
      log.push(`gate ${input['text']}`)
      return way.permission ? way.permission() : allowed()
    }),
  })
  const results = new Map<string, string>()
  const durable: Durable = {
    step: (_, fn) => fn(),
    now: () => clock.now(),
    uuid: () => 'run',
    emit(event) {
      if (!('tool_use_id' in event) || event.tool_use_id !== id || event.agent_type !== own) return
      if (OF_CALLS.includes(event.type)) log.push(event.type)
      if (event.type === 'tool_rejected') results.set(id, event.reason)
      if (event.type === 'tool_result') {
        results.set(id, event.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'))
      }
    },
  }
  const controller = new AbortController()
  const playing = session.run('go', { signal: controller.signal, durable })
  if (way.meanwhile) {
    await settle()
    if (way.meanwhile === 'abort') controller.abort()
    else clock.advance(5000)
  }
  const result = await playing.result
  return { log, posts, told: results.get(id), reason: result.reason, pending: clock.pending }
}

const places: readonly Where[] = (['main loop', 'sub-agent'] as const).flatMap((agent) =>
  (['single', 'in a batch'] as const).map((batch) => ({ agent, batch })),
)

describe.each(places)('a call of the $agent, $batch,', (where) => {
  it.each(ways)('that is $ends has its events in this order', async (way) => {
    const { log, posts, told, reason, pending } = await record(way, where)
    expect(log).toEqual(way.order)
    expect(posts.length).toBe(way.order.filter((step) => step.startsWith('Post')).length)
    if (way.post) expect(posts[0]).toMatchObject(way.post)
    expect(told).toEqual(way.told)
    expect(reason).toBe(way.meanwhile === 'abort' ? 'aborted' : 'done')
    expect(pending).toBe(0)
  })
})
