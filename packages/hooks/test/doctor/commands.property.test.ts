import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extSource, load, project, rule } from '../support.js'

/** Pieces that commands are made of, in orders that nobody would write. */
const piece = fc.constantFrom(
  ...[
    'sh',
    './a.sh',
    '"',
    "'",
    '$',
    '${HOOK_PROJECT_DIR}',
    '$(',
    ')',
    '`',
    '\\',
    '|',
    '&&',
    ';',
    '\n',
    ' ',
    '>',
    '<<EOF',
  ],
  ...['2>&1', '#', '{', '}', 'exit 1', 'exit 2', 'cd', 'if', 'A=b', '~/x', '*', '-c', 'python3', 'jq .tool', '>>log'],
)

test('whatever a command is made of, the doctor has a verdict and runs nothing', async () => {
  const root = await project({ 'a.sh': '#!/bin/sh\ntouch ran\n' })
  const commands = fc.sample(fc.array(piece, { minLength: 1, maxLength: 12 }), { numRuns: 500, seed: 7 })
  const rules = commands.map((pieces) => pieces.join('')).filter((command) => command.trim() !== '')
  const hooks = await load([extSource(...rules.map((command) => rule('PreToolUse', command)))], { root })
  const { hooks: judged } = await hooks.doctor()
  expect(judged).toHaveLength(rules.length)
  expect(new Set(judged.map(({ effect }) => effect))).toEqual(new Set(['can-fire', 'never']))
  expect(await hooks.doctor()).toEqual(await hooks.doctor())
  expect(existsSync(`${root}/ran`)).toBe(false)
})
