import { compareText, createReporter, ExtError, layerRank } from '@ext/kernel'
import type { Diagnostic, Snapshot, SnapshotEntry } from '@ext/kernel/types'
import { diagnosticCodes } from './codes.js'
import { shorten } from './render/shorten.js'
import type { Skill } from './types.js'

const report = createReporter(diagnosticCodes)

const CHARACTERS_PER_TOKEN = 4
const INTRO = `# Skills

A skill holds the procedure for one kind of task. When a task fits a description below, load the skill with
\`load_skill\` before you start.
`

export interface Catalog {
  /** Empty if there is nothing to list. */
  readonly text: string
  /** Each skill that is listed with less than its description, or not at all. */
  readonly diagnostics: readonly Diagnostic[]
}

interface Line {
  readonly entry: SnapshotEntry<Skill>
  /** Name, and the hint for arguments. */
  readonly head: string
  readonly description: string
}

/**
 * The skills that the model may load, by name and description, in the order of their names: the same snapshot gives
 * the same bytes. Over budget, descriptions are shortened by the same share, at the end of a sentence where one is
 * near; if that leaves too little of one, its skill is listed by name only; if even the names do not fit, the skills
 * of the nearest layers are listed. Each step is reported.
 * @param options.tokens budget, at four characters a token
 * @throws ExtError `skills.options.tokens` if the budget is not a number from 0 up
 */
export function renderCatalog(snapshot: Snapshot<Skill>, options: { readonly tokens: number }): Catalog {
  if (!(options.tokens >= 0)) {
    throw new ExtError('skills.options.tokens', 'Expected `tokens` to be a number from 0 up.')
  }
  const lines = snapshot.entries
    .filter((entry) => entry.value.modelInvocable)
    .toSorted((a, b) => compareText(a.name, b.name))
    .map(toLine)
  if (lines.length === 0) return { text: '', diagnostics: [] }

  const budget = options.tokens * CHARACTERS_PER_TOKEN - INTRO.length
  const full = lines.map((line) => `\n- ${line.head}: ${line.description}`)
  if (lengthOf(full) <= budget) return { text: INTRO + full.join(''), diagnostics: [] }

  const names = lines.map((line) => `\n- ${line.entry.value.name}`)
  if (lengthOf(names) <= budget) return shortened(lines, budget)
  return namesThatFit(lines, budget)
}

function toLine(entry: SnapshotEntry<Skill>): Line {
  const { name, argumentHint, description, whenToUse } = entry.value
  const sentences = [description, whenToUse ?? ''].map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean)
  return {
    entry,
    head: argumentHint === undefined ? name : `${name} ${argumentHint.replace(/\s+/g, ' ')}`,
    description: sentences.join(' '),
  }
}

/** Every skill has its line; the room that is left is shared out in proportion to what the descriptions take. */
function shortened(lines: readonly Line[], budget: number): Catalog {
  const diagnostics: Diagnostic[] = []
  const room = budget - lengthOf(lines.map((line) => `\n- ${line.head}: `))
  const share = room / lengthOf(lines.map((line) => line.description))
  const texts = lines.map((line) => {
    const { entry, head, description } = line
    const text = shorten(description, Math.floor(description.length * share))
    const size = `${text.length} of ${description.length} characters`
    if (text === '') {
      diagnostics.push(overBudget(line, 'skills.catalog.name-only', 'is listed to the model without its description'))
      return `\n- ${entry.value.name}`
    }
    if (text !== description) {
      diagnostics.push(overBudget(line, 'skills.catalog.shortened', `is listed to the model with ${size}`))
    }
    return `\n- ${head}: ${text}`
  })
  return { text: INTRO + texts.join(''), diagnostics }
}

function namesThatFit(lines: readonly Line[], budget: number): Catalog {
  const more = '\n\nThere are more skills than are listed here.'
  const nearestFirst = lines.toSorted((a, b) => layerRank(b.entry.source.layer) - layerRank(a.entry.source.layer))
  let room = budget - more.length
  const listed = new Set<Line>()
  for (const line of nearestFirst) {
    const length = `\n- ${line.entry.value.name}`.length
    if (length > room) break
    room -= length
    listed.add(line)
  }
  const texts = lines.filter((line) => listed.has(line)).map((line) => `\n- ${line.entry.value.name}`)
  return {
    text: texts.length === 0 ? '' : INTRO + texts.join('') + more,
    diagnostics: lines.map((line) =>
      listed.has(line)
        ? overBudget(line, 'skills.catalog.name-only', 'is listed to the model without its description')
        : overBudget(line, 'skills.catalog.omitted', 'is not listed to the model'),
    ),
  }
}

function overBudget(
  { entry }: Line,
  code: 'skills.catalog.shortened' | 'skills.catalog.name-only' | 'skills.catalog.omitted',
  what: string,
): Diagnostic {
  const severity = code === 'skills.catalog.shortened' ? 'info' : 'warning'
  return report[severity](code, entry.at('/description'), `\`${entry.value.name}\` ${what}: the catalog is full.`, {
    entry: entry.id,
    pointer: '/description',
    hint: 'Give the catalog more tokens, shorten descriptions, or remove skills.',
  })
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}
