/** Codes of Node, Bun and undici for a way that is closed or was cut. */
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ConnectionRefused',
  'ConnectionClosed',
  'FailedToOpenSocket',
])
const BROKEN_OFF = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
  'ConnectionClosed',
])

/** Causes stand in each other; more than this many are a circle. */
const MAX_CAUSES = 8

export function isNetworkError(error: unknown): boolean {
  return chain(error).some(
    (each) => CODES.has(codeOf(each)) || /^(?:terminated|fetch failed|other side closed)$/.test(messageIn(each)),
  )
}

/** The connection stood before it broke. */
export function isBrokenOff(error: unknown): boolean {
  return chain(error).some((each) => BROKEN_OFF.has(codeOf(each)) || messageIn(each) === 'terminated')
}

/** The innermost reason, which names address and port. */
export function networkReason(error: unknown): string {
  const texts = chain(error)
    .map((each) => messageIn(each) || codeOf(each))
    .filter((text) => text !== '')
  return texts.at(-1) ?? 'the connection failed'
}

/** An error, its causes, and what several attempts at one connection failed with. */
function chain(error: unknown): readonly object[] {
  const found: object[] = []
  let at = error
  while (typeof at === 'object' && at !== null && found.length < MAX_CAUSES) {
    found.push(at)
    const { cause, errors } = at as { readonly cause?: unknown; readonly errors?: unknown }
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
  return found
}

function codeOf(error: object): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function messageIn(error: object): string {
  return 'message' in error && typeof error.message === 'string' ? error.message : ''
}
