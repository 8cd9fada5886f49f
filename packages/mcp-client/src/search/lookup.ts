import { isMap } from '@ext/kernel'
import type { Tool } from '@ext/kernel/contract'
import { STOP_WORDS, splitWords, stemWord } from '@ext/kernel/words'
import type MiniSearch from 'minisearch'
import { isCommon, otherWords } from './alike.js'

/** How much a word counts by where it stands. */
const BOOST = { name: 1, title: 1, description: 1.5, parameters: 0.5, values: 0.3, server: 2, about: 0.1 }
/** How much a word counts that was not said, but means about the same as one that was. */
const ALIKE = 0.5
/** How much a word counts that many tools have in common, such as `get`. */
const COMMON = 0.4
/** Tools that go into the index before others have their turn. */
const AT_ONCE = 50

/** Finds tools by words: their names, what they say of themselves and of their parameters, and their servers (BM25). */
export class ToolLookup {
  readonly #tools: readonly Tool[]
  readonly #index: MiniSearch

  private constructor(tools: readonly Tool[], index: MiniSearch) {
    this.#tools = tools
    this.#index = index
  }

  /** @param instructions what a server says about the use of its tools */
  static async of(tools: readonly Tool[], instructions: (server: string) => string | undefined): Promise<ToolLookup> {
    const { default: Index } = await import('minisearch')
    const index = new Index({ fields: Object.keys(BOOST), tokenize: splitWords, processTerm: termOf })
    await index.addAllAsync(
      tools.map((tool, id) => ({ id, ...searchable(tool, instructions) })),
      { chunkSize: AT_ONCE },
    )
    return new ToolLookup(tools, index)
  }

  /** @returns best first, and of equal ones in the order of their names */
  search(query: string, limit: number, server?: string): readonly Tool[] {
    const said = new Set(splitWords(query).flatMap((word) => termOf(word) ?? []))
    const others = [...said].flatMap(otherWords).filter((term) => !said.has(term))
    const found = this.#index.search([...said, ...new Set(others)].join(' '), {
      tokenize: (text) => text.split(' '),
      processTerm: (term) => term,
      boost: BOOST,
      boostTerm: (term) => (said.has(term) ? 1 : ALIKE) * (isCommon(term) ? COMMON : 1),
      // A word with another ending, or spelt wrongly.
      prefix: (term) => term.length >= 4 && said.has(term),
      fuzzy: (term) => (term.length >= 6 && said.has(term) ? 0.15 : false),
      weights: { prefix: 0.3, fuzzy: 0.2 },
      ...(server === undefined ? {} : { filter: ({ id }) => this.#tools[id]?.source.server === server }),
    })
    return found
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, limit)
      .flatMap(({ id }) => this.#tools[id] ?? [])
  }
}

/** `null` for a word that is not looked up. */
function termOf(word: string): string | null {
  return STOP_WORDS.has(word.toLowerCase()) ? null : stemWord(word)
}

function searchable(
  { title = '', description, inputSchema, source }: Tool,
  instructions: (server: string) => string | undefined,
): Readonly<Record<keyof typeof BOOST, string>> {
  const { server = '', tool } = source
  return {
    name: tool,
    title,
    description,
    ...parametersOf(inputSchema['properties']),
    server,
    about: instructions(server) ?? '',
  }
}

function parametersOf(properties: unknown): { readonly parameters: string; readonly values: string } {
  const entries = Object.entries(isMap(properties) ? properties : {})
  const said = entries.flatMap(([, schema]) => (isMap(schema) ? (schema['description'] ?? []) : []))
  return {
    parameters: entries.map(([name]) => name).join(' '),
    values: said.filter((text) => typeof text === 'string').join(' '),
  }
}
