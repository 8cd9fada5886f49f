import type { LayerName } from './types.js'

/** All layers, farthest first. The one list for every axis. */
export const LAYERS: readonly LayerName[] = [
  'built-in',
  'plugin',
  'user',
  'project',
  'local',
  'command-line',
  'session',
  'managed',
]

/** Position in {@link LAYERS}: the higher rank wins a conflict. */
export function layerRank(layer: LayerName): number {
  return LAYERS.indexOf(layer)
}

/** Layers whose files somebody other than the user may have written: what they run needs consent first. */
export function isForeignLayer(layer: LayerName): boolean {
  return layer === 'plugin' || layer === 'project' || layer === 'local'
}
