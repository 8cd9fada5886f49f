import type { WorkFilesPort } from '../types.js'
import type { Tracked } from './types.js'

/**
 * Tracks files and folders by their stamps, without reading them: of a folder what stands in it, not what is in that. Links
 * are followed. What is asked for the first time counts as taken over as it is.
 * @param paths absolute; asked at each look
 */
export async function trackStamps(
  files: Pick<WorkFilesPort, 'realPath' | 'stat'>,
  paths: () => readonly string[],
): Promise<Tracked> {
  const taken = new Map<string, string>()
  const look = () =>
    Promise.all(
      [...new Set(paths())].map(async (path) => {
        const stat = await files.stat(path)
        return { path, version: (stat?.kind === 'link' ? await behind(path) : stat?.version) ?? ABSENT }
      }),
    )
  const behind = async (link: string) => {
    const real = await files.realPath(link)
    return real === undefined ? undefined : (await files.stat(real))?.version
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
