import { expandVariables } from './expand.js'

/** A variable that has no value, with the value that asks for it first. */
export interface UndefinedName {
  readonly name: string
  /** Key of the first value that it stands in. */
  readonly key: string
}

/** The values of one entry with their variables filled in, unless a variable is missing that the entry can't do without. */
export type ExpandedValues =
  | {
      readonly values: Readonly<Record<string, string>>
      /** Each name once, in order, whatever number of values it stands in. It stands for nothing there. */
      readonly undefinedNames: readonly UndefinedName[]
      readonly problem?: undefined
    }
  | {
      readonly values?: undefined
      readonly undefinedNames: readonly UndefinedName[]
      /** The end of a sentence, without its full stop. */
      readonly problem: string
    }

/**
 * Fills in the variables of all values of one entry, as {@link expandVariables} does for one. Keys are left alone.
 * @param options.required names without which the entry is of no use. One of them that stands in a value and is
 *   undefined is a problem; empty is defined
 */
export function expandAll(
  values: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
  options: { readonly defaults?: boolean; readonly required?: readonly string[] } = {},
): ExpandedValues {
  const keyOfName = new Map<string, string>()
  const expanded = Object.entries(values).map(([key, value]) => {
    const { text, undefinedNames } = expandVariables(value, env, options)
    for (const name of undefinedNames) if (!keyOfName.has(name)) keyOfName.set(name, key)
    return [key, text] as const
  })
  const undefinedNames = [...keyOfName].map(([name, key]) => ({ name, key }))
  const missing = undefinedNames.filter(({ name }) => options.required?.includes(name)).map(({ name }) => `\`${name}\``)
  if (missing.length === 0) return { values: Object.fromEntries(expanded), undefinedNames }
  return {
    undefinedNames,
    problem: `${missing.join(' and ')} must be set, and ${missing.length === 1 ? 'is' : 'are'} not`,
  }
}
