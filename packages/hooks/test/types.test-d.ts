import type { EventResult, LifecycleEvent, LifecyclePayloads, SessionRef, ToolTable } from '@ext/kernel/contract'
import { expectTypeOf, test } from 'vitest'
import { createHooks, events } from '../src/index.js'
import type {
  EventRow,
  HookSession,
  Hooks,
  HooksOptions,
  ListedHook,
  SessionOptions,
  TriedHook,
  TryProblem,
} from '../src/types.js'

test('an embedder gets hooks, sessions and folded answers', () => {
  expectTypeOf(createHooks).parameter(0).toEqualTypeOf<HooksOptions>()
  expectTypeOf(createHooks).returns.resolves.toEqualTypeOf<Hooks>()
  expectTypeOf<HooksOptions['tools']>().toEqualTypeOf<ToolTable | undefined>()
  expectTypeOf<Hooks['session']>().parameter(0).toEqualTypeOf<SessionRef>()
  expectTypeOf<ReturnType<HookSession['fire']>>().toEqualTypeOf<undefined | Promise<EventResult>>()
})

test('an embedder says which skills are active, lists hooks and tries one', () => {
  expectTypeOf<Hooks['session']>().parameter(1).toEqualTypeOf<SessionOptions | undefined>()
  expectTypeOf<SessionOptions['activeSkills']>().toEqualTypeOf<(() => readonly string[]) | undefined>()
  expectTypeOf<Hooks['list']>().returns.toEqualTypeOf<readonly ListedHook[]>()
  expectTypeOf<Hooks['try']>().returns.resolves.toEqualTypeOf<TriedHook | TryProblem | undefined>()
})

test('the payload has to fit the event', () => {
  const session = {} as HookSession
  expectTypeOf(session.fire<'Stop'>)
    .parameter(1)
    .toEqualTypeOf<() => LifecyclePayloads['Stop']>()
  // @ts-expect-error a prompt is no payload of Stop
  void (() => session.fire('Stop', () => ({ prompt: 'x' })))
  // @ts-expect-error nobody fires this
  void (() => session.fire('TaskCreated', () => ({})))
})

test('there is a row for every event that the contract knows', () => {
  expectTypeOf(events).toEqualTypeOf<Readonly<Record<LifecycleEvent, EventRow>>>()
})
