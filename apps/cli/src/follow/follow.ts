import { resolve } from 'node:path'
import type { AgentSession } from '@ext/agent-core/types'
import { type ReadText, type TrackedFiles, trackStamps } from '@ext/kernel'
import type { ConfigChangeSource } from '@ext/kernel/contract'
import type { Watching } from '@ext/kernel/node'
import type { Extensions } from '../compose/extensions.js'
import type { ReloadCause } from '../compose/reload.js'
import { newIn } from '../render/diagnostics.js'
import { type Folder, filesOf } from './places.js'
import { type ChangedSections, changedSections } from './sections.js'
import { describeFindings, describeLeft, describeTaken } from './words.js'

/** What follows changes, and what is done about them. */
export interface FollowParts {
  /** The files of the configuration, with whose they are. */
  readonly files: ReadonlyMap<string, ConfigChangeSource>
  readonly tracked: TrackedFiles
  readonly folders: { readonly skills: readonly Folder[]; readonly agents: readonly Folder[] }
  readonly extensions: Pick<Extensions, 'skills' | 'agents' | 'hooks' | 'diagnostics'>
  /** The file with the approvals of the person, which another process may write. */
  readonly approvals: string
  /** Loads what reads these files again. */
  reload(cause: ReloadCause): Promise<void>
  /** Whose hooks are told. */
  session(): AgentSession | undefined
  /** The folder of the session. */
  readonly cwd: string
}

export interface WatchOptions {
  /** Whether no run is under way: a run looks before each turn, so that nothing changes within one. */
  idle(): boolean
  /** Tells the user what has changed. */
  tell(texts: readonly string[]): void
  /** Hears that something can't be watched or looked at; it is then seen with the next turn. */
  onError(error: unknown): void
}

/** Follows files while a session is at work. */
export interface Follower {
  /** Looks for changes, tells hooks and takes over what none refuses. Gives what the user is to be told. */
  look(options: { readonly signal: AbortSignal }): Promise<readonly string[]>
  /** Looks soon after something has changed, until it is closed. Keeps no process alive. */
  watch(options: WatchOptions): Promise<Watching>
}

export async function follow(parts: FollowParts): Promise<Follower> {
  const { files, tracked, folders, extensions, reload, cwd } = parts
  const [{ followConfig, followFiles }, { nodeStamps, watchFiles }] = await Promise.all([
    import('@ext/hooks/follow'),
    import('@ext/kernel/node'),
  ])
  const stamps = nodeStamps()
  const named = () => extensions.hooks.watchedFiles().map((name) => resolve(cwd, name))
  const ofSkills = () => filesOf(folders.skills, extensions.skills.snapshot)
  const ofAgents = () => filesOf(folders.agents, extensions.agents.snapshot)
  const [skills, agents, others, approvals] = await Promise.all([
    trackStamps(stamps, ofSkills),
    trackStamps(stamps, ofAgents),
    trackStamps(stamps, named),
    trackStamps(stamps, () => [parts.approvals]),
  ])
  const fire: AgentSession['fire'] = async (...event) => parts.session()?.fire(...event) ?? NOTHING
  const config = followConfig({
    tracked: [tracked, skills, agents],
    sourceOf: (path) => files.get(path) ?? (ofAgents().includes(path) ? 'agents' : 'skills'),
    fire,
  })
  const fileFollower = followFiles({ tracked: others, fire })

  async function look(options: { readonly signal: AbortSignal }): Promise<readonly string[]> {
    const texts = new Map([...files.keys()].map((path) => [path, tracked.taken(path)]))
    const found = await config.look(options)
    const said: string[] = found ? [...describeLeft(found)] : []
    const approved = await approvals.changes()
    for (const each of approved) approvals.take(each)
    if (!found && approved.length === 0) return fileChanges(options, [])
    const before = extensions.diagnostics()
    if (approved.length > 0) await reload('approvals')
    if (found && found.taken.length > 0) {
      if (approved.length === 0) await reload(found.taken)
      for (const each of found.taken) {
        const sections = files.has(each.path) ? await sectionsOf(each.path, texts.get(each.path)) : NO_SECTIONS
        said.push(...describeTaken(each, sections))
      }
    }
    said.push(...describeFindings(newIn(extensions.diagnostics(), before)))
    return fileChanges(options, said)
  }

  /** Behind what may have changed who wants to hear of which files. */
  async function fileChanges(options: { readonly signal: AbortSignal }, said: readonly string[]) {
    await fileFollower.look(options)
    return said
  }

  async function sectionsOf(path: string, before: ReadText | undefined) {
    const now = tracked.taken(path)
    if (now?.failure !== undefined && now.failure !== 'missing') return undefined
    return changedSections(path, before?.text, now?.text)
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One after the other: what one has taken over is loaded before the next one compares with it. */
  const inTurn = (options: { readonly signal: AbortSignal }) => {
    const next = last.then(() => look(options))
    last = next.catch(() => {})
    return next
  }
  return {
    look: inTurn,
    async watch({ idle, tell, onError }) {
      const { signal } = new AbortController()
      const paths = [
        ...files.keys(),
        ...folders.skills.map(({ path }) => path),
        ...folders.agents.map(({ path }) => path),
      ]
      const changed = () => {
        if (!idle()) return
        void inTurn({ signal }).then((texts) => {
          if (texts.length > 0) tell(texts)
        }, onError)
      }
      const watching = await watchFiles([...paths, ...named()], changed, { background: true, onError })
      // What came before it was ready.
      changed()
      return watching
    },
  }
}

const NO_SECTIONS: ChangedSections = { now: [], atStart: [] }

const NOTHING = { runs: [], context: [], notices: [] }
