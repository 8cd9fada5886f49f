import type { RunTerms, Tool } from '@ext/kernel/contract'
import type { SnapshotEntry } from '@ext/kernel/types'
import { activate } from './activate/activate.js'
import { isDenied } from './activate/admit.js'
import { noRunner, runFork } from './activate/fork.js'
import type { Loaded, SessionHost } from './activate/host.js'
import { ActiveSkills } from './active/active-skills.js'
import { compactSkills } from './active/compact.js'
import { OfferedSkills } from './active/offered.js'
import { restoreSkills, saveSkills } from './active/saved-state.js'
import { expandCommand } from './command.js'
import { RANK } from './render/frame.js'
import { loadSkillTool, TOOL_NAME } from './tool.js'
import type { ActivateOptions, Activation, ContextBlock, Skill, SkillGateSession, SkillSession } from './types.js'

/** What is remembered of a session. `reset` puts a new one in its place, so that what is still on its way is lost. */
interface SessionState {
  readonly active: ActiveSkills
  readonly offered: OfferedSkills
  /** The last activation that was asked for: they take effect one after the other, in the order of the calls. */
  last: Promise<unknown>
}

const NO_TOOLS: readonly Tool[] = Object.freeze([])

export function createSession(host: SessionHost): SkillSession {
  const { loaded, ref, forks } = host
  const fresh = (): SessionState => ({
    active: new ActiveSkills(),
    offered: new OfferedSkills(ref, host.context.home, host.tools),
    last: Promise.resolve(),
  })
  let state = fresh()
  let gate: SkillGateSession | undefined
  const gateOf = () => {
    gate ??= host.gate?.session(ref)
    return gate
  }
  const catalog = catalogFor(host, gateOf)

  async function start(name: string, options: ActivateOptions, permittedAs?: string): Promise<Activation> {
    const asked = state
    const parts = { host, active: asked.active, gate: gateOf(), permittedAs, run: asked.active.run }
    const activation = asked.last.then(() => activate(name, options, parts))
    asked.last = activation.catch(() => {})
    const made = await activation
    if (made.mode !== 'ready to fork') return made
    const { runner } = host
    if (!runner) return noRunner(made.skill)
    const { text, stale } = made
    return runFork(made.skill, { text, stale, signal: options.signal }, { ref, runner, forks })
  }

  const session: SkillSession = {
    // The same list each time, as long as there is something to load: whoever asks can see that nothing changed.
    tools: () => (loaded().snapshot.entries.some((entry) => entry.value.modelInvocable) ? tools : NO_TOOLS),
    context: () => [...catalog.always(), ...catalog.offered(state.offered), ...activeBlocks(state.active)],
    terms: (): readonly RunTerms[] => state.active.terms(),
    called: (request) => {
      if (state.offered.see(request, loaded().snapshot.entries)) catalog.changed()
    },
    runEnded: () => state.active.runEnded(),
    activate: (name, options) => start(name, options),
    expand: (command, options = {}) => expandCommand(session, command, options),
    active: () => state.active.list().map(({ skill, text, via }) => ({ skill, text, via })),
    inForce: () => [
      ...new Set([...state.active.list().map(({ skill }) => skill), ...(forks.get(ref.id)?.keys() ?? [])]),
    ],
    compact: (options) => compactSkills(state.active, options),
    state: () => saveSkills(state.active, state.offered.names()),
    restore(saved) {
      const { missing, offered } = restoreSkills(saved, state.active, loaded().snapshot)
      state.offered.add(offered)
      catalog.changed()
      return { missing }
    },
    reset() {
      state = fresh()
      catalog.changed()
    },
  }
  const isLike = Object.hasOwn(host.tools, TOOL_NAME) && host.tools[TOOL_NAME]?.as === 'Skill'
  const tools: readonly Tool[] = Object.freeze([
    // Rules about skills have been held against the call of the tool, if the table says that it is like one.
    loadSkillTool((name, options) => start(name, options, isLike ? name : undefined)),
  ])
  return session
}

function activeBlocks(active: ActiveSkills): readonly ContextBlock[] {
  const list = active.list()
  if (list.length === 0) return []
  return [
    { by: 'skills', place: 'turn', text: RANK },
    ...list.map(({ skill, text }) => ({ by: `skill ${skill.name}`, place: 'turn', text }) as const),
  ]
}

/** What a session lists: the rest of the skills is denied to it, or waits for a path that nobody has touched yet. */
function catalogFor(host: SessionHost, gateOf: () => SkillGateSession | undefined) {
  let of: Loaded | undefined
  let always: readonly ContextBlock[] = []
  let offered: readonly ContextBlock[] | undefined
  const isListed = ({ value }: SnapshotEntry<Skill>) => value.modelInvocable && !isDenied(value, gateOf())
  const blocks = (place: ContextBlock['place'], text: string): readonly ContextBlock[] =>
    text === '' ? [] : [{ by: 'skills', place, text }]
  return {
    /** Made once of what is loaded: the start of the prompt is to stay as it is, whatever happens in the session. */
    always(): readonly ContextBlock[] {
      const loaded = host.loaded()
      if (of !== loaded) {
        const { entries } = loaded.snapshot
        const listed = entries.filter((entry) => !entry.value.paths && isListed(entry))
        const isAll = listed.length === entries.filter(({ value }) => value.modelInvocable).length
        always = blocks('system', (isAll ? loaded.catalog : host.catalogOf(listed)).text)
        offered = undefined
        of = loaded
      }
      return always
    },
    offered(seen: OfferedSkills): readonly ContextBlock[] {
      offered ??= blocks(
        'turn',
        host.catalogOf(host.loaded().snapshot.entries.filter((entry) => seen.has(entry) && isListed(entry))).text,
      )
      return offered
    },
    changed() {
      offered = undefined
    },
  }
}
