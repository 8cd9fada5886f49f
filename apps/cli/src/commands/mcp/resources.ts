import type { Io } from '../../io.js'
import { oneLine } from '../../render/words.js'
import { type OffersOptions, showOffers } from './offers.js'

interface Shown {
  readonly server: string
  readonly name: string
  readonly title?: string
  readonly description?: string
}

/** Starts servers and shows their resources, and the templates of their addresses. */
export function resources(names: readonly string[], options: OffersOptions, io: Io): Promise<number> {
  return showOffers(names, options, io, 'resource', async ({ client }, which) => {
    const [listed, templates] = await Promise.all([client.resources.list(which), client.resources.templates(which)])
    const messages = new Map([...listed.problems, ...templates.problems].map((each) => [each.message, each]))
    return {
      lines: [
        ...listed.items.map((item) => describe(item.uri, item)),
        ...templates.items.map((item) => describe(item.uriTemplate, item)),
      ],
      found: { resources: listed.items, templates: templates.items },
      problems: [...messages.values()],
    }
  })
}

function describe(address: string, { server, name, title, description }: Shown): string {
  return `${server.padEnd(12)}${address.padEnd(40)} ${oneLine(description ?? title ?? name, 100)}`
}
