import type { RunEvent } from '@ext/agent-core/types'
import type { EventOf } from '../events.js'
import type { Doctor, Explained, HooksDoctor, Machine, Trusted } from './machine.js'
import { type Call, hooksOf, type Project, playedCalls } from './projects.js'

/** All that is said of a project before it runs, and what then happens. */
export interface Story {
  readonly doctor: Doctor
  readonly hooks: HooksDoctor
  readonly trusted: Trusted
  readonly explained: readonly (Explained | undefined)[]
  readonly events: readonly RunEvent[]
}

export async function tell(machine: Machine, project: Project): Promise<Story> {
  const explained: (Explained | undefined)[] = []
  for (const call of project.calls) explained.push(await machine.explain(call))
  return {
    doctor: await machine.doctor(),
    hooks: await machine.hooksDoctor(),
    trusted: await machine.trusted(),
    explained,
    events: await machine.run(),
  }
}

/** Where what was said departs from what happened; nothing in a program that keeps its word. */
export function departures(project: Project, story: Story): readonly string[] {
  const calls = playedCalls(project)
  const happened = calls.map((_call, index) => new Happening(story.events, `call_${index + 1}_1`))
  return [
    ...calls.flatMap((call, index) => {
      const said = story.explained[index % project.calls.length]
      const what = `${call.tool} ${JSON.stringify(call.input)} (call ${index + 1})`
      const found = happened[index]
      if (!found) return [`${what}: it was not made`]
      const first = index < project.calls.length
      const problems = first
        ? ofCall(project, call, said, found)
        : ofRepeat(happened[index - project.calls.length], found, story.trusted)
      return problems.map((problem) => `${what}: ${problem}`)
    }),
    ...ofTrust(story, happened),
    ...ofDoctor(story, happened),
    ...(story.events.at(-1)?.type === 'result' ? [] : ['there is no result']),
  ]
}

/** What a run tells of one call. */
class Happening {
  readonly #events: readonly (RunEvent & { readonly tool_use_id?: string })[]

  constructor(events: readonly RunEvent[], id: string) {
    this.#events = events.filter((event) => 'tool_use_id' in event && event.tool_use_id === id)
  }

  #of<T extends RunEvent['type']>(type: T): readonly EventOf<T>[] {
    return this.#events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[]
  }

  get permission(): EventOf<'permission'> | undefined {
    return this.#of('permission')[0]
  }

  get result(): EventOf<'tool_result'> | undefined {
    return this.#of('tool_result')[0]
  }

  get rejected(): EventOf<'tool_rejected'> | undefined {
    return this.#of('tool_rejected')[0]
  }

  /** Names of the hooks that really ran before the call. */
  get ran(): readonly string[] {
    return this.#of('hook')
      .filter(({ event, outcome }) => event === 'PreToolUse' && outcome !== 'skipped')
      .map(({ hook }) => hook)
      .toSorted()
  }
}

function ofCall(project: Project, { tool }: Call, said: Explained | undefined, found: Happening): readonly string[] {
  if (!said) return found.rejected ? [] : ['nothing was said of it, and it was made']
  const isOffered = said.notOffered === undefined
  if (found.rejected) return isOffered ? [`it was said to be there, and rejected: ${found.rejected.reason}`] : []
  if (!isOffered) return [`${tool} was said not to be offered: ${said.notOffered}; and it was`]
  const runs = said.hooks.filter((each) => each.runs).map(({ name }) => name)
  const problems: string[] = []
  if (runs.toSorted().join() !== found.ran.join())
    problems.push(`hooks said to run: ${runs.join() || 'none'}; that ran: ${found.ran.join() || 'none'}`)
  const saying = hooksOf(project).filter(({ name }) => runs.includes(name))
  return [...problems, ...ofDecision(saying, said.permission, found)]
}

function ofDecision(
  saying: ReturnType<typeof hooksOf>,
  said: Explained['permission'],
  { permission, result }: Happening,
): readonly string[] {
  const blocks = saying.some(
    ({ saying: what, failureBlocks, file }) =>
      what === 'deny' || (what === 'rude' && failureBlocks && file.endsWith('.yaml')),
  )
  if (blocks) return permission || result?.executed ? ['a hook blocked it, and it went on'] : []
  if (!permission) return ['permission was not asked']
  const opinion = ['ask', 'allow'].find((what) => saying.some((each) => each.saying === what))
  const { behavior, decidedBy, answeredBy } = permission
  const got = `${behavior} by ${describe(decidedBy)}, answered by ${answeredBy}`
  const wanted = `said: ${said.behavior} by ${describe(said.decidedBy)}; happened: ${got}`
  const same = describe(decidedBy) === describe(said.decidedBy)
  const asked = behavior === 'deny' && answeredBy === 'nobody'
  if (said.behavior === 'deny') return behavior === 'deny' && same ? [] : [wanted]
  if (opinion === 'ask') return asked ? [] : [`a hook asked; ${wanted}`]
  if (said.behavior === 'allow') return behavior === 'allow' && (same || opinion === 'allow') ? [] : [wanted]
  if (behavior === 'allow') return opinion === 'allow' && decidedBy.layer === 'opinion' ? [] : [wanted]
  return asked && same ? [] : [wanted]
}

