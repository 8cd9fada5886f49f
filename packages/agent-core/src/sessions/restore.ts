import { ExtError, formatPlace, messageOf } from '@ext/kernel'
import type { Diagnostic } from '@ext/kernel/types'
import { frozenCopy, receive } from '../json.js'
import type { SessionState } from '../run-context.js'
import { whenRejected } from '../signals.js'
import { createFold } from './fold.js'
import type { Restored } from './restored.js'
import type { KeptSession } from './store.js'

/** What a session is by its log, and what there is to say about that. */
export function readKept({ header, events, diagnostics }: KeptSession): {
  readonly restored: Restored
  readonly remarks: readonly string[]
} {
  const fold = createFold(header)
  const remarks = diagnostics.map(remarkOf)
  for (const [index, event] of events.entries()) {
    const problem = fold.add(event)
    if (problem === undefined) continue
    // A store that hands out anything: what stands before it is the session.
    remarks.push(`Event ${index + 1} of the session can’t be used: ${problem}. The session ends before it.`)
    break
  }
  return { restored: fold.restored(), remarks }
}

function remarkOf({ source, message, hint }: Diagnostic): string {
  return `${formatPlace(source)}: ${message}${hint === undefined ? '' : ` ${hint}`}`
}

/** Puts a session that has just been opened where the other one was. */
export function restoreState(state: SessionState, restored: Restored): void {
  state.messages.push(...frozenCopy(restored.messages))
  state.promptAt = restored.promptAt
  state.pending = [...restored.pending]
  state.totals = restored.totals
  state.measured = restored.measured
  state.unfinished = restored.unfinished
  state.handingOver = restored.handingOver
  state.open = restored.open && {
    ...restored.open,
    calls: frozenCopy(restored.open.calls),
    results: new Map([...restored.open.results].map(([id, result]) => [id, frozenCopy(result)])),
  }
  restoreExtensions(state, restored.states)
}

const LATER = 'it would do so later, and the session begins now'

/** Extensions that keep something get it back, each what stood in its place. */
export function restoreExtensions(state: SessionState, states: Restored['states']): void {
  for (const [index, extension] of state.extensions.entries()) {
    const saved = states[index]
    if (saved === undefined || !extension.restore) continue
    try {
      const restored = extension.restore(saved)
      whenRejected(restored, () => {})
      if (restored instanceof Promise) throw new ExtError('agent-core.extension.answer', LATER)
      const missing = restored?.missing ?? []
      if (missing.length > 0) {
        state.remarks.push(`Not there any more since the session was kept: ${missing.join(', ')}.`)
      }
    } catch (error) {
      state.remarks.push(`An extension could not take up what it had kept: ${messageOf(error)}`)
    }
  }
}

/** What the extensions want to have again when the session is resumed. One that fails keeps nothing, which is said. */
export function statesOf(state: SessionState, say: (text: string) => void): Restored['states'] {
  const states: Record<string, Restored['states'][string]> = {}
  for (const [index, extension] of state.extensions.entries()) {
    if (!extension.state) continue
    try {
      const state = extension.state()
      whenRejected(state, (error) => say(`The state of an extension is not kept: ${messageOf(error)}`))
      if (state instanceof Promise) continue
      const { value, problem } = receive(state)
      if (problem !== undefined) say(`The state of an extension is not kept: it ${problem}.`)
      else if (value !== null) states[index] = value
    } catch (error) {
      say(`The state of an extension is not kept: ${messageOf(error)}`)
    }
  }
  return states
}
