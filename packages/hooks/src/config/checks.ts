import { createReporter, type Diagnostic, isMap, type Located, type Outcome, type Source, suggest } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { type EventName, eventNamed, KNOWN_EVENT_NAMES } from '../event-names.js'
import { EVENT_NAMES } from '../events.js'

const report = createReporter(diagnosticCodes)

export function checkEvent(name: string, source: Source, entryId: string): Outcome<EventName> {
  const value = eventNamed(name)
  if (value) return { value, diagnostics: [] }
  const { message, more } = unknownEvent(name)
  return {
    diagnostics: [report.error('hooks.event.unknown', source, message, { ...more, entry: entryId })],
  }
}

/** What is to be said of the name of an event that there is not. */
export function unknownEvent(name: string): {
  readonly message: string
  readonly more: { readonly expected: readonly string[]; readonly hint: string }
} {
  const typo = suggest(name, KNOWN_EVENT_NAMES)
  const hint = typo ? `Did you mean \`${typo}\`?` : `Use one of: ${EVENT_NAMES.join(', ')}.`
  return { message: `There is no event \`${name}\`.`, more: { expected: EVENT_NAMES, hint } }
}

/**
 * Takes the keys out that this version does not act on, and says what that means. A key that is false or null asks
 * for nothing and is only taken out.
 */
export function withoutUnsupported(
  entry: Located<unknown>,
  keys: Readonly<Record<string, string>>,
): { readonly rest: Located<unknown>; readonly diagnostics: readonly Diagnostic[] } {
  if (!isMap(entry.value)) return { rest: entry, diagnostics: [] }
  const rest: Record<string, unknown> = {}
  const diagnostics: Diagnostic[] = []
  for (const [key, value] of Object.entries(entry.value)) {
    const consequence = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (consequence === undefined) {
      rest[key] = value
    } else if (value !== false && value !== null) {
      diagnostics.push(
        report.warning(
          'hooks.key.unsupported',
          entry.at(`/${key}`, 'key'),
          `\`${key}\` is not supported by this version: ${consequence}.`,
          { pointer: `${entry.pointer}/${key}`, hint: 'Remove it if that is not what you want.' },
        ),
      )
    }
  }
  return { rest: { ...entry, value: rest }, diagnostics }
}

export const HOW_TO_SWITCH_OFF = 'The hooks run all the same. Remove them, or name them in `disabledHooks`.'

/** Whether a key says that something is off. */
export function isOffSwitch(key: string, value: unknown): boolean {
  return (key === 'enabled' && value === false) || (key === 'disabled' && value === true)
}

/** Takes switches out that no hook has, and says of one that is off that the hook runs. */
export function withoutSwitches(entry: Located<unknown>): {
  readonly rest: Located<unknown>
  readonly diagnostics: readonly Diagnostic[]
} {
  if (!isMap(entry.value)) return { rest: entry, diagnostics: [] }
  const { enabled: _, disabled: __, ...rest } = entry.value
  const off = Object.keys(entry.value).filter((key) => isMap(entry.value) && isOffSwitch(key, entry.value[key]))
  return {
    rest: { ...entry, value: rest },
    diagnostics: off.map((key) =>
      report.warning('hooks.key.unsupported', entry.at(`/${key}`, 'key'), `\`${key}\` switches no hook off.`, {
        pointer: `${entry.pointer}/${key}`,
        hint: HOW_TO_SWITCH_OFF,
      }),
    ),
  }
}
