import {
  type ConfigDocument,
  createReporter,
  describe,
  documentReader,
  isMap,
  type Located,
  listEntries,
  mapEntries,
  type Outcome,
  parsePointer,
  type Reader,
  suggest,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

/** Reads a section of our own files in which each item of a list is an entry, so that a bad one costs itself only. */
export function sectionReader(section: string, lists: readonly string[]): Reader<unknown> {
  return documentReader('ext', (document: ConfigDocument) => {
    const found = mapEntries(document, `/${section}`)
    const values = isMap(document.value) ? document.value[section] : undefined
    const items = isMap(values) ? lists.map((key) => listEntries(document, `/${section}/${key}`)) : []
    return {
      entries: [
        ...found.entries.filter(({ pointer }) => !lists.includes(parsePointer(pointer)[1] ?? '')),
        ...items.flatMap(({ entries }) => entries),
      ],
      diagnostics: [...(found.diagnostics ?? []), ...items.flatMap(({ diagnostics = [] }) => diagnostics)],
    }
  })
}

/** What is wrong with a setting, in the words of its section. */
export function wrongSetting(
  code: 'cli.skills.setting' | 'cli.agents.setting',
  entry: Located<unknown>,
  message: string,
  hint: string,
  part?: 'key',
): Outcome<never> {
  const { id, pointer } = entry
  return { diagnostics: [report.error(code, entry.at('', part), message, { entry: id, pointer, hint })] }
}

/** What a section has no setting of this name, with the one that was meant. */
export function unknownSetting(section: string, key: string, keys: readonly string[]): readonly [string, string] {
  const meant = suggest(key, keys)
  return [
    `\`${key}\` is no setting of \`${section}\`, so nothing reads it.`,
    meant ? `Did you mean \`${meant}\`?` : `There are: ${keys.join(', ')}.`,
  ]
}

/** Whether an item of a list is a text with something in it; what is wrong otherwise. */
export function wrongItem(key: string, value: unknown): readonly [string, string] | undefined {
  if (typeof value === 'string' && value.trim() !== '') return undefined
  return [`An item of \`${key}\` is ${describe(value)}.`, 'Write a text that is not empty.']
}
