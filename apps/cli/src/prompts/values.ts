import type { PromptArgument } from '@ext/mcp-client/types'

export type ReadValues =
  | { readonly values: Readonly<Record<string, string>>; readonly problem?: undefined }
  | { readonly problem: string; readonly values?: undefined }

/**
 * Reads `name=value other="two words"`, and values alone for the arguments in their order. One argument takes the whole
 * text. In quotes a backslash stands before a quote or a backslash that is meant.
 */
export function readValues(text: string, list: readonly PromptArgument[]): ReadValues {
  const values = new Map<string, string>()
  const known = new Map(list.map((argument) => [argument.name, argument]))
  const words = wordsOf(text)
  if (!words) return { problem: 'A quote is not closed.' }
  const [only] = list
  const named = words.some(({ name }) => name !== undefined && known.has(name))
  if (only && list.length === 1 && !named && words.length > 1) return { values: { [only.name]: text.trim() } }
  for (const { name, value, written } of words) {
    const isNamed = name !== undefined && known.has(name)
    const target = isNamed ? name : list.find((argument) => !values.has(argument.name))?.name
    if (target === undefined) return { problem: `There is no argument for \`${written}\`.` }
    if (values.has(target)) return { problem: `\`${target}\` is given twice.` }
    values.set(target, isNamed ? value : written)
  }
  return { values: Object.fromEntries(values) }
}

interface Word {
  /** Of `name=value`. */
  readonly name?: string
  readonly value: string
  /** As a value alone. */
  readonly written: string
}

const WORD = /(?:([^\s="]+)=)?(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))(?=\s|$)/y

function wordsOf(text: string): readonly Word[] | undefined {
  const words: Word[] = []
  const trimmed = text.trim()
  for (let at = 0; at < trimmed.length; ) {
    WORD.lastIndex = at
    const [whole, name, quoted, plain = ''] = WORD.exec(trimmed) ?? []
    if (!whole) return undefined
    const value = quoted?.replace(/\\(["\\])/g, '$1') ?? plain
    words.push({
      ...(name === undefined ? {} : { name }),
      value,
      written: name === undefined ? value : `${name}=${value}`,
    })
    at += whole.length
    while (/\s/.test(trimmed[at] ?? '')) at++
  }
  return words
}
