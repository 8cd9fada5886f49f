import type { PromptInfo } from '@ext/mcp-client/types'
import type { Io } from '../../io.js'
import { oneLine } from '../../render/words.js'
import { type OffersOptions, showOffers } from './offers.js'

/** Starts servers and shows their prompts, as they are written to `ext run`. */
export function prompts(names: readonly string[], options: OffersOptions, io: Io): Promise<number> {
  return showOffers(names, options, io, 'prompt', async ({ client }, which) => {
    const { items, problems } = await client.prompts.list(which)
    return { lines: items.map(describe), found: { prompts: items }, problems }
  })
}

function describe({ fullName, title, description, arguments: list }: PromptInfo): string {
  const words = list.map(({ name, required }) => (required ? `${name}=…` : `[${name}=…]`))
  const about = description ?? title
  return `${[`/${fullName}`, ...words].join(' ')}${about === undefined ? '' : `  ${oneLine(about, 100)}`}`
}
