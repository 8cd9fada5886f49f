import type { ModelRequest } from '../types.js'
import type { RequestPart } from './recording.js'
import { commonMessages, type RequestMarks } from './request.js'

/** Conversations that can be continued. An older one is written whole when it goes on. */
const MAX_KNOWN = 64

/** Says what is new in a request, next to those that have been written. */
export interface RequestParts {
  partOf(request: ModelRequest, marks: RequestMarks): RequestPart
  /** The part of this request has been written. */
  written(marks: RequestMarks): void
}

export function createRequestParts(): RequestParts {
  /** The newest request of each conversation, the latest first. */
  let known: readonly RequestMarks[] = []
  return {
    partOf(request, marks) {
      const from = closest(known, marks)
      const { system, tools, messages } = request
      if (!from) return { system, tools, messages }
      const same = commonMessages(from, marks)
      return {
        from: { digest: from.digest, messages: same },
        ...(from.system === marks.system ? {} : { system }),
        ...(from.tools === marks.tools ? {} : { tools }),
        messages: messages.slice(same),
      }
    },
    written(marks) {
      const from = closest(known, marks)
      const others = from && commonMessages(from, marks) > 0 ? known.filter((each) => each !== from) : known
      known = [marks, ...others].slice(0, MAX_KNOWN)
    },
  }
}

function closest(known: readonly RequestMarks[], marks: RequestMarks): RequestMarks | undefined {
  let best: RequestMarks | undefined
  let most = -1
  for (const each of known) {
    const same = commonMessages(each, marks)
    if (same <= most) continue
    best = each
    most = same
  }
  return best
}
