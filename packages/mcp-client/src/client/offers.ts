import { compareText } from '@ext/kernel'
import { textOf, unknownServer } from '../explain/offers.js'
import type { Completion, Offered, OfferOptions, Prompts, Resources } from '../offered.js'
import type { ServerOffer } from '../server/offers.js'
import type { Server } from '../server/server.js'
import type { Fleet } from './fleet.js'

type Which = OfferOptions & { readonly server?: string }

/** Resources of all servers. */
export function resourcesOf(fleet: Fleet): Resources {
  return {
    list: (options = {}) => collect(fleet, 'resources', options, (server) => server.offers.resources(options)),
    templates: (options = {}) => collect(fleet, 'resources', options, (server) => server.offers.templates(options)),
    async read(name, uri, options = {}) {
      options.signal?.throwIfAborted()
      return fleet.get(name)?.offers.read(uri, options) ?? nobody(fleet, name)
    },
    async subscribe(name, uri, listener, options = {}) {
      return fleet.get(name)?.subscriptions.add(uri, listener, options) ?? { failed: nobody(fleet, name) }
    },
    async complete(name, uri, argument, options = {}) {
      const ref = { type: 'ref/resource', uri } as const
      return fleet.get(name)?.offers.complete(ref, argument, options) ?? noValues(fleet, name)
    },
  }
}

/** Prompts of all servers. */
export function promptsOf(fleet: Fleet): Prompts {
  return {
    list: (options = {}) => collect(fleet, 'prompts', options, (server) => server.offers.prompts(options)),
    async get(name, prompt, values = {}, options = {}) {
      options.signal?.throwIfAborted()
      return fleet.get(name)?.offers.get(prompt, values, options) ?? { failed: nobody(fleet, name) }
    },
    async complete(name, prompt, argument, options = {}) {
      const ref = { type: 'ref/prompt', name: prompt } as const
      return fleet.get(name)?.offers.complete(ref, argument, options) ?? noValues(fleet, name)
    },
  }
}

/** Asks all at once; a server that fails costs its own part only. */
async function collect<T>(
  fleet: Fleet,
  what: 'resources' | 'prompts',
  { server: only, signal }: Which,
  ask: (server: Server) => Promise<ServerOffer<T>>,
): Promise<Offered<T>> {
  signal?.throwIfAborted()
  if (only !== undefined && !fleet.get(only)) {
    return { items: [], problems: [{ server: only, message: textOf(nobody(fleet, only)) }] }
  }
  const wanted = fleet.servers
    .filter((server) => (only === undefined ? server.has(what) : server.name === only))
    .sort((a, b) => compareText(a.name, b.name))
  const offers = await Promise.all(wanted.map(async (server) => ({ server: server.name, ...(await ask(server)) })))
  return {
    items: offers.flatMap(({ items }) => items),
    problems: offers.flatMap(({ server, problems }) => problems.map((message) => ({ server, message }))),
  }
}

function nobody(fleet: Fleet, name: string) {
  return unknownServer(name, fleet.servers.map((server) => server.name).sort(compareText))
}

function noValues(fleet: Fleet, name: string): Completion {
  return { values: [], hasMore: false, failed: nobody(fleet, name) }
}
