import {
  type ConfigSource,
  createReloader,
  type Diagnostic,
  definePipeline,
  ExtError,
  type Snapshot,
  sortDiagnostics,
} from '@ext/kernel'
import { type CompileContext, type CompiledHook, compileHook } from './compile.js'
import { type HookEntry, type HookInput, hookName } from './config/entry.js'
import { functionReader, functionSource } from './config/functions.js'
import { claudeReader, extReader } from './config/read.js'
import { headerReader } from './config/read-header.js'
import { pluginReader } from './config/read-plugin.js'
import { Switches } from './config/switches.js'
import { hasSayOver } from './config/trust.js'
import { validateHook } from './config/validate.js'
import { indexListeners } from './match/listeners.js'
import { repeats } from './match/repeats.js'
import { Running } from './run/running.js'
import { Session } from './session.js'
import type { Hooks, HooksOptions } from './types.js'

/** A hook that knows whether a file switches it off. */
interface SwitchedEntry extends HookEntry {
  isOn(): boolean
}

/** What `createHooks` does. A module of its own, so that importing the package loads nothing heavy. */
export async function openHooks(options: HooksOptions): Promise<Hooks> {
  const { root, ports, host: abilities = {}, envPresets = [], strict = false } = options
  const withFunctions = (layers: readonly ConfigSource[]) => [functionSource(options.functions ?? []), ...layers]
  const switches = new Switches()
  const reloader = await createReloader({
    pipeline: hookPipeline(switches, options),
    sources: withFunctions(options.layers),
    context: (): CompileContext => {
      switches.begin()
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
  store.subscribe((next) => {
    index = indexListeners(next.entries)
    diagnostics = allDiagnostics(next, switches)
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
    replace: (layers) => reloader.reload(withFunctions(layers)),
    close() {
      reloader.close()
      return running.close(new ExtError('hooks.closed', 'The hooks were closed.'))
    },
  }
}

/** One for each `createHooks`, for the files of one host say what becomes of its hooks. */
function hookPipeline(switches: Switches, { pluginData = () => undefined }: Pick<HooksOptions, 'pluginData'>) {
  return definePipeline<HookInput, SwitchedEntry, CompiledHook, CompileContext>({
    axis: 'hooks',
    readers: [
      functionReader,
      extReader(switches),
      claudeReader(switches),
      pluginReader(pluginData),
      headerReader('skill'),
      headerReader('agent'),
    ],
    validate(input) {
      const { value, diagnostics } = validateHook(input)
      if (!value) return { diagnostics }
      const isOn = () => !switches.isOff(input.source, hookName(value))
      return { value: { ...value, isOn }, diagnostics }
    },
    identity: (entry) => hookName(entry.value),
    merge: 'append',
    mergeOf: (entry) => (entry.isOn() ? entry.merge : undefined),
    mayReplace: hasSayOver,
    // Every hook runs something; what is switched off runs nothing, and nobody is to be asked about it.
    needsConsent: (entry) => entry.isOn(),
    enabled: (entry) => entry.isOn(),
    compile: compileHook,
  })
}

function allDiagnostics(snapshot: Snapshot<CompiledHook>, switches: Switches): readonly Diagnostic[] {
  const { diagnostics, records, entries } = snapshot
  return sortDiagnostics([...diagnostics, ...switches.findings(records), ...repeats(entries)])
}
