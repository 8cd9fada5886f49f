import type { Snapshot } from '@ext/kernel/types'
import { estimateTokens } from '@ext/kernel/words'
import { describe, expect, it } from 'vitest'
import { renderCatalog, type Skill } from '../../src/index.js'
import { createSkillSearch } from '../../src/search/search.js'
import { labelled, library, snapshotOf } from './library.js'

const SIZES = [36, 100, 500, 900]
/** 2 % of a context of 100,000 tokens. */
const TOKENS = 2000

type Row = { readonly name: string; readonly description: string }

function rows(snapshot: Snapshot<Skill>): readonly Row[] {
  return snapshot.entries
    .map(({ value: { name, description } }) => ({ name, description }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What is left when whole descriptions are listed in order until the room is used up. */
function truncated(snapshot: Snapshot<Skill>): readonly Row[] {
  let room = TOKENS
  return rows(snapshot).filter(({ name, description }) => {
    room -= estimateTokens(`\n- ${name}: ${description}`)
    return room >= 0
  })
}

/** What is left when names are listed alone, until the room is used up. */
function namesOnly(snapshot: Snapshot<Skill>): readonly Row[] {
  let room = TOKENS
  return rows(snapshot)
    .filter(({ name }) => {
      room -= estimateTokens(`\n- ${name}`)
      return room >= 0
    })
    .map(({ name }) => ({ name, description: '' }))
}

/** The share of prompts whose skill is among the first `count` that the words of the prompt lead to. */
async function recall(snapshot: Snapshot<Skill>, known: Snapshot<Skill>, count: number): Promise<number> {
  const search = createSkillSearch(known)
  const there = new Set(snapshot.entries.map(({ name }) => name))
  const prompts = labelled.filter(({ skill }) => there.has(skill))
  let hits = 0
  for (const { prompt, skill } of prompts) {
    const found = await search.search(prompt, { limit: count })
    if (found.some((match) => match.skill.name === skill)) hits++
  }
  return hits / prompts.length
}

async function measure(size: number, descriptions?: 'first sentence') {
  const snapshot = library(size, descriptions)
  return {
    search: await recall(snapshot, snapshot, 3),
    truncated: await recall(snapshot, snapshotOf(truncated(snapshot)), 3),
    names: await recall(snapshot, snapshotOf(namesOnly(snapshot)), 3),
  }
}

describe('The right skill for a prompt', () => {
  it('has at least sixty labelled prompts', () => {
    expect(labelled.length).toBeGreaterThanOrEqual(60)
    expect(new Set(labelled.map(({ skill }) => skill)).size).toBe(labelled.length)
  })

  it.each(SIZES)(
    'is found among %i skills more often than in a catalog that is cut off, or has names only',
    async (size) => {
      const { search, truncated, names } = await measure(size)
      expect(search).toBeGreaterThan(names)
      if (size > 100) expect(search).toBeGreaterThan(truncated)
      else expect(search).toBeGreaterThanOrEqual(truncated)
    },
  )
})

describe('With descriptions of one sentence', () => {
  it.each(SIZES)(
    'the right one among %i is found far less often, and not less often than by the others',
    async (size) => {
      const { search, truncated, names } = await measure(size, 'first sentence')
      expect(search).toBeLessThan(0.25)
      expect(search).toBeGreaterThan(names)
      expect(search).toBeGreaterThanOrEqual(truncated)
    },
  )
})

describe('The catalog', () => {
  it.each(SIZES)('of %i skills keeps to its budget and accounts for all of them', (size) => {
    const snapshot = library(size)
    for (const format of ['markdown', 'xml'] as const) {
      const { text, leavesOut, diagnostics } = renderCatalog(snapshot, { tokens: TOKENS, format })
      expect(estimateTokens(text)).toBeLessThanOrEqual(TOKENS)
      const listed = snapshot.entries.filter(({ name }) => text.includes(format === 'xml' ? `>${name}<` : `- ${name}`))
      const omitted = diagnostics.filter(({ code }) => code === 'skills.catalog.omitted')
      expect(listed.length + omitted.length).toBeGreaterThanOrEqual(size)
      const whole = size - diagnostics.length
      expect(whole).toBeGreaterThanOrEqual(0)
      expect(omitted.length > 0).toBe(leavesOut)
      expect(leavesOut).toBe(text.includes('search_skills'))
    }
  })
})
