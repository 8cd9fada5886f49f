import { compareText, type Snapshot } from '@ext/kernel'
import type { SnapshotEntry } from '@ext/kernel/types'
import type { CompiledServer } from '../compiled.js'
import type { ServerHost } from '../server/host.js'
import { Server } from '../server/server.js'
import type { Applied } from '../types.js'

/** All servers of a client, as the configuration has them. */
export class Fleet {
  readonly #host: ServerHost
  #servers: readonly Server[] = []
  /** Servers that are not wanted any more and are not gone yet. */
  readonly #leaving = new Set<Server>()

  constructor(host: ServerHost) {
    this.#host = host
  }

  /** In the order of the configuration. */
  get servers(): readonly Server[] {
    return this.#servers
  }

  get(name: string): Server | undefined {
    return this.#servers.find((server) => server.name === name)
  }

  /** Makes the servers those of the snapshot, in one step, and touches only what is different. */
  reconcile({ entries }: Snapshot<CompiledServer>): Applied {
    const before = new Map(this.#servers.map((server) => [server.name, server]))
    const applied = { added: [], removed: [], restarted: [], changed: [], unchanged: [] } as Record<
      keyof Applied,
      string[]
    >
    const fresh: Server[] = []
    this.#servers = entries.map((entry) => {
      const { name } = entry
      const server = before.get(name)
      before.delete(name)
      if (server && isSameEndpoint(server.entry, entry)) {
        applied[server.entry.value.entryKey() === entry.value.entryKey() ? 'unchanged' : 'changed'].push(name)
        server.configure(entry)
        return server
      }
      applied[server ? 'restarted' : 'added'].push(name)
      // Two versions of a server are never there at a time: they may want the same port or file.
      const next = new Server(entry, this.#host, server && this.#leave(server))
      fresh.push(next)
      return next
    })
    for (const server of before.values()) {
      applied.removed.push(server.name)
      void this.#leave(server)
    }
    for (const server of fresh) server.begin()
    for (const names of Object.values(applied)) names.sort(compareText)
    return applied
  }

  /** Ends all of them, also those that are leaving. Resolves once nothing of them is left. */
  async close(patience: { readonly waitMs: number; readonly graceMs: number }): Promise<void> {
    await Promise.all([...this.#servers, ...this.#leaving].map((server) => server.close(patience)))
  }

  #leave(server: Server): Promise<void> {
    this.#leaving.add(server)
    return server.close().finally(() => this.#leaving.delete(server))
  }
}

/** The same entry elsewhere is another server: it is approved by itself. */
function isSameEndpoint(a: SnapshotEntry<CompiledServer>, b: SnapshotEntry<CompiledServer>): boolean {
  return a.id === b.id && a.value.endpointKey() === b.value.endpointKey()
}
