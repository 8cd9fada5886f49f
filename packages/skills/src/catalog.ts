import { compareText, createReporter, ExtError, layerRank } from '@ext/kernel'
import type { Diagnostic, Snapshot, SnapshotEntry } from '@ext/kernel/types'
import { estimateTokens } from '@ext/kernel/words'
import { type CatalogFormat, type CatalogLine, type CatalogWriter, catalogWriter } from './catalog-format.js'
import { diagnosticCodes } from './codes.js'
import { MAX_DESCRIPTION } from './config/header.js'
import { shorten } from './render/shorten.js'
import type { Skill } from './types.js'

const report = createReporter(diagnosticCodes)

/** Of the context of a model, for the catalog. */
const SHARE_OF_CONTEXT = 0.02

export interface CatalogOptions {
  /** Budget, see {@link catalogBudget}. Default 2,000. */
  readonly tokens?: number
  /** Default `markdown`. */
  readonly format?: CatalogFormat
  /** Skills that are not offered now, besides those that the model may not load at all. */
  hides?(skill: Skill): boolean
}

export interface Catalog {
  /** Empty if there is nothing to list. */
  readonly text: string
  /** Some skills are not listed: they are found with `search_skills`. */
  readonly leavesOut: boolean
  /** Each skill that is listed with less than its description, or not at all. Made when they are asked for. */
  readonly diagnostics: readonly Diagnostic[]
}

type Entry = SnapshotEntry<Skill>

interface Line extends CatalogLine {
  readonly entry: Entry
}

const NAME_ONLY = 'skills.catalog.name-only'

/** What becomes of a line that does not stay whole. */
type Cut = { readonly line: Line } & (
  | { readonly code: 'skills.catalog.shortened'; readonly length: number }
  | { readonly code: typeof NAME_ONLY | 'skills.catalog.omitted' }
)

/** What a host says about the budget, in tokens: 2 % of the context of its model, unless it says how many itself. */
export function catalogBudget(tokens: number | undefined, contextTokens = 100_000): number {
  return tokens ?? Math.floor(contextTokens * SHARE_OF_CONTEXT)
}

/** @throws ExtError `skills.options.tokens` if the budget is not a number from 0 up */
export function checkBudget(tokens: number): void {
  if (tokens >= 0) return
  throw new ExtError('skills.options.tokens', 'Expected the tokens of the catalog to be a number from 0 up.')
}

/**
 * The skills that the model may load, by name and description, in the order of their names: the same snapshot gives
 * the same bytes. Over budget, descriptions are shortened by the same share, at the end of a sentence where one is
 * near; if that leaves too little of one, its skill is listed by name only; if even the names do not fit, the skills
 * of the nearest layers are listed and the others are left to the search. Each step is reported.
 * @throws ExtError `skills.options.tokens` if the budget is not a number from 0 up
 */
export function renderCatalog(snapshot: Snapshot<Skill>, options: CatalogOptions = {}): Catalog {
  const { format = 'markdown' } = options
  const tokens = catalogBudget(options.tokens)
  checkBudget(tokens)
  const writer = catalogWriter(format)
  const budget = tokens - estimateTokens(writer.intro + writer.outro)
  const nearest: Entry[] = []
  let names = 0
  for (const entry of entriesOf(snapshot, options)) {
    names += estimateTokens(writer.nameOnly(entry.value))
    // Nobody has to know of the others what they say, nor whether they are hidden: there may be thousands.
    if (names > budget) return namesThatFit(nearest, writer, budget, () => entriesOf(snapshot, options))
    nearest.push(entry)
  }
  return fit(nearest.toSorted(byName).map(toLine), writer, budget)
}

/** Those that may be listed, the nearest first. */
function* entriesOf({ entries }: Snapshot<Skill>, { hides }: CatalogOptions): Iterable<Entry> {
  const nearestFirst = entries
    .filter(({ value }) => value.modelInvocable)
    .toSorted((a, b) => layerRank(b.source.layer) - layerRank(a.source.layer) || byName(a, b))
  for (const entry of nearestFirst) if (!hides?.(entry.value)) yield entry
}

function byName(a: Entry, b: Entry): number {
  return compareText(a.name, b.name)
}

