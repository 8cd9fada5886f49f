import { statSync } from 'node:fs'
import type { Stamps } from '../track/stamps.js'
import { inSlices } from './slices.js'

/** Stamps of files and folders of this machine, links followed. */
export function nodeStamps(): Stamps {
  return (paths) => inSlices(paths, stampOf)
}

function stampOf(path: string): string | undefined {
  try {
    const info = statSync(path, { bigint: true, throwIfNoEntry: false })
    return info && [info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs].join('-')
  } catch {
    return undefined
  }
}
