import type { JsonObject } from '@ext/kernel/contract'
import { expectTypeOf, test } from 'vitest'
import type { ScriptHandlers } from '../src/author/index.js'
import { runHook } from '../src/author/index.js'
import { defineHook } from '../src/index.js'
import type { FunctionHook, HookModel, HookReply, LifecycleEvent, Payload, Replies } from '../src/types.js'

test('a function gets the payload of its event and the replies that count there', () => {
  const hook = defineHook('PreToolUse', (payload, { reply, signal }) => {
    expectTypeOf(payload).toEqualTypeOf<Payload<'PreToolUse'>>()
    expectTypeOf(payload.tool_input).toEqualTypeOf<JsonObject>()
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
    expectTypeOf<keyof typeof reply>().toEqualTypeOf<
      'message' | 'stop' | 'all' | 'deny' | 'ask' | 'allow' | 'context' | 'rewrite'
    >()
    return reply.rewrite({ command: 'ls' })
  })
  expectTypeOf(hook).toEqualTypeOf<FunctionHook>()
})

test('each event has the replies that its row in the table of events has', () => {
  type Names<E extends LifecycleEvent> = Exclude<keyof Replies<E>, 'message' | 'stop' | 'all'>
  expectTypeOf<Names<'SessionStart'>>().toEqualTypeOf<'block' | 'context'>()
  expectTypeOf<Names<'SessionEnd'>>().toEqualTypeOf<'block'>()
  expectTypeOf<Names<'BeforeModel'>>().toEqualTypeOf<'block' | 'context' | 'rewrite'>()
  expectTypeOf<Names<'AfterModel'>>().toEqualTypeOf<'block' | 'rewrite'>()
  expectTypeOf<Names<'PermissionRequest'>>().toEqualTypeOf<'deny' | 'allow'>()
  expectTypeOf<Names<'PermissionDenied'>>().toEqualTypeOf<'block' | 'retry'>()
  expectTypeOf<Names<'PostToolUse'>>().toEqualTypeOf<'block' | 'context' | 'rewrite'>()
  expectTypeOf<Names<'Stop'>>().toEqualTypeOf<'block' | 'context'>()
})

test('what has no effect at an event does not compile', () => {
  // @ts-expect-error the end of a session tells the model nothing
  defineHook('SessionEnd', (_payload, { reply }) => reply.context('bye'))
  // @ts-expect-error a stop is blocked, not denied
  defineHook('Stop', (_payload, { reply }) => reply.deny('no'))
  // @ts-expect-error a permission decision is one of calls
  defineHook('Stop', () => ({ hookSpecificOutput: { permissionDecision: 'deny' } }))
  // @ts-expect-error a text is no reply
  defineHook('Stop', () => 'no')
  // @ts-expect-error nobody fires this
  defineHook('TaskCreated', () => {})
  // @ts-expect-error a time-out has a unit
  defineHook('Stop', () => {}, { timeout: 5 })
  expectTypeOf<HookReply<'PostToolUse'>>().toHaveProperty('decision')
})

test('functions may answer nothing, and later', () => {
  defineHook('Stop', () => {})
  defineHook('Stop', async () => {})
  defineHook('Stop', () => undefined)
  defineHook('Stop', async (_payload, { reply }) => reply.block('go on'))
  defineHook('Stop', ({ iteration }, { reply }) => (iteration > 3 ? undefined : reply.block('go on')))
  defineHook('Stop', (_payload, { reply }) => ({ ...reply.block('go on'), ...reply.context('why') }))
})

test('scripts have a handler for each event', () => {
  expectTypeOf(runHook).parameter(0).toEqualTypeOf<ScriptHandlers>()
  const handlers: ScriptHandlers = {
    PreToolUse: ({ tool_name }, { reply }) => reply.ask(`${tool_name}?`),
    Stop() {},
  }
  expectTypeOf(handlers).toExtend<ScriptHandlers>()
  // @ts-expect-error a prompt is no field of Stop
  void ({ Stop: ({ prompt }) => void prompt } satisfies ScriptHandlers)
})

test('a model is whatever streams texts', () => {
  const model = {
    id: 'some-model',
    async *stream() {
      yield { type: 'text' as const, text: 'yes' }
      yield { type: 'usage' as const, inputTokens: 1, outputTokens: 1 }
    },
  }
  expectTypeOf(model).toExtend<HookModel>()
})