/** The same call once more, with a skill at work: its limits hold at once, what it allows once it is approved. */
function ofRepeat(before: Happening | undefined, after: Happening, trusted: Trusted): readonly string[] {
  const { behavior, decidedBy } = after.permission ?? {}
  // A rule of a file has its place; what a skill allows in advance has none.
  const ofSkill = decidedBy?.rule !== undefined && decidedBy.source?.file === undefined
  if (decidedBy?.layer === 'terms' || ofSkill) {
    const waits = trusted.pending.some(({ kind, name }) => kind === 'skills' && name === 'it')
    return waits && behavior === 'allow' ? ['the skill waits for approval, and it allowed the call'] : []
  }
  const brief = (each: Happening | undefined) =>
    [each?.permission?.behavior, describe(each?.permission?.decidedBy), each?.rejected !== undefined].join(' ')
  return brief(before) === brief(after) ? [] : [`before the skill: ${brief(before)}; with it: ${brief(after)}`]
}

function ofTrust({ trusted, events, doctor }: Story, happened: readonly Happening[]): readonly string[] {
  const pending = (kind: string) => trusted.pending.filter((each) => each.kind === kind).map(({ name }) => name)
  const tools = events.flatMap((event) => (event.type === 'session_start' ? event.tools : []))
  const ofProject = (source: { readonly layer?: string } | undefined) =>
    source?.layer === 'project' || source?.layer === 'local'
  const problems = [
    ...pending('hooks').filter((name) => happened.some(({ ran }) => ran.includes(name))),
    ...pending('servers').filter((name) => tools.some((tool) => tool.startsWith(`mcp__${name}__`))),
    ...pending('permissions').filter((name) =>
      happened.some(
        ({ permission }) =>
          permission?.behavior === 'allow' &&
          permission.decidedBy.rule === name &&
          ofProject(permission.decidedBy.source),
      ),
    ),
  ].map((name) => `${name} waits for approval, and had an effect`)
  for (const [kind, axis] of [
    ['hooks', 'hooks'],
    ['servers', 'servers'],
    ['permissions', 'permissions'],
  ] as const) {
    const entries = pending(kind).filter((name) => name !== 'disabledHooks' && name !== 'disableAllHooks')
    const waiting = [...new Set(entries)].toSorted().join()
    const untrusted = doctor.entries
      .filter((each) => each.axis === axis && each.verdict === 'untrusted')
      .map(({ name }) => name.replace(/^(?:allow|ask|deny) /, ''))
    const said = [...new Set(untrusted)].toSorted().join()
    if (waiting !== said) problems.push(`trust: ${kind} that wait: ${waiting || 'none'}; doctor: ${said || 'none'}`)
  }
  return problems
}

function ofDoctor({ doctor, hooks, events }: Story, happened: readonly Happening[]): readonly string[] {
  const ran = new Set(happened.flatMap((each) => each.ran))
  const problems = hooks.hooks.flatMap(({ name, verdict, state }) =>
    ran.has(name) && (state !== 'loaded' || !['can-fire', 'always'].includes(verdict))
      ? [`doctor says that hook ${name} is ${state} and fires ${verdict}, and it ran`]
      : [],
  )
  const loaded = (axis: string) =>
    doctor.entries.filter((each) => each.axis === axis && each.verdict === 'loaded').map(({ name }) => name)
  for (const name of ran) if (!loaded('hooks').includes(name)) problems.push(`doctor does not call hook ${name} loaded`)
  for (const { permission } of happened) {
    const { rule, source } = permission?.decidedBy ?? {}
    if (rule === undefined || source?.file === undefined) continue
    const entry = doctor.entries.find(
      (each) =>
        each.axis === 'permissions' &&
        each.source.file === source.file &&
        each.source.line === source.line &&
        each.source.column === source.column,
    )
    const wanted = permission?.behavior === 'allow' ? ['loaded'] : ['loaded', 'broken']
    if (!wanted.includes(entry?.verdict ?? 'unknown')) problems.push(`rule ${rule} decided and is ${entry?.verdict}`)
  }
  const servers = new Set(
    events.flatMap((event) =>
      event.type === 'session_start' ? event.tools.flatMap((tool) => /^mcp__([^_]+)__/.exec(tool)?.[1] ?? []) : [],
    ),
  )
  if ([...servers].toSorted().join() !== loaded('servers').toSorted().join())
    problems.push(`servers that are loaded: ${loaded('servers').join()}; with tools: ${[...servers].join()}`)
  return problems
}

function describe(
  by: { readonly layer: string; readonly rule?: string; readonly source?: object } | undefined,
): string {
  if (!by) return 'nothing'
  const { file, line } = (by.source ?? {}) as { file?: string; line?: number }
  return [by.layer, by.rule, file, line].filter((part) => part !== undefined).join(' ')
}
