import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactSpecifier } from '../../src/rule/command/pattern.js'
import { command, matches } from './support.js'

const allow = { effect: 'allow' } as const
const deny = { effect: 'deny' } as const

describe('quotes and escapes in a command rule', () => {
  test.each([
    ["Bash(git commit -m 'fix it')", "git commit -m 'fix it'", true],
    ["Bash(git commit -m 'fix it')", 'git commit -m "fix it"', true],
    ["Bash(git commit -m 'fix it')", 'git commit -m fix it', false],
    ['Bash(git commit -m fix it)', "git commit -m 'fix it'", false],
    ['Bash(echo \\*)', "echo '*'", true],
    ['Bash(echo \\*)', 'echo x', false],
    ["Bash(echo '\\*')", "echo '*'", true],
    ["Bash(echo don't *)", 'echo "don\'t" panic', true],
    ['Bash(echo "a b" *)', "echo 'a b' c", true],
    ['Bash(echo *)', "echo 'a b'", true],
  ])('%s on `%s`: %s', (rule, line, expected) => {
    expect(matches(rule, command(line), allow)).toBe(expected)
  })

  test('make no difference to a deny rule, which looks for the words however they are held together', () => {
    expect(matches("Bash(git 'push origin')", command('git push origin'), deny)).toBe(true)
    expect(matches('Bash(git push origin)', command("git 'push origin'"), deny)).toBe(true)
  })

  test('a rule can be written for any words, and matches nothing but them', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'a',
        '*',
        '**',
        "'",
        '"',
        '\\',
        '\\*',
        "\\'",
        'a b',
        '',
        ' ',
        '-x',
        ':*',
        'x:*',
        'a*',
        '()',
        'a\tb',
        '~',
        '~/a',
        '/home/u/a',
        '$HOME/a',
        '"${HOME}"',
      ),
      fc.string({ unit: fc.constantFrom('a', '*', '\\', "'", '"', ' ', ':', '-', '~', '/', '$HOME') }),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 3 }), fc.array(word, { maxLength: 3 }), (words, others) => {
        const [mine, theirs] = [
          ['echo', ...words],
          ['echo', ...others],
        ] as const
        const specifier = exactSpecifier(mine)
        expect(specifier).toBeDefined()
        const quoted = (all: readonly string[]) => all.map((each) => `'${each.replaceAll("'", `'\\''`)}'`).join(' ')
        expect(matches(`Bash(${specifier})`, command(quoted(mine)), allow)).toBe(true)
        const same = JSON.stringify(mine) === JSON.stringify(theirs)
        expect(matches(`Bash(${specifier})`, command(quoted(theirs)), allow)).toBe(same)
      }),
      { numRuns: 500 },
    )
  })
})
