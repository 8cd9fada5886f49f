import { messageOf, suggest } from '@ext/kernel'
import type { ToolResult } from '@ext/kernel/contract'
import { Fault, type Seen } from '../connect/session.js'
import type { Refused } from '../govern/governor.js'
import { failure } from '../results/failure.js'
import type { Life } from '../server/state.js'
import { lastWords, seconds } from './words.js'

/** @param known full names of the tools that there are */
export function unknownTool(name: string, known: Iterable<string>): ToolResult {
  const near = suggest(name, known)
  return failure({
    phase: 'find',
    kind: 'protocol',
    text: `There is no tool \`${name}\`.`,
    hint: near ? `Did you mean \`${near}\`?` : 'Use one of the tools that are listed.',
  })
}

/** Why nothing of this server can be called, for the model. */
export function unavailable(server: string, life: Life, now: number): ToolResult {
  const known = { server, phase: 'connect' } as const
  const because = life.cause === undefined ? '' : `: it ${life.cause}`
  switch (life.state) {
    case 'connecting': {
      const text = `The server \`${server}\` is still connecting.`
      return failure({ ...known, kind: 'network', text, hint: 'Try again later, or go on without it.' })
    }
    case 'needs_auth': {
      const text = `The server \`${server}\` can't be used with the credentials that it gets${because}.`
      const hint = `Go on without it. ${life.hint ?? 'A person has to sign in first.'}`
      return failure({ ...known, kind: 'remote', text, hint })
    }
    case 'closed': {
      const text = `The server \`${server}\` was closed.`
      return failure({ ...known, kind: 'aborted', text, hint: 'Go on without it.' })
    }
    default: {
      const text = `The server \`${server}\` is down${because}.`
      const again =
        life.retryAt === undefined ? '' : ` It is started again in ${seconds(Math.max(0, life.retryAt - now))}.`
      return failure({ ...known, kind: 'network', text, hint: `Go on without it.${again}` })
    }
  }
}

/** The server is up and the tool is not in its list. @param why what keeps it back, if it exists */
export function notOffered(server: string, fullName: string, why: string | undefined): ToolResult {
  const text =
    why === undefined
      ? `The server \`${server}\` has no such tool.`
      : `The tool \`${fullName}\` of the server \`${server}\` is not offered: ${why}.`
  return failure({ server, phase: 'find', kind: 'protocol', text, hint: 'Use one of the tools that are listed.' })
}

/** It did not come back in time. */
export function notBack(server: string, life: Life, ms: number): ToolResult {
  const because = life.cause === undefined ? '' : `: it ${life.cause}`
  return failure({
    server,
    phase: 'connect',
    kind: 'network',
    text: `The server \`${server}\` was not back within ${seconds(ms)}${because}.`,
    hint: 'Nothing was sent. Try again later, or go on without it.',
  })
}

export function callTimedOut(server: string, limit: 'idle' | 'total', ms: number): ToolResult {
  const [text, field] =
    limit === 'idle'
      ? [`The server \`${server}\` did not answer within ${seconds(ms)}.`, 'timeout.call']
      : [`The server \`${server}\` was not done within ${seconds(ms)}, although it reported progress.`, 'timeout.total']
  const hint = `It may have done what was asked. Ask for less at a time; the limit is \`${field}\` of the server.`
  return failure({ server, phase: 'call', kind: 'timeout', text, hint })
}

/** The call was kept back. */
export function refused(server: string, { refused: by, retryMs }: Refused): ToolResult {
  const when = retryMs === undefined ? 'later' : `in ${seconds(Math.ceil(retryMs / 100) * 100)}`
  const text = {
    breaker: `The server \`${server}\` has failed several times in a row, so calls are kept from it for a while.`,
    rate: `The server \`${server}\` may not be called so often.`,
    concurrency: `The server \`${server}\` is busy with other calls.`,
  }[by]
  return failure({ server, phase: 'call', kind: 'limited', text, hint: `Nothing was sent. Try again ${when}.` })
}

/** @param noHint what to do about a server that says no */
export function callFailed(server: string, error: unknown, seen: Seen, noHint: string): ToolResult {
  const fault = error instanceof Fault ? error : undefined
  const kind = fault?.kind ?? 'protocol'
  const said = kind === 'network' ? lastWords(seen) : ''
  const text = `The server \`${server}\` ${messageOf(error)}.${said}`
  return failure({ server, phase: 'call', kind, text, hint: callHint(kind, fault, noHint) })
}

function callHint(kind: Fault['kind'], fault: Fault | undefined, noHint: string): string {
  if (kind === 'remote') return fault?.hint ?? noHint
  const effect = fault?.effect === 'none' ? 'It did nothing of what was asked.' : 'It may have done what was asked.'
  const hint = fault?.hint ?? 'Go on without this tool.'
  return hint.startsWith(effect) ? hint : `${effect} ${hint}`
}
