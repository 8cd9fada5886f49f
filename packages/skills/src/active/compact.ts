import { ExtError } from '@ext/kernel'
import { estimateTokens } from '@ext/kernel/words'
import type { CompactedSkills, CompactOptions } from '../types.js'
import type { ActiveSkills } from './active-skills.js'

/** What Claude Code keeps of all skills and of each of them after a compaction. */
const DEFAULT_TOKENS = 25_000
const DEFAULT_TOKENS_PER_SKILL = 5_000

/** Keeps what fits of the instructions of active skills, the newest activation first. Their places and limits stay. */
export function compactSkills(active: ActiveSkills, options: CompactOptions = {}): CompactedSkills {
  const { tokens = DEFAULT_TOKENS, tokensPerSkill = DEFAULT_TOKENS_PER_SKILL } = options
  if (!(tokens >= 0) || !(tokensPerSkill >= 0)) {
    throw new ExtError('skills.options.tokens', 'Expected `tokens` and `tokensPerSkill` to be numbers from 0 up.')
  }
  let room = tokens
  const found = { whole: [] as string[], shortened: [] as string[], putAway: [] as string[] }
  for (const { skill, text, cut } of active.list().toSorted((a, b) => b.age - a.age)) {
    const { name } = skill
    const most = Math.min(room, tokensPerSkill)
    const kept = estimateTokens(text) <= most ? text : shortened(name, text, most)
    const isAway = kept === away(name)
    // The line that it was there is worth its few tokens: nobody would know to load it again.
    room = Math.max(0, room - estimateTokens(kept))
    if (kept !== text) active.shorten(name, kept)
    found[isAway ? 'putAway' : kept !== text || cut ? 'shortened' : 'whole'].push(name)
  }
  return found
}

/** Whole lines from the start. */
function shortened(name: string, text: string, most: number): string {
  const note = `\n\n[The rest is left out to save room. Load the skill \`${name}\` again when you need it.]`
  const end = text.lastIndexOf('\n', lengthWithin(text, most - estimateTokens(note)))
  // The heading and the folder alone are no instructions.
  return end > text.indexOf('\n\n', text.indexOf('\n\n') + 2) ? text.slice(0, end).trimEnd() + note : away(name)
}

/** How much of a text fits, from its start. */
function lengthWithin(text: string, tokens: number): number {
  let left = tokens
  for (let at = 0; at < text.length; at++) {
    left -= estimateTokens(text.charAt(at))
    if (left < 0) return at
  }
  return text.length
}

function away(name: string): string {
  return `# Skill ${name}\n\n[Its instructions are left out to save room. Load the skill \`${name}\` again when you need it.]`
}
