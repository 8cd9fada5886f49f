import type { EventResult, HookRun, SessionRef } from '@ext/kernel/contract'
import type { FunctionAction } from '../config/actions.js'
import { fold } from '../fold.js'
import type { LoadedHook } from '../match/listeners.js'
import type { Reply } from '../protocol/reply.js'
import type { HookOf } from './actions/action.js'
import { type BegunCall, callFunction } from './actions/function.js'
import { type AskHost, readResult } from './answer.js'
import type { SentPayload } from './payload.js'

/** What came of asking a function: the result of its event, or a call that somebody has to go on with. */
export type AtOnce =
  | { readonly result: EventResult; readonly failed: boolean; readonly begun?: undefined }
  | { readonly result?: undefined; readonly begun: BegunCall }

/**
 * Asks the only hook of an event without waiting for anything, if it is a function. One that answers at once needs no
 * signal, no timer and no rounds: so do most functions that are asked at every call.
 * @returns `undefined` for other hooks, which have not been asked
 */
export function askAtOnce(
  matched: readonly LoadedHook[],
  payload: SentPayload,
  session: SessionRef,
  { ports: { clock }, watch, failing }: AskHost,
): AtOnce | undefined {
  const [loaded] = matched
  // A span has to begin before its function.
  if (!loaded || watch.isTracing || matched.length > 1 || loaded.value.action.type !== 'function') return undefined
  const hook = loaded.value as HookOf<FunctionAction>
  const started = clock.now()
  const outcome = callFunction(hook, payload)
  if ('later' in outcome) return { begun: { action: hook.action, outcome, started } }
  const ms = clock.now() - started
  if (outcome.kind === 'silent') {
    const run: HookRun = { hook: loaded.name, outcome: 'noDecision', ms, source: hook.place() }
    watch.ended({ loaded, run, reply: SILENT, saw: payload }, session, undefined)
    return { result: { runs: [run], context: [], notices: [] }, failed: false }
  }
  const answer = readResult(loaded, payload, { ...outcome, ms })
  const { rewrite, outcome: ended } = answer.reply
  // Other hooks may have to see what it has rewritten.
  if (rewrite) return { begun: { action: hook.action, outcome, started } }
  const problem = watch.ended(answer, session, undefined)
  if (problem) failing(problem)
  return { result: fold(hook.event, [answer], [answer.run]), failed: ended === 'failed' }
}

const SILENT: Reply = { outcome: 'noDecision', notices: [] }
