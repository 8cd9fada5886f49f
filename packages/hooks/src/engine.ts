import {
  type ConfigSource,
  createReloader,
  type Diagnostic,
  ExtError,
  type Snapshot,
  sortDiagnostics,
} from '@ext/kernel'
import type { CompileContext, CompiledHook } from './compile.js'
import type { HookEntry } from './config/entry.js'
import { functionSource } from './config/functions.js'
import { Switches } from './config/switches.js'
import { listHooks } from './list.js'
import { indexListeners } from './match/listeners.js'
import { repeats } from './match/repeats.js'
import { hookPipeline } from './pipeline.js'
import { Running } from './run/running.js'
import { Session } from './session.js'
import { tryHook } from './try-hook.js'
import type { Hooks, HooksOptions } from './types.js'

/** What `createHooks` does. A module of its own, so that importing the package loads nothing heavy. */
export async function openHooks(options: HooksOptions): Promise<Hooks> {
  const { root, ports, host: abilities = {}, envPresets = [], strict = false } = options
  const withFunctions = (layers: readonly ConfigSource[]) => [functionSource(options.functions ?? []), ...layers]
  const switches = new Switches()
  let loading = new Map<string, HookEntry>()
  const reloader = await createReloader({
    pipeline: hookPipeline({
      switches,
      found: (id, entry) => loading.set(id, entry),
      pluginData: (plugin) => options.pluginData?.(plugin),
    }),
    sources: withFunctions(options.layers),
    context: (): CompileContext => {
      switches.begin()
      loading = new Map()
      return {
        root,
        ports,
        host: abilities,
        envPresets,
        strict,
        tools: options.tools ?? {},
        knownTools: options.knownTools?.(),
      }
    },
    host: { files: ports.files, ...(options.approved ? { approved: options.approved } : {}) },
  })
  const { store } = reloader
  let index = indexListeners(store.current.entries)
  let diagnostics = allDiagnostics(store.current, switches)
  let found = loading
  store.subscribe((next) => {
    index = indexListeners(next.entries)
    diagnostics = allDiagnostics(next, switches)
    found = loading
  })
  const running = new Running(ports.clock)
  const host = { root, ports, abilities, envPresets, running, index: () => index }

  return {
    session: (ref, session = {}) => new Session(ref, host, session),
    get snapshot() {
      return store.current
    },
    get diagnostics() {
      return diagnostics
    },
    list: () => listHooks(store.current, found),
    async try(id, tryOptions = {}) {
      running.throwIfClosed()
      const loaded = store.current.entries.find((entry) => entry.id === id)
      return loaded && running.start((signal) => tryHook(loaded, host, { ...tryOptions, signal }), tryOptions.signal)
    },
    replace: (layers) => reloader.reload(withFunctions(layers)),
    close() {
      reloader.close()
      return running.close(new ExtError('hooks.closed', 'The hooks were closed.'))
    },
  }
}

function allDiagnostics(snapshot: Snapshot<CompiledHook>, switches: Switches): readonly Diagnostic[] {
  const { diagnostics, records, entries } = snapshot
  return sortDiagnostics([...diagnostics, ...switches.findings(records), ...repeats(entries)])
}
