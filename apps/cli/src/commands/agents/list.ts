import type { AgentDefinition } from '@ext/agent-core/agents'
import { formatPlace, type Source, type Verdict } from '@ext/kernel'
import type { Extensions } from '../../compose.js'
import type { Io } from '../../io.js'
import { describeDiagnostics, shorten } from '../../render/diagnostics.js'
import { byName } from '../../render/order.js'
import { count, countSeverity, oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'

export interface ListOptions {
  readonly project: string
  readonly json?: boolean
}

interface ListedAgent {
  readonly name: string
  readonly verdict: Verdict
  readonly source: Source
  /** What its file says, of one that takes effect. */
  readonly agent?: Omit<AgentDefinition, 'prompt'>
}

/** Every agent file with what became of it; of several of one name, the one that takes effect first. */
export async function list(options: ListOptions, io: Io): Promise<number> {
  return withExtensions(options, io, (extensions) => showAgents(extensions, options, io))
}

/** The same of what is loaded already. */
export async function showAgents(
  extensions: Pick<Extensions, 'agents' | 'locations' | 'agentDiagnostics'>,
  options: Pick<ListOptions, 'json'>,
  io: Pick<Io, 'out'>,
): Promise<number> {
  const { agents: loaded, locations } = extensions
  const { records, entries } = loaded.snapshot
  const byId = new Map(entries.map(({ id, value }) => [id, value]))
  const agents = records
    .map(({ id, name, verdict, source }): ListedAgent => {
      const definition = byId.get(id)
      if (!definition) return { name, verdict, source }
      const { prompt: _, ...agent } = definition
      return { name: agent.name, verdict, source, agent }
    })
    .toSorted(byName)
  const diagnostics = extensions.agentDiagnostics()
  const errors = countSeverity(diagnostics, 'error')
  if (options.json) {
    io.out(JSON.stringify({ agents, diagnostics }, null, 2))
    return errors > 0 ? 1 : 0
  }
  const short = shorten(locations.project)
  for (const each of agents) for (const line of describe(each)) io.out(printable(short(line)))
  // The column says it.
  const others = diagnostics.filter(({ code }) => code !== 'config.entry.shadowed')
  if (others.length > 0) io.out('')
  for (const text of await describeDiagnostics(others, short)) io.out(`${text}\n`)
  io.out(`${count(entries.length, 'agent')}, ${count(errors, 'error')}`)
  return errors > 0 ? 1 : 0
}

function describe({ name, verdict, source, agent }: ListedAgent): readonly string[] {
  const place = formatPlace({ layer: source.layer, ...(source.file === undefined ? {} : { file: source.file }) })
  const about = agent ? `${name}: ${oneLine(agent.description, 70)}` : oneLine(name, 70)
  const first = `${verdict.padEnd(11)}${source.layer.padEnd(9)}${about}  ${place}`
  return agent ? [first, `  ${limits(agent).join(' · ')}`] : [first]
}

/** What is not said is that of the agent that starts it. */
function limits(agent: Omit<AgentDefinition, 'prompt'>): readonly string[] {
  const { model, tools, disallowedTools = [], permissionMode, profile, skills = [], background, maxTurns } = agent
  return [
    `model ${model ?? 'inherit'}`,
    `tools ${tools === undefined ? 'all' : tools.length === 0 ? 'none' : tools.join(', ')}`,
    ...(disallowedTools.length > 0 ? [`without ${disallowedTools.join(', ')}`] : []),
    ...(permissionMode === undefined ? [] : [`mode ${permissionMode}`]),
    ...(profile === undefined ? [] : [profile]),
    ...(skills.length > 0 ? [`skills ${skills.join(', ')}`] : []),
    ...(background ? ['in the background'] : []),
    ...(maxTurns === undefined ? [] : [`at most ${count(maxTurns, 'turn')}`]),
  ]
}
