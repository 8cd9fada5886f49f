import { compareText, createReloader, definePipeline, ExtError, type Pipeline } from '@ext/kernel'
import type { ToolTable } from '@ext/kernel/contract'
import type { ConfigSource, Diagnostic, HostPorts, Snapshot } from '@ext/kernel/types'
import type { AgentDefinition } from '../definition.js'
import { foldName } from '../names.js'
import type { NamedTool } from '../tool-list.js'
import { compileAgent } from './compile.js'
import { type AgentEntry, validateEntry } from './header.js'
import type { ToolContext } from './limits.js'
import { agentsReader } from './reader.js'

/** What {@link loadAgents} needs to know. */
export interface LoadAgentsOptions {
  /** Folders of dialect `agents`, in any order. They need not exist. Within a layer the later folder wins. */
  readonly layers: readonly ConfigSource[]
  readonly ports: Pick<HostPorts, 'files'>
  /** Which well-known tools the host's tools are like, so that a list with `Edit` means them too. Default: none. */
  readonly tools?: ToolTable
  /** Names of agents that are switched off, wherever they lie; in any case. Default: none. */
  readonly disabled?: readonly string[]
  /** The tools that exist, asked at each load. Without it nobody can say that a name means none. */
  knownTools?(): readonly NamedTool[]
}

/** The agents that files describe. */
export interface Agents {
  /** What became of each file. Replaced as a whole by `replace`. */
  readonly snapshot: Snapshot<AgentDefinition>
  readonly diagnostics: readonly Diagnostic[]
  /** The agents that take effect, sorted by name. */
  readonly definitions: readonly AgentDefinition[]
  /**
   * Loads other folders, or the same again. An agent whose file is broken now stays as it was. Rejects, and changes
   * nothing, for layers that `loadAgents` would not take.
   */
  replace(layers: readonly ConfigSource[]): Promise<void>
}

function agentsPipeline(disabled: ReadonlySet<string>): Pipeline<AgentEntry, AgentDefinition, ToolContext> {
  return definePipeline({
    axis: 'agents',
    readers: [agentsReader],
    validate: validateEntry,
    identity: ({ value }) => foldName(value.name),
    merge: 'override',
    // A file runs nothing and loosens nothing. It is a text that steers a model, as a skill is.
    needsConsent: () => false,
    enabled: (_, name) => !disabled.has(name),
    compile: compileAgent,
  })
}

/**
 * Reads agents from folders of Markdown files, with `name`, `description`, `tools`, `disallowedTools`, `model`,
 * `permissionMode` and `maxTurns` in their headers and the system prompt below. What is wrong with a file costs that
 * agent only and is in the diagnostics; a limit that can't be understood is such a fault.
 *
 * Nobody is asked for consent, also not for a project's agents: an agent runs nothing by itself, calls no tool that the
 * rules would not let pass, and never has a looser mode than the agent that starts it. Its text steers a model all the
 * same, so give `layers` only folders that may do that.
 * @throws ExtError `agents.layers.kind` for a layer that is no folder
 */
export async function loadAgents(options: LoadAgentsOptions): Promise<Agents> {
  const { ports, tools = {}, disabled = [] } = options
  const pipeline = agentsPipeline(new Set(disabled.map(foldName)))
  const { store, reload } = await createReloader({
    pipeline,
    sources: foldersOnly(options.layers),
    context: () => ({ table: tools, known: options.knownTools?.() }),
    host: { files: ports.files },
  })
  return {
    get snapshot() {
      return store.current
    },
    get diagnostics() {
      return store.current.diagnostics
    },
    get definitions() {
      return store.current.entries.map(({ value }) => value).toSorted((a, b) => compareText(a.name, b.name))
    },
    async replace(layers) {
      await reload(foldersOnly(layers))
    },
  }
}

function foldersOnly(layers: readonly ConfigSource[]): readonly ConfigSource[] {
  for (const { kind } of layers) {
    if (kind === 'folder') continue
    throw new ExtError(
      'agents.layers.kind',
      `Expected \`layers\` to hold folders only; there is one of kind \`${kind}\`.`,
    )
  }
  return layers
}
