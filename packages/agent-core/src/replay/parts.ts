import type { ModelRequest } from '../types.js'
import type { RequestPart } from './recording.js'
import { commonMessages, type RequestTexts } from './request.js'

/** Conversations that can be continued. An older one is written whole when it goes on. */
const MAX_KNOWN = 64

interface KnownRequest extends RequestTexts {
  readonly digest: string
}

/** Says what is new in a request, next to those that have been written. */
export interface RequestParts {
  partOf(request: ModelRequest, texts: RequestTexts): RequestPart
  /** The part of this request has been written. */
  written(texts: RequestTexts, digest: string): void
}

export function createRequestParts(): RequestParts {
  /** The newest request of each conversation, the latest first. */
  let known: readonly KnownRequest[] = []
  return {
    partOf(request, texts) {
      const from = closest(known, texts)
      if (!from) return { ...request }
      const same = commonMessages(from, texts)
      return {
        from: { digest: from.digest, messages: same },
        ...(from.system === texts.system ? {} : { system: request.system }),
        ...(from.tools === texts.tools ? {} : { tools: request.tools }),
        messages: request.messages.slice(same),
      }
    },
    written(texts, digest) {
      const from = closest(known, texts)
      const others = from && commonMessages(from, texts) > 0 ? known.filter((each) => each !== from) : known
      known = [{ ...texts, digest }, ...others].slice(0, MAX_KNOWN)
    },
  }
}

function closest(known: readonly KnownRequest[], texts: RequestTexts): KnownRequest | undefined {
  let best: KnownRequest | undefined
  let most = -1
  for (const each of known) {
    const same = commonMessages(each, texts)
    if (same <= most) continue
    best = each
    most = same
  }
  return best
}
