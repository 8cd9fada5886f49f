import { formatPlace, type KernelCode, suggest } from '@ext/kernel'
import type { SessionRef, Tool } from '@ext/kernel/contract'
import type { Diagnostic, FilesPort, Outcome, Snapshot, SnapshotEntry } from '@ext/kernel/types'
import type { Catalog } from './catalog.js'
import type { diagnosticCodes } from './codes.js'
import { compileSkill } from './compile.js'
import type { CompileContext } from './config/context.js'
import { validateHeader } from './config/header.js'
import { foldName } from './names.js'
import { openSkill } from './reader.js'
import { fillPlaceholders, hasInjectedCommands } from './render/placeholders.js'
import { listResources } from './resources.js'
import type { SkillSearch } from './search/search.js'
import { searchSkillsTool } from './search/tool.js'
import { loadSkillTool } from './tool.js'
import type { ActivatedBy, ActivateOptions, Activation, ActiveSkill, Skill, SkillSession } from './types.js'

/** All that changes with a reload, so that one assignment swaps it. */
export interface Loaded {
  readonly snapshot: Snapshot<Skill>
  readonly catalog: Catalog
  readonly search: SkillSearch
}

/** What is remembered of a session. `reset` puts a new one in its place, so that what is still on its way is lost. */
interface SessionState {
  readonly active: Map<string, Remembered>
  /** The last activation that was asked for: they run one after the other, so that their order is that of the calls. */
  last: Promise<unknown>
}

interface Remembered extends ActiveSkill {
  /** As it was read: the version to go on with when the file breaks. */
  readonly body: string
}

export interface SessionHost {
  readonly ref: SessionRef
  readonly files: FilesPort
  readonly projectDir: string
  readonly context: CompileContext
  loaded(): Loaded
}

const NO_TOOLS: readonly Tool[] = Object.freeze([])

export function createSession(host: SessionHost): SkillSession {
  const { loaded } = host
  const fresh = (): SessionState => ({ active: new Map(), last: Promise.resolve() })
  let state = fresh()
  const active = () => [...state.active.values()]
  const session: SkillSession = {
    // The same list each time, as long as there is something to load: whoever asks can see that nothing changed.
    tools() {
      if (loaded().catalog.omitted > 0) return searchTools
      return loaded().snapshot.entries.some((entry) => entry.value.modelInvocable) ? tools : NO_TOOLS
    },
    context() {
      const { text } = loaded().catalog
      return [
        ...(text === '' ? [] : [{ by: 'skills', place: 'system', text } as const]),
        ...active().map(({ skill, text }) => ({ by: `skill ${skill.name}`, place: 'turn', text }) as const),
      ]
    },
    activate(name, options) {
      const asked = state
      const activation = asked.last.then(() => activate(host, asked, name, options))
      asked.last = activation.catch(() => {})
      return activation
    },
    active: () => active().map(({ skill, text, via }) => ({ skill, text, via })),
    reset() {
      state = fresh()
    },
  }
  const tools: readonly Tool[] = Object.freeze([loadSkillTool(session)])
  const search = searchSkillsTool((query, options) => loaded().search.search(query, options))
  const searchTools: readonly Tool[] = Object.freeze([...tools, search])
  return session
}

/** Faults of a limit: the version before had another one, or none. */
const LIMITS: readonly string[] = [
  'frontmatter.rescue-refused',
  'skills.restriction.unreadable',
  'skills.restriction.misspelt',
  'skills.tools.twice',
  'skills.mode.limited',
] satisfies readonly (keyof typeof diagnosticCodes | KernelCode)[]

