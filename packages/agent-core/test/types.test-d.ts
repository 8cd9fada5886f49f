import type { Authorization, EventResult, LifecyclePayloads, SessionRef } from '@ext/kernel/contract'
import { expectTypeOf, test } from 'vitest'
import { fileSessionStore } from '../src/node/index.js'
import type { Extension, ExtensionSession, Interceptor, RunEvent, SessionEvent, SessionStore } from '../src/types.js'

test('a run event is told apart by its type', () => {
  const event = {} as RunEvent
  if (event.type === 'tool_result') expectTypeOf(event.executed).toEqualTypeOf<boolean>()
  if (event.type === 'permission') expectTypeOf(event.answeredBy).toEqualTypeOf<Authorization['answeredBy']>()
  // @ts-expect-error only a tool result has it
  event.executed
})

test('an interceptor gets the payload of its event', () => {
  const fire = {} as ReturnType<Interceptor['session']>['fire']
  expectTypeOf(fire<'Stop'>)
    .parameter(1)
    .toEqualTypeOf<() => LifecyclePayloads['Stop']>()
  expectTypeOf(fire<'Stop'>).returns.toEqualTypeOf<undefined | Promise<EventResult>>()
  // @ts-expect-error not an event
  fire('Nothing', () => ({}), {})
})

test('an extension may bring tools, texts, both or nothing', () => {
  expectTypeOf<{ tools: () => [] }>().toExtend<ExtensionSession>()
  expectTypeOf<{ context: () => [] }>().toExtend<ExtensionSession>()
  expectTypeOf<{ session: (ref: SessionRef) => Record<never, never> }>().toExtend<Extension>()
})

test('an extension may keep a state, and say what of it is missing', () => {
  expectTypeOf<{ state: () => { a: 1 }; restore: (saved: unknown) => void }>().toExtend<ExtensionSession>()
  expectTypeOf<{ restore: (saved: unknown) => { missing: string[] } }>().toExtend<ExtensionSession>()
})

test('a store gives events that are told apart by their type', () => {
  expectTypeOf(fileSessionStore).returns.toExtend<SessionStore>()
  const event = {} as SessionEvent
  if (event.type === 'start') expectTypeOf(event.call).toEqualTypeOf<string>()
  // @ts-expect-error only the start of a call has it
  event.call
})
