import { join } from 'node:path'
import type { Agent } from '@ext/agent-core'
import type { NamedTool } from '@ext/agent-core/agents'
import type { Model } from '@ext/agent-core/types'
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
import { minimalEnv } from '@ext/kernel/env'
import { nodeEditFiles, nodePorts } from '@ext/kernel/node'
import type { Trust, TrustSubject } from '@ext/kernel/trust'
import type { McpClient } from '@ext/mcp-client'
import type { Permission, UserPort } from '@ext/permission'
import type { PermissionEntry } from '@ext/permission/types'
import type { Skills } from '@ext/skills'
import type { SkillSession } from '@ext/skills/types'
import type { ServerPerson } from './asked/person.js'
import { samplingWith } from './asked/think.js'
import { type CliConfig, readConfig } from './config.js'
import { fileLedger } from './hook-ledger.js'
import { type Locations, locate } from './locations.js'
import { namedModels } from './named-models.js'
import { countSeverity } from './render/words.js'
import { setUpServers } from './servers.js'
import { sharedGate, skillHost } from './skills/host.js'
import { type SkillSessions, skillSessions } from './skills/sessions.js'
import { toolTable } from './tool-table.js'
import { openApprovals } from './trust/approvals.js'
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
  /** Folder of the administrator's configuration. Default: that of the machine. */
  readonly managedFolder?: string
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
  readonly trust: Trust
  /** What would run or loosen something once a person has agreed to it. */
  unapproved(): readonly TrustSubject[]
  readonly permission: Permission
  readonly hooks: Hooks
  readonly skills: Skills
  /** The skills of a session of the agent. */
  skillSession(id: string): SkillSession | undefined
  /** Only when asked to connect. */
  readonly mcp?: McpClient
  readonly records: readonly EntryRecord[]
  readonly files: readonly FileRecord[]
  /** Of all axes as they stand now, each said once. */
  diagnostics(): readonly Diagnostic[]
  createAgent(model: Model, limits: { readonly maxTurns?: number }): Promise<Agent>
  close(): Promise<void>
}

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
  const running = lateAgent()
  const { person, report } = options
  const asked = person && { elicitation: person.elicitation, sampling: samplingWith(person, running.model) }
  const servers = await setUpServers({ locations, ports, approvals, ...asked, report })
  const mcp = options.connect ? await createMcpClient(servers.options) : undefined
  const serverSnapshot = mcp?.snapshot ?? (await loadServers(servers.options))
  const started = serverSnapshot.entries.flatMap(({ name, value }) => {
    const endpoint = value.endpoint()
    return endpoint.kind === 'stdio' ? [{ name, command: endpoint.command }] : []
  })
  const tools = toolTable(started, toolName)
  const gate = sharedGate(() => permission)
  const commands = options.skillCommands === true
  const host = await skillHost({ tools, runner: running.host.runner, ports, commands, gate })
  const [config, permission, skills] = await Promise.all([
    readConfig(locations, ports.files),
    createPermission({
      layers: [...locations.config, ...locations.claudeSettings, ...commandLineRules(options.rules)],
      tools,
      cwd: project,
      ports,
      approved: ofPermission.approved,
      readOnlyCommands: true,
      rememberIn: { local: join(project, '.ext/config.local.yaml'), files: nodeEditFiles() },
      ...(options.user ? { user: options.user } : {}),
    }),
    loadSkills({
      layers: locations.skills,
      ports,
      projectDir: project,
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
    host: running.host,
    strict: options.strict === true,
    ledger: fileLedger(locations.hookLedger),
    trust,
    hash,
    ...(trustProject ? { approved: () => true } : {}),
  })
  let sessions: SkillSessions | undefined
  const diagnostics = () =>
    uniqueDiagnostics([
      // No store is no fault: nobody has approved anything yet.
      ...trust.diagnostics.filter(({ code }) => code !== 'trust.store.absent'),
      ...config.diagnostics,
      ...(mcp?.diagnostics ?? serverSnapshot.diagnostics),
      ...skills.diagnostics,
      ...agents.diagnostics,
      ...hooks.diagnostics,
      ...permission.diagnostics,
    ])
      .filter((diagnostic) => !isAboutHeaderHooks(diagnostic))
      .map(withWayToApprove)
  const snapshots = [serverSnapshot, skills.snapshot, agents.snapshot, hooks.snapshot, permission.snapshot]
  return {
    locations,
    tools,
    config,
    trust,
    unapproved: () => [
      ...servers.waiting(serverSnapshot.records),
      ...hooks.unapproved(),
      ...ofPermission.waiting(permission.snapshot.records),
      ...waitingSkills(skills.snapshot, project),
    ],
    permission,
    hooks,
    skills,
    skillSession: (id) => sessions?.of(id),
    ...(mcp ? { mcp } : {}),
    // Built-in rules are nobody's configuration.
    records: snapshots.flatMap((each) => each.records).filter(({ source }) => source.layer !== 'built-in'),
    files: uniqueBy(
      snapshots.flatMap((snapshot) => snapshot.files),
      (record) => record.file,
    ),
    diagnostics,
    async createAgent(model, limits) {
      const [{ createAgent }, { shellTool }] = await Promise.all([
        import('@ext/agent-core'),
        import('@ext/agent-core/tools'),
      ])
      const found = diagnostics()
      sessions = skillSessions(hooks, skills)
      const { interceptor, extension } = sessions
      const names = [...agents.definitions, ...skills.snapshot.entries.map(({ value }) => value)]
      const agent = await createAgent({
        model,
        models: await namedModels(
          names.flatMap((each) => each.model ?? []),
          project,
          options.report,
        ),
        tools: [shellTool({ process: ports.process, env: minimalEnv(ports.env, ports.platform) })],
        extensions: [extension, ...(mcp ? [mcp] : [])],
        interceptor,
        gate,
        agents: agents.definitions,
        toolTable: tools,
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

/** Tools of this host; those of servers come and go. */
const OWN_TOOLS: readonly NamedTool[] = ['Bash', 'load_skill', 'search_skills', 'agent'].map((name) => ({
  name,
  source: { tool: name, trusted: true },
}))

/** As long as the tools of one server are not known, nobody can say that a matcher fits none. */
function knowsAllTools(servers: readonly EntryRecord[], mcp: McpClient | undefined): boolean {
  const ready = new Set(mcp?.status().flatMap(({ name, state }) => (state === 'ready' ? [name] : [])))
  return servers.every(({ name, verdict }) => {
    if (verdict === 'loaded') return ready.has(name)
    return verdict === 'shadowed' || verdict === 'disabled'
  })
}

function commandLineRules(rules: ComposeOptions['rules']): readonly ConfigSource[] {
  const source = (name: '--allow' | '--deny', value: unknown): ConfigSource => ({
    kind: 'value',
    layer: 'command-line',
    dialect: 'ext',
    name,
    value,
  })
  return [
    ...(rules?.allow.length ? [source('--allow', { permissions: { allow: rules.allow } })] : []),
    ...(rules?.deny.length ? [source('--deny', { permissions: { deny: rules.deny } })] : []),
  ]
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
