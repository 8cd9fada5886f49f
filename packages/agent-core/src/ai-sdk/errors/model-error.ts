import { ExtError, isMap, messageOf } from '@ext/kernel'
import { ModelError, type ModelErrorKind } from '../../model-error.js'
import { type ApiFailure, apiFailure } from './api-failure.js'
import { isNetworkError, networkReason } from './network.js'
import { isOverflow } from './overflow.js'
import { retryAfter } from './retry-after.js'
import { shown } from './text.js'

/**
 * Says what went wrong in the words of this package. The error of the provider is not its cause: it holds the whole
 * request, with the conversation in it, and whoever logs an error logs its causes.
 */
export function toModelError(error: unknown, secrets: readonly string[]): Error {
  if (ExtError.isInstance(error)) return error
  const failure = apiFailure(error)
  if (failure) return ofApi(failure, secrets)
  if (isNetworkError(error)) {
    return new ModelError('network', shown(`The connection broke off: ${networkReason(error)}`, secrets))
  }
  return new ModelError(kindByName(error), shown(messageOf(error), secrets))
}

function ofApi(failure: ApiFailure, secrets: readonly string[]): ModelError {
  const { status, origin, headers } = failure
  const kind = kindOf(failure)
  if (status === undefined && kind === 'network') {
    const what = failure.broke ? 'The connection broke off' : `${origin ?? 'The endpoint'} can't be reached`
    return new ModelError(kind, shown(`${what}: ${failure.message}`, secrets))
  }
  const place = status === undefined ? '' : `HTTP ${status}: `
  const retryAfterMs = kind === 'overloaded' || kind === 'rate_limit' ? retryAfter(headers) : undefined
  return new ModelError(
    kind,
    shown(`${place}${failure.message}`, secrets),
    retryAfterMs === undefined ? {} : { retryAfterMs },
  )
}

function kindOf({ status, types, message, network }: ApiFailure): ModelErrorKind {
  // A quota that is used up does not come back by waiting, though it has the status of a pace that is too high.
  if (types.some((type) => BILLING.test(type)) || status === 402) return 'authentication'
  if (status !== 429 && isOverflow(status, types, message)) return 'context_length'
  // These mean one thing only, and providers like to call all of them an invalid request.
  if (status === 401 || status === 403 || status === 429) return kindByStatus(status)
  for (const type of types) {
    const known = BY_TYPE[type]
    if (known) return known
  }
  return status === undefined ? (network ? 'network' : 'unknown') : kindByStatus(status)
}

const BILLING = /^(?:insufficient_quota|billing_\w+|insufficient_balance)$/

/** What the error itself says it is: `type` or `code` of OpenAI and of Anthropic. */
const BY_TYPE: Readonly<Record<string, ModelErrorKind>> = {
  overloaded_error: 'overloaded',
  api_error: 'overloaded',
  server_error: 'overloaded',
  timeout_error: 'overloaded',
  rate_limit_error: 'rate_limit',
  rate_limit_exceeded: 'rate_limit',
  authentication_error: 'authentication',
  permission_error: 'authentication',
  invalid_api_key: 'authentication',
  invalid_request_error: 'invalid_request',
  not_found_error: 'invalid_request',
  model_not_found: 'invalid_request',
}

function kindByStatus(status: number): ModelErrorKind {
  if (status === 401 || status === 403) return 'authentication'
  if (status === 429) return 'rate_limit'
  if (status === 408) return 'network'
  if (status >= 500) return 'overloaded'
  // Also a redirect, which is not followed with a key.
  return status >= 300 ? 'invalid_request' : 'unknown'
}

/** Errors of the AI SDK that are none of an endpoint. */
function kindByName(error: unknown): ModelErrorKind {
  const name = isMap(error) || error instanceof Error ? (error as { name?: unknown }).name : undefined
  if (name === 'AI_LoadAPIKeyError') return 'authentication'
  if (name === 'AI_UnsupportedFunctionalityError' || name === 'AI_InvalidPromptError') return 'invalid_request'
  // Its stream holds what no provider of this kind sends: it was cut in a line, or something else answers.
  if (name === 'AI_JSONParseError' || name === 'AI_TypeValidationError' || name === 'AI_EmptyResponseBodyError') {
    return 'network'
  }
  return name === 'AI_InvalidResponseDataError' ? 'network' : 'unknown'
}
