import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { diagnosticCodes } from '../src/index.js'

it('every code has a line of documentation and a place that reports it', () => {
  const root = new URL('../src/', import.meta.url)
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'codes.ts')
    .map((name) => readFileSync(new URL(name, root), 'utf8'))
  for (const [code, line] of Object.entries(diagnosticCodes)) {
    expect(line).toMatch(/^[A-Z].+\.$/)
    // Two families of codes are put together from the failure or the format.
    const parts = /^config\.(file|syntax)\.(unreadable|too-large|not-a-file|not-utf8|yaml|json)$/.exec(code)
    const written = parts ? `\`config.${parts[1]}.\${` : `'${code}'`
    expect(
      sources.some((source) => source.includes(written)),
      code,
    ).toBe(true)
  }
})
