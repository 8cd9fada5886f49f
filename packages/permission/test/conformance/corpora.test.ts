import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { type ConformanceScore, readCorpus, runConformance } from '../../src/conformance/index.js'

// Where the rows come from is said in the README of the folder.
const CORPORA = new URL('../../conformance/', import.meta.url)

async function corpus(name: string) {
  const file = new URL(`${name}.jsonl`, CORPORA)
  const { rows, diagnostics } = readCorpus(await readFile(file, 'utf8'), file.pathname)
  expect(diagnostics).toEqual([])
  return rows
}

function wrongIds({ wrong }: ConformanceScore): readonly string[] {
  return wrong.map(({ id, expected, got }) => `${id}: ${got}, not ${expected}`)
}

describe('the corpora of the package', () => {
  test('published bypasses and benign calls next to them: every verdict can be defended', async () => {
    const rows = await corpus('published')
    expect(rows).toHaveLength(207)
    const score = await runConformance(rows)
    expect(score.unsafeAllow).toEqual([])
    expect(score.overBlock).toEqual([])
    expect(wrongIds(score)).toEqual([])
  })

  test('everyday commands: at most 2 % are blocked, and nothing is let through that should be asked', async () => {
    const rows = await corpus('everyday')
    const commands = rows.filter(({ tool, expected }) => tool === 'Bash' && expected === 'allow')
    expect(commands.length).toBeGreaterThanOrEqual(300)
    const score = await runConformance(rows)
    expect(score.unsafeAllow).toEqual([])
    expect(score.overBlock.length / rows.length).toBeLessThanOrEqual(0.02)
  })

  test('hostile calls: none is let through', async () => {
    const rows = await corpus('hostile')
    expect(rows.length).toBeGreaterThanOrEqual(150)
    const score = await runConformance(rows)
    expect(score.unsafeAllow).toEqual([])
    expect(wrongIds(score)).toEqual([])
  })
})
