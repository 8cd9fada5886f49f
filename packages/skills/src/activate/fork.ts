import { createReporter, messageOf } from '@ext/kernel'
import type { AgentOrder, AgentOutcome, AgentRunner, RunTerms, SessionRef } from '@ext/kernel/contract'
import type { Diagnostic, Snapshot } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { Forked, Refused, Skill } from '../types.js'
import type { RunningForks, SessionHost } from './host.js'
import { bringsOf, limitsOf } from './terms.js'

const report = createReporter(diagnosticCodes)

/** Of the text that comes back, in bytes of UTF-8. */
const MAX_RESULT_BYTES = 16 * 1024

export interface ForkOptions {
  /** The body, with placeholders filled in. */
  readonly text: string
  readonly stale: string | undefined
  readonly signal: AbortSignal | undefined
}

/** Has a sub-agent work on a skill. Rejects only when `signal` aborts. */
export async function runFork(
  skill: Skill,
  { text, stale, signal }: ForkOptions,
  { ref, runner, forks }: Pick<SessionHost, 'ref' | 'forks'> & { readonly runner: AgentRunner },
): Promise<Forked | Refused> {
  const leave = enter(forks, ref.id, skill)
  let outcome: AgentOutcome
  try {
    outcome = await runner.run(orderFor(skill, text, ref), signal ? { signal } : {})
  } catch (error) {
    signal?.throwIfAborted()
    outcome = { done: false, text: '', problem: messageOf(error) }
  } finally {
    leave()
  }
  if (!outcome.done) return unfinished(skill, outcome)
  const { kept, cut } = cutBytes(outcome.text, MAX_RESULT_BYTES)
  return Object.freeze({ mode: 'fork', skill, text: kept, cut, ...(stale === undefined ? {} : { stale }) })
}

/** Why a skill that is to be forked can't be started in this host. */
export function noRunner({ name }: Skill): Refused {
  return {
    code: 'skills.fork.no-runner',
    problem: `The skill \`${name}\` runs in a sub-agent, and there are none here.`,
    hint: 'Use a host that can run sub-agents, or write `mode: inline` into its header.',
  }
}

/** What is to be said of forked skills when they are loaded into a host without sub-agents. */
export function withoutRunner({ entries }: Snapshot<Skill>): readonly Diagnostic[] {
  return entries
    .filter(({ value }) => value.mode === 'fork')
    .map((entry) => {
      const message = `\`${entry.value.name}\` runs in a sub-agent, and this host has none; so it can't be started.`
      const hint = 'Use a host that can run sub-agents, or write `mode: inline`.'
      return report.warning('skills.fork.no-runner', entry.at(), message, { entry: entry.id, hint })
    })
}

function orderFor(skill: Skill, prompt: string, session: SessionRef): AgentOrder {
  const { agent, model, effort, forkContext, restrict } = skill
  const terms: readonly RunTerms[] = [
    ...limitsOf(skill),
    ...bringsOf(skill).flatMap(({ by, grants }) => (grants ? [{ by, grants }] : [])),
  ]
  return {
    session,
    prompt,
    // What the sub-agent is shown; which calls of it may run is a matter of the terms.
    tools: restrict[0] ? restrict[0].rules.map(({ rule }) => rule.tool) : ['*'],
    context: forkContext,
    ...(agent === undefined ? {} : { type: agent }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(terms.length > 0 ? { terms } : {}),
  }
}

/** Its hooks count while it runs, in the sub-agent as well. */
function enter(forks: RunningForks, id: string, skill: Skill): () => void {
  const running = forks.get(id) ?? new Map<Skill, number>()
  forks.set(id, running)
  running.set(skill, (running.get(skill) ?? 0) + 1)
  return () => {
    const left = (running.get(skill) ?? 1) - 1
    if (left > 0) running.set(skill, left)
    else running.delete(skill)
    if (running.size === 0) forks.delete(id)
  }
}

function unfinished({ name }: Skill, { problem = 'The sub-agent did not finish.', text }: AgentOutcome): Refused {
  const last = text === '' ? '' : ` Its last words: ${cutBytes(text, MAX_RESULT_BYTES).kept}`
  return {
    code: 'skills.fork.failed',
    problem: `The skill \`${name}\` was not brought to its end: ${problem}${last}`,
    hint: 'Do it without the skill, or start it again.',
  }
}

/** Stops in front of a character that does not fit whole. */
function cutBytes(text: string, maxBytes: number): { readonly kept: string; readonly cut: boolean } {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  if (read === text.length) return { kept: text, cut: false }
  return { kept: text.slice(0, read), cut: true }
}
