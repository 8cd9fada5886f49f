import type { Attributed, EventResult, HookRun, LifecycleEvent, Opinion } from '@ext/kernel/contract'
import type { Reply } from './protocol/reply.js'
import type { Rewrite } from './protocol/rewrite.js'
import { isSameJson } from './same-json.js'

/** What one hook said. */
export interface Answer {
  readonly hook: string
  readonly reply: Reply
}

/**
 * Turns many answers into one. Pure, and blind to who finished first: `answers` are in config order.
 * A block beats ask, ask beats allow; texts are joined in order; of several rewrites the last one counts, and the user
 * is told. At PermissionRequest, block and allow are the answer to the request.
 */
export function fold(event: LifecycleEvent, answers: readonly Answer[], runs: readonly HookRun[]): EventResult {
  const block = joined(answers, 'block')
  const stop = joined(answers, 'stop')
  const opinion = block ? undefined : (opinionOf(answers, 'ask') ?? opinionOf(answers, 'allow'))
  const rewrites = answers.flatMap(({ hook, reply: { rewrite } }) => (rewrite ? [{ hook, rewrite }] : []))
  const last = rewrites.at(-1)
  // A block keeps from happening what would be rewritten, except where it has happened: a secret stays cut out.
  const rewrite = block && last?.rewrite.field !== 'updatedToolOutput' ? undefined : last
  const retry = answers.find(({ reply }) => reply.retry)
  const decided =
    event === 'PermissionRequest'
      ? answerOf(answers, block, opinion, rewrite)
      : { ...(block ? { block } : {}), ...(opinion ? { opinion } : {}), ...(rewrite ? rewritten(rewrite) : {}) }
  return {
    runs,
    ...decided,
    ...(stop ? { stop } : {}),
    ...(retry ? { retry: { by: retry.hook } } : {}),
    ...(block ? {} : elicitationOf(answers)),
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

function opinionOf(answers: readonly Answer[], behavior: 'ask' | 'allow'): Opinion | undefined {
  const saying = answers.filter(({ reply }) => reply.opinion === behavior)
  const [first] = saying
  if (!first) return undefined
  const reasons = saying.flatMap(({ reply }) => reply.reason ?? [])
  return { behavior, by: first.hook, ...(reasons.length > 0 ? { reason: reasons.join('\n') } : {}) }
}

interface RewritingAnswer {
  readonly hook: string
  readonly rewrite: Rewrite
}

/** A permission request is answered: a block denies it, and an allow may come with another input and rules. */
function answerOf(
  answers: readonly Answer[],
  block: EventResult['block'],
  opinion: Opinion | undefined,
  rewriting: RewritingAnswer | undefined,
): Pick<EventResult, 'answer'> {
  if (block) return { answer: { behavior: 'deny', ...block } }
  if (!opinion) return {}
  const { rewrite } = rewriting ?? {}
  const rules = new Set(answers.flatMap(({ reply }) => reply.rules ?? []))
  return {
    answer: {
      ...opinion,
      behavior: 'allow',
      // Whoever changes the input is the one to be named with it.
      ...(rewriting && rewrite?.field === 'updatedInput' ? { by: rewriting.hook, updatedInput: rewrite.value } : {}),
      ...(rules.size > 0 ? { rules: [...rules] } : {}),
    },
  }
}

/** The strictest answer: decline before cancel before accept. Of several that accept, the last has the content. */
function elicitationOf(answers: readonly Answer[]): Pick<EventResult, 'elicitation'> {
  const saying = answers.flatMap(({ hook, reply: { answer } }) => (answer ? [{ by: hook, ...answer }] : []))
  const no = saying.find(({ action }) => action === 'decline') ?? saying.find(({ action }) => action === 'cancel')
  const elicitation = no ?? saying.at(-1)
  return elicitation ? { elicitation } : {}
}

function rewritten({ hook: by, rewrite: { field, value } }: RewritingAnswer): Partial<EventResult> {
  switch (field) {
    case 'updatedInput':
      return { updatedInput: { by, input: value } }
    case 'updatedToolOutput':
      return { updatedOutput: { by, output: value } }
    case 'updatedRequest':
      return { updatedRequest: { by, request: value } }
    case 'updatedResponse':
      return { updatedResponse: { by, response: value } }
  }
}

const REWRITTEN: Readonly<Record<Rewrite['field'], string>> = {
  updatedInput: 'input',
  updatedToolOutput: 'output',
  updatedRequest: 'request',
  updatedResponse: 'response',
}

function conflict(winner: RewritingAnswer, rewrites: readonly RewritingAnswer[]): readonly Attributed[] {
  const { value: used } = winner.rewrite
  const lost = rewrites.filter((other) => other !== winner && !isSameJson(other.rewrite.value, used))
  if (lost.length === 0) return []
  const what = REWRITTEN[winner.rewrite.field]
  const others = lost.map(({ hook }) => hook).join(', ')
  return [{ by: winner.hook, text: `its rewrite of the ${what} is used; that of ${others} is dropped` }]
}
