import type { Tracked } from './types.js'

/** Gives for each path what differs once it was written, replaced or moved; `undefined` where nothing can be seen. */
export type Stamps = (paths: readonly string[]) => Promise<readonly (string | undefined)[]>

/**
 * Tracks files and folders by their stamps, without reading them: of a folder what stands in it, not what is in that. What
 * is asked for the first time counts as taken over as it is.
 * @param stamps `nodeStamps()` of `@ext/kernel/node`
 * @param paths absolute; asked at each look
 */
export async function trackStamps(stamps: Stamps, paths: () => readonly string[]): Promise<Tracked> {
  const taken = new Map<string, string>()
  const look = async () => {
    const asked = [...new Set(paths())]
    const found = await stamps(asked)
    return asked.map((path, index) => ({ path, version: found[index] ?? ABSENT }))
  }
  for (const { path, version } of await look()) taken.set(path, version)
  return {
    async changes() {
      return (await look()).flatMap(({ path, version }) => {
        const before = taken.get(path)
        if (before === undefined) taken.set(path, version)
        if (before === undefined || before === version) return []
        const change = version === ABSENT ? 'unlink' : before === ABSENT ? 'add' : 'change'
        return [{ path, change, version }]
      })
    },
    take: ({ path, version }) => void taken.set(path, version),
  }
}

const ABSENT = 'absent'
