import type {
  EventResult,
  HookRun,
  JsonObject,
  LifecycleEvent,
  LifecyclePayloads,
  SessionRef,
} from '@ext/kernel/contract'
import { eventNamed } from './event-names.js'
import { events } from './events.js'
import { fold } from './fold.js'
import { Listeners, type LoadedHook } from './match/listeners.js'
import { Subject } from './match/subject.js'
import type { ActionResult } from './protocol/types.js'
import type { ActionHost } from './run/actions/action.js'
import { runAction } from './run/actions/index.js'
import { readResult } from './run/answer.js'
import { Delivery } from './run/delivery.js'
import { completePayload } from './run/payload.js'
import { samplePayload } from './sample.js'

export interface TryOptions {
  /** What the event brings, as it was recorded or in parts. Default: a generated one. */
  readonly payload?: JsonObject
  readonly signal?: AbortSignal
}

/** What came of one hook that was run for a try. */
export interface TriedHook {
  readonly event: LifecycleEvent
  readonly payload: JsonObject
  /** Whether the hook would have run for this payload. */
  readonly fits: boolean
  /** What its action came to, before anything was read from it. */
  readonly protocol: ActionResult
  readonly run: HookRun
  /** What the agent would have done with it. */
  readonly effect: EventResult
}

/** Why a hook can't be tried with a payload. */
export interface TryProblem {
  readonly problem: string
}

/** Runs one hook as its event would, also one that would not have run for this payload. */
export async function tryHook(
  loaded: LoadedHook,
  host: ActionHost,
  { payload: given = {}, signal = new AbortController().signal }: TryOptions,
): Promise<TriedHook | TryProblem> {
  const { event, owner } = loaded.value
  const named = given['hook_event_name']
  if (named !== undefined && (typeof named !== 'string' || eventNamed(named)?.event !== event)) {
    return { problem: `The payload is of ${String(named)}, and the hook listens to ${event}.` }
  }
  const session: SessionRef = {
    id: typeof given['session_id'] === 'string' && given['session_id'] !== '' ? given['session_id'] : 'test',
    cwd: typeof given['cwd'] === 'string' && given['cwd'] !== '' ? given['cwd'] : host.root,
    origin: owner?.kind === 'agent' ? 'agent' : 'main',
    permissionMode: 'default',
    ...(owner?.kind === 'agent' ? { agent: { id: 'test', type: owner.name } } : {}),
  }
  const own = {
    ...samplePayload(event, loaded.value.written),
    ...given,
  } as unknown as LifecyclePayloads[LifecycleEvent]
  const payload = completePayload(event, own, session, host.ports.clock.now())
  const scope = { ...(session.agent ? { agent: session.agent.type } : {}), skills: () => [loaded.source.file ?? ''] }
  const subject = new Subject(payload, session.cwd, scope, () => payload)
  const fits = new Listeners([loaded], events[event].matcherField).matching(subject).length > 0
  const protocol = await runAction(loaded, new Delivery(payload, session, host.root, signal), host)
  signal.throwIfAborted()
  const answer = readResult(loaded, payload, protocol, { wakes: loaded.value.background === 'rewake' })
  return {
    event,
    payload: payload as unknown as JsonObject,
    fits,
    protocol,
    run: answer.run,
    effect: fold(event, [answer], [answer.run]),
  }
}
