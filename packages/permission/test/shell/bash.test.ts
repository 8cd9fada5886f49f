import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyzeShell, DYNAMIC } from '../../src/shell/index.js'
import { context } from './support.js'

const hasBash = spawnSync('bash', ['--version']).status === 0

const piece = fc.constantFrom(
  ...[
    'a',
    'b',
    '"a b"',
    "'c d'",
    '\\x',
    '\\ ',
    "$'\\x41\\t'",
    '$"q"',
    '{a,b}',
    '{1..3}',
    '{a,{b,c}}',
    '"$X"',
    '$X',
    '${X}',
  ],
  ...[
    '""',
    "''",
    '\\"',
    '-',
    '/',
    '=',
    '~',
    '~/',
    '{',
    '}',
    ',',
    '${X:+w}',
    '"{a,b}"',
    '\\{a,b}',
    'x{,y}',
    '$Z',
    '${A[@]}',
    '"${A[@]}"',
  ],
)
const word = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((each) => each.join(' '))

const SETUP = "X='p q'; Z=v; A=(1 '2 3')"

/** The words that bash makes of each line. */
function bashWords(lines: readonly string[]): readonly (readonly string[])[] {
  const script = lines.map((line) => `printf '%s\\0' W ${line} END; echo`).join('\n')
  const { stdout } = spawnSync('bash', ['--norc', '-c', `HOME=/home/u; set -f; ${SETUP}\n${script}`], {
    encoding: 'utf8',
  })
  return stdout.split('\0\n').map((text) => text.split('\0').slice(0, -1))
}

describe.skipIf(!hasBash)('held against bash itself', () => {
  test('words are the ones that bash makes, where they are known', () => {
    const lines = fc.sample(words, { numRuns: 600, seed: 1 })
    const expected = bashWords(lines)
    let compared = 0
    lines.forEach((line, index) => {
      const { units } = analyzeShell(`${SETUP}; W ${line}`, context)
      const made = units.map(({ argv }) => argv)
      if (made.flat().some((text) => text.includes(DYNAMIC))) return
      compared++
      expect(made, line).toContainEqual(expected[index])
    })
    expect(compared).toBeGreaterThan(200)
  })
})
