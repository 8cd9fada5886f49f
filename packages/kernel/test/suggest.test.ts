import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { suggest } from '../src/index.js'

const EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'SessionStart', 'SessionEnd', 'Stop']

describe('suggest', () => {
  it.each([
    ['PreTolUse', 'PreToolUse'],
    ['pretooluse', 'PreToolUse'],
    ['pre_tool_use', 'PreToolUse'],
    ['pre-tool-use', 'PreToolUse'],
    ['PostToolUsed', 'PostToolUse'],
    ['SessionSart', 'SessionStart'],
    ['Sotp', 'Stop'],
    ['stop', 'Stop'],
    ['Notification', undefined],
    ['Xyz', undefined],
    ['', undefined],
    ['S', undefined],
    ['x', undefined],
  ])('for %j is %j', (found, expected) => {
    expect(suggest(found, EVENTS)).toBe(expected)
  })

  it('prefers the same name in another case to one that differs in separators', () => {
    expect(suggest('AB', ['a_b', 'ab'])).toBe('ab')
  })

  it('finds a name again that was written in another case', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,80}$/)
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, selector: (each) => each.toLowerCase() }), (names) => {
        for (const each of names) {
          expect(suggest(each.toUpperCase(), names)).toBe(each)
          expect(suggest(each.toLowerCase(), names)).toBe(each)
        }
      }),
    )
  })

  it('finds a name again after one slip', () => {
    const name = fc.stringMatching(/^[a-z]{5,20}$/)
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('', 'x', 'xy'), (each, where, instead) => {
        const at = where % each.length
        const slip = each.slice(0, at) + instead + each.slice(at + 1)
        fc.pre(instead.length < 2 || slip.length > 5)
        expect(suggest(slip, [each])).toBe(instead === 'xy' && slip.length < 6 ? undefined : each)
      }),
    )
  })

  it('takes no longer for a very long name', () => {
    expect(suggest('x'.repeat(1_000_000), EVENTS)).toBeUndefined()
  })
})
