import type { Extensions } from '../compose.js'
import { oneLine } from '../render/words.js'
import { commands } from './commands/table.js'
import type { Word } from './input/hints.js'

/** What a line can begin with: commands of the session, skills, and prompts of servers that are up. */
export interface Words {
  all(): readonly Word[]
  /** Reads what is loaded now. */
  load(extensions: Pick<Extensions, 'skills'>): void
  setPrompts(prompts: readonly Word[]): void
}

export function createWords(): Words {
  const own = commands.map(({ name, args, summary }) => ({
    name: `/${name}`,
    summary: args === undefined ? summary : `${args} ${summary}`,
  }))
  let skills: readonly Word[] = []
  let prompts: readonly Word[] = []
  return {
    all: () => [...own, ...skills, ...prompts],
    load({ skills: { snapshot, lookUp } }) {
      skills = snapshot.entries
        .filter(({ value }) => lookUp(value.name, 'user').problem === undefined)
        .map(({ value }) => ({ name: `/${value.name}`, summary: oneLine(value.description, 100) }))
    },
    setPrompts(found) {
      prompts = found
    },
  }
}
