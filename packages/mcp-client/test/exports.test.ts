import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import * as index from '../src/index.js'

test('the package exports exactly these names', () => {
  expect(Object.keys(index).sort()).toMatchInlineSnapshot(`
    [
      "createMcpClient",
      "diagnosticCodes",
      "hookedElicitation",
      "loadServers",
      "toolName",
    ]
  `)
})

test('every diagnostic code that is documented is also reported by something', async () => {
  const folder = new URL('../src/', import.meta.url)
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.ts$/.test(name) && name !== 'codes.ts')
  const sources = (await Promise.all(files.map((name) => readFile(new URL(name, folder), 'utf8')))).join()
  for (const code of Object.keys(index.diagnosticCodes)) expect(sources).toContain(`'${code}'`)
})
