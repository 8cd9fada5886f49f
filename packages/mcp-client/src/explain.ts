import { createReporter, type Diagnostic, messageOf } from '@ext/kernel'
import type { ToolResult } from '@ext/kernel/contract'
import { diagnosticCodes } from './codes.js'
import { Fault, type Seen } from './connect/session.js'
import { failure } from './registry/results.js'
import type { ToolOwner } from './registry/tools.js'
import type { ServerState } from './types.js'

const report = createReporter(diagnosticCodes)

const LAST_LINES = 5

/** Why nothing of this server can be called, for the model. */
export function unavailable(server: string, state: ServerState, cause = 'ended'): ToolResult {
  const known = { server, phase: 'connect' } as const
  switch (state) {
    case 'connecting': {
      const text = `The server \`${server}\` is still connecting.`
      return failure({ ...known, kind: 'network', text, hint: 'Try again later, or go on without it.' })
    }
    case 'failed': {
      const text = `The server \`${server}\` is not running: it ${cause}.`
      const hint = 'Go on without it; it is not started again in this run.'
      return failure({ ...known, kind: 'network', text, hint })
    }
    case 'closed': {
      const text = `The server \`${server}\` was closed.`
      return failure({ ...known, kind: 'aborted', text, hint: 'It does not come back in this run.' })
    }
    default: {
      const text = `The server \`${server}\` has no such tool.`
      return failure({ server, phase: 'find', kind: 'protocol', text, hint: 'Use one of the tools that are listed.' })
    }
  }
}

export function callTimedOut(server: string, ms: number): ToolResult {
  return failure({
    server,
    phase: 'call',
    kind: 'timeout',
    text: `The server \`${server}\` did not answer within ${ms / 1000} s.`,
    hint: 'It may have done what was asked. Ask for less at a time; the limit is `timeout.call` of the server.',
  })
}

export function callFailed(server: string, error: unknown, seen: Seen): ToolResult {
  const kind = error instanceof Fault ? error.kind : 'protocol'
  const said = kind === 'network' ? lastWords(seen) : ''
  const hint =
    kind === 'remote'
      ? 'Check the input against the schema of the tool, or do it another way.'
      : 'It may have done what was asked. Go on without this tool.'
  const text = `The server \`${server}\` ${messageOf(error)}.${said}`
  return failure({ server, phase: 'call', kind, text, hint })
}

/** The diagnostic of a server that did not become ready. */
export function connectFailed(owner: ToolOwner, cause: string, timedOut: boolean, seen: Seen): Diagnostic {
  const hint = seen.notStarted
    ? 'Check `command` and `cwd`: the program has to be on PATH or be written as a path; arguments go into `args`.'
    : seen.junk.lines > 0
      ? 'Its stdout holds something else than MCP: does the command start an MCP server?'
      : timedOut
        ? 'Run the command by hand to see what it waits for; `timeout.connect` gives it more time.'
        : 'Run the command by hand to see what it says.'
  const message = `\`${owner.name}\` ${cause}.${lastWords(seen)}`
  return report.error('mcp.server.failed', owner.place, message, { entry: owner.entry, hint })
}

/** The diagnostic of a server that was ready and is gone. */
export function connectionLost(owner: ToolOwner, cause: string, seen: Seen): Diagnostic {
  const message = `\`${owner.name}\` ${cause} after it had been ready.${lastWords(seen)}`
  const hint = 'Its tools are gone until the next start.'
  return report.error('mcp.server.lost', owner.place, message, { entry: owner.entry, hint })
}

/** What a server did besides answering. Counted, so each is said once however often it happened. */
export function misbehaviour(owner: ToolOwner, { junk, tooLarge }: Seen): readonly Diagnostic[] {
  const { name, entry, place } = owner
  const found: Diagnostic[] = []
  if (junk.lines > 0) {
    const lines = junk.lines === 1 ? 'a line that is' : `${junk.lines} lines that are`
    const message = `\`${name}\` wrote ${lines} not MCP to stdout, first ${JSON.stringify(junk.first)}.`
    const hint = 'Such lines are skipped. A server has to write its log to stderr.'
    found.push(report.warning('mcp.output.junk', place, message, { entry, hint }))
  }
  if (tooLarge > 0) {
    const message = `\`${name}\` sent a message over 64 MiB, which was dropped; a call that waits for it times out.`
    const hint = 'Ask the tool for less at a time.'
    found.push(report.warning('mcp.output.too-large', place, message, { entry, hint }))
  }
  return found
}

function lastWords(seen: Seen): string {
  const lines = seen.stderrTail.trim().split('\n').slice(-LAST_LINES).join('\n')
  return lines === '' ? '' : ` Its last words on stderr: ${JSON.stringify(lines)}.`
}