async function activate(
  host: SessionHost,
  state: SessionState,
  name: string,
  { via, args = '' }: ActivateOptions,
): Promise<Activation> {
  const { snapshot } = host.loaded()
  const key = foldName(name)
  const entry = snapshot.entries.find((candidate) => candidate.name === key)
  if (!entry) return unknownSkill(snapshot, name, via)

  const before = state.active.get(key)
  const fresh = await readAgain(entry, host)
  const trouble = fresh.diagnostics.find((each) => each.severity === 'error')
  // A file that can't be understood leaves the version that was read before in use; a limit that was added counts.
  const isLimited = trouble !== undefined && LIMITS.includes(trouble.code)
  const { skill, body } = fresh.value ?? (isLimited ? undefined : before) ?? {}
  if (!skill || body === undefined) return unreadable(entry, trouble)
  const refusal = refuse(skill, via)
  if (refusal) return refusal

  const text = render(skill, body, args, host)
  // Setting a key that is there keeps its place.
  state.active.set(key, { skill, text, via, body })
  return {
    skill,
    text,
    unchanged: before?.text === text,
    ...(trouble ? { stale: explain(trouble) } : {}),
    ...(await listResources(skill.folder, host.files)),
  }
}

/** The file as it is now, judged like the first time. */
async function readAgain(
  entry: SnapshotEntry<Skill>,
  { files, context }: SessionHost,
): Promise<Outcome<{ readonly skill: Skill; readonly body: string }>> {
  const opened = await openSkill({ ...entry.source, file: entry.value.file }, { files, language: context.language })
  if (!opened.entry) return { diagnostics: opened.diagnostics }
  const { value: header, diagnostics } = validateHeader(opened.entry)
  if (!header) return { diagnostics }
  const { value: skill, diagnostics: problems } = compileSkill({ ...opened.entry, value: header }, context)
  return { ...(skill ? { value: { skill, body: opened.body } } : {}), diagnostics: problems }
}

function render(skill: Skill, body: string, args: string, { projectDir, ref }: SessionHost): string {
  const filled = fillPlaceholders(body, {
    args,
    argumentNames: skill.argumentNames,
    skillDir: skill.folder,
    projectDir,
    sessionId: ref.id,
  })
  const notice = hasInjectedCommands(body) ? `\n\n${COMMANDS_NOT_RUN}` : ''
  return `# Skill ${skill.name}\n\nIts folder, from where its paths start: ${skill.folder}\n\n${filled.trim()}${notice}`
}

const COMMANDS_NOT_RUN =
  'Note: this skill marks commands with `!` that its author wanted to have run in advance. None was run; run those that you need.'

function refuse(skill: Skill, via: ActivatedBy): Activation | undefined {
  if (via === 'model' && !skill.modelInvocable) {
    return {
      problem: `The skill \`${skill.name}\` can only be started by the user.`,
      hint: 'Ask the user to start it.',
    }
  }
  if (via === 'user' && !skill.userInvocable) {
    return {
      problem: `The skill \`${skill.name}\` can only be loaded by the model.`,
      hint: 'Describe the task; the model loads the skill when it fits.',
    }
  }
  return undefined
}

function unknownSkill(snapshot: Snapshot<Skill>, name: string, via: ActivatedBy): Activation {
  const names = snapshot.entries
    .map((entry) => entry.value)
    .filter((skill) => refuse(skill, via) === undefined)
    .map((skill) => skill.name)
    .toSorted()
  const meant = suggest(name, names)
  const shown = names.slice(0, MAX_NAMES).join(', ')
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  const list = names.length === 0 ? 'There are no skills.' : `There are: ${shown}${more}.`
  return {
    problem: `There is no skill \`${name}\`.`,
    hint: meant === undefined ? list : `Did you mean \`${meant}\`? ${list}`,
  }
}

const MAX_NAMES = 50

function unreadable(entry: SnapshotEntry<Skill>, trouble: Diagnostic | undefined): Activation {
  return {
    problem: `The skill \`${entry.value.name}\` can't be used any more: ${trouble ? explain(trouble) : 'it is gone'}`,
    hint: trouble?.hint ?? 'Look at its SKILL.md.',
  }
}

function explain({ source, message }: Diagnostic): string {
  return `${formatPlace(source)}: ${message}`
}
