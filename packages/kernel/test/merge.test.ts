import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeEntries } from '../src/index.js'

const source = { layer: 'user', dialect: 'ext' } as const
const entries = fc
  .array(fc.constantFrom('a', 'b', 'c'))
  .map((names) => names.map((name, index) => ({ name, index, source })))

describe('mergeEntries', () => {
  it('with `append` keeps all as they are', () => {
    fc.assert(
      fc.property(entries, (all) => {
        expect(mergeEntries(all, 'append')).toEqual({ kept: all, shadowed: [] })
      }),
    )
  })

  it('with `override` keeps the last of each name in the order given, and says who replaced the others', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const { kept, shadowed } = mergeEntries(all, 'override')
        const last = (name: string) => all.findLast((entry) => entry.name === name)
        expect(kept).toEqual(all.filter((entry) => last(entry.name) === entry))
        expect(shadowed).toEqual(
          all.filter((entry) => last(entry.name) !== entry).map((entry) => ({ entry, by: last(entry.name) })),
        )
      }),
    )
  })
})
