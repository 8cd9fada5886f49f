import { dirname, relative } from 'node:path'
import type { LayerName, Snapshot } from '@ext/kernel'
import type { ConfigChangeSource } from '@ext/kernel/contract'
import type { Locations } from '../locations.js'

const SOURCES: Readonly<Partial<Record<LayerName, ConfigChangeSource>>> = {
  user: 'user_settings',
  project: 'project_settings',
  local: 'local_settings',
  managed: 'policy_settings',
}

/** Where skills or agents are looked for. */
export interface Folder {
  readonly path: string
}

/** The files of the configuration, each once, with whose they are. */
export function configFiles({
  config,
  claudeHooks,
  claudePermissions,
  claudeMcp,
  claudeMcpSettings,
}: Locations): ReadonlyMap<string, ConfigChangeSource> {
  return new Map(
    [...config, ...claudeHooks, ...claudePermissions, ...claudeMcp, ...claudeMcpSettings].map(({ path, layer }) => [
      path,
      SOURCES[layer] ?? 'project_settings',
    ]),
  )
}

/**
 * What is looked at of folders of skills or agents: the folders themselves, since there others come and go, those between
 * them and the files that were found, and the files.
 */
export function filesOf(folders: readonly Folder[], { entries }: Snapshot<unknown>): readonly string[] {
  const paths = new Set(folders.map(({ path }) => path))
  for (const { source } of entries) {
    if (source.file === undefined) continue
    paths.add(source.file)
    const root = folders.find(({ path }) => !relative(path, source.file ?? '').startsWith('..'))?.path
    if (root === undefined) continue
    for (let at = dirname(source.file); at.length > root.length; at = dirname(at)) paths.add(at)
  }
  return [...paths]
}
