import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { diagnosticCodes } from '../src/index.js'

it('reports each diagnostic code that is documented', async () => {
  const folder = new URL('../src/', import.meta.url)
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && name !== 'codes.ts',
  )
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))
  const source = texts.join('\n')
  expect(Object.keys(diagnosticCodes).filter((code) => !source.includes(`'${code}'`))).toEqual([])
})
