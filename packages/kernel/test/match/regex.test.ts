import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileRegex } from '../../src/match/index.js'

const test = (pattern: string, text: string, anchored = false) =>
  compileRegex(pattern, { anchored }).matcher?.test(text)

describe('a regular expression', () => {
  it.each([
    ['Edit|Write', 'MultiEdit', false, true],
    ['Edit|Write', 'MultiEdit', true, false],
    ['Edit|Write', 'Write', true, true],
    ['mcp__.*__(read|list).*', 'mcp__fs__read_file', true, true],
    ['^git\\s+push', 'git  push', false, true],
    ['\\bsecret\\b', 'a secret here', false, true],
    ['(?i)bash', 'BASH', true, true],
    ['(?<tool>Read)', 'Read', true, true],
    ['a\\/b', 'a/b', true, true],
    ['\\u00e9', 'é', true, true],
    ['[^]', '\n', true, true],
    ['\\p{L}+', 'Käse', true, true],
    ['', 'anything', false, true],
    ['', 'anything', true, false],
  ])('%j for %j (anchored: %s) is %s', (pattern, text, anchored, expected) => {
    expect(test(pattern, text, anchored)).toBe(expected)
  })

  it('keeps what was written', () => {
    expect(compileRegex('a\\/b', { anchored: true }).matcher?.text).toBe('a\\/b')
  })

  it.each(['(?=a)b', '(?!a)b', '(?<=a)b', '(?<!a)b', '(?<name>a)(?!b)'])(
    'with look-around is refused in words: %s',
    (pattern) => {
      expect(compileRegex(pattern, { anchored: false })).toEqual({ problem: expect.stringContaining('look-around') })
    },
  )

  it.each(['(a)\\1', '(?<x>a)\\k<x>'])('with a back-reference is refused in words: %s', (pattern) => {
    expect(compileRegex(pattern, { anchored: false })).toEqual({ problem: expect.stringContaining('back-references') })
  })

  it.each(['(', ')', '[', 'a**', '*', 'a{2,1}', 'a{1001}', '(a{1000}){1000}', '[z-a]', '\\', '(?P<'])(
    'that is malformed is refused in words: %s',
    (pattern) => {
      expect(compileRegex(pattern, { anchored: false })).toEqual({
        problem: expect.stringMatching(/^error parsing.+[^.]$/),
      })
    },
  )

  it('has at most 1,000 characters', () => {
    expect(test('a'.repeat(1000), 'a'.repeat(1000))).toBe(true)
    expect(compileRegex('a'.repeat(1001), { anchored: false })).toEqual({
      problem: 'the pattern has 1001 characters, and 1000 are the limit',
    })
  })

  it('matches nothing that is longer than 65,536 characters', () => {
    expect(test('a', 'a'.repeat(65_536))).toBe(true)
    expect(test('a', 'a'.repeat(65_537))).toBe(false)
  })

  it('stays linear where JavaScript would take for ever', () => {
    expect(test('(a+)+$', `${'a'.repeat(50_000)}b`)).toBe(false)
    expect(test('(a|aa)+$', `${'a'.repeat(50_000)}b`)).toBe(false)
  })

  it('never throws, and agrees with JavaScript on what both understand', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '.',
      'a*',
      'b+',
      '[ab]',
      '[^a]',
      '(a|b)',
      'a?',
      '^',
      '$',
      '\\d',
      '\\.',
      'a{1,2}',
    )
    fc.assert(
      fc.property(fc.array(part), fc.string({ unit: fc.constantFrom('a', 'b', '.', '1') }), (parts, text) => {
        expect(test(parts.join(''), text)).toBe(new RegExp(parts.join('')).test(text))
      }),
      { numRuns: 1000 },
    )
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'a()[]{}*+?\\^$|.<>=!:,1k-P') }),
        fc.string(),
        (pattern, text) => {
          const { matcher, problem } = compileRegex(pattern, { anchored: false })
          expect(typeof (matcher?.test(text) ?? problem)).toMatch(/boolean|string/)
        },
      ),
      { numRuns: 3000 },
    )
  })
})
