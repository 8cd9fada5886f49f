import type { Agents } from '@ext/agent-core/agents'
import type { Hooks } from '@ext/hooks'
import type { Diagnostic, EntryRecord, FileRecord, Snapshot } from '@ext/kernel'
import type { Trust } from '@ext/kernel/trust'
import type { Permission } from '@ext/permission'
import type { Skills } from '@ext/skills'
import { type AgentSettings, disabledInVain } from '../agents/settings.js'
import type { CliConfig } from '../config.js'
import type { Models } from '../models/models.js'
import { type SkillSettings, withoutEffect } from '../skills/settings.js'
import { isAboutHeaderHooks, uniqueBy, uniqueDiagnostics, withWayToApprove } from './diagnostics.js'

type Said = { readonly diagnostics: readonly Diagnostic[] }
type Loaded = { readonly snapshot: Snapshot<unknown> }

/** Everything that has read configuration, as it stands now. */
export interface ReportParts {
  readonly trust: Pick<Trust, 'diagnostics'>
  config(): CliConfig
  readonly compat: Loaded
  /** Of the files that `compat` leaves out. */
  readonly switchedOff: readonly Diagnostic[]
  readonly audit: Said
  readonly models: Pick<Models, 'snapshot'>
  readonly settings: SkillSettings
  readonly agentSettings: AgentSettings
  servers(): Said
  serverSnapshot(): Snapshot<unknown>
  readonly skills: Skills
  readonly agents: Agents
  readonly hooks: Pick<Hooks, 'diagnostics' | 'snapshot'>
  readonly permission: Pick<Permission, 'diagnostics' | 'snapshot'>
}

/** What is to be said about all axes together, asked anew each time. */
export interface Reports {
  /** Each said once. */
  diagnostics(): readonly Diagnostic[]
  /** These and what somebody has found besides. */
  merge(found: readonly Diagnostic[]): readonly Diagnostic[]
  ofSkills(): readonly Diagnostic[]
  ofAgents(): readonly Diagnostic[]
  records(): readonly EntryRecord[]
  files(): readonly FileRecord[]
}

export function reportsOf(parts: ReportParts): Reports {
  const { trust, compat, audit, models, settings, agentSettings, skills, agents, hooks, permission } = parts
  const ofSkills = () => [...settings.snapshot.diagnostics, ...withoutEffect(settings, skills), ...skills.diagnostics]
  const ofAgents = () => [
    ...agentSettings.snapshot.diagnostics,
    ...disabledInVain(agentSettings, agents),
    ...agents.diagnostics,
  ]
  const snapshots = () => [
    compat.snapshot,
    models.snapshot,
    settings.snapshot,
    agentSettings.snapshot,
    parts.serverSnapshot(),
    skills.snapshot,
    agents.snapshot,
    hooks.snapshot,
    permission.snapshot,
  ]
  const merge = (found: readonly Diagnostic[]) =>
    uniqueDiagnostics([
      // No store is no fault: nobody has approved anything yet.
      ...trust.diagnostics.filter(({ code }) => code !== 'trust.store.absent'),
      ...parts.config().diagnostics,
      ...compat.snapshot.diagnostics,
      ...parts.switchedOff,
      ...audit.diagnostics,
      ...models.snapshot.diagnostics,
      ...parts.servers().diagnostics,
      ...ofSkills(),
      ...ofAgents(),
      ...hooks.diagnostics,
      ...permission.diagnostics,
      ...found,
    ])
      .filter((diagnostic) => !isAboutHeaderHooks(diagnostic))
      .map(withWayToApprove)
  return {
    diagnostics: () => merge([]),
    merge,
    ofSkills: () => uniqueDiagnostics(ofSkills()),
    ofAgents: () => uniqueDiagnostics(ofAgents()).filter((diagnostic) => !isAboutHeaderHooks(diagnostic)),
    // Built-in rules are nobody's configuration.
    records: () =>
      snapshots()
        .flatMap((each) => each.records)
        .filter(({ source }) => source.layer !== 'built-in'),
    files: () =>
      uniqueBy(
        snapshots().flatMap((snapshot) => snapshot.files),
        (record) => record.file,
      ),
  }
}
