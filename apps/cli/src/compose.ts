import { join } from 'node:path'
import type { NamedTool } from '@ext/agent-core/agents'
import { nodeEditFiles, nodePorts } from '@ext/kernel/node'
import type { PermissionEntry } from '@ext/permission/types'
import { samplingWith } from './asked/think.js'
import { readAuditConfig } from './audit.js'
import { agentMaker } from './compose/agent.js'
import { isAboutHeaderHooks, uniqueBy, uniqueDiagnostics, withWayToApprove } from './compose/diagnostics.js'
import type { ComposeOptions, Extensions } from './compose/extensions.js'
import { headers } from './compose/headers.js'
import { lateAgent } from './compose/late-agent.js'
import { knowsAllTools, OWN_TOOLS } from './compose/tools.js'
import { readConfig } from './config.js'
import { fileLedger } from './hook-ledger.js'
import { locate, ownFilesOnce } from './locations.js'
import { loadModels } from './models/models.js'
import type { ModelEntry } from './models/pipeline.js'
import { commandLineRules } from './rules.js'
import { setUpServers } from './servers.js'
import { sharedGate, skillHost } from './skills/host.js'
import { askForSkills, loadSkillSettings, withoutEffect } from './skills/settings.js'
import { openTelemetryFrom } from './telemetry.js'
import { toolTable } from './tool-table.js'
import { openApprovals } from './trust/approvals.js'
import { modelSubject } from './trust/model-subject.js'
import { permissionSubject } from './trust/permission-subject.js'
import { skillSubject, waitingSkills } from './trust/skills.js'

export type { ComposeOptions, Extensions } from './compose/extensions.js'

