import { isMap, parseDocument, setInYaml, valueAt } from '@ext/kernel'
import { nodeEditFiles } from '@ext/kernel/node'
import type { Offer } from './offers.js'

export interface Written {
  readonly imported: readonly Offer[]
  /** With the reason. */
  readonly refused: readonly { readonly offer: Offer; readonly reason: string }[]
}

/** Writes servers into one of our files, in one step. What is in there stays, comments and all, and is never replaced. */
export async function writeOffers(file: string, offers: readonly Offer[]): Promise<Written> {
  const imported: Offer[] = []
  const refused: { offer: Offer; reason: string }[] = []
  const { failure } = await nodeEditFiles().edit(file, async (before = '') => {
    let text = before
    const { document } = await parseDocument(before, 'yaml', { layer: 'project', dialect: 'ext', file })
    const there = valueAt(document?.value, '/mcpServers')
    for (const offer of offers) {
      // Somebody may have written it since it was looked for.
      const isTaken = isMap(there) && Object.hasOwn(there, offer.name)
      const edit = isTaken
        ? { problem: 'an entry of this name has been written meanwhile' }
        : await setInYaml(text, ['mcpServers', offer.name], offer.entry ?? {})
      if (edit.problem === undefined) {
        text = edit.text
        imported.push(offer)
      } else refused.push({ offer, reason: edit.problem })
    }
    return text
  })
  if (failure === undefined) return { imported, refused }
  return { imported: [], refused: offers.map((offer) => ({ offer, reason: failure })) }
}
