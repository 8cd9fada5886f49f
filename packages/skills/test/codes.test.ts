import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { diagnosticCodes } from '../src/index.js'

it('documents each code that is reported, and reports each code that is documented', async () => {
  const folder = new URL('../src/', import.meta.url)
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && name !== 'codes.ts',
  )
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))
  const used = new Set(texts.join('\n').match(/'skills\.[a-z-]+\.[a-z-]+'|'skills\.unreachable'/g))
  for (const code of Object.keys(diagnosticCodes)) expect(used).toContain(`'${code}'`)
})
