import type { Draw } from '../server/span.js'
import type { McpSpan, McpTracer } from '../types.js'
import type { Guard } from './guard.js'

/** Has a tracer draw, whatever it does. */
export function guardedTracer(tracer: McpTracer, guard: Guard): Draw {
  const attempt = <T>(work: () => T): T | undefined => {
    let made: T | undefined
    guard.call('tracer', () => {
      made = work()
      return made
    })
    return made
  }
  return (name, attributes, within) => {
    const span: McpSpan | undefined = attempt(() => tracer.start(name, { attributes, ...(within ? { within } : {}) }))
    return {
      get trace() {
        return attempt(() => span?.trace)
      },
      set: (more) => void attempt(() => span?.set?.(more)),
      end: (error) => void attempt(() => span?.end(error)),
    }
  }
}
