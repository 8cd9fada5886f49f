import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readWords } from '../../src/rule/command/words.js'

const SHELLS = ['sh', 'bash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0)

/** The words that a shell makes of each line. `~` is its own home, so that it shows as written. */
function shellWords(shell: string, lines: readonly string[]): readonly (readonly string[])[] {
  const script = lines.map((line) => `set -- ${line}\nprintf '%s\\0' "$#" "$@"`).join('\n')
  const { stdout, stderr, status } = spawnSync(shell, ['-s'], { input: script, env: { HOME: '~' }, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const fields = stdout.split('\0')
  const all: (readonly string[])[] = []
  for (let at = 0; at < fields.length - 1; ) {
    const count = Number(fields[at])
    all.push(fields.slice(at + 1, at + 1 + count))
    at += count + 1
  }
  return all
}

const chars = [...'ab-_./:,+@%^=~#~ \t\'"\'" \\$`*?[]{}()<>|&;!\n\r', 'é', '語', '\u00a0', '\u200b']
const line = fc.array(fc.constantFrom(...chars), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''))
const mostlyPlain = fc
  .array(
    fc.constantFrom(
      'a',
      'b-c',
      "'x y'",
      '"x;y"',
      "'$z'",
      '""',
      "a'b'c",
      '~/d',
      '#',
      'e#',
      '=f',
      '--g=h',
      ' ',
      ' ',
      '\t',
      '\n',
    ),
    {
      minLength: 1,
      maxLength: 10,
    },
  )
  .map((parts) => parts.join(''))

describe('a line that counts as plain words', () => {
  test.each(SHELLS)('is split by %s into the very same words', (shell) => {
    const samples = [...fc.sample(line, 20_000), ...fc.sample(mostlyPlain, 3000)]
    const plain = samples.flatMap((text) => {
      const { words } = readWords(text)
      return words ? [{ text, values: words.map(({ value }) => value) }] : []
    })
    expect(plain.length).toBeGreaterThan(500)
    const read = shellWords(
      shell,
      plain.map(({ text }) => text),
    )
    for (const [index, { text, values }] of plain.entries()) expect(read[index], JSON.stringify(text)).toEqual(values)
  })
})
