import { createReporter, type Diagnostic } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { LoadedHook } from './listeners.js'

const report = createReporter(diagnosticCodes)

/** Hooks that stand in the files several times and run once for an event. */
export function repeats(hooks: readonly LoadedHook[]): readonly Diagnostic[] {
  const first = new Map<string, LoadedHook>()
  return hooks.flatMap((hook) => {
    const key = JSON.stringify([hook.value.matcher.text, hook.value.identity])
    const known = first.get(key)
    if (!known) {
      first.set(key, hook)
      return []
    }
    const message = `\`${hook.name}\` is configured twice for ${hook.value.event}; it runs once.`
    const details = {
      entry: hook.id,
      hint: 'Remove one of the two.',
      related: [{ message: 'the other one', source: known.at() }],
    }
    return [report.info('hooks.duplicate', hook.at(), message, details)]
  })
}
