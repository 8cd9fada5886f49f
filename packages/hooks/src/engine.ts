import {
  type ConfigSource,
  createReloader,
  type Diagnostic,
  ExtError,
  type Snapshot,
  sortDiagnostics,
} from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import { type CompileContext, type CompiledHook, knownNames } from './compile.js'
import type { HookEntry } from './config/entry.js'
import { functionSource } from './config/functions.js'
import { Switches } from './config/switches.js'
import { examine } from './doctor/doctor.js'
import { EVENT_NAMES } from './events.js'
import { explainHooks } from './explain.js'
import { listHooks } from './list.js'
import type { LoadedHook } from './match/listeners.js'
import { indexListeners } from './match/listeners.js'
import { repeats } from './match/repeats.js'
import { hookPipeline } from './pipeline.js'
import { Policies } from './policy/policies.js'
import { Running } from './run/running.js'
import { Watch } from './run/watch.js'
import { Session } from './session.js'
import { Gate } from './trust/gate.js'
import { switchSubject } from './trust/subject.js'
import { tryEvent } from './try-event.js'
import { tryHook } from './try-hook.js'
import type { Hooks, HooksOptions } from './types.js'

/** What `createHooks` does. A module of its own, so that importing the package loads nothing heavy. */
export async function openHooks(options: HooksOptions): Promise<Hooks> {
  const { root, ports, host: abilities = {}, envPresets = [], strict = false } = options
  const withFunctions = (layers: readonly ConfigSource[]) => [functionSource(options.functions ?? []), ...layers]
  const gate = new Gate(options, { root, ports, envPresets })
  const switches = new Switches((off) => gate.admitsSwitches(off))
  const policies = new Policies({ root, ports, ...(options.hash ? { hash: options.hash } : {}) })
  let loading = new Map<string, HookEntry>()
  let compiling = new Map<string, LoadedHook>()
  const reloader = await createReloader({
    pipeline: hookPipeline({
      switches,
      policies,
      found: (id, entry) => loading.set(id, entry),
      compiled: (hook) => compiling.set(hook.id, hook),
      pluginData: (plugin) => options.pluginData?.(plugin),
    }),
    sources: withFunctions(options.layers),
    context: (): CompileContext => {
      switches.begin()
      policies.begin()
      loading = new Map()
      compiling = new Map()
      return {
        root,
        ports,
        host: abilities,
        envPresets,
        policies,
        strict,
        tools: options.tools ?? {},
        knownTools: options.knownTools?.(),
      }
    },
    host: { files: ports.files, approved: (entry) => gate.admits(entry) },
  })
  const { store } = reloader
  let index = indexListeners(store.current.entries)
  let untrusted = untrustedHooks(store.current, compiling)
  let untrustedIndex = indexListeners(untrusted)
  let diagnostics = allDiagnostics(store.current, switches, policies)
  let found = loading
  store.subscribe((next) => {
    index = indexListeners(next.entries)
    untrusted = untrustedHooks(next, compiling)
    untrustedIndex = indexListeners(untrusted)
    diagnostics = allDiagnostics(next, switches, policies)
    found = loading
  })
  const running = new Running(ports.clock)
  const watch = new Watch({ clock: ports.clock, ledger: options.ledger, tracer: options.tracer })
  const host = {
    root,
    ports,
    abilities,
    envPresets,
    running,
    watch,
    gate,
    index: () => index,
    untrusted: () => untrustedIndex,
    managedBroken: () => store.current.managedBroken,
  }

  const list = () => listHooks(store.current, found)

  return {
    session: (ref, session = {}) => new Session(ref, host, session),
    get snapshot() {
      return store.current
    },
    get diagnostics() {
      return watch.diagnostics.length > 0 ? [...diagnostics, ...watch.diagnostics] : diagnostics
    },
    list,
    watchedFiles: () => [...new Set(store.current.entries.flatMap(({ value }) => value.files ?? []))],
    unapproved: () => [
      ...untrusted.flatMap(({ value }) => value.subject?.(root) ?? []),
      ...switches.waiting().map((off) => switchSubject(off, root)),
    ],
    explain(event, payload) {
      const ref: SessionRef = { id: 'explain', cwd: root, origin: 'main', permissionMode: 'default' }
      const request = {
        event,
        payload,
        session: ref,
        listed: list(),
        loaded: store.current.entries,
        now: ports.clock.now(),
      }
      return explainHooks(request, index.get(event))
    },
    doctor: ({ events = EVENT_NAMES } = {}) =>
      examine({
        root,
        ports,
        envPresets,
        listed: list(),
        found,
        loaded: new Map(store.current.entries.map(({ id, value }) => [id, value])),
        diagnostics,
        events,
        toolNames: options.knownTools ? knownNames(options.knownTools(), options.tools ?? {}) : undefined,
        someTools: knownNames([], options.tools ?? {}),
        switchedOffAt: (hook) => switches.offAt(hook),
      }),
    stats: () => watch.tally.stats(list(), { countsEvents: true }),
    async try(id, tryOptions = {}) {
      running.throwIfClosed()
      const loaded = store.current.entries.find((entry) => entry.id === id)
      return loaded && running.start((signal) => tryHook(loaded, host, { ...tryOptions, signal }), tryOptions.signal)
    },
    async tryEvent(event, tryOptions = {}) {
      running.throwIfClosed()
      const loaded = store.current.entries
      return running.start((signal) => tryEvent(event, loaded, host, { ...tryOptions, signal }), tryOptions.signal)
    },
    replace: (layers) => reloader.reload(withFunctions(layers)),
    close() {
      reloader.close()
      return running.close(new ExtError('hooks.closed', 'The hooks were closed.'))
    },
  }
}

/** The hooks that would run if somebody had agreed to it. */
function untrustedHooks(
  { records }: Snapshot<CompiledHook>,
  compiled: ReadonlyMap<string, LoadedHook>,
): readonly LoadedHook[] {
  return records.flatMap(({ id, verdict }) => (verdict === 'untrusted' ? (compiled.get(id) ?? []) : []))
}

function allDiagnostics(
  snapshot: Snapshot<CompiledHook>,
  switches: Switches,
  policies: Policies,
): readonly Diagnostic[] {
  const { diagnostics, records, entries } = snapshot
  return sortDiagnostics([...diagnostics, ...switches.findings(records), ...policies.findings(), ...repeats(entries)])
}
