import fc from 'fast-check'
import ignore from 'ignore'
import { describe, expect, it } from 'vitest'
import { compilePathPattern } from '../../src/match/index.js'

const ours = (pattern: string, ignoreCase: boolean) => {
  const matcher = compilePathPattern(pattern, { cwd: '/', home: '/', sourceDir: '/', ignoreCase })
  return (path: string) => matcher.test(path)
}

/** What the `ignore` package says, to which a leading `!` or `#` and a single backslash at the end must look plain. */
const theirs = (pattern: string, ignoreCase: boolean) => {
  const start = /^[!#]/.test(pattern) ? `\\${pattern}` : pattern
  const backslashes = /\\*$/.exec(start)?.[0].length ?? 0
  const rules = ignore({ ignorecase: ignoreCase }).add([backslashes % 2 === 1 ? `${start}\\` : start])
  return (path: string) => rules.ignores(path.slice(1))
}

/** An anchor would take the start away before gitignore reads it, a byte order mark is none, and line ends end lines. */
const comparable = (pattern: string) => !/^(?:~\/|\.\/|\/|\uFEFF)|[\r\n]/.test(pattern)

const nameUnits = [
  ...'aabAB.!#[]^-\\*? ~{}()+|$:0_é',
  '\u00c9',
  'İ',
  'ß',
  'ı',
  'K',
  'ǅ',
  '\ud83d\ude00',
  '\n',
  '\uE000',
  '\0',
]
const name = fc
  .oneof(
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 }),
    fc.string({ unit: fc.constantFrom(...nameUnits), minLength: 1, maxLength: 5 }),
  )
  .filter((text) => text !== '.' && text !== '..' && text !== '~')
const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => `/${names.join('/')}`)

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', '/', '*', '**', '?', '/**/', '**/', '/**', '***', 'a*', '*b') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '[ab]',
      '[!a]',
      '[^a-b]',
      '[]a]',
      '[a-',
      '[b-a]',
      '[[:alpha:]]',
      '[[:x:]]',
      '[a/b]',
      '[\\]]',
      '[[:',
      '[--0]',
      '[!-]',
      '[[:upper:]a-c]',
      '[[:punct:]]',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '\\',
      '\\*',
      '\\/',
      '\\[',
      '\\ ',
      ' ',
      '.',
      '..',
      '!',
      '#',
      '{a,b}',
      '(a|b)',
      '+',
      '^',
      '$',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...nameUnits.filter((unit) => unit !== '\n')) },
)
const pattern = fc
  .array(piece, { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join(''))
  .filter(comparable)

/** Patterns that are made of a path, so that many of them match. */
const near = path.chain((text) =>
  fc
    .array(fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: piece }), {
      minLength: text.length,
      maxLength: text.length,
    })
    .map((changes) => ({ path: text, pattern: [...text.slice(1)].map((unit, at) => changes[at] ?? unit).join('') })),
)

const RUNS = Number(process.env['EXT_RUNS'] ?? 20_000)

describe('a path pattern means what gitignore means by it', () => {
  it('for any pattern and path', () => {
    let hits = 0
    fc.assert(
      fc.property(
        pattern,
        fc.array(path, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (written, paths, ignoreCase) => {
          const [our, their] = [ours(written, ignoreCase), theirs(written, ignoreCase)]
          for (const each of paths) {
            const expected = their(each)
            if (expected) hits++
            expect([written, each, our(each)]).toEqual([written, each, expected])
          }
        },
      ),
      { numRuns: RUNS },
    )
    expect(hits).toBeGreaterThan(RUNS / 20)
  })

  it('for patterns that are made of the path', () => {
    fc.assert(
      fc.property(near, fc.boolean(), ({ path: each, pattern: written }, ignoreCase) => {
        fc.pre(comparable(written))
        expect([written, each, ours(written, ignoreCase)(each)]).toEqual([
          written,
          each,
          theirs(written, ignoreCase)(each),
        ])
      }),
      { numRuns: RUNS },
    )
  })
})
