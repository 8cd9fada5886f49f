import type { LifecycleEvent, Payload } from '@ext/kernel/contract'
import type { FunctionReply } from '../function.js'
import { type Replies, repliesFor } from '../replies.js'

/** What a script does at an event. */
export type ScriptHandler<E extends LifecycleEvent> = (
  payload: Payload<E>,
  context: { readonly reply: Replies<E> },
) => FunctionReply<E> | Promise<FunctionReply<E>>

/** What a script does at each event that it is for. */
export type ScriptHandlers = { readonly [E in LifecycleEvent]?: ScriptHandler<E> }

/** How a script ends. */
export interface ScriptEnd {
  readonly exitCode: 0 | 1
  readonly stdout?: string
  readonly stderr?: string
}

/** Answers one event, which stands in `input` as JSON. What goes wrong is said, and is a failure of the hook. */
export async function answerEvent(input: string, handlers: ScriptHandlers): Promise<ScriptEnd> {
  const payload = parsePayload(input)
  if (!payload) return failed('There is no event on stdin. Hooks get one as JSON; see `ext hooks test` to try one.')
  const { hook_event_name: event } = payload
  const handler = Object.hasOwn(handlers, event) ? (handlers[event] as ScriptHandler<LifecycleEvent>) : undefined
  if (!handler) return failed(`This script is for ${Object.keys(handlers).join(', ')}, and was run at ${event}.`)
  try {
    const reply = await handler(payload, { reply: repliesFor(event) })
    return reply ? { exitCode: 0, stdout: `${JSON.stringify(reply)}\n` } : { exitCode: 0 }
  } catch (error) {
    return failed(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

function parsePayload(input: string): Payload | undefined {
  try {
    const value = JSON.parse(input) as Partial<Payload> | null
    return typeof value?.hook_event_name === 'string' ? (value as Payload) : undefined
  } catch {
    return undefined
  }
}

function failed(message: string): ScriptEnd {
  return { exitCode: 1, stderr: `${message}\n` }
}
