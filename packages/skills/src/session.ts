import type { RunTerms, SessionRef, Tool } from '@ext/kernel/contract'
import { activate } from './activate/activate.js'
import { refusingGate } from './activate/admit.js'
import { noRunner, runFork } from './activate/fork.js'
import type { SessionHost } from './activate/host.js'
import { ActiveSkills } from './active/active-skills.js'
import { compactSkills } from './active/compact.js'
import { OfferedSkills } from './active/offered.js'
import { restoreSkills, saveSkills } from './active/saved-state.js'
import { expandCommand } from './command.js'
import { RANK } from './render/frame.js'
import { searchSkillsTool } from './search/tool.js'
import { sessionCatalog } from './session-catalog.js'
import { loadSkillTool, TOOL_NAME } from './tool.js'
import type { ActivateOptions, Activation, ContextBlock, SkillGateSession, SkillSession } from './types.js'

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
  const gateFor = (who: SessionRef = ref) => {
    try {
      if (who !== ref) return host.gate?.session(who)
      gate ??= host.gate?.session(ref)
      return gate
    } catch (error) {
      return refusingGate(error)
    }
  }
  const catalog = sessionCatalog(host, gateFor)

  async function start(name: string, options: ActivateOptions, permittedAs?: string): Promise<Activation> {
    const asked = state
    const parts = { host, active: asked.active, gate: gateFor(options.session), permittedAs, run: asked.active.run }
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
    tools() {
      if (catalog.leavesOut()) return searchTools
      return loaded().snapshot.entries.some((entry) => entry.value.modelInvocable) ? tools : NO_TOOLS
    },
    context: () => [
      ...blocks('system', catalog.always().text),
      ...blocks('turn', catalog.offered(state.offered).text),
      ...activeBlocks(state.active),
    ],
    terms: (): readonly RunTerms[] => state.active.terms(),
    called: (request) => {
      if (state.offered.see(request, loaded().conditional)) catalog.changed()
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
  const search = searchSkillsTool((query, options) =>
    loaded().search.search(query, { ...options, hides: (skill) => catalog.hides(skill, state.offered) }),
  )
  const searchTools: readonly Tool[] = Object.freeze([...tools, search])
  return session
}

function blocks(place: ContextBlock['place'], text: string): readonly ContextBlock[] {
  return text === '' ? [] : [{ by: 'skills', place, text }]
}

function activeBlocks(active: ActiveSkills): readonly ContextBlock[] {
  return active.list().map(({ skill, text }, index) => ({
    by: `skill ${skill.name}`,
    place: 'turn',
    text: index === 0 ? `${RANK}\n\n${text}` : text,
  }))
}
