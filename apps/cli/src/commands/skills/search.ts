import type { Io } from '../../io.js'
import { oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'

export interface SearchOptions {
  readonly project: string
  readonly limit: number
  readonly json?: boolean
}

/** The skills that the model would find, best first. */
export async function search(query: string, options: SearchOptions, io: Io): Promise<number> {
  return withExtensions(options, io, async (extensions) => {
    const matches = await extensions.skills.searchSkills(query, { limit: options.limit })
    if (options.json) {
      const found = matches.map(({ skill: { name, description, file }, score }) => ({ name, score, description, file }))
      io.out(JSON.stringify({ query, matches: found }, null, 2))
      return 0
    }
    for (const { skill } of matches) io.out(printable(`${skill.name}: ${oneLine(skill.description, 100)}`))
    if (matches.length === 0) io.out('No skill fits.')
    return 0
  })
}