function fit(lines: readonly Line[], writer: CatalogWriter, budget: number): Catalog {
  if (lines.length === 0) return toCatalog('', () => [])
  const full = lines.map((line) => writer.full(line))
  if (tokensOf(full) <= budget) return toCatalog(writer.intro + full.join('') + writer.outro, () => [])
  return shortened(lines, writer, budget)
}

/** @param cuts what is not listed as it is; asked for once, when somebody wants to know */
function toCatalog(text: string, cuts: () => readonly Cut[], leavesOut = false): Catalog {
  let diagnostics: readonly Diagnostic[] | undefined
  return {
    text,
    leavesOut,
    get diagnostics() {
      diagnostics ??= cuts().map(overBudget)
      return diagnostics
    },
  }
}

function toLine(entry: Entry): Line {
  const { name, argumentHint, description, whenToUse } = entry.value
  const sentences = [description, whenToUse ?? ''].map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean)
  return { entry, name, hint: argumentHint?.replace(/\s+/g, ' '), description: sentences.join(' ') }
}

/** Of one line of a catalog that is full: what no skill needs, and no other is to lose its description for. */
const MAX_HINT = 100

/** Every skill has its line; the room that is left is shared out in proportion to what the descriptions take. */
function shortened(lines: readonly Line[], writer: CatalogWriter, budget: number): Catalog {
  const sound = lines.map(({ entry, name, hint, description }) => ({
    entry,
    name,
    hint: hint && shorten(hint, MAX_HINT),
    description: shorten(description, MAX_DESCRIPTION),
  }))
  const room = budget - tokensOf(sound.map((line) => writer.full({ ...line, description: '' })))
  const whole = tokensOf(sound.map(({ description }) => description))
  // What is escaped, and an ellipsis, take more than their share.
  for (let share = Math.min(1, room / whole); share > 0.01; share *= 0.95) {
    const cuts: Cut[] = []
    const texts = sound.map((part, index) => {
      const line = lines[index] ?? part
      const text = shorten(part.description, Math.floor(part.description.length * share))
      if (text === '') {
        cuts.push({ line, code: NAME_ONLY })
        return writer.nameOnly(line)
      }
      const isWhole = text === line.description && part.hint === line.hint
      if (!isWhole) cuts.push({ line, code: 'skills.catalog.shortened', length: text.length })
      return writer.full({ ...part, description: text })
    })
    if (tokensOf(texts) <= budget) return toCatalog(writer.intro + texts.join('') + writer.outro, () => cuts)
  }
  const names = lines.map((line) => writer.nameOnly(line)).join('')
  return toCatalog(writer.intro + names + writer.outro, () => lines.map((line) => ({ line, code: NAME_ONLY })))
}

/**
 * @param nearest the names that fit alone, the nearest first; with the word that there are more, some of them do not
 * @param all also those that were not looked at
 */
function namesThatFit(
  nearest: readonly Entry[],
  writer: CatalogWriter,
  budget: number,
  all: () => Iterable<Entry>,
): Catalog {
  let room = budget - estimateTokens(writer.more)
  const none = room < 0
  const listed: Entry[] = []
  for (const entry of nearest) {
    room -= estimateTokens(writer.nameOnly(entry.value))
    if (room < 0) break
    listed.push(entry)
  }
  const names = listed.toSorted(byName).map(({ value }) => writer.nameOnly(value))
  const text = none ? '' : writer.intro + names.join('') + writer.outro + writer.more
  const cuts = () => {
    const isListed = new Set(listed)
    return [...all()].map((entry): Cut => {
      return { line: toLine(entry), code: isListed.has(entry) ? NAME_ONLY : 'skills.catalog.omitted' }
    })
  }
  return toCatalog(text, cuts, true)
}

function overBudget(cut: Cut): Diagnostic {
  const { line, code } = cut
  const { entry, name } = line
  const severity = code === 'skills.catalog.shortened' ? 'info' : 'warning'
  const what =
    cut.code === 'skills.catalog.shortened'
      ? `is listed to the model with ${cut.length} of ${line.description.length} characters`
      : cut.code === NAME_ONLY
        ? 'is listed to the model without its description'
        : 'is not listed to the model, which has to search for it'
  return report[severity](code, entry.at('/description'), `\`${name}\` ${what}: the catalog is full.`, {
    entry: entry.id,
    pointer: '/description',
    hint: 'Give the catalog more tokens, shorten descriptions, or remove skills.',
  })
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0)
}
