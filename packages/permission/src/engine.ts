import { createReloader, createReporter, type Diagnostic, ExtError, type Located, type Source } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import { resolvePath, samenessOfNames } from '@ext/kernel/match'
import type { Snapshot, SnapshotEntry } from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import type { CompiledEntry, PermissionEntry } from './config/entry.js'
import { permissionPipeline, type RuleHost } from './config/pipeline.js'
import { compileRuleset, type Ruleset } from './decide/ruleset.js'
import { Memo } from './memo.js'
import { type CommandReading, readCommand } from './rule/command/read.js'
import { shellContext } from './rule/reading.js'
import { guarded, timeOf } from './run/guard.js'
import { createSession } from './session.js'
import type {
  Permission,
  PermissionOptions,
  PermissionSession,
  PermissionSessionOptions,
  RememberedRule,
} from './types.js'

/** Command lines that are remembered for a folder: the same line is decided and explained again and again. */
const REMEMBERED = { count: 256, length: 2000 }

const report = createReporter(diagnosticCodes)

const COUNTS_AS_NO = 'What it would have allowed is not allowed; mend the function that the program passes in.'

export async function openPermission(options: PermissionOptions): Promise<Permission> {
  const { cwd, ports, tools = {}, approved, shell = 'bash', programs, readOnlyCommands = false } = options
  const { files, home, platform } = ports
  const base: RuleHost = {
    cwd: withoutSlash(cwd),
    home: withoutSlash(home),
    ...samenessOfNames(platform),
    tools,
    shell: { shell, platform, ...(programs ? { programs } : {}) },
  }
  /** What the host has passed in and has failed, each once. */
  const troubles = new Map<string, Diagnostic>()
  const failed = (problem: string, source: Source = { layer: 'session', name: 'host' }) => {
    if (troubles.has(problem)) return
    troubles.set(problem, report.error('permission.port.failed', source, problem, { hint: COUNTS_AS_NO }))
  }
  const isApproved = (entry: Located<PermissionEntry>): boolean =>
    guarded(
      'approved',
      () => approved?.(entry),
      false,
      (problem) => failed(problem, entry.source),
    ) === true
  const now = () => guarded('ports.clock.now', () => timeOf(ports.clock), Number.POSITIVE_INFINITY, failed)
  const { store, reload } = await createReloader({
    pipeline: permissionPipeline,
    sources: options.layers,
    context: () => ({ ...base, now: now() }),
    host: { files, ...(approved ? { approved: isApproved } : {}) },
  })

  /** Compiled on the first question after every swap. */
  const stateFor = (folder: string): (() => SessionState) => {
    let state: SessionState | undefined
    let of = store.current
    return () => {
      if (!state || of !== store.current) {
        of = store.current
        state = stateOf(of.entries, compileRuleset(of, hostFor(folder, of.entries)))
      }
      return state
    }
  }

  const hostFor = (folder: string, entries: readonly { readonly value: CompiledEntry }[]): RuleHost => {
    const roots = entries.flatMap(({ value }) =>
      value.kind === 'directory' ? [resolvePath(value.path, { cwd: folder, home: base.home })] : [],
    )
    return { ...base, cwd: folder, shell: { ...base.shell, roots: [folder, ...roots] } }
  }

  const stateOf = (entries: readonly { readonly value: CompiledEntry }[], rules: Ruleset): SessionState => {
    const setting = entries.findLast(({ value }) => value.kind === 'read-only-commands')?.value
    const context = shellContext({
      anchors: rules.host,
      tools,
      ...(rules.host.shell ? { shell: rules.host.shell } : {}),
    })
    const lines = new Memo<CommandReading>(REMEMBERED)
    return {
      rules,
      readOnlyCommands: setting?.kind === 'read-only-commands' ? setting.run : readOnlyCommands,
      readCommand: (line) => lines.get(line, () => readCommand(line, context)),
    }
  }

  const shared = stateFor(base.cwd)
  /** Whose each session is: what was allowed to somebody is nobody else's. */
  const owners = new WeakMap<PermissionSession, string>()

  /** Of the rules that count now: each decision asks, and there may be thousands. */
  let switchedOff:
    | { readonly of: Snapshot<CompiledEntry>; readonly by: SnapshotEntry<CompiledEntry> | undefined }
    | undefined
  const bypassOff = () => {
    const of = store.current
    if (switchedOff?.of !== of) switchedOff = { of, by: of.entries.find(({ value }) => value.kind === 'no-bypass') }
    return switchedOff.by
  }

  function session(ref: SessionRef, { continues }: PermissionSessionOptions = {}): PermissionSession {
    const folder = withoutSlash(ref.cwd)
    const made = createSession(ref, {
      ...options,
      state: folder === base.cwd ? shared : stateFor(folder),
      managedBroken: () => store.current.managedBroken,
      rememberedBefore: continues ? rememberedBy(continues, ref) : [],
      bypassIsOff: () => bypassOff() !== undefined,
      reload: () => reload(),
      failed,
    })
    owners.set(made, ownerOf(ref))
    return made
  }

  const rememberedBy = (before: PermissionSession, ref: SessionRef): readonly RememberedRule[] => {
    if (owners.get(before) === ownerOf(ref)) return before.remembered
    const message = `The session \`${ref.id}\` can’t continue what is another session, or one of another engine: id, cwd, origin, user and agent have to be the same.`
    throw new ExtError('permission.session.other', message)
  }

  return {
    session,
    get snapshot() {
      return store.current
    },
    get diagnostics() {
      const { diagnostics } = store.current
      return troubles.size === 0 ? diagnostics : [...diagnostics, ...troubles.values()]
    },
    get defaultMode() {
      const entry = store.current.entries.findLast(({ value }) => value.kind === 'mode')?.value
      const mode = entry?.kind === 'mode' ? entry.mode : 'default'
      return mode === 'bypassPermissions' && bypassOff() ? 'default' : mode
    },
    get bypassOff() {
      return bypassOff()?.at()
    },
    replace: (layers) => reload(layers),
  }
}

/** What configuration means for one working folder. */
export interface SessionState {
  readonly rules: Ruleset
  readonly readOnlyCommands: boolean
  readCommand(line: string): CommandReading
}

function ownerOf({ id, cwd, origin, user, agent }: SessionRef): string {
  return JSON.stringify([id, withoutSlash(cwd), origin, user, agent?.id, agent?.type])
}

function withoutSlash(folder: string): string {
  return folder.replace(/(?<=.)\/+$/, '')
}
