import { formatPlace } from '@ext/kernel'
import type { Offer } from '../../import/offers.js'
import { count, oneLine } from '../../render/words.js'
import type { FoundInProject, ReadAsItIs } from './found.js'

const WORDS: Readonly<Record<string, string>> = {
  servers: 'server',
  hooks: 'hook',
  permissions: 'permission rule',
  skills: 'skill',
  agents: 'agent',
}

/** What is read as it is, a line each. */
export function describeRead({ read, instructions }: FoundInProject): readonly string[] {
  if (read.length === 0 && instructions.length === 0) return []
  return [
    'Read as they are:',
    ...read.map((each) => `  ${each.path.padEnd(30)} ${describeEntries(each)}`),
    ...instructions.map((path) => `  ${path.padEnd(30)} instructions for the model`),
  ]
}

/** `2 hooks (1 untrusted, 1 broken)`; what is loaded needs no word. */
function describeEntries({ entries }: ReadAsItIs): string {
  const parts = Object.entries(entries).map(([axis, verdicts]) => {
    const total = Object.values(verdicts).reduce((sum, each) => sum + each, 0)
    const others = Object.entries(verdicts).filter(([verdict]) => verdict !== 'loaded')
    const detail = others.map(([verdict, number]) => `${number} ${verdict}`).join(', ')
    return `${count(total, WORDS[axis] ?? axis)}${detail === '' ? '' : ` (${detail})`}`
  })
  return parts.length === 0 ? 'can not be read' : parts.join(', ')
}

/** What other programs have, file by file, with what can become of each part. */
export function describeOffers(offers: readonly Offer[], short: (text: string) => string): readonly string[] {
  if (offers.length === 0) return []
  const lines: string[] = []
  let file: string | undefined
  for (const offer of offers) {
    if (offer.file !== file) lines.push(`  ${short(offer.file)} (${offer.program})`)
    file = offer.file
    lines.push(...describeOffer(offer, short))
  }
  return ['Of other programs:', ...lines]
}

const OUTCOMES = { new: 'can be imported', there: 'is there already', refused: 'not imported' } as const

function describeOffer({ what, name, outcome, reason, hint, notes, source }: Offer, short: (text: string) => string) {
  const title = what === 'server' ? name : what === 'file' ? 'the file' : `${what} ${name}`
  const place = source.line === undefined ? '' : `  ${short(formatPlace(source))}`
  return [
    `    ${oneLine(title, 40).padEnd(24)} ${OUTCOMES[outcome]}${place}`,
    ...[reason, hint, ...notes].flatMap((text) => (text === undefined ? [] : [`      ${short(text)}`])),
  ]
}
