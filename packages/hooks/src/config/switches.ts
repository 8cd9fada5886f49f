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

/** Hooks that a file switches off. */
export interface SwitchedOff {
  readonly all: boolean
  readonly names: readonly string[]
}

interface FileSwitches {
  readonly source: SourceRef
  /** Whether it may switch off hooks of other layers. */
  readonly isAgreed: boolean
  /** Where `disableAllHooks` is true. */
  readonly all?: () => Source
  readonly names: readonly { readonly name: string; readonly at: () => Source }[]
}

/**
 * What files say about hooks that may stand in other files: `disableAllHooks` and `disabledHooks`. They tell it while a
 * load reads them, and are asked when all are read.
 */
export class Switches {
  readonly #isAgreed: (off: SwitchedOff) => boolean
  #before: ReadonlyMap<string, FileSwitches> = new Map()
  #files = new Map<string, FileSwitches>()

  /** @param isAgreed whether a person has agreed that a file which others can write switches off hooks of other layers */
  constructor(isAgreed: (off: SwitchedOff) => boolean) {
    this.#isAgreed = isAgreed
  }

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
    // Of the layers that others can write, only this one reaches beyond itself.
    const isAgreed =
      source.layer !== 'local' || this.#isAgreed({ all: all === true, names: names.map(({ name }) => name) })
    this.#files.set(keyOf(source), { source, isAgreed, names, ...(all === true ? { all: at } : {}) })
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

  /** Where a hook is switched off. */
  offAt(hook: Pick<EntryRecord, 'source' | 'name'>): Source | undefined {
    const file = [...this.#files.values()].find((each) => switchesOff(each, hook))
    return file?.all?.() ?? file?.names.find(({ name }) => name === hook.name)?.at()
  }

  /** What would be switched off had somebody agreed to it. */
  waiting(): readonly SwitchedOff[] {
    return [...this.#files.values()]
      .filter((file) => !file.isAgreed && (file.all || file.names.length > 0))
      .map(({ all, names }) => ({ all: all !== undefined, names: names.map(({ name }) => name) }))
  }

  /** What the switches do and what they can't, once it is known what there is. */
  findings(records: readonly EntryRecord[]): readonly Diagnostic[] {
    return [...this.#files.values()].flatMap((file) => [
      ...(file.isAgreed ? [] : sayNotAgreed(file)),
      ...(file.all ? [saySwitchedOff(file.all(), countOff(file, records))] : []),
      ...file.names.flatMap(({ name, at }) => nameProblem(name, at, file, records)),
    ])
  }
}

function keyOf({ layer, file, name }: SourceRef): string {
  return JSON.stringify([layer, file ?? null, name ?? null])
}

function switchesOff(
  { source, isAgreed, all, names }: FileSwitches,
  hook: Pick<EntryRecord, 'source' | 'name'>,
): boolean {
  if (!hasSayOver(source, hook.source) || (!isAgreed && hook.source.layer !== source.layer)) return false
  return all !== undefined || names.some(({ name }) => name === hook.name)
}

function sayNotAgreed({ source, all, names }: FileSwitches): readonly Diagnostic[] {
  const at = all ?? names[0]?.at
  if (!at) return []
  const message = `What the ${source.layer} file switches off in other layers stays on: nobody has approved that.`
  const hint = 'Approve it, or remove it.'
  return [report.warning('hooks.disabled.untrusted', at(), message, { hint })]
}

function countOff(file: FileSwitches, records: readonly EntryRecord[]): number {
  return records.filter((record) => record.verdict === 'disabled' && switchesOff(file, record)).length
}

function saySwitchedOff(at: Source, count: number): Diagnostic {
  const whose = 'those of this layer and of layers that are trusted less'
  return report.info('hooks.disabled', at, `\`disableAllHooks\` switches off ${count} hooks: ${whose}.`, {
    pointer: '/disableAllHooks',
    hint: 'To keep some of them, name the others in `disabledHooks` instead.',
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
