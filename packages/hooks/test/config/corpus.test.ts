import { readFileSync } from 'node:fs'
import type { ConfigSource } from '@ext/kernel'
import { expect, test } from 'vitest'
import type { HookModel } from '../../src/types.js'
import { claudeSource, load } from '../support.js'

interface Row {
  readonly repo: string
  readonly path: string
  readonly kind: string
  readonly hooks?: unknown
}

const rows: readonly Row[] = readFileSync(new URL('../fixtures/hook-settings.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const claudeRows = rows.filter(({ kind, hooks }) => kind.startsWith('claude') && hooks)

function handlers(hooks: unknown): number {
  return Object.values(hooks as object)
    .flatMap((groups) => (Array.isArray(groups) ? groups : [groups]))
    .reduce((sum, group) => sum + (Array.isArray(group.hooks) ? group.hooks.length : 1), 0)
}

test.each(claudeRows)(
  'every hook of $repo $path is loaded or has a diagnostic',
  async ({ repo, path, hooks: value }) => {
    const hooks = await load([claudeSource(value)])
    const { records, diagnostics } = hooks.snapshot
    expect(records).toHaveLength(handlers(value))
    const withError = new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ entry }) => entry))
    for (const record of records) {
      const expected = record.verdict === 'loaded' ? !withError.has(record.id) : withError.has(record.id)
      expect(expected, `${repo} ${path} ${record.id}`).toBe(true)
    }
    for (const { hint, severity } of diagnostics) if (severity !== 'info') expect(hint).toBeTruthy()
  },
)

test('nothing in any real file makes a reader throw, whatever product it is for', async () => {
  for (const { hooks } of rows) {
    for (const dialect of ['claude-settings', 'ext']) {
      const source: ConfigSource = { kind: 'value', layer: 'project', dialect, name: 'file', value: { hooks } }
      const { diagnostics } = await load([source])
      expect(diagnostics.filter(({ code }) => code === 'config.reader.crashed')).toEqual([])
    }
  }
})

/** Never asked: hooks are only loaded here. */
const model: HookModel = { stream: () => expect.unreachable() }

test('what real files hold is what this version can run, but for events that nothing fires', async () => {
  const codes = new Map<string, number>()
  let loaded = 0
  for (const { hooks } of claudeRows) {
    const { snapshot } = await load([claudeSource(hooks)], { host: { model } })
    loaded += snapshot.entries.length
    for (const { code, severity } of snapshot.diagnostics) {
      if (severity === 'error') codes.set(code, (codes.get(code) ?? 0) + 1)
    }
  }
  expect({ loaded, ...Object.fromEntries([...codes].sort()) }).toMatchInlineSnapshot(`
    {
      "hooks.event.not-fired": 39,
      "hooks.shape": 5,
      "loaded": 291,
    }
  `)
})
