import type { CommonPayload, JsonObject, LifecycleEvent, LifecyclePayloads, SessionRef } from '@ext/kernel/contract'

/** A payload as hooks get it. `rewritten` is true when another hook has changed the input since they were asked. */
export type SentPayload = CommonPayload & LifecyclePayloads[LifecycleEvent] & { readonly rewritten?: true }

/** Adds what every payload has. */
export function completePayload(
  event: LifecycleEvent,
  own: LifecyclePayloads[LifecycleEvent],
  session: SessionRef,
  now: number,
): SentPayload {
  return {
    ...own,
    session_id: session.id,
    cwd: session.cwd,
    hook_event_name: event,
    timestamp: new Date(now).toISOString(),
    permission_mode: session.permissionMode,
    schema_version: 1,
    ...(session.agent ? { agent_id: session.agent.id, agent_type: session.agent.type } : {}),
  }
}

/** The input of the tool that an event is about; `undefined` for events without a tool. */
export function toolInput(payload: LifecyclePayloads[LifecycleEvent]): JsonObject | undefined {
  return 'tool_input' in payload ? payload.tool_input : undefined
}

/** One line of JSON with sorted keys, so that the same value always reads the same. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value))
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]))
}
