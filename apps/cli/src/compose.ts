import { join } from 'node:path'
import type { Agent } from '@ext/agent-core'
import type { NamedTool } from '@ext/agent-core/agents'
import type { Model, SessionStore } from '@ext/agent-core/types'
import type { Hooks } from '@ext/hooks'
import type { HookHost } from '@ext/hooks/types'
import {
  type ConfigSource,
  type Diagnostic,
  type EntryRecord,
  ExtError,
  type FileRecord,
  type Snapshot,
  sortDiagnostics,
} from '@ext/kernel'
import type { ToolTable } from '@ext/kernel/contract'
import { nodeEditFiles, nodePorts } from '@ext/kernel/node'
import type { Trust, TrustSubject } from '@ext/kernel/trust'
import type { McpClient } from '@ext/mcp-client'
import type { CompiledServer } from '@ext/mcp-client/types'
import type { Permission, UserPort } from '@ext/permission'
import type { PermissionEntry } from '@ext/permission/types'
import type { Skills } from '@ext/skills'
import type { SkillSession } from '@ext/skills/types'
import type { ServerPerson } from './asked/person.js'
import { samplingWith } from './asked/think.js'
import { readAuditConfig } from './audit.js'
import { type CliConfig, readConfig } from './config.js'
import { fileLedger } from './hook-ledger.js'
import { type Locations, locate, ownFilesOnce } from './locations.js'
import { type ChosenModel, loadModels, type Models } from './models/models.js'
import type { ModelEntry } from './models/pipeline.js'
import { OWN_TOOL_NAMES, ownTools } from './own-tools.js'
import { countSeverity } from './render/words.js'
import { commandLineRules } from './rules.js'
import { setUpServers } from './servers.js'
import { sharedGate, skillHost } from './skills/host.js'
import { type SkillSessions, skillSessions } from './skills/sessions.js'
import { askForSkills, loadSkillSettings, withoutEffect } from './skills/settings.js'
import { openTelemetryFrom } from './telemetry.js'
import { toolTable } from './tool-table.js'
import { openApprovals } from './trust/approvals.js'
import { modelSubject } from './trust/model-subject.js'
import { permissionSubject } from './trust/permission-subject.js'
import { skillSubject, waitingSkills } from './trust/skills.js'

export interface ComposeOptions {
  readonly project: string
  /** The person approves what the project's files run, this time. */
  readonly trustProject: boolean
  /** Start the MCP servers. Without it configuration is read and nothing runs. */
  readonly connect: boolean
  readonly rules?: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** A hook that fails blocks where it can. Default: only where it says so itself. */
  readonly strict?: boolean
  /** Run the commands that bodies of trusted skills mark, within permission. Default: they stay text. */
  readonly skillCommands?: boolean
  /**
   * The model as a flag names it: its provider decides on the form of tools, its context on the room for skills. Default:
   * that of the configuration.
   */
  readonly model?: string
  /** Folder of the administrator's configuration. Default: that of the machine. */
  readonly managedFolder?: string
  /** Whose hooks alone are read, beside the administrator's. Default: those of the project and the person. */
  readonly hookSource?: ConfigSource
  /** Hears what goes wrong with the machine's side, such as a watchdog that can't be started. */
  report(text: string): void
  /** Who answers questions. Without it a question is a no. */
  readonly user?: UserPort
  /** Who answers MCP servers that ask. Without it they are told that nobody does. */
  readonly person?: ServerPerson
}

/** Everything that the project's files say, loaded by the package that owns it. */
export interface Extensions {
  readonly locations: Locations
  /** Which tools are like which well-known one. */
  readonly tools: ToolTable
  readonly config: CliConfig
  readonly models: Models
  readonly trust: Trust
  /** What would run or loosen something once a person has agreed to it. */
  unapproved(): Promise<readonly TrustSubject[]>
  readonly permission: Permission
  readonly hooks: Hooks
  readonly skills: Skills
  /** Of the skills, and of what configuration says about them. */
  skillDiagnostics(): readonly Diagnostic[]
  /** The skills of a session of the agent. */
  skillSession(id: string): SkillSession | undefined
  /** The servers as configured; whether they are started or not. */
  readonly servers: Snapshot<CompiledServer>
  /** Only when asked to connect. */
  readonly mcp?: McpClient
  readonly records: readonly EntryRecord[]
  readonly files: readonly FileRecord[]
  /** Of all axes as they stand now, each said once. */
  diagnostics(): readonly Diagnostic[]
  /** @param options.store keeps the sessions */
  createAgent(chosen: Chosen, options: { readonly maxTurns?: number; readonly store?: SessionStore }): Promise<Agent>
  close(): Promise<void>
}

