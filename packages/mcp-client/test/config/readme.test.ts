import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ofFile } from './helpers.js'

test('the configuration in the README is read as it says, with nothing to complain about', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const [, yaml = ''] = /```yaml\n(mcpServers:[^`]*(?:`[^`]+`[^`]*)*?)```/.exec(readme) ?? []
  const env = { FILES_TOKEN: 'f', DOCS_TOKEN: 'd', AWS_REGION: 'eu' }
  const loaded = await ofFile('config.yaml', yaml, { env })
  expect(loaded.diagnostics).toEqual([])
  expect(loaded.names).toEqual(['files', 'docs'])
  // Values that are shown as defaults are the defaults.
  const { limits, ...docs } = loaded.server('docs')
  const { rate: _, ...others } = limits
  const plain = (await ofFile('config.yaml', 'mcpServers: { docs: { url: "https://example.com/mcp" } }')).server('docs')
  expect(others).toEqual(plain.limits)
  for (const field of ['connectMs', 'listMs', 'totalMs', 'keepAlive', 'reconnect'] as const) {
    expect(docs[field]).toEqual(plain[field])
  }
})
