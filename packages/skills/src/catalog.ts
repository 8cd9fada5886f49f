import { compareText, createReporter, ExtError, layerRank } from '@ext/kernel'
import type { Diagnostic, Snapshot, SnapshotEntry } from '@ext/kernel/types'
import { type CatalogFormat, type CatalogLine, type CatalogWriter, catalogWriter } from './catalog-format.js'
import { diagnosticCodes } from './codes.js'
import { shorten } from './render/shorten.js'
import { estimateTokens } from './tokens.js'
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
  /** How many skills are not listed: they are found with `search_skills`. */
  readonly omitted: number
  /** Each skill that is listed with less than its description, or not at all. Made when they are asked for. */
  readonly diagnostics: readonly Diagnostic[]
}

interface Line extends CatalogLine {
  readonly entry: SnapshotEntry<Skill>
}

/** What becomes of a line that does not stay whole. */
type Cut = { readonly line: Line } & (
  | { readonly code: 'skills.catalog.shortened'; readonly length: number }
  | { readonly code: 'skills.catalog.name-only' | 'skills.catalog.omitted' }
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
  const { format = 'markdown', hides } = options
  const tokens = catalogBudget(options.tokens)
  checkBudget(tokens)
  const lines = snapshot.entries
    .filter(({ value }) => value.modelInvocable && !hides?.(value))
    .toSorted((a, b) => compareText(a.name, b.name))
    .map(toLine)
  if (lines.length === 0) return toCatalog('', [], 0)
  return fit(lines, catalogWriter(format), tokens)
}

function fit(lines: readonly Line[], writer: CatalogWriter, tokens: number): Catalog {
  const { intro, outro } = writer
  const budget = tokens - estimateTokens(intro + outro)
  const full = lines.map((line) => writer.full(line))
  if (tokensOf(full) <= budget) return toCatalog(intro + full.join('') + outro, [], 0)
  const names = lines.map((line) => writer.nameOnly(line))
  if (tokensOf(names) <= budget) return shortened(lines, writer, budget)
  return namesThatFit(lines, writer, budget)
}

function toCatalog(text: string, cuts: readonly Cut[], omitted: number): Catalog {
  let diagnostics: readonly Diagnostic[] | undefined
  return {
    text,
    omitted,
    get diagnostics() {
      diagnostics ??= cuts.map(overBudget)
      return diagnostics
    },
  }
}

function toLine(entry: SnapshotEntry<Skill>): Line {
  const { name, argumentHint, description, whenToUse } = entry.value
  const sentences = [description, whenToUse ?? ''].map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean)
  return { entry, name, hint: argumentHint?.replace(/\s+/g, ' '), description: sentences.join(' ') }
}

/** Every skill has its line; the room that is left is shared out in proportion to what the descriptions take. */
function shortened(lines: readonly Line[], writer: CatalogWriter, budget: number): Catalog {
  const room = budget - tokensOf(lines.map((line) => writer.full({ ...line, description: '' })))
  // What is escaped, and an ellipsis, take more than their share.
  for (let share = room / tokensOf(lines.map(({ description }) => description)); share > 0.01; share *= 0.95) {
    const cuts: Cut[] = []
    const texts = lines.map((line) => {
      const { description } = line
      const text = shorten(description, Math.floor(description.length * share))
      if (text === '') {
        cuts.push({ line, code: 'skills.catalog.name-only' })
        return writer.nameOnly(line)
      }
      if (text !== description) cuts.push({ line, code: 'skills.catalog.shortened', length: text.length })
      return writer.full({ ...line, description: text })
    })
    if (tokensOf(texts) <= budget) return toCatalog(writer.intro + texts.join('') + writer.outro, cuts, 0)
  }
  return namesThatFit(lines, writer, budget)
}

function namesThatFit(lines: readonly Line[], writer: CatalogWriter, budget: number): Catalog {
  const nearestFirst = lines.toSorted((a, b) => layerRank(b.entry.source.layer) - layerRank(a.entry.source.layer))
  const all = tokensOf(lines.map((line) => writer.nameOnly(line)))
  let room = all <= budget ? budget : budget - estimateTokens(writer.more(lines.length))
  const listed = new Set<Line>()
  for (const line of nearestFirst) {
    const cost = estimateTokens(writer.nameOnly(line))
    if (cost > room) break
    room -= cost
    listed.add(line)
  }
  const omitted = lines.length - listed.size
  const names = lines.filter((line) => listed.has(line)).map((line) => writer.nameOnly(line))
  const cuts = lines.map((line): Cut => {
    return { line, code: listed.has(line) ? 'skills.catalog.name-only' : 'skills.catalog.omitted' }
  })
  if (room < 0) return toCatalog('', cuts, omitted)
  const more = omitted === 0 ? '' : writer.more(omitted)
  return toCatalog(writer.intro + names.join('') + writer.outro + more, cuts, omitted)
}

function overBudget(cut: Cut): Diagnostic {
  const { line, code } = cut
  const { entry, name } = line
  const severity = code === 'skills.catalog.shortened' ? 'info' : 'warning'
  const what =
    cut.code === 'skills.catalog.shortened'
      ? `is listed to the model with ${cut.length} of ${line.description.length} characters`
      : cut.code === 'skills.catalog.name-only'
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
