import { readFileSync } from 'node:fs'
import type { ConfigSource } from '@ext/kernel'
import { expect, test } from 'vitest'
import type { HookModel } from '../../src/types.js'
import { claudeSource, load, project } from '../support.js'

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

/** Never asked: hooks are only loaded here. */
const model: HookModel = { stream: () => expect.unreachable() }

function handlers(hooks: unknown): number {
  return Object.values(hooks as object)
    .flatMap((groups) => (Array.isArray(groups) ? groups : [groups]))
    .reduce((sum, group) => sum + (Array.isArray(group.hooks) ? group.hooks.length : 1), 0)
}

/** The row as the file that it was. */
async function asFile({ kind, hooks }: Row): Promise<ConfigSource> {
  const text = JSON.stringify({ hooks }, null, 2)
  const root = await project({ 'hooks/hooks.json': text })
  return kind === 'claude-plugin'
    ? { kind: 'folder', layer: 'plugin', dialect: 'claude-plugin', path: root }
    : { kind: 'file', layer: 'user', dialect: 'claude-settings', path: `${root}/hooks/hooks.json` }
}

test.each(claudeRows)(
  'every hook of $repo $path is loaded or has a diagnostic, each with its line and column',
  async (row) => {
    const hooks = await load([await asFile(row)], { approved: () => true, host: { model } })
    const { records, diagnostics } = hooks.snapshot
    expect(records).toHaveLength(handlers(row.hooks))
    const withError = new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ entry }) => entry))
    for (const { id, verdict, source } of records) {
      expect([id, withError.has(id)]).toEqual([id, verdict !== 'loaded'])
      expect([source.line, source.column]).not.toContain(undefined)
    }
    for (const { hint, severity, source, message } of hooks.diagnostics) {
      expect([message, source.line, source.column]).not.toContain(undefined)
      if (severity !== 'info') expect(hint).toBeTruthy()
    }
  },
)

test('nothing in any real file makes a reader throw, whatever product it is for', async () => {
  for (const { hooks } of rows) {
    for (const dialect of ['claude-settings', 'ext']) {
      const source: ConfigSource = { kind: 'value', layer: 'project', dialect, name: 'file', value: { hooks } }
      const { diagnostics } = await load([source], { approved: () => true })
      expect(diagnostics.filter(({ code }) => code === 'config.reader.crashed')).toEqual([])
    }
  }
})

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
      "hooks.event.not-fired": 14,
      "hooks.shape": 5,
      "loaded": 316,
    }
  `)
})
