import type { PinnedTools, PinsPort, ServerId } from '../types.js'

/** Keeps approved definitions as long as the client lives. */
export function memoryPins(): PinsPort {
  const kept = new Map<string, PinnedTools>()
  const keyOf = ({ name, source }: ServerId) => JSON.stringify([name, source.layer, source.file, source.name])
  return {
    async read(server) {
      return kept.get(keyOf(server))
    },
    async write(server, tools) {
      kept.set(keyOf(server), tools)
    },
  }
}