type Chosen = Pick<Extract<ChosenModel, { readonly model: Model }>, 'model' | 'spec'>

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
  const telemetry = options.connect ? await openTelemetryFrom(ports.env, report) : undefined
  const traced = telemetry ? { tracer: telemetry.tracer } : {}
  const asked = person && { elicitation: person.elicitation, sampling: samplingWith(person, running.model) }
  const servers = await setUpServers({ locations, ports, approvals, provider, ...asked, report })
  const mcp = options.connect ? await createMcpClient({ ...servers.options, ...traced }) : undefined
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
    mcp?.ready(),
  ])
  const allTools = knowsAllTools(serverSnapshot.records, mcp)
  const knownTools = (): readonly NamedTool[] => [...OWN_TOOLS, ...(mcp?.tools() ?? [])]
  const agents = await loadAgents({ layers: locations.agents, ports, tools, ...(allTools ? { knownTools } : {}) })
  const hooks = await createHooks({
    layers: options.hookSource
      ? [options.hookSource, ...locations.config.filter(({ layer }) => layer === 'managed')]
      : [
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
  let sessions: SkillSessions | undefined
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
    skillDiagnostics: () => uniqueDiagnostics(ofSkills()),
    skillSession: (id) => sessions?.of(id),
    servers: serverSnapshot,
    ...(mcp ? { mcp } : {}),
    // Built-in rules are nobody's configuration.
    records: snapshots.flatMap((each) => each.records).filter(({ source }) => source.layer !== 'built-in'),
    files: uniqueBy(
      snapshots.flatMap((snapshot) => snapshot.files),
      (record) => record.file,
    ),
    diagnostics,
    async createAgent({ model, spec }, { store, ...limits }) {
      const [{ createAgent }, { instructionFiles }, { auditFile, taskFiles }, builtIn] = await Promise.all([
        import('@ext/agent-core'),
        import('@ext/agent-core/instructions'),
        import('@ext/agent-core/node'),
        ownTools(permission, ports),
      ])
      const found = diagnostics()
      sessions = skillSessions(hooks, skills)
      const { interceptor, extension } = sessions
      const agent = await createAgent({
        model,
        tools: builtIn,
        extensions: [extension, ...(mcp ? [mcp] : [])],
        interceptor,
        gate,
        instructions: instructionFiles({ files: ports.files, user: locations.instructions, home: ports.home }),
        ...(store ? { store } : {}),
        agents: agents.definitions,
        models: models.namesFor(spec),
        toolTable: tools,
        tasks: { files: taskFiles(locations.tasks) },
        ...(audit.enabled ? { audit: auditFile(locations.audit) } : {}),
        ...traced,
        ports,
        limits,
        diagnostics: {
          errors: countSeverity(found, 'error'),
          warnings: countSeverity(found, 'warning'),
        },
      })
      running.set(agent, model)
      return agent
    },
    async close() {
      await Promise.all([hooks.close(), mcp?.close()])
      await servers.close()
      await telemetry?.close()
    },
  }
}

/** What hooks and servers ask models and sub-agents through. They are loaded before the agent that they act in. */
function lateAgent(): {
  readonly host: Required<Pick<HookHost, 'model' | 'runner'>>
  /** Of the run; `undefined` before there is one. */
  model(): Model | undefined
  set(agent: Agent, model: Model): void
} {
  let running: { readonly agent: Agent; readonly model: Model } | undefined
  const current = () => {
    if (!running) throw new ExtError('cli.hooks.no-agent', 'No agent runs, so there is no model to ask.')
    return running
  }
  return {
    host: {
      model: { stream: (request, options) => current().model.stream(request, options) },
      runner: { run: async (order, options) => current().agent.runner.run(order, options) },
    },
    model: () => running?.model,
    set: (agent, model) => {
      running = { agent, model }
    },
  }
}

/** The files whose headers may hold hooks: of the skills or agents that are in use. */
function headers(dialect: 'skill' | 'agent', { entries }: Pick<Snapshot<unknown>, 'entries'>): readonly ConfigSource[] {
  return entries.flatMap(({ source: { layer, file } }) =>
    file === undefined ? [] : [{ kind: 'file', layer, dialect, path: file } as const],
  )
}

/** Agents are told apart from their hooks: whoever loads those alone says that hooks do not run. Here they do. */
function isAboutHeaderHooks({ code, pointer }: Diagnostic): boolean {
  return pointer === '/hooks' && code === 'agents.field.no-effect'
}

const OWN_TOOLS: readonly NamedTool[] = OWN_TOOL_NAMES.map((name) => ({
  name,
  source: { tool: name, trusted: true },
}))

/** As long as the tools of one server are not known, nobody can say that a matcher fits none. */
function knowsAllTools(servers: readonly EntryRecord[], mcp: McpClient | undefined): boolean {
  const ready = new Set(
    mcp?.status().flatMap(({ name, state }) => (state === 'ready' || state === 'idle' ? [name] : [])),
  )
  return servers.every(({ name, verdict }) => {
    if (verdict === 'loaded') return ready.has(name)
    return verdict === 'shadowed' || verdict === 'disabled'
  })
}

const WAY_TO_APPROVE =
  'See what it would do with `ext trust list`, then `ext trust approve`; or approve the project for one run with --trust-project.'

/** The libraries can't know how a person approves a project here. */
function withWayToApprove(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.code !== 'config.entry.untrusted') return diagnostic
  return { ...diagnostic, hint: WAY_TO_APPROVE }
}

/** A file that several axes read is parsed by each of them; its syntax error is one finding all the same. */
function uniqueDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return sortDiagnostics(
    uniqueBy(diagnostics, ({ code, message, source: { file, name, line, column } }) =>
      JSON.stringify([code, message, file ?? name, line, column]),
    ),
  )
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()]
}
