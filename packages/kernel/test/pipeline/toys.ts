import type { ConfigSource, LayerName, Snapshot } from '../../src/index.js'

/** Sources of toys, and short forms of what became of them. */
export const file = (layer: LayerName, path: string): ConfigSource => ({ kind: 'file', layer, dialect: 'ext', path })

export const value = (layer: LayerName, toys: unknown, name: string = layer): ConfigSource => ({
  kind: 'value',
  layer,
  dialect: 'ext',
  name,
  value: { toys },
})

export const verdicts = (snapshot: Snapshot<unknown>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    snapshot.records.map(({ source, name, verdict, stale }) => [
      `${source.layer}/${name}${stale ? ' (stale)' : ''}`,
      verdict,
    ]),
  )

export const values = (snapshot: Snapshot<unknown>): readonly (readonly [string, unknown])[] =>
  snapshot.entries.map((entry) => [entry.name, entry.value])

export const codes = (snapshot: Snapshot<unknown>): readonly string[] =>
  snapshot.diagnostics.map((diagnostic) => diagnostic.code)
