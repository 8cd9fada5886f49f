import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { diagnosticCodes } from '../../src/index.js'
import { faults } from './support.js'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

const rows = readme
  .slice(readme.indexOf('| what goes wrong                         | here'))
  .split('\n\n')[0]
  ?.split('\n')
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

test('the README names what shows each of the twelve ways in which a hook fails in silence', () => {
  expect(rows).toHaveLength(12)
  for (const [what = '', here = '', shownBy = ''] of rows ?? []) {
    const [, file = '', title = ''] = /^`(.+?)`: (.+)$/.exec(shownBy) ?? []
    if (file === 'hook-faults.jsonl') {
      const codes = Object.keys(diagnosticCodes).filter((code) => here.includes(`\`${code}\``))
      const shown = faults.filter(({ kind, expects }) => kind === title && codes.includes(expects))
      expect([what, shown.length > 0]).toEqual([what, true])
    } else {
      expect([what, here.startsWith('impossible: ')]).toEqual([what, true])
      expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')).toContain(title)
    }
  }
})
