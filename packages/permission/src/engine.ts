import { createReloader } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import { resolvePath, samenessOfNames } from '@ext/kernel/match'
import type { CompiledEntry } from './config/entry.js'
import { permissionPipeline, type RuleHost } from './config/pipeline.js'
import { compileRuleset, type Ruleset } from './decide/ruleset.js'
import { Memo } from './memo.js'
import { type CommandReading, readCommand } from './rule/command/read.js'
import { shellContext } from './rule/reading.js'
import { createSession } from './session.js'
import type { Permission, PermissionOptions, PermissionSession } from './types.js'

/** Command lines that are remembered for a folder: the same line is decided and explained again and again. */
const REMEMBERED = { count: 256, length: 2000 }

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
  const { store, reload } = await createReloader({
    pipeline: permissionPipeline,
    sources: options.layers,
    context: () => ({ ...base, now: ports.clock.now() }),
    host: { files, ...(approved ? { approved } : {}) },
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
  const bypassOff = () => store.current.entries.find(({ value }) => value.kind === 'no-bypass')?.at

  function session(ref: SessionRef): PermissionSession {
    const folder = withoutSlash(ref.cwd)
    return createSession(ref, {
      ...options,
      state: folder === base.cwd ? shared : stateFor(folder),
      managedBroken: () => store.current.managedBroken,
      bypassOff: () => bypassOff(),
      reload: () => reload(),
    })
  }

  return {
    session,
    get snapshot() {
      return store.current
    },
    get diagnostics() {
      return store.current.diagnostics
    },
    get defaultMode() {
      const entry = store.current.entries.findLast(({ value }) => value.kind === 'mode')?.value
      const mode = entry?.kind === 'mode' ? entry.mode : 'default'
      return mode === 'bypassPermissions' && bypassOff() ? 'default' : mode
    },
    get bypassOff() {
      return bypassOff()?.()
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

function withoutSlash(folder: string): string {
  return folder.replace(/(?<=.)\/+$/, '')
}
