import fc from 'fast-check'
import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { parsePlain } from '../../src/shell/plain.js'

const word = fc.constantFrom(
  'git',
  'a',
  '-x',
  '--y=z',
  'if',
  'time',
  'x=y',
  './a/b',
  '%1',
  'a:b',
  '-',
  '2',
  'a,b',
  '@',
  'export',
  'done',
)
const operator = fc.constantFrom(' ', '  ', ' && ', '&&', '||', ' | ', '|', ';', '; ', '&', '|&', ';;', '|||')
const line = fc.array(fc.tuple(word, operator)).map((pairs) => pairs.flat().join(''))

/** What a tree says, without what only tells how it was made. */
function plainTree(node: unknown): unknown {
  return JSON.parse(
    JSON.stringify(node, (key, value) =>
      key === 'parts' || key === 'args' || key === 'redirects' ? undefined : value,
    ),
  )
}

test('the reader of plain lines makes the tree of the parser, or none', () => {
  fc.assert(
    fc.property(line, (text) => {
      const tree = parsePlain(text)
      if (!tree) return
      const { errors, ...parsed } = parse(text)
      expect(errors ?? []).toEqual([])
      expect(plainTree(tree)).toEqual(plainTree(parsed))
    }),
    { numRuns: 5000 },
  )
})

test.each(['git push origin main && ls', 'ls', 'a | b || c; d', 'ls -la ./x;'])(
  '%s is read without the parser',
  (text) => {
    expect(parsePlain(text)).toBeDefined()
  },
)

test.each(['', ' ', 'a &', 'a &&', '| a', 'a "b"', 'a $b', 'a\nb', 'X=1 a', 'if a', 'a ;; b', 'a~', 'a*', '# a'])(
  '%j is left to the parser',
  (text) => {
    expect(parsePlain(text)).toBeUndefined()
  },
)
