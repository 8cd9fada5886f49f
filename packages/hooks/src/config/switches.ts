import {
  type ConfigDocument,
  createReporter,
  type Diagnostic,
  describe,
  type EntryRecord,
  isMap,
  type Source,
  type SourceRef,
  suggest,
  wrongShape,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { hasSayOver } from './trust.js'

const report = createReporter(diagnosticCodes)

interface FileSwitches {
  readonly source: SourceRef
  /** Where `disableAllHooks` is true. */
  readonly all?: () => Source
  readonly names: readonly { readonly name: string; readonly at: () => Source }[]
}

/**
 * What files say about hooks that may stand in other files: `disableAllHooks` and `disabledHooks`. They tell it while a
 * load reads them, and are asked when all are read.
 */
export class Switches {
  #before: ReadonlyMap<string, FileSwitches> = new Map()
  #files = new Map<string, FileSwitches>()

  /** Before each load. */
  begin(): void {
    this.#before = this.#files
    this.#files = new Map()
  }

  /** Takes the switches of a file, and says what can't be understood of them. */
  read(document: ConfigDocument): readonly Diagnostic[] {
    const { value: root, source } = document
    if (!isMap(root)) return []
    const diagnostics: Diagnostic[] = []
    const { disableAllHooks: all = false, disabledHooks: list } = root
    if (typeof all !== 'boolean') {
      const hint = 'Write true or false; until then the hooks of this file run.'
      diagnostics.push({ ...wrongShape(document, '/disableAllHooks', 'true or false', all), hint })
    }
    const names: { name: string; at: () => Source }[] = []
    if (list !== undefined && list !== null && !Array.isArray(list)) {
      diagnostics.push(wrongShape(document, '/disabledHooks', 'a list of names', list))
    }
    for (const [index, name] of Array.isArray(list) ? list.entries() : []) {
      const pointer = `/disabledHooks/${index}`
      if (typeof name === 'string') names.push({ name, at: () => document.at(pointer) })
      else diagnostics.push(wrongShape(document, pointer, 'the name of a hook', name))
    }
    const at = () => document.at('/disableAllHooks', 'key')
    this.#files.set(keyOf(source), { source, names, ...(all === true ? { all: at } : {}) })
    return diagnostics
  }

  /** A file that can't be read now says what it said before, as its hooks stay as they were. */
  keep(source: SourceRef): void {
    const before = this.#before.get(keyOf(source))
    if (before) this.#files.set(keyOf(source), before)
  }

  isOff(source: SourceRef, name: string): boolean {
    return [...this.#files.values()].some((file) => switchesOff(file, { source, name }))
  }

  /** What the switches do and what they can't, once it is known what there is. */
  findings(records: readonly EntryRecord[]): readonly Diagnostic[] {
    return [...this.#files.values()].flatMap((file) => [
      ...(file.all ? [saySwitchedOff(file.all(), countOff(file, records))] : []),
      ...file.names.flatMap(({ name, at }) => nameProblem(name, at, file, records)),
    ])
  }
}

function keyOf({ layer, file, name }: SourceRef): string {
  return JSON.stringify([layer, file ?? null, name ?? null])
}

function switchesOff({ source, all, names }: FileSwitches, hook: Pick<EntryRecord, 'source' | 'name'>): boolean {
  return hasSayOver(source, hook.source) && (all !== undefined || names.some(({ name }) => name === hook.name))
}

function countOff(file: FileSwitches, records: readonly EntryRecord[]): number {
  return records.filter((record) => record.verdict === 'disabled' && switchesOff(file, record)).length
}

function saySwitchedOff(at: Source, count: number): Diagnostic {
  const whose = 'those of this layer and of layers that are trusted less'
  return report.info('hooks.disabled', at, `\`disableAllHooks\` switches off ${count} hooks: ${whose}.`, {
    pointer: '/disableAllHooks',
  })
}

function nameProblem(
  name: string,
  at: () => Source,
  { source }: FileSwitches,
  records: readonly EntryRecord[],
): readonly Diagnostic[] {
  const called = records.filter((record) => record.name === name)
  const [first] = called
  if (called.some((record) => hasSayOver(source, record.source))) return []
  if (first) {
    const message = `\`${name}\` is a hook of the ${first.source.layer} layer, which the ${source.layer} layer may not switch off.`
    return [
      report.error('hooks.disabled.refused', at(), message, {
        hint: 'Switch it off where it stands, or in a layer that is trusted more.',
        related: [{ message: 'it stays on', source: first.source }],
      }),
    ]
  }
  const typo = suggest(name, [...new Set(records.map((record) => record.name))])
  return [
    report.warning('hooks.disabled.unknown', at(), `There is no hook ${describe(name).replace(/^the text /, '')}.`, {
      hint: typo ? `Did you mean \`${typo}\`?` : 'Remove it, or check its spelling.',
    }),
  ]
}