/** All wiring of the command line: which package gets what, and nothing else. */
export async function compose(options: ComposeOptions): Promise<Extensions> {
  const [
    { createPermission },
    { createHooks },
    { loadSkills },
    { createMcpClient, loadServers, toolName },
    { loadAgents },
  ] = await Promise.all([
    import('@ext/permission'),
    import('@ext/hooks'),
    import('@ext/skills'),
    import('@ext/mcp-client'),
    import('@ext/agent-core/agents'),
  ])
  const ports = nodePorts(process.env, { report: options.report })
  const locations = locate(options.project, ports.env, ports.home, options.managedFolder)
  const { project } = locations
  const { trustProject } = options
  const approvals = await openApprovals({ store: locations.trustStore, approveAll: trustProject })
  const { trust, hash } = approvals
  const ofPermission = approvals.axis<PermissionEntry>((entry) => permissionSubject(entry, project))
  const ofModels = approvals.axis<ModelEntry>((entry) => modelSubject(entry, project))
  const running = lateAgent()
  const { person, report } = options
  const models = await loadModels({ layers: locations.config, project, ports, approved: ofModels.approved, report })
  const { provider, contextTokens } = models.about(options.model)
  // What only reads configuration draws nothing.
  const command = options.command ?? 'ext'
  const telemetry = options.connect !== false ? await openTelemetryFrom(ports.env, command, report) : undefined
  const traced = telemetry ? { tracer: telemetry.tracer } : {}
  const asked = person && { elicitation: person.elicitation, sampling: samplingWith(person, running.agent) }
  const servers = await setUpServers({ locations, ports, approvals, provider, ...asked, report })
  const mcp = options.connect !== false ? await createMcpClient({ ...servers.options, ...traced }) : undefined
  const serverSnapshot = mcp?.snapshot ?? (await loadServers(servers.options))
  const started = serverSnapshot.entries.flatMap(({ name, value }) => {
    const endpoint = value.endpoint()
    return endpoint.kind === 'stdio' ? [{ name, command: endpoint.command }] : []
  })
  const tools = toolTable(started, toolName)
  const gate = sharedGate(() => permission)
  const commands = options.skillCommands === true
  const host = await skillHost({ tools, runner: running.host.runner, ports, commands, gate })
  const [config, audit, settings] = await Promise.all([
    readConfig(locations, ports.files),
    readAuditConfig(locations, ports.files),
    loadSkillSettings(locations.config, { ...locations, home: ports.home }, ports.files),
  ])
  const { disabled, catalogTokens } = settings
  const [permission, skills] = await Promise.all([
    createPermission({
      layers: [
        ...locations.config,
        ...locations.claudeSettings,
        ...commandLineRules(options.rules),
        ...askForSkills(settings),
      ],
      tools,
      cwd: project,
      ports,
      approved: ofPermission.approved,
      readOnlyCommands: true,
      rememberIn: { local: join(project, '.ext/config.local.yaml'), files: nodeEditFiles() },
      ...(options.user ? { user: options.user } : {}),
    }),
    loadSkills({
      // Later wins: what somebody has named goes before the usual folders of its layer.
      layers: ownFilesOnce([...locations.skills, ...settings.folders]),
      ports,
      projectDir: project,
      disabled,
      ...(catalogTokens === undefined ? {} : { catalogTokens }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
      knownTools: () => OWN_TOOLS.map(({ name }) => name),
      trusted: approvals.files((file) => skillSubject(file, project)),
      ...host,
    }),
    options.connect === 'background' ? undefined : mcp?.ready(),
  ])
  const allTools = knowsAllTools(serverSnapshot.records, mcp)
  const knownTools = (): readonly NamedTool[] => [...OWN_TOOLS, ...(mcp?.tools() ?? [])]
  const agents = await loadAgents({ layers: locations.agents, ports, tools, ...(allTools ? { knownTools } : {}) })
  const hooks = await createHooks({
    layers: [
      ...locations.config,
      ...locations.claudeSettings,
      ...headers('skill', skills.snapshot),
      ...headers('agent', agents.snapshot),
    ],
    root: project,
    tools,
    ...(allTools ? { knownTools: () => knownTools().map(({ name }) => name) } : {}),
    ports,
    host: { ...running.host, models: models.named },
    strict: options.strict === true,
    ledger: fileLedger(locations.hookLedger),
    ...traced,
    trust,
    hash,
    ...(trustProject ? { approved: () => true } : {}),
  })
  const ofSkills = () => [...settings.snapshot.diagnostics, ...withoutEffect(settings, skills), ...skills.diagnostics]
  const diagnostics = () =>
    uniqueDiagnostics([
      // No store is no fault: nobody has approved anything yet.
      ...trust.diagnostics.filter(({ code }) => code !== 'trust.store.absent'),
      ...config.diagnostics,
      ...audit.diagnostics,
      ...models.snapshot.diagnostics,
      ...(mcp?.diagnostics ?? serverSnapshot.diagnostics),
      ...ofSkills(),
      ...agents.diagnostics,
      ...hooks.diagnostics,
      ...permission.diagnostics,
    ])
      .filter((diagnostic) => !isAboutHeaderHooks(diagnostic))
      .map(withWayToApprove)
  const snapshots = [
    models.snapshot,
    settings.snapshot,
    serverSnapshot,
    skills.snapshot,
    agents.snapshot,
    hooks.snapshot,
    permission.snapshot,
  ]
  return {
    locations,
    tools,
    config,
    models,
    trust,
    unapproved: async () => [
      ...servers.waiting(serverSnapshot.records),
      ...hooks.unapproved(),
      ...ofPermission.waiting(permission.snapshot.records),
      ...ofModels.waiting(models.snapshot.records),
      ...(await waitingSkills(skills, project)),
    ],
    permission,
    hooks,
    skills,
    agents,
    skillDiagnostics: () => uniqueDiagnostics(ofSkills()),
    servers: serverSnapshot,
    ...(mcp ? { mcp } : {}),
    // Built-in rules are nobody's configuration.
    records: snapshots.flatMap((each) => each.records).filter(({ source }) => source.layer !== 'built-in'),
    files: uniqueBy(
      snapshots.flatMap((snapshot) => snapshot.files),
      (record) => record.file,
    ),
    diagnostics,
    ...agentMaker({
      locations,
      ports,
      tools,
      models,
      permission,
      gate,
      hooks,
      skills,
      agents: agents.definitions,
      mcp,
      tracer: telemetry?.tracer,
      audited: audit.enabled,
      running,
      diagnostics,
    }),
    async close() {
      await Promise.all([hooks.close(), mcp?.close()])
      await servers.close()
      await telemetry?.close()
    },
  }
}
