import type {
  AgentRunner,
  Authorization,
  AuthorizeOptions,
  AuthorizeRequest,
  EventResult,
  JsonObject,
  LifecycleEvent,
  LifecyclePayloads,
  Opinion,
  SessionRef,
  Tool,
  ToolAnnotations,
} from '@ext/kernel/contract'
import { type FakeClock, fakeClock } from '@ext/kernel/testing'
import { createAgent, defineTool } from '../src/index.js'
import { type ScriptTurn, scriptedModel } from '../src/scripted/index.js'
import type {
  Agent,
  AgentOptions,
  AgentSession,
  Gate,
  Interceptor,
  Model,
  ModelEvent,
  ModelRequest,
  RunEvent,
  RunResult,
} from '../src/types.js'

export const CWD = '/srv'

/** One event as a hook saw it. */
export type Fired = {
  [E in LifecycleEvent]: { readonly event: E; readonly payload: LifecyclePayloads[E] }
}[LifecycleEvent]

type Answers = {
  readonly [E in LifecycleEvent]?: (
    payload: LifecyclePayloads[E],
    signal: AbortSignal | undefined,
    ref: SessionRef,
  ) => Partial<EventResult> | Promise<Partial<EventResult>> | undefined
}

/** Listens to everything, notes it in `log`, and answers as told. */
export function hooks(answers: Answers = {}): Interceptor & { readonly log: Fired[] } {
  const log: Fired[] = []
  return {
    log,
    session: (ref) => ({
      async fire(event, payload, { signal }) {
        const value = payload()
        log.push({ event, payload: value } as Fired)
        const answer = await answers[event]?.(value, signal, ref)
        return { runs: [], context: [], notices: [], ...answer }
      },
    }),
  }
}

/** Hooks that have sub-agents run: `listen` gets the runner of the agent that has joined. */
export function runnerHooks(
  listen: (runner: AgentRunner, event: LifecycleEvent, ref: SessionRef) => Promise<unknown> | undefined,
): { readonly interceptor: Interceptor; join(agent: Agent): void } {
  let runner: AgentRunner | undefined
  return {
    join: (agent) => {
      runner = agent.runner
    },
    interceptor: {
      session: (ref) => ({
        async fire(event) {
          if (runner) await listen(runner, event, ref)
          return { runs: [], context: [], notices: [] }
        },
      }),
    },
  }
}

export function allowed(reason = 'a rule allows it'): Authorization {
  return authorization('allow', reason)
}

export function denied(reason = 'a rule denies it'): Authorization {
  return authorization('deny', reason)
}

export function authorization(behavior: 'allow' | 'deny', reason: string): Authorization {
  return {
    behavior,
    decision: { behavior, decidedBy: { layer: 'rules' }, reason, modelReason: `model: ${reason}`, trace: [] },
    answeredBy: 'rules',
    reason,
    modelReason: `model: ${reason}`,
    waitMs: 0,
    notices: [],
  }
}

export interface Asked extends AuthorizeRequest {
  readonly opinion: Opinion | undefined
  readonly options: AuthorizeOptions
}

export function gate(
  answer: (asked: Asked, signal: AbortSignal | undefined) => Authorization | Promise<Authorization> = () => allowed(),
): Gate & { readonly log: Asked[] } {
  const log: Asked[] = []
  return {
    log,
    session: () => ({
      async authorize(request, options) {
        const asked = { ...request, opinion: options.opinion, options }
        log.push(asked)
        return answer(asked, options.signal)
      },
    }),
  }
}

/** Repeats its `text`, and notes each input in `ran`. */
export function echoTool(name = 'Echo', more: Partial<Tool> = {}): Tool & { readonly ran: JsonObject[] } {
  const ran: JsonObject[] = []
  return {
    ...defineTool({
      name,
      description: 'Repeats a text.',
      kind: 'exec',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
      async run(input) {
        ran.push(input)
        return `echo: ${input.text}`
      },
    }),
    ...more,
    ran,
  }
}

/** Annotations of a tool that only reads. */
export const READS: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

/** Plays a script and notes what it was sent. */
export function scripted(...turns: readonly ScriptTurn[]): Model & { readonly requests: ModelRequest[] } {
  return recorded(scriptedModel({ turns }))
}

export function recorded(model: Model): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    id: model.id,
    requests,
    stream(request, options) {
      requests.push(request)
      return model.stream(request, options)
    },
  }
}

/** Gives the events of each turn; a function is called when the stream gets there. */
export function modelOf(...turns: readonly (readonly (ModelEvent | (() => Promise<unknown>))[])[]): Model & {
  readonly requests: ModelRequest[]
} {
  let turn = 0
  return recorded({
    id: 'test-model',
    async *stream() {
      for (const event of turns[turn++] ?? []) {
        if (typeof event === 'function') await event()
        else yield event
      }
    },
  })
}

/** @property gate default: allows everything; `undefined` is an agent without one */
export type AgentSetup = Omit<AgentOptions, 'ports' | 'gate'> & { readonly gate?: Gate | undefined }

export interface Setup {
  readonly agent: Agent
  readonly session: AgentSession
  readonly clock: FakeClock
}

/** A session with a clock that stands still and a gate that allows everything, unless told otherwise. */
export async function setUp(options: AgentSetup): Promise<Setup> {
  const clock = fakeClock(Date.UTC(2026, 0, 1))
  let ids = 0
  const { gate: permission, ...others } = { gate: gate(), ...options }
  const agent = await createAgent({
    ids: () => `id-${++ids}`,
    ...others,
    ...(permission && { gate: permission }),
    ports: { clock },
  })
  return { agent, session: agent.session({ cwd: CWD }), clock }
}

export interface Played extends Setup {
  readonly events: readonly RunEvent[]
  readonly result: RunResult
}

/** One run from its prompt to its end. */
export async function play(options: AgentSetup, prompt = 'go'): Promise<Played> {
  const setup = await setUp(options)
  const run = setup.session.run(prompt)
  const events = await collect(run)
  return { ...setup, events, result: await run.result }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export function ofType<T extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: T,
): Extract<RunEvent, { type: T }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type)
}

/** All text that the model got as results, turn by turn. */
export function resultTexts(session: AgentSession): readonly string[] {
  return session.messages.flatMap((message) =>
    message.role === 'tool'
      ? message.results.map(({ content }) =>
          content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'),
        )
      : [],
  )
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 500; round++) await Promise.resolve()
}

/** What a promise gives by now, or that it is open. */
export async function byNow<T>(promise: Promise<T>): Promise<T | 'open'> {
  return Promise.race([promise, settle().then(() => 'open' as const)])
}

/** What plain JavaScript can hand over in the place of anything. */
export function nonsense(value: unknown): never {
  return value as never
}

export const never = (): Promise<never> => new Promise(() => {})
