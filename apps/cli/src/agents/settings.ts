import type { Agents } from '@ext/agent-core/agents'
import { createReporter, definePipeline, parsePointer, type Snapshot, suggest } from '@ext/kernel'
import type { ConfigSource, Diagnostic, FilesPort } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import { sectionReader, unknownSetting, wrongItem, wrongSetting } from '../settings/section.js'

const report = createReporter(diagnosticCodes)

const LISTS = ['disabled']
const CODE = 'cli.agents.setting'

/** What the section `agents` of all configuration files says. */
export interface AgentSettings {
  /** Names of agents that are switched off. */
  readonly snapshot: Snapshot<string>
  readonly disabled: readonly string[]
}

const pipeline = definePipeline<unknown, string, string, undefined>({
  axis: 'agent-settings',
  readers: [sectionReader('agents', LISTS)],
  validate(entry) {
    const { value, pointer } = entry
    const [, key = ''] = parsePointer(pointer)
    if (!LISTS.includes(key)) return wrongSetting(CODE, entry, ...unknownSetting('agents', key, LISTS), 'key')
    const wrong = wrongItem(key, value)
    return wrong ? wrongSetting(CODE, entry, ...wrong) : { value: String(value), diagnostics: [] }
  },
  identity: ({ pointer }) => pointer,
  merge: 'append',
  // They only take away.
  needsConsent: () => false,
  compile: ({ value }) => ({ value, diagnostics: [] }),
})

export async function loadAgentSettings(layers: readonly ConfigSource[], files: FilesPort): Promise<AgentSettings> {
  const snapshot = await pipeline.load(layers, undefined, { files })
  return { snapshot, disabled: snapshot.entries.map(({ value }) => value) }
}

/** Names that are switched off, and no agent has. */
export function disabledInVain({ snapshot }: AgentSettings, agents: Agents): readonly Diagnostic[] {
  const names = agents.snapshot.records.map(({ name }) => name)
  return snapshot.entries.flatMap(({ id, value, at }): readonly Diagnostic[] => {
    // Names of agents are the same in any case.
    if (names.includes(value.toLowerCase().normalize('NFC'))) return []
    const meant = suggest(value, names)
    const hint = meant ? `Did you mean \`${meant}\`?` : 'See with `ext agents list` which agents there are.'
    const message = `\`${value}\` is switched off, and there is no agent of this name.`
    return [report.warning('cli.agents.nothing-disabled', at(), message, { entry: id, hint })]
  })
}
