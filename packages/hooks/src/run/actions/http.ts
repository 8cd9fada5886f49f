import type { FetchAnswer, FetchProblem } from '@ext/kernel'
import { redact } from '@ext/kernel/env'
import type { HttpAction } from '../../config/actions.js'
import { fillHeader } from '../../config/header-variables.js'
import { contentTypeOf, fillBody, pickFields } from '../../config/http-body.js'
import { parseOutput } from '../../protocol/output.js'
import { MAX_OUTPUT_BYTES } from '../../protocol/reply.js'
import type { ActionOutcome, ActionResult } from '../../protocol/types.js'
import type { Delivery } from '../delivery.js'
import type { ActionHost, HookOf } from './action.js'

/** Sends the event to a server and reads its answer. No redirect is followed: it could take the event anywhere. */
export async function runHttp(
  { action, timeoutMs }: HookOf<HttpAction>,
  delivery: Delivery,
  { ports }: ActionHost,
): Promise<ActionResult> {
  const started = ports.clock.now()
  const outcome = await send()
  return { ...outcome, ms: ports.clock.now() - started }

  async function send(): Promise<ActionOutcome> {
    const { body, missing } = toBody(action, delivery)
    if (missing !== undefined) return { kind: 'failed', cause: `no field ${missing}`, detail: 'nothing was sent' }
    const answer = await ports.fetch(
      {
        url: action.url,
        method: action.method,
        headers: toHeaders(action, ports.env),
        body,
        timeoutMs,
        maxBytes: MAX_OUTPUT_BYTES,
        // Somebody wrote this address into a file that is trusted or was approved.
        allowLoopback: true,
      },
      { signal: delivery.signal },
    )
    return answer.outcome === 'answered' ? fromAnswer(answer) : fromProblem(answer)
  }
}

function toBody(action: HttpAction, delivery: Delivery): { readonly body: string; readonly missing?: string } {
  const { body, fields, raw } = action
  if (raw && body === undefined && fields === undefined) return { body: delivery.json }
  const payload: unknown = JSON.parse(raw ? delivery.json : redact(JSON.parse(delivery.json)))
  if (body !== undefined) return fillBody(body, contentTypeOf(action.headers), payload)
  return { body: JSON.stringify(fields ? pickFields(payload, fields) : payload) }
}

/** A variable that is not allowed is empty, so that a file can't send off what it was not given. */
function toHeaders(
  { headers, allowedEnvVars }: HttpAction,
  env: ActionHost['ports']['env'],
): Readonly<Record<string, string>> {
  const filled = Object.entries(headers).map(([name, value]) => {
    return [name, fillHeader(value, (variable) => (allowedEnvVars.includes(variable) ? (env[variable] ?? '') : ''))]
  })
  return {
    ...Object.fromEntries(filled),
    ...(contentTypeOf(headers) === undefined ? { 'content-type': 'application/json' } : {}),
  }
}

function fromAnswer(answer: FetchAnswer): ActionOutcome {
  const { status } = answer
  const text = answer.text()
  if (status < 200 || status > 299) return { kind: 'failed', cause: `status ${status}`, detail: text }
  const output = parseOutput(text)
  switch (output.kind) {
    case 'empty':
      return { kind: 'silent' }
    case 'text':
      return { kind: 'failed', cause: 'an answer that is no JSON object', detail: text }
    case 'bad':
      return { kind: 'failed', cause: output.cause, detail: text }
    case 'json': {
      if (output.noise === undefined) return { kind: 'replied', reply: output.value }
      return { kind: 'failed', cause: 'text before the JSON object', detail: text }
    }
  }
}

function fromProblem(problem: FetchProblem): ActionOutcome {
  switch (problem.outcome) {
    case 'timed-out':
      return { kind: 'timed-out' }
    case 'refused': {
      const cause = problem.reason === 'redirect' ? 'redirect' : `refused (${problem.reason})`
      return { kind: 'failed', cause, detail: problem.message }
    }
    case 'failed':
      return { kind: 'failed', cause: `no answer (${problem.reason})`, detail: problem.message }
    case 'too-large':
    case 'aborted':
      return { kind: 'failed', cause: problem.outcome, detail: problem.message }
  }
}
