import {
  createReporter,
  type Diagnostic,
  definePipeline,
  isForeignLayer,
  type Located,
  type Pipeline,
} from '@ext/kernel'
import { diagnosticCodes } from './codes.js'
import { type CompileContext, type CompiledHook, compileHook } from './compile.js'
import { type HookEntry, type HookInput, hookName } from './config/entry.js'
import { functionReader } from './config/functions.js'
import { claudeReader, extReader } from './config/read.js'
import { headerReader } from './config/read-header.js'
import { pluginReader } from './config/read-plugin.js'
import type { Switches } from './config/switches.js'
import { hasSayOver } from './config/trust.js'
import { validateHook } from './config/validate.js'
import type { LoadedHook } from './match/listeners.js'
import type { Policies } from './policy/policies.js'
import { commandLength, MAX_COMMAND_LENGTH } from './trust/subject.js'

const report = createReporter(diagnosticCodes)

/** A hook that knows whether a file switches it off. */
interface SwitchedEntry extends HookEntry {
  isOn(): boolean
}

/** What a load has to do with besides the hooks themselves. */
export interface PipelineOptions {
  readonly switches: Switches
  readonly policies: Policies
  /** Gets every hook that is well formed. */
  readonly found: (id: string, entry: HookEntry) => void
  /** Gets every hook that could run, approved or not. */
  readonly compiled: (hook: LoadedHook) => void
  readonly pluginData: (root: string) => string | undefined
}

/** One for each `createHooks`, for the files of one host say what becomes of its hooks. */
export function hookPipeline({
  switches,
  policies,
  found,
  compiled,
  pluginData,
}: PipelineOptions): Pipeline<HookEntry, CompiledHook, CompileContext> {
  return definePipeline<HookInput, SwitchedEntry, CompiledHook, CompileContext>({
    axis: 'hooks',
    readers: [
      functionReader,
      extReader(switches, policies),
      claudeReader(switches, policies),
      pluginReader(pluginData),
      headerReader('skill'),
      headerReader('agent'),
    ],
    validate(input) {
      const { value, diagnostics } = validateHook(input)
      if (!value) return { diagnostics }
      const tooLong = tooLongToApprove({ ...input, value })
      if (tooLong) return { diagnostics: [...diagnostics, tooLong] }
      found(input.id, value)
      const isOn = () => !switches.isOff(input.source, hookName(value)) && policies.allows({ ...input, value })
      return { value: { ...value, isOn }, diagnostics }
    },
    identity: (entry) => hookName(entry.value),
    merge: 'append',
    mergeOf: (entry) => (entry.isOn() ? entry.merge : undefined),
    mayReplace: hasSayOver,
    // Every hook runs something; what is switched off runs nothing, and nobody is to be asked about it.
    needsConsent: (entry) => entry.isOn(),
    enabled: (entry) => entry.isOn(),
    compile(entry, context) {
      const outcome = compileHook(entry, context)
      const { id, source, at } = entry
      if (outcome.value) compiled({ id, name: hookName(entry.value), value: outcome.value, source, at })
      return outcome
    },
  })
}

/** Before anybody is asked about it. */
function tooLongToApprove(entry: Located<HookEntry>): Diagnostic | undefined {
  const { action } = entry.value
  if (!isForeignLayer(entry.source.layer) || action.type !== 'command') return undefined
  const length = commandLength(action)
  if (length <= MAX_COMMAND_LENGTH) return undefined
  const message = `The command has ${length} characters, more than anybody reads before approving it.`
  const details = {
    entry: entry.id,
    pointer: entry.pointer,
    hint: 'Put it into a script, which is approved by its content.',
  }
  return report.error('hooks.command.too-long', entry.at(), message, details)
}
