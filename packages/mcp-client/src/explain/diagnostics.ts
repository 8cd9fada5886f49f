import { createReporter, type Diagnostic } from '@ext/kernel'
import type { AnswerNote } from '../answer/answers.js'
import { diagnosticCodes } from '../codes.js'
import { remark } from '../connect/log.js'
import type { Seen } from '../connect/session.js'
import type { ToolOwner } from '../registry/tools.js'
import type { Downfall } from './trouble.js'
import { lastWords } from './words.js'

const report = createReporter(diagnosticCodes)

/** The diagnostic of a server that is not up. */
export function serverDown(owner: ToolOwner, down: Downfall, isComing: boolean): Diagnostic {
  const { entry, place, name } = owner
  const hint = `${down.hint}${isComing ? ' It is started again.' : ''}`
  if (down.step !== 'ready') {
    const code = down.needsAuth ? 'mcp.server.needs-auth' : 'mcp.server.failed'
    return report.error(code, place, `\`${name}\` ${down.cause}.${lastWords(down)}`, { entry, hint })
  }
  const message = `\`${name}\` ${down.cause} after it had been ready.${lastWords(down)}`
  if (down.needsAuth) return report.error('mcp.server.needs-auth', place, message, { entry, hint })
  return report[isComing ? 'warning' : 'error']('mcp.server.lost', place, message, { entry, hint })
}

/** The diagnostic of a server that is up and was lost before. */
export function serverBack(owner: ToolOwner, down: Downfall, losses: number): Diagnostic {
  const { entry, place, name } = owner
  const often = losses === 1 ? 'once' : `${losses} times`
  const message = `\`${name}\` was lost ${often} and is back; the last time it ${down.cause}.${lastWords(down)}`
  return report.warning('mcp.server.lost', place, message, { entry, hint: down.hint })
}

/** The list of tools has no end. */
export function listCut({ name, entry, place }: ToolOwner, cut: string): Diagnostic {
  const message = `The list of tools of \`${name}\` was cut off: ${remark(cut)}.`
  const hint = 'The tools up to there are used; the server has to be fixed.'
  return report.warning('mcp.tools.incomplete', place, message, { entry, hint })
}

/** The server said that its tools are different, and did not say how. */
export function listStale({ name, entry, place }: ToolOwner, why: string): Diagnostic {
  const message = `\`${name}\` announced other tools, and the list could not be read: it ${why}.`
  const hint = 'Its tools stay as they were; `timeout.list` gives the list more time.'
  return report.warning('mcp.tools.stale', place, message, { entry, hint })
}

/** The port that keeps approved definitions failed. */
export function pinsFailed({ name, entry, place }: ToolOwner, what: 'read' | 'kept', why: string): Diagnostic {
  const message = `What was approved of the tools of \`${name}\` could not be ${what}: ${why}.`
  const hint =
    what === 'read'
      ? 'Its tools count as never seen, so they are approved as they are now; look at them.'
      : 'It holds until this program ends; then the tools are asked about again.'
  return report.warning('mcp.pins.failed', place, message, { entry, hint })
}

/** The port that keeps definitions of tools failed. */
export function cacheFailed({ name, entry, place }: ToolOwner, what: 'read' | 'kept', why: string): Diagnostic {
  const message = `What is known of the tools of \`${name}\` could not be ${what}: ${why}.`
  const hint =
    what === 'read'
      ? 'It is started at once, as without `lazy`.'
      : 'Until that works it is started at once in the next run.'
  return report.warning('mcp.cache.failed', place, message, { entry, hint })
}

/** The server does not log as it was asked to. */
export function logRefused({ name, entry, place }: ToolOwner, why: string): Diagnostic {
  const message = `\`${name}\` could not be told how much to log: it ${why}.`
  const hint = 'It logs as it likes; what it writes is shown all the same.'
  return report.info('mcp.log.refused', place, message, { entry, hint })
}

/** The server asked for something and did not get it. */
export function askedInVain({ name, entry, place }: ToolOwner, { method, why, fault }: AnswerNote): Diagnostic {
  const message = `\`${name}\` asked for \`${method}\`: ${why.replace(/\.$/, '')}.`
  if (fault === 'program') {
    const hint = 'The server was told that it can not be answered; the function has to be fixed.'
    return report.warning('mcp.answer.failed', place, message, { entry, hint })
  }
  if (fault === 'server') {
    const hint = 'The server was told so, and has to be fixed.'
    return report.warning('mcp.request.refused', place, message, { entry, hint })
  }
  const hint = 'The server was told so; what it needs this for does not work here.'
  return report.info('mcp.request.refused', place, message, { entry, hint })
}

/** What a server did besides answering. Counted, so each is said once however often it happened. */
export function misbehaviour(owner: ToolOwner, { junk, tooLarge, deaf }: Seen): readonly Diagnostic[] {
  const { name, entry, place } = owner
  const found: Diagnostic[] = []
  if (junk.lines > 0) {
    const lines = junk.lines === 1 ? 'a line that is' : `${junk.lines} lines that are`
    const message = `\`${name}\` wrote ${lines} not MCP to stdout, first ${JSON.stringify(junk.first)}.`
    const hint = 'Such lines are skipped. A server has to write its log to stderr.'
    found.push(report.warning('mcp.output.junk', place, message, { entry, hint }))
  }
  if (tooLarge > 0) {
    const messages = tooLarge === 1 ? 'a message' : `${tooLarge} messages`
    const message = `\`${name}\` sent ${messages} over 64 MiB, which ${tooLarge === 1 ? 'was' : 'were'} dropped.`
    const hint = 'Ask the tool for less at a time.'
    found.push(report.warning('mcp.output.too-large', place, message, { entry, hint }))
  }
  if (deaf !== undefined) {
    const message = `\`${name}\` can't speak first: ${deaf}.`
    const hint = 'Calls work; changes of its tools are not seen. `listen: off` does without.'
    found.push(report.info('mcp.server.deaf', place, message, { entry, hint }))
  }
  return found
}
