import { canonicalJson } from '@ext/kernel'
import type { ModelRequest } from '../types.js'
import type { RecordedCall, Recording } from './recording.js'
import { commonMessages, type Marker } from './request.js'

/** Characters that are shown in front of the first difference, and behind it. */
const BEFORE = 40
const BEHIND = 120

interface Difference {
  readonly where: string
  readonly recorded: string
  readonly sent: string
}

/** What was recorded next to what came, at the first place where they differ. */
export async function describeDeparture(recording: Recording, sent: ModelRequest, marksOf: Marker): Promise<string> {
  const closest = await closestCall(recording.calls, sent, marksOf)
  if (!closest) return `${recording.file} holds no call that the request could be compared with.`
  const { where, recorded, sent: came } = firstDifference(closest.request, sent)
  const at = firstDifferentCharacter(recorded, came)
  return [
    `The request is not in ${recording.file}. It is closest to that of call ${closest.call} and departs from it in ${where}.`,
    `  recorded: ${excerpt(recorded, at)}`,
    `  sent:     ${excerpt(came, at)}`,
  ].join('\n')
}

type CallWithRequest = RecordedCall & { readonly request: ModelRequest }

/** The call that shares most messages; of several the one with the same system prompt and tools, then of like length, then longer. */
async function closestCall(
  calls: readonly RecordedCall[],
  sent: ModelRequest,
  marksOf: Marker,
): Promise<CallWithRequest | undefined> {
  const ofSent = await marksOf(sent)
  let best: CallWithRequest | undefined
  let most: readonly number[] = []
  for (const call of calls) {
    if (!hasRequest(call)) continue
    const marks = await marksOf(call.request)
    const likeness = [
      commonMessages(marks, ofSent),
      Number(marks.system === ofSent.system) + Number(marks.tools === ofSent.tools),
      -Math.abs(marks.messages.length - ofSent.messages.length),
      marks.messages.length,
    ]
    if (best && !isMore(likeness, most)) continue
    best = call
    most = likeness
  }
  return best
}

function hasRequest(call: RecordedCall): call is CallWithRequest {
  return call.request !== undefined
}

function isMore(a: readonly number[], b: readonly number[]): boolean {
  const different = a.findIndex((value, index) => value !== b[index])
  return different !== -1 && (a[different] ?? 0) > (b[different] ?? 0)
}

function firstDifference(recorded: ModelRequest, sent: ModelRequest): Difference {
  if (recorded.system !== sent.system) {
    return { where: 'the system prompt', recorded: recorded.system, sent: sent.system }
  }
  return differenceOfTools(recorded.tools, sent.tools) ?? differenceOfMessages(recorded.messages, sent.messages)
}

function differenceOfTools(recorded: ModelRequest['tools'], sent: ModelRequest['tools']): Difference | undefined {
  const names = [recorded, sent].map((tools) => tools.map(({ name }) => name).join(', '))
  const [before = '', now = ''] = names
  if (before !== now) return { where: 'the names of the tools', recorded: before, sent: now }
  for (const [index, tool] of recorded.entries()) {
    const texts = { recorded: canonicalJson(tool), sent: canonicalJson(sent[index]) }
    if (texts.recorded !== texts.sent) return { where: `the tool ${tool.name}`, ...texts }
  }
  return undefined
}

function differenceOfMessages(recorded: ModelRequest['messages'], sent: ModelRequest['messages']): Difference {
  const show = (messages: ModelRequest['messages'], index: number) => {
    const message = messages[index]
    if (!message) return 'no further message'
    const { role, ...content } = message
    return `${role} ${canonicalJson(content)}`
  }
  let index = 0
  while (index < recorded.length && show(recorded, index) === show(sent, index)) index++
  return { where: `message ${index + 1}`, recorded: show(recorded, index), sent: show(sent, index) }
}

function firstDifferentCharacter(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

function excerpt(text: string, at: number): string {
  const start = Math.max(0, at - BEFORE)
  const end = at + BEHIND
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
