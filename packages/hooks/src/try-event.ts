import { formatPlace } from '@ext/kernel'
import type {
  EventResult,
  HookRun,
  JsonObject,
  LifecycleEvent,
  LifecyclePayloads,
  SessionRef,
} from '@ext/kernel/contract'
import { eventNamed } from './event-names.js'
import type { EndedRun } from './ledger.js'
import type { LoadedHook } from './match/listeners.js'
import { Subject } from './match/subject.js'
import { completePayload } from './run/payload.js'
import { Watch } from './run/watch.js'
import { samplePayload } from './sample.js'
import { Session, type SessionHost } from './session.js'
import type { TryOptions, TryProblem } from './try-hook.js'

/** What came of an event that was fired for a try. */
export interface TriedEvent {
  readonly event: LifecycleEvent
  readonly payload: JsonObject
  /** Ids of the hooks that fit, in the order in which they are folded. */
  readonly matched: readonly string[]
  /** What became of each that was asked; one that was asked again about a rewritten input has two. */
  readonly runs: readonly TriedRun[]
  /** What the agent would have done with all of it. */
  readonly effect: EventResult
}

export interface TriedRun extends HookRun {
  /** As in `list()`. */
  readonly id: string
}

/**
 * Fires one event as a session of its own would, in which all skills with hooks are active. Hooks that nobody waits for are
 * waited for, but have no say.
 */
export async function tryEvent(
  asked: LifecycleEvent,
  loaded: readonly LoadedHook[],
  host: SessionHost,
  { payload: given = {}, signal }: TryOptions,
): Promise<TriedEvent | TryProblem> {
  const inAgent = loaded.length > 0 && loaded.every(({ value }) => value.owner?.kind === 'agent')
  // The end of an agent is a Stop to its own hooks.
  const event = asked === 'Stop' && inAgent ? 'SubagentStop' : asked
  const named = given['hook_event_name']
  if (
    named !== undefined &&
    (typeof named !== 'string' || ![event, asked].some((each) => eventNamed(named)?.event === each))
  ) {
    return { problem: `The payload is of ${String(named)}, not of ${event}.` }
  }
  const ref = sessionOf(given, loaded, host.root)
  const own = ownPayload(event, given, ref)
  const skills = loaded.flatMap(({ source, value }) => (value.owner?.kind === 'skill' ? (source.file ?? []) : []))
  const listeners = host.index().get(event)
  const scope = { ...(ref.agent ? { agent: ref.agent.type } : {}), skills: () => skills }
  const payload = completePayload(event, own, ref, host.ports.clock.now())
  const matched = listeners?.matching(new Subject(payload, ref.cwd, scope, () => payload)) ?? []

  const watch = new Recorder({ clock: host.ports.clock, ledger: undefined, tracer: undefined })
  const session = new Session(ref, { ...host, watch }, { activeSkills: () => skills })
  const effect = (await session.fire(event, () => own, signal ? { signal } : {})) ?? NOTHING
  const unwaited = matched.filter(({ value }) => value.background)
  await watch.haveEnded(unwaited, signal)
  const known = new Map([...loaded, ...watch.ends.map((end) => end.loaded)].map((hook) => [placeOf(hook), hook.id]))
  const runs = effect.runs.map((run): TriedRun => {
    const id = known.get(`${run.hook} ${run.source ? formatPlace(run.source) : ''}`) ?? run.hook
    const later = run.cause === 'async' ? watch.ends.find((end) => end.loaded.id === id) : undefined
    return { ...(later?.run ?? run), id }
  })
  return {
    event,
    payload: payload as unknown as JsonObject,
    matched: matched.map(({ id }) => id),
    runs,
    effect,
  }
}

const NOTHING: EventResult = Object.freeze({ runs: [], context: [], notices: [] })

/** What was given, and a sample of what was not; the input of a tool fits its name. */
function ownPayload<E extends LifecycleEvent>(
  event: E,
  given: JsonObject,
  { agent }: SessionRef,
): LifecyclePayloads[E] {
  const { tool_name: tool } = given
  const sample = samplePayload(event, typeof tool === 'string' && tool !== '' ? { matcher: tool } : {})
  const about = agent && 'agent_type' in sample ? { agent_id: agent.id, agent_type: agent.type } : {}
  return { ...sample, ...about, ...given, hook_event_name: event } as unknown as LifecyclePayloads[E]
}

/** In a sub-agent, where the payload says so, or where hooks of an agent are all that there is. */
function sessionOf(given: JsonObject, loaded: readonly LoadedHook[], root: string): SessionRef {
  const text = (field: string) => {
    const value = given[field]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const owners = loaded.map(({ value }) => (value.owner?.kind === 'agent' ? value.owner.name : undefined))
  const type = text('agent_type') ?? (owners.includes(undefined) ? undefined : owners[0])
  return {
    id: text('session_id') ?? 'test',
    cwd: text('cwd') ?? root,
    origin: type === undefined ? 'main' : 'agent',
    permissionMode: 'default',
    ...(type === undefined ? {} : { agent: { id: text('agent_id') ?? 'test', type } }),
  }
}

function placeOf({ name, value }: LoadedHook): string {
  return `${name} ${formatPlace(value.place())}`
}

/** Keeps what each hook came to, for whoever tries them, and tells nobody else. */
class Recorder extends Watch {
  readonly ends: EndedRun[] = []
  #heard = () => {}

  override ended(ended: EndedRun): undefined {
    this.#add(ended)
  }

  override skipped(skipped: EndedRun): void {
    this.#add(skipped)
  }

  override aborted(ended: EndedRun): void {
    this.#add(ended)
  }

  /** Waits for hooks that run beside; each has a time-out of its own. */
  async haveEnded(hooks: readonly LoadedHook[], signal: AbortSignal | undefined): Promise<void> {
    const isMissing = ({ id }: LoadedHook) => !this.ends.some(({ loaded }) => loaded.id === id)
    while (hooks.some(isMissing) && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve
        signal?.addEventListener('abort', () => resolve(), { once: true })
      })
    }
    signal?.throwIfAborted()
  }

  #add(end: EndedRun): void {
    this.ends.push(end)
    this.#heard()
  }
}
