import type { Snapshot, SnapshotEntry } from '@ext/kernel/types'
import { splitWords } from '@ext/kernel/words'
import type MiniSearch from 'minisearch'
import type { Skill, SkillMatch } from '../types.js'
import { foldWord } from './words.js'

const DEFAULT_LIMIT = 5
/** Of a question: what is behind them finds nothing better, and takes its time. */
const MOST_CHARACTERS = 2000
/** Of a script without blanks, whose texts are looked up by pairs of signs. */
const ONE_SIGN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u
/** Skills that go into the index before others have their turn. */
const AT_ONCE = 50

export interface SearchOptions {
  /** Default 5. */
  readonly limit?: number
  /** Skills that are not to be found. Default: those that the model may not load. */
  hides?(skill: Skill): boolean
}

/** Finds skills by words of their names and descriptions. */
export interface SkillSearch {
  search(query: string, options?: SearchOptions): Promise<readonly SkillMatch[]>
}

/** An index over a snapshot, which is made with the first question. */
export function createSkillSearch(snapshot: Snapshot<Skill>): SkillSearch {
  let index: Promise<MiniSearch> | undefined
  return {
    async search(query, { limit = DEFAULT_LIMIT, hides = isHidden } = {}) {
      index ??= build(snapshot)
      const found = (await index).search(query.slice(0, MOST_CHARACTERS), {
        filter: ({ id }) => {
          const entry = snapshot.entries[id]
          return entry !== undefined && !hides(entry.value)
        },
      })
      return found.slice(0, Math.max(0, limit)).flatMap(({ id, score }) => {
        const skill = snapshot.entries[id]?.value
        return skill ? [{ skill, score }] : []
      })
    },
  }
}

function isHidden(skill: Skill): boolean {
  return !skill.modelInvocable
}

async function build({ entries }: Snapshot<Skill>): Promise<MiniSearch> {
  const { default: Index } = await import('minisearch')
  const index = new Index({
    fields: ['name', 'description', 'whenToUse'],
    tokenize: splitWords,
    processTerm: foldWord,
    searchOptions: {
      boost: { name: 2 },
      // A word that is still being typed, or is spelt with another ending.
      prefix: (term) => term.length >= 4 || ONE_SIGN.test(term),
      fuzzy: (term) => (term.length >= 6 ? 0.15 : false),
      weights: { prefix: 0.4, fuzzy: 0.3 },
    },
  })
  await index.addAllAsync(
    entries.map((entry, id) => ({ id, ...searchable(entry) })),
    { chunkSize: AT_ONCE },
  )
  return index
}

function searchable({ value }: SnapshotEntry<Skill>): Readonly<Record<string, string>> {
  const { name, description, whenToUse = '' } = value
  return { name, description, whenToUse }
}
