import type { Attributed, EventResult, HookRun } from '@ext/kernel/contract'
import type { Reply } from './protocol/reply.js'
import { canonicalJson } from './run/payload.js'

/** What one hook said. */
export interface Answer {
  readonly hook: string
  readonly reply: Reply
}

/**
 * Turns many answers into one. Pure, and blind to who finished first: `answers` are in config order.
 * A block beats ask, ask beats allow; texts are joined in order; of several rewrites the last one counts, and the user
 * is told.
 */
export function fold(answers: readonly Answer[], runs: readonly HookRun[]): EventResult {
  const block = joined(answers, 'block')
  const stop = joined(answers, 'stop')
  const opinion = block ? undefined : (opinionOf(answers, 'ask') ?? opinionOf(answers, 'allow'))
  const rewrites = answers.filter(({ reply }) => reply.updatedInput)
  const rewrite = block ? undefined : rewrites.at(-1)
  return {
    runs,
    ...(block ? { block } : {}),
    ...(stop ? { stop } : {}),
    ...(opinion ? { opinion } : {}),
    ...(rewrite?.reply.updatedInput ? { updatedInput: { by: rewrite.hook, input: rewrite.reply.updatedInput } } : {}),
    context: answers.flatMap(({ hook, reply }) =>
      reply.context === undefined ? [] : [{ by: hook, text: reply.context }],
    ),
    notices: [
      ...answers.flatMap(({ hook, reply }) => reply.notices.map((text) => ({ by: hook, text }))),
      ...(rewrite ? conflict(rewrite, rewrites) : []),
    ],
  }
}

function joined(
  answers: readonly Answer[],
  kind: 'block' | 'stop',
): { readonly by: string; readonly reason: string } | undefined {
  const saying = answers.filter(({ reply }) => reply[kind] !== undefined)
  const [first] = saying
  return first && { by: first.hook, reason: saying.map(({ reply }) => reply[kind]).join('\n') }
}

function opinionOf(answers: readonly Answer[], behavior: 'ask' | 'allow'): EventResult['opinion'] {
  const saying = answers.filter(({ reply }) => reply.opinion === behavior)
  const [first] = saying
  if (!first) return undefined
  const reasons = saying.flatMap(({ reply }) => reply.reason ?? [])
  return { behavior, by: first.hook, ...(reasons.length > 0 ? { reason: reasons.join('\n') } : {}) }
}

function conflict(winner: Answer, rewrites: readonly Answer[]): readonly Attributed[] {
  const used = canonicalJson(winner.reply.updatedInput)
  const lost = rewrites.filter(({ reply }) => canonicalJson(reply.updatedInput) !== used).map(({ hook }) => hook)
  if (lost.length === 0) return []
  return [{ by: winner.hook, text: `its rewrite of the input is used; that of ${lost.join(', ')} is dropped` }]
}
