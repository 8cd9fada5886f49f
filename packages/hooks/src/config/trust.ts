import type { LayerName, SourceRef } from '@ext/kernel'

/** How far a layer is trusted with the hooks of others. What a repository or a plugin brings has no say over anything. */
const TRUST: Readonly<Record<LayerName, number>> = {
  plugin: 0,
  project: 0,
  local: 1,
  user: 2,
  'command-line': 3,
  // The embedder's own hooks and an administrator's: no file switches them off.
  'built-in': 4,
  session: 4,
  managed: 4,
}

/** The higher, the more it is trusted. */
export function trustOf(layer: LayerName): number {
  return TRUST[layer]
}

type Place = Pick<SourceRef, 'layer' | 'file' | 'name'>

/**
 * Whether what stands in one source may switch off or replace a hook of another one: the hooks of its own layer and of
 * those that are trusted less. Plugins are strangers to each other.
 */
export function hasSayOver(source: Place, other: Place): boolean {
  if (source.layer !== other.layer) return TRUST[source.layer] > TRUST[other.layer]
  return source.layer !== 'plugin' || (source.file === other.file && source.name === other.name)
}
