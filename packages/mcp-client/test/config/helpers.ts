import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Diagnostic, formatPlace, type LayerName, type Snapshot } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import { loadServers } from '../../src/load.js'
import type { CompiledServer, ServerDefaults } from '../../src/types.js'

export interface Loaded {
  readonly snapshot: Snapshot<CompiledServer>
  readonly diagnostics: readonly Diagnostic[]
  readonly names: readonly string[]
  /** `code file:line:column`, in order. */
  readonly places: readonly string[]
  /** `code: message hint` of those with this severity. */
  said(severity: Diagnostic['severity']): readonly string[]
  server(name: string): CompiledServer
  only(code: string): Diagnostic
}

export interface Reading {
  readonly layer?: LayerName
  readonly env?: Readonly<Record<string, string>>
  readonly defaults?: ServerDefaults
}

/** What a real file of this name and text comes to. Everything is approved, nothing is started. */
export async function ofFile(
  name: string,
  text: string,
  { layer = 'user', env = {}, defaults }: Reading = {},
): Promise<Loaded> {
  const file = join(await mkdtemp(join(tmpdir(), 'mcp-')), name)
  await writeFile(file, text)
  const dialect = name.endsWith('.json') ? 'claude-mcp' : 'ext'
  const snapshot = await loadServers({
    layers: [{ kind: 'file', layer, dialect, path: file }],
    cwd: '/work-here',
    ports: { ...nodePorts(env), platform: 'linux' },
    approved: () => true,
    ...(defaults ? { defaults } : {}),
  })
  const { diagnostics } = snapshot
  return {
    snapshot,
    diagnostics,
    names: snapshot.entries.map((entry) => entry.name),
    places: diagnostics.map(
      ({ code, source }) => `${code} ${formatPlace({ ...source, file: source.file?.split('/').at(-1) ?? '' })}`,
    ),
    said: (severity) =>
      diagnostics
        .filter((each) => each.severity === severity)
        .map(({ code, message, hint }) => `${code}: ${message} ${hint ?? ''}`),
    server(wanted) {
      const found = snapshot.entries.find((entry) => entry.name === wanted)
      if (!found) throw new Error(`no ${wanted}: ${JSON.stringify(diagnostics, null, 1)}`)
      return found.value
    },
    only(code) {
      const found = diagnostics.filter((each) => each.code === code)
      if (found.length !== 1 || !found[0]) throw new Error(`${found.length} of ${code}: ${JSON.stringify(diagnostics)}`)
      return found[0]
    },
  }
}

/** One server in YAML, in flow style. */
export function one(entry: string, reading?: Reading): Promise<Loaded> {
  return ofFile('config.yaml', `mcpServers:\n  a: ${entry}\n`, reading)
}

/** An `.mcp.json` with these servers. */
export function claude(mcpServers: unknown, reading?: Reading): Promise<Loaded> {
  return ofFile('.mcp.json', JSON.stringify({ mcpServers }), reading)
}
