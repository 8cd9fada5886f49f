import type { FetchPort, FetchRequest, FetchResult } from '../../types.js'
import { MAX_TIMER_MS } from '../clock.js'
import type { Settings } from './follow.js'
import type { Resolver } from './resolve.js'
import { explain, FetchStop, failed } from './stop.js'
import { parseAllowed } from './url.js'

const DEFAULT_TIMEOUT_MS = 30_000

/** What a guarded fetch may reach, and by which way. */
export interface FetchOptions {
  /**
   * Hosts with ports, such as `10.0.0.5:8080`, `[fd00::1]:443` or `wiki.corp:443`, that may be reached although they are
   * not public. It is the host of the URL that is compared; whatever addresses its name has, are dialled.
   */
  readonly allow?: readonly string[]
  /** Environment to read `https_proxy`, `http_proxy` and `no_proxy` from, also in capitals. Default: no proxy. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Certificates in PEM to trust besides the well-known ones. */
  readonly ca?: string | readonly string[]
  /** Finds the addresses of a host. Default: the resolver of the machine. */
  readonly resolve?: Resolver
}

/**
 * HTTP that reaches public addresses only. See the README for what is refused and what can't be.
 * @throws ExtError `kernel.fetch.allow` for an entry of `allow` that is no host with a port
 */
export function nodeFetch(options: FetchOptions = {}): FetchPort {
  const settings: Settings = {
    allow: new Set(options.allow?.map(parseAllowed)),
    env: options.env ?? {},
    ca: options.ca,
    resolve: options.resolve,
  }
  return (request, { signal } = {}) => settle(request, settings, signal)
}

/** Makes a value of whatever happens, when it happens or at the time cap. */
async function settle(
  request: FetchRequest,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<FetchResult> {
  if (signal?.aborted) return { outcome: 'aborted', message: 'It was aborted before it began.' }
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = request
  const ending = new AbortController()
  const stop = (problem: FetchStop['problem']) => ending.abort(new FetchStop(problem))
  const onAbort = () => stop({ outcome: 'aborted', message: 'It was aborted.' })
  const timer = setTimeout(
    () => stop({ outcome: 'timed-out', message: `There was no whole answer within ${timeoutMs} ms.` }),
    Math.min(timeoutMs, MAX_TIMER_MS),
  )
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    // The client loads with the first request.
    const { follow } = await import('./follow.js')
    // A resolver can't be interrupted; the request goes on without it.
    return await Promise.race([follow(request, settings, ending.signal), rejectionOf(ending.signal)])
  } catch (error) {
    const reason: unknown = ending.signal.aborted ? ending.signal.reason : error
    return (reason instanceof FetchStop ? reason : failed('connection', explain(reason))).problem
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    // Whatever is still open ends with the request.
    ending.abort()
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
