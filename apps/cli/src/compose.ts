import { join } from 'node:path'
import type { NamedTool } from '@ext/agent-core/agents'
import { trackFiles } from '@ext/kernel'
import { nodeEditFiles, nodePorts } from '@ext/kernel/node'
import type { PermissionEntry } from '@ext/permission/types'
import { loadAgentSettings } from './agents/settings.js'
import { samplingWith } from './asked/think.js'
import { readAuditConfig } from './audit.js'
import { withoutSwitchedOff } from './compat/apply.js'
import { agentMaker } from './compose/agent.js'
import type { ComposeOptions, Extensions } from './compose/extensions.js'
import { headers } from './compose/headers.js'
import { lateAgent } from './compose/late-agent.js'
import { reloader } from './compose/reload.js'
import { reportsOf } from './compose/reports.js'
import { knowsAllTools, OWN_TOOLS, startedServers } from './compose/tools.js'
import { readConfig } from './config.js'
import { type Follower, follow } from './follow/follow.js'
import { configFiles } from './follow/places.js'
import { tellStatuses } from './follow/server-status.js'
import { fileLedger } from './hook-ledger.js'
import { locate, ownFilesOnce } from './locations.js'
import { loadModels } from './models/models.js'
import type { ModelEntry } from './models/pipeline.js'
import { whenReady } from './progress.js'
import { commandLineRules } from './rules.js'
import { setUpServers } from './servers.js'
import { sharedGate, skillHost } from './skills/host.js'
import { askForSkills, loadSkillSettings } from './skills/settings.js'
import { openTelemetryFrom } from './telemetry.js'
import { liveToolTable } from './tool-table.js'
import { openApprovals } from './trust/approvals.js'
import { modelSubject } from './trust/model-subject.js'
import { permissionSubject } from './trust/permission-subject.js'
import { skillSubject, waitingSkills } from './trust/skills.js'

export type { ComposeOptions, Extensions } from './compose/extensions.js'

/** A run begins without the servers that take longer. */
const START_MS = 2000

