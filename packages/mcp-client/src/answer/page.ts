import { isMap } from '@ext/kernel'
import type { PageRequest } from '../asked.js'
import { invalid, shown } from './form.js'

const MAX_URL = 4096

/** A page that the server wants the person to go to. */
export interface Page extends Omit<PageRequest, 'completed' | 'required'> {
  readonly id: string
}

/**
 * Reads what `elicitation/create` asks for in the mode `url` (MCP 2025-11-25, "URL Mode Elicitation Requests").
 * @throws RpcError for an address that is none of a page
 */
export function readPage(params: unknown): Page {
  const { message, url, elicitationId } = isMap(params) ? params : {}
  if (typeof message !== 'string') throw invalid('`message` is not a text')
  if (typeof elicitationId !== 'string') throw invalid('`elicitationId` is not a text')
  if (typeof url !== 'string' || url.length > MAX_URL || !URL.canParse(url)) throw invalid('`url` is no address')
  const parsed = new URL(url)
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') throw invalid('`url` is not http or https')
  // What stands before the @ is made to be taken for the host.
  if (parsed.username !== '' || parsed.password !== '') throw invalid('`url` has a user name or password')
  return { id: elicitationId, message: shown(message), url: parsed.href, host: parsed.host }
}
