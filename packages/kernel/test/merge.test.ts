import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LAYERS, layerRank, type Mergeable, mergeEntries, type SourceRef } from '../src/index.js'

interface Item extends Mergeable {
  readonly index: number
}

const item = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  layer: fc.constantFrom(...LAYERS),
  merge: fc.option(fc.constantFrom('override' as const, 'append' as const), { nil: undefined }),
})
/** Farthest first, as the pipeline orders them. */
const items = fc.array(item, { maxLength: 12 }).map((all) =>
  all
    .toSorted((a, b) => layerRank(a.layer) - layerRank(b.layer))
    .map(
      ({ name, layer, merge }, index): Item => ({
        name,
        index,
        source: { layer, dialect: 'ext' },
        ...(merge ? { merge } : {}),
      }),
    ),
)
const silent = items.map((all) => all.map(({ name, index, source }): Item => ({ name, index, source })))
const strategies = fc.constantFrom('override' as const, 'append' as const)

describe('mergeEntries', () => {
  it('with `append` keeps all as they are', () => {
    fc.assert(
      fc.property(silent, (all) => {
        expect(mergeEntries(all, 'append')).toEqual({ kept: all, shadowed: [], refused: [] })
      }),
    )
  })

  it('with `override` keeps the last of each name in the order given, and says who replaced the others', () => {
    fc.assert(
      fc.property(silent, (all) => {
        const { kept, shadowed } = mergeEntries(all, 'override')
        const last = (name: string) => all.findLast((entry) => entry.name === name)
        expect(kept).toEqual(all.filter((entry) => last(entry.name) === entry))
        expect(shadowed).toEqual(
          all.filter((entry) => last(entry.name) !== entry).map((entry) => ({ entry, by: last(entry.name) })),
        )
      }),
    )
  })

  it('lets the word of an entry count before that of its axis', () => {
    fc.assert(
      fc.property(items, strategies, (all, strategy) => {
        const { kept, shadowed, refused } = mergeEntries(all, strategy)
        const overrides = (entry: Item) => (entry.merge ?? strategy) === 'override'
        const replacer = (entry: Item) =>
          all.findLast((other) => other.name === entry.name && other.index > entry.index && overrides(other))
        expect(kept).toEqual(all.filter((entry) => !replacer(entry)))
        expect(shadowed).toEqual(
          all.flatMap((entry) => {
            const by = replacer(entry)
            return by ? [{ entry, by }] : []
          }),
        )
        expect(refused).toEqual([])
      }),
    )
  })

  it('never replaces what may not be replaced, keeps each entry once, and lets managed ones win', () => {
    const allowed = fc.func(fc.boolean()).map(
      (may) =>
        ({ layer: winner }: SourceRef, { layer: loser }: SourceRef) =>
          may(winner, loser),
    )
    fc.assert(
      fc.property(items, strategies, allowed, (all, strategy, mayReplace) => {
        const { kept, shadowed, refused } = mergeEntries(all, strategy, mayReplace)
        const parts = [...kept, ...shadowed.map(({ entry }) => entry), ...refused.map(({ entry }) => entry)]
        expect(parts.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(all.map(({ index }) => index))
        for (const { entry, by } of shadowed) {
          expect(by.name).toBe(entry.name)
          expect(by.index).toBeGreaterThan(entry.index)
          expect(by.source.layer === 'managed' || mayReplace(by.source, entry.source)).toBe(true)
          expect(kept).toContain(by)
        }
        for (const { entry, of } of refused) {
          expect(entry.source.layer).not.toBe('managed')
          expect([of.name, mayReplace(entry.source, of.source)]).toEqual([entry.name, false])
        }
        for (const entry of all) {
          const rules = all.some(
            (other) =>
              other.index > entry.index &&
              other.name === entry.name &&
              other.source.layer === 'managed' &&
              (other.merge ?? strategy) === 'override',
          )
          if (rules) expect(kept).not.toContain(entry)
        }
      }),
    )
  })
})
