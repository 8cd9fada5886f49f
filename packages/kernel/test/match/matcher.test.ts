import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyOf,
  compileNameGlob,
  compileRegex,
  MATCH_ALL,
  type Matcher,
  matchNames,
  not,
} from '../../src/match/index.js'

const regex = (pattern: string): Matcher => {
  const { matcher } = compileRegex(pattern, { anchored: true })
  if (!matcher) throw new Error(pattern)
  return matcher
}

describe('a matcher', () => {
  it.each([
    [matchNames(['Edit', 'Write']), 'Edit|Write'],
    [compileNameGlob('mcp__*'), 'mcp__*'],
    [compileNameGlob('Bash'), 'Bash'],
    [regex('a+'), 'a+'],
    [not(compileNameGlob('mcp__*')), 'not mcp__*'],
    [anyOf([matchNames(['Bash']), not(matchNames(['Edit', 'Read']))]), 'Bash, not Edit|Read'],
    [MATCH_ALL, '*'],
  ])('prints itself: %j', (matcher, text) => {
    expect(matcher.text).toBe(text)
    expect(matcher.never).toBeUndefined()
  })

  it.each([
    [matchNames([]), 'it names nothing'],
    [not(MATCH_ALL), 'it excludes everything'],
    [not(compileNameGlob('*')), 'it excludes everything'],
    [anyOf([]), 'the list is empty'],
    [anyOf([matchNames([]), not(MATCH_ALL)]), 'it names nothing'],
  ])('says that it can never match: %j', (matcher, never) => {
    expect(matcher.never).toBe(never)
    expect([matcher.test(''), matcher.test('Bash')]).toEqual([false, false])
  })

  it('of a list can match if one of its parts can', () => {
    expect(anyOf([matchNames([]), matchNames(['a'])]).never).toBeUndefined()
  })

  it('of names takes any text as a name', () => {
    expect(matchNames(['__proto__', '']).test('__proto__')).toBe(true)
    expect(matchNames(['a']).test('constructor')).toBe(false)
  })

  it('combines as logic does', () => {
    const leaf = fc.oneof(
      fc.subarray(['', 'a', 'ab', 'b']).map(matchNames),
      fc.constantFrom('*', 'a*', '?').map(compileNameGlob),
    )
    fc.assert(
      fc.property(leaf, leaf, fc.constantFrom('', 'a', 'ab', 'b', 'ba'), (one, other, subject) => {
        expect(not(one).test(subject)).toBe(!one.test(subject))
        expect(not(not(one)).test(subject)).toBe(one.test(subject))
        expect(anyOf([one, other]).test(subject)).toBe(one.test(subject) || other.test(subject))
        for (const each of [not(one), anyOf([one, other])]) {
          if (each.never !== undefined) expect(each.test(subject)).toBe(false)
        }
      }),
    )
  })
})
