import { ExtError, messageOf } from '@ext/kernel'
import type { RequestedCall } from './call/call.js'
import type { Toolbox } from './call/toolbox.js'
import type { RunContext } from './run-context.js'
import { pause, until } from './signals.js'
import type { ModelEvent, ModelRequest } from './types.js'

const FIRST_RETRY_MS = 1000

/** What came from the model, complete or not. */
export interface Reply {
  readonly text: string
  readonly calls: readonly RequestedCall[]
  /** Set when the stream broke off: with an error of the model, or because the run was aborted. */
  readonly broken?: { readonly error: unknown }
}

/** One model call. A call that fails before it has given anything is repeated, if the limits say so. */
export async function askModel(run: RunContext, toolbox: Toolbox, request: ModelRequest): Promise<Reply> {
  for (let retry = 0; ; retry++) {
    const { reply, silent } = await stream(run, toolbox, request)
    if (!reply.broken || !silent || run.signal.aborted || retry >= run.agent.limits.modelRetries) return reply
    const waitMs = FIRST_RETRY_MS * 2 ** retry
    run.emit('notice', {
      text: `The model failed and is asked again in ${waitMs} ms: ${messageOf(reply.broken.error)}`,
    })
    try {
      await pause(run.agent.clock, waitMs, run.signal)
    } catch (error) {
      return { ...reply, broken: { error } }
    }
  }
}

async function stream(
  run: RunContext,
  toolbox: Toolbox,
  request: ModelRequest,
): Promise<{ readonly reply: Reply; readonly silent: boolean }> {
  let text = ''
  const calls: RequestedCall[] = []
  let silent = true
  let events: AsyncIterator<ModelEvent> | undefined
  try {
    events = run.agent.model.stream(request, { signal: run.signal })[Symbol.asyncIterator]()
    for (;;) {
      const next = await until(run.signal, events.next())
      if (next.done) return { reply: { text, calls }, silent }
      silent = false
      const event = next.value
      if (event.type === 'text') {
        text += event.text
        run.emit('text', { text: event.text })
      } else if (event.type === 'tool_call') {
        const { id, name, input } = event
        if (typeof id !== 'string' || typeof name !== 'string') {
          throw new ExtError('agent-core.model.event', 'it sent a tool call without an id or without a name')
        }
        calls.push({ id, name, input })
        run.emit('tool_call', { tool_use_id: id, tool: name, input, source: sourceOf(toolbox, name) })
      } else if (event.type === 'usage') {
        run.inputTokens += event.inputTokens
        run.outputTokens += event.outputTokens
      }
    }
  } catch (error) {
    if (run.signal.aborted) leave(events)
    return { reply: { text, calls, broken: { error } }, silent }
  }
}

/** Tells the stream that nobody reads on. Not awaited: a model that ignores its signal may ignore this too. */
function leave(events: AsyncIterator<ModelEvent> | undefined): void {
  Promise.resolve()
    .then(() => events?.return?.())
    .catch(() => {})
}

function sourceOf(toolbox: Toolbox, name: string): { readonly server?: string; readonly tool: string } {
  const source = toolbox.find(name)?.source
  if (!source) return { tool: name }
  return { ...(source.server === undefined ? {} : { server: source.server }), tool: source.tool }
}
