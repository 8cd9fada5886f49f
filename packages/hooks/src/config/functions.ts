import {
  checkSchema,
  createReporter,
  describe,
  documentReader,
  isMap,
  type Located,
  listEntries,
  type Outcome,
  type Reader,
  type ValueSource,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { FunctionHook } from '../function.js'
import { checkEvent } from './checks.js'
import { takeCondition } from './condition.js'
import type { HookEntry, HookInput } from './entry.js'
import { takeTimeout } from './timeout.js'
import { validateFunction as isFunctionHook } from './validators.generated.js'

const report = createReporter(diagnosticCodes)

/** The embedder's functions as a layer. It is the farthest one: whoever configures something has a word after it. */
export function functionSource(functions: readonly FunctionHook[]): ValueSource {
  return { kind: 'value', layer: 'built-in', dialect: 'functions', name: 'createHooks({functions})', value: functions }
}

export const functionReader: Reader<HookInput> = documentReader('functions', (document) => {
  const { entries, ...found } = listEntries(document, '')
  return {
    ...found,
    entries: entries.map((entry) => ({ ...entry, value: { dialect: 'functions', hook: entry.value } })),
  }
})

/** Says whether an embedder's function is well formed. Who writes TypeScript knows that it is. */
export function validateFunction(entry: Located<unknown>): Outcome<HookEntry> {
  const { fn, ...written } = isMap(entry.value) ? entry.value : {}
  if (typeof fn !== 'function') {
    const message = `\`fn\` is ${describe(fn)}, not a function.`
    const hint = 'Make it with `defineHook(event, fn)`.'
    return { diagnostics: [report.error('hooks.action.fields', entry.at('/fn'), message, { entry: entry.id, hint })] }
  }
  const conditioned = takeCondition({ ...entry, value: written }, { trees: true })
  const timed = takeTimeout(conditioned.rest)
  const checked = checkSchema<Omit<FunctionHook, 'fn' | 'if' | 'timeout'>>(isFunctionHook, timed.rest)
  const diagnostics = [conditioned, timed, checked].flatMap((step) => step.diagnostics)
  if (!checked.value || timed.invalid) return { diagnostics }
  const { name, event: eventName, matcher, once = false, onFailure, sequential = false } = checked.value
  const event = checkEvent(eventName, entry.at('/event'), entry.id)
  diagnostics.push(...event.diagnostics)
  if (!event.value) return { diagnostics }
  return {
    value: {
      dialect: 'functions',
      event: event.value,
      ...(name === undefined ? {} : { name }),
      ...(matcher === undefined ? {} : { matcher }),
      ...(conditioned.condition === undefined ? {} : { condition: conditioned.condition }),
      ...(timed.ms === undefined ? {} : { timeoutMs: timed.ms }),
      action: { type: 'function', fn: fn as FunctionHook['fn'] },
      ...(onFailure === undefined ? {} : { onFailure }),
      once,
      sequential,
      at: (part) => entry.at(`/${part}`),
    },
    diagnostics,
  }
}
