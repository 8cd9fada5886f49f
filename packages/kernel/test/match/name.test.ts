import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileNameGlob } from '../../src/match/index.js'

describe('a name glob', () => {
  it.each([
    ['Bash', 'Bash', true],
    ['Bash', 'bash', false],
    ['Bash', 'Bash2', false],
    ['*', 'anything', true],
    ['*', '', true],
    ['mcp__*', 'mcp__fs__read', true],
    ['mcp__*', 'Mcp__fs', false],
    ['mcp__*__read', 'mcp__fs__read', true],
    ['mcp__*__read', 'mcp__fs__read_file', false],
    ['*__read*', 'mcp__fs__read_file', true],
    ['Rea?', 'Read', true],
    ['Rea?', 'Rea', false],
    ['a**b', 'ab', true],
    ['*', 'a/b', true],
    ['a*c', 'a/b/c', true],
    ['*', '.hidden', true],
    ['?x', '.x', true],
    ['a?b', 'a/b', true],
    ['a[b]*', 'a[b]c', true],
    ['a[b]*', 'abc', false],
    ['{a,b}*', '{a,b}x', true],
    ['{a,b}*', 'ax', false],
    ['!a*', 'b', false],
    ['!a*', '!ab', true],
    ['a(b|c)*', 'a(b|c)', true],
    ['+(a)*', '+(a)', true],
    ['a\\*', 'a\\b', true],
    ['./a*', './ab', true],
    ['./a*', 'ab', false],
    ['^a.$*', '^a.$b', true],
    ['a*', 'a\nb', true],
    ['a*', `a${'\u2028'}b`, true],
  ])('%j for %j is %s', (glob, name, expected) => {
    expect(compileNameGlob(glob).test(name)).toBe(expected)
  })

  it('means what it says for any text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab*?.[]{}()!+@|\\/^$-_ \n"\',~#') })
    fc.assert(
      fc.property(text, text, (glob, name) => {
        expect(compileNameGlob(glob).test(name)).toBe(slow(glob, name))
      }),
      { numRuns: 5000 },
    )
  })

  it('takes any text without * and ? as the exact name', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !/[*?]/.test(text)),
        (name) => {
          expect(compileNameGlob(name).test(name)).toBe(true)
          expect(compileNameGlob(name).test(`${name}x`)).toBe(false)
        },
      ),
    )
  })

  it('takes no longer for a hostile glob', () => {
    expect(compileNameGlob(`${'*a'.repeat(20)}*b`).test('a'.repeat(2000))).toBe(false)
  })
})

/** The definition, written down: one character or any number of them. */
function slow(glob: string, name: string): boolean {
  const [first, rest] = [glob[0], glob.slice(1)]
  if (first === undefined) return name === ''
  if (first === '*') return slow(rest, name) || (name !== '' && slow(glob, name.slice(1)))
  return name !== '' && (first === '?' || first === name[0]) && slow(rest, name.slice(1))
}
