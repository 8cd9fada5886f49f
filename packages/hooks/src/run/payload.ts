import type { CommonPayload, LifecycleEvent, LifecyclePayloads, SessionRef } from '@ext/kernel/contract'
import type { Rewrite } from '../protocol/rewrite.js'

/** A payload as hooks get it. `rewritten` is true when another hook has changed the input since they were asked. */
export type SentPayload = CommonPayload & LifecyclePayloads[LifecycleEvent] & { readonly rewritten?: true }

/** Adds what every payload has. */
export function completePayload(
  event: LifecycleEvent,
  own: LifecyclePayloads[LifecycleEvent],
  session: SessionRef,
  now: number,
): SentPayload {
  const common: CommonPayload = {
    session_id: session.id,
    cwd: session.cwd,
    hook_event_name: event,
    timestamp: new Date(now).toISOString(),
    permission_mode: session.permissionMode,
    schema_version: 1,
  }
  const { agent, transcriptPath } = session
  // An event about a sub-agent names that one, also when it is fired from within another. Not with a spread, which costs
  // V8 fifty times as much where others have gone before it.
  const kept = transcriptPath === undefined ? undefined : { transcript_path: transcriptPath }
  const named = agent?.id === undefined ? undefined : { agent_id: agent.id }
  return Object.assign(common, kept, named, agent && { agent_type: agent.type }, own)
}

/** The payload as the next one sees it once a rewrite counts. */
export function withRewrite(payload: SentPayload, rewrite: Rewrite): SentPayload {
  switch (rewrite.field) {
    case 'updatedInput':
      return { ...payload, tool_input: rewrite.value } as SentPayload
    case 'updatedToolOutput':
      return { ...payload, tool_response: rewrite.value } as SentPayload
    case 'updatedRequest':
      return 'request' in payload
        ? ({ ...payload, request: { ...payload.request, ...rewrite.value } } as SentPayload)
        : payload
    case 'updatedResponse':
      return 'response' in payload
        ? ({ ...payload, response: { ...payload.response, ...rewrite.value } } as SentPayload)
        : payload
  }
}

/** What a rewrite would replace: of a request or response the parts that it names. */
export function original(payload: SentPayload, { field, value }: Rewrite): unknown {
  switch (field) {
    case 'updatedInput':
      return 'tool_input' in payload ? payload.tool_input : undefined
    case 'updatedToolOutput':
      return 'tool_response' in payload ? payload.tool_response : undefined
    case 'updatedRequest':
      return 'request' in payload ? partsOf(payload.request, value) : undefined
    case 'updatedResponse':
      return 'response' in payload ? partsOf(payload.response, value) : undefined
  }
}

function partsOf(whole: object, parts: object): unknown {
  return Object.fromEntries(Object.entries(whole).filter(([key]) => Object.hasOwn(parts, key)))
}