/** All wiring of the command line: which package gets what, and nothing else. */
export async function compose(options: ComposeOptions): Promise<Extensions> {
  const [
    { createPermission },
    { createHooks },
    { loadSkills },
    { createMcpClient, hookedElicitation, loadServers, toolName },
    { loadAgents },
  ] = await Promise.all([
    import('@ext/permission'),
    import('@ext/hooks'),
    import('@ext/skills'),
    import('@ext/mcp-client'),
    import('@ext/agent-core/agents'),
  ])
  const ports = nodePorts(process.env, { report: options.report })
  const everywhere = locate(options.project, ports.env, ports.home, options.managedFolder)
  const { locations, compat, diagnostics: switchedOff } = await withoutSwitchedOff(everywhere, ports.files)
  const { project } = locations
  const { trustProject } = options
  const approvals = await openApprovals({ store: locations.trustStore, approveAll: trustProject })
  const { trust, hash } = approvals
  const followed = configFiles(locations)
  const tracked = trackFiles(ports.files, [...followed.keys()], { clock: ports.clock })
  /** For what reads configuration: all of it sees the same, and nothing that a hook may still refuse. */
  const steady = { ...ports, files: tracked.files }
  const ofPermission = approvals.axis<PermissionEntry>((entry) => permissionSubject(entry, project))
  const ofModels = approvals.axis<ModelEntry>((entry) => modelSubject(entry, project))
  const running = lateAgent()
  const { person, report } = options
  const models = await loadModels({
    layers: locations.config,
    project,
    ports: steady,
    approved: ofModels.approved,
    report,
  })
  const { provider, contextTokens } = models.about(options.model)
  // What only reads configuration draws nothing.
  const command = options.command ?? 'ext'
  const telemetry = options.connect !== false ? await openTelemetryFrom(ports.env, command, report) : undefined
  const traced = telemetry ? { tracer: telemetry.tracer } : {}
  const asked = person && {
    elicitation: hookedElicitation({
      person: person.elicitation,
      hooks: running.session,
      asksSomebody: person.attended,
      say: (text) => report(text),
    }),
    sampling: samplingWith(person, running.agent),
  }
  const servers = await setUpServers({ locations, ports: steady, approvals, provider, ...asked, report })
  const mcp = options.connect !== false ? await createMcpClient({ ...servers.options, ...traced }) : undefined
  const configured = mcp ?? { snapshot: await loadServers(servers.options) }
  const serverSnapshot = () => configured.snapshot
  const { table: tools, update: updateTools } = liveToolTable(toolName)
  updateTools(startedServers(serverSnapshot()))
  const gate = sharedGate(() => permission)
  const commands = options.skillCommands === true
  const host = await skillHost({ tools, runner: running.host.runner, ports, commands, gate })
  const [readFirst, audit, settings, agentSettings] = await Promise.all([
    readConfig(locations, tracked.files),
    readAuditConfig(locations, tracked.files),
    loadSkillSettings(locations.config, { ...locations, home: ports.home }, tracked.files),
    loadAgentSettings(locations.config, tracked.files),
  ])
  let config = readFirst
  const { disabled, catalogTokens } = settings
  const ruleLayers = [
    ...locations.config,
    ...locations.claudePermissions,
    ...commandLineRules(options.rules),
    ...askForSkills(settings),
  ]
  // Later wins: what somebody has named goes before the usual folders of its layer.
  const skillFolders = ownFilesOnce([...locations.skills, ...settings.folders])
  const [permission, skills] = await Promise.all([
    createPermission({
      layers: ruleLayers,
      tools,
      cwd: project,
      ports: steady,
      approved: ofPermission.approved,
      readOnlyCommands: true,
      rememberIn: { local: join(project, '.ext/config.local.yaml'), files: tracked.editing(nodeEditFiles()) },
      ...(options.user ? { user: options.user } : {}),
    }),
    loadSkills({
      layers: skillFolders,
      ports,
      projectDir: project,
      disabled,
      ...(catalogTokens === undefined ? {} : { catalogTokens }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
      knownTools: () => OWN_TOOLS.map(({ name }) => name),
      trusted: approvals.files((file) => skillSubject(file, project)),
      ...host,
    }),
    mcp && options.connect !== 'background' ? whenReady(mcp, START_MS, (late) => options.waiting?.(late)) : undefined,
  ])
  const allTools = knowsAllTools(serverSnapshot().records, mcp)
  const knownTools = (): readonly NamedTool[] => [...OWN_TOOLS, ...(mcp?.tools() ?? [])]
  const agents = await loadAgents({
    layers: locations.agents,
    ports,
    tools,
    disabled: agentSettings.disabled,
    ...(allTools ? { knownTools } : {}),
  })
  const hookLayers = () =>
    options.hookSource
      ? [
          options.hookSource,
          ...[...locations.config, ...locations.claudeHooks].filter(({ layer }) => layer === 'managed'),
        ]
      : [
          ...locations.config,
          ...locations.claudeHooks,
          ...headers('skill', skills.snapshot),
          ...headers('agent', agents.snapshot),
        ]
  const hooks = await createHooks({
    layers: hookLayers(),
    root: project,
    tools,
    ...(allTools ? { knownTools: () => knownTools().map(({ name }) => name) } : {}),
    ports: steady,
    host: { ...running.host, models: models.named },
    strict: options.strict === true,
    ledger: fileLedger(locations.hookLedger),
    ...traced,
    trust,
    hash,
    ...(trustProject
      ? {
          approved: ({ source, value }) => approvals.forThisRun(['hooks', source.file, value]),
          approvedSwitch: approvals.forThisRun,
        }
      : {}),
  })
  approvals.seal()
  const said = reportsOf({
    trust,
    config: () => config,
    compat,
    switchedOff,
    audit,
    models,
    settings,
    agentSettings,
    servers: () => mcp ?? serverSnapshot(),
    serverSnapshot,
    skills,
    agents,
    hooks,
    permission,
  })
  let follower: Promise<Follower> | undefined
  const following = () => {
    follower ??= follow({
      files: followed,
      tracked,
      folders: { skills: skillFolders, agents: locations.agents },
      approvals: locations.trustStore,
      cwd: project,
      extensions: { skills, agents, hooks, diagnostics: said.diagnostics },
      session: running.session,
      reload: reloader({
        trust,
        skills,
        permission: () => permission.replace(ruleLayers),
        hooks: () => hooks.replace(hookLayers()),
        async servers() {
          await mcp?.apply(servers.options.layers)
          updateTools(startedServers(serverSnapshot()))
        },
        async sections() {
          config = await readConfig(locations, tracked.files)
        },
      }),
    })
    return follower
  }
  const statuses = mcp && tellStatuses(mcp, running.session)
  return {
    locations,
    tools,
    get config() {
      return config
    },
    models,
    trust,
    unapproved: async () => [
      ...servers.waiting(serverSnapshot().records),
      ...hooks.unapproved(),
      ...ofPermission.waiting(permission.snapshot.records),
      ...ofModels.waiting(models.snapshot.records),
      ...(await waitingSkills(skills, project)),
    ],
    permission,
    remembered: gate.remembered,
    goesOn: gate.goesOn,
    hooks,
    skills,
    agents,
    skillDiagnostics: said.ofSkills,
    agentDiagnostics: said.ofAgents,
    get servers() {
      return serverSnapshot()
    },
    ...(mcp ? { mcp } : {}),
    get records() {
      return said.records()
    },
    get files() {
      return said.files()
    },
    attach: running.attach,
    watch: async (watchOptions) => (await following()).watch(watchOptions),
    diagnostics: said.diagnostics,
    merge: said.merge,
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
      diagnostics: said.diagnostics,
      following,
    }),
    async close() {
      statuses?.end()
      await Promise.all([hooks.close(), mcp?.close()])
      await servers.close()
      await telemetry?.close()
    },
  }
}
