import { messageOf } from '@ext/kernel'
import type { Endpoint } from '../compiled.js'
import { Fault, type Seen } from '../connect/session.js'
import type { FailureKind } from '../types.js'
import { seconds } from './words.js'

/** What a server was doing when it went down. */
export type Step = 'initialize' | 'tools/list' | 'ready'

/** Why a server is not there. */
export interface Downfall {
  readonly step: Step
  readonly kind: FailureKind
  /** The rest of a sentence about the server. */
  readonly cause: string
  readonly hint: string
  /** Another attempt can't help. */
  readonly final: boolean
  readonly needsAuth: boolean
  /** The end of what it wrote to stderr. */
  readonly stderrTail: string
}

interface Attempt {
  readonly step: 'initialize' | 'tools/list'
  readonly endpoint: Endpoint['kind']
  readonly connectMs: number
  readonly timedOut: boolean
  readonly error: unknown
  readonly seen: Seen
}

/** Says why an attempt to connect came to nothing. */
export function attemptFailed({ step, endpoint, connectMs, timedOut, error, seen }: Attempt): Downfall {
  const fault = error instanceof Fault ? error : undefined
  const { final = false, needsAuth = false } = fault ?? {}
  const common = { step, final, needsAuth, stderrTail: seen.stderrTail }
  if (timedOut) {
    const cause =
      step === 'initialize'
        ? `gave no answer to initialize within ${seconds(connectMs)}`
        : `answered initialize, but its list of tools was not there within ${seconds(connectMs)}`
    return { ...common, kind: 'timeout', cause, hint: hintFor(endpoint, seen, 'timeout') }
  }
  const kind = fault?.kind ?? 'protocol'
  const hint = fault?.hint ?? hintFor(endpoint, seen, kind)
  return { ...common, kind, cause: attemptCause(step, fault, error, seen), hint }
}

function attemptCause(step: Attempt['step'], fault: Fault | undefined, error: unknown, seen: Seen): string {
  const message = messageOf(error)
  if (seen.notStarted) return `could not be started: ${message}`
  if (fault?.kind !== 'network' || seen.end !== message) return message
  return `${message} ${step === 'initialize' ? 'before it answered initialize' : 'while it listed its tools'}`
}

function hintFor(endpoint: Endpoint['kind'], seen: Seen, kind: FailureKind): string {
  if (endpoint === 'http') {
    if (kind === 'timeout') return 'See whether something answers at `url`; `timeout.connect` gives it more time.'
    if (kind === 'protocol') return 'Check `url`: is there an MCP server at this address?'
    return 'See whether the server is well, and what its log says.'
  }
  if (seen.notStarted) {
    return 'Check `command` and `cwd`: the program has to be on PATH or be written as a path; arguments go into `args`.'
  }
  if (seen.junk.lines > 0) return 'Its stdout holds something else than MCP: does the command start an MCP server?'
  if (kind === 'timeout')
    return 'Run the command by hand to see what it waits for; `timeout.connect` gives it more time.'
  if (kind === 'protocol') return 'It does not speak MCP as it should: look for another version of the server.'
  return 'Run the command by hand to see what it says.'
}

/** A server that had been ready is gone. */
export function connectionLost(endpoint: Endpoint['kind'], error: Fault | undefined, seen: Seen): Downfall {
  const cause = seen.end ?? error?.message ?? 'ended the connection'
  const hint =
    error?.hint ??
    (endpoint === 'stdio'
      ? 'Its log may say why; it ran until then.'
      : 'See whether the server is up, and what its log says.')
  return {
    step: 'ready',
    kind: error?.kind ?? 'network',
    cause,
    hint,
    final: false,
    needsAuth: error?.needsAuth ?? false,
    stderrTail: seen.stderrTail,
  }
}

/** A server that is connected and answers nothing, not even whether it is there. */
export function silent(pings: number, timeoutMs: number): { readonly cause: string; readonly hint: string } {
  const many = pings === 1 ? 'a ping' : `${pings} pings in a row`
  return {
    cause: `did not answer ${many} within ${seconds(timeoutMs)}`,
    hint: 'It may be stuck in a call. `keepAlive` says how often it is asked and how long it may take.',
  }
}
