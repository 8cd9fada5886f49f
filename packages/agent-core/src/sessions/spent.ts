import type { RunContext } from '../run-context.js'
import { nothingSpent, type Spent, spend } from '../spending.js'

type Amount = Parameters<typeof spend>[1]

/**
 * Keeps what was used beside the answers of a run, in the log of its session: of a sub-agent that has come to its end, also one
 * of a hook, and of a model that has thought for a hook or a server. Once its process is ended nothing else would say it.
 * @param agent id of the sub-agent
 */
export function keepSpent(run: RunContext, amount: Amount, agent?: string): void {
  const { id, session } = rootOf(run)
  write(session, id, amount, agent)
}

/** The same of a loop itself, where no message and no summary says it: a model call that has failed. */
export function keepOwnSpent({ id, session }: RunContext, amount: Amount): void {
  write(session, id, amount)
}

/** Whether the log has said what this sub-agent has used in the run that goes on. */
export function isKept(run: RunContext, agent: string): boolean {
  return rootOf(run).session.unfinished?.counted.has(agent) === true
}

export function sumOf(...amounts: readonly (Amount | undefined)[]): Spent {
  const sum = nothingSpent()
  for (const amount of amounts) if (amount) spend(sum, amount)
  return sum
}

function write({ journal }: RunContext['session'], run: string, amount: Amount, agent?: string): void {
  const { inputTokens, outputTokens, costUsd } = amount
  if (!journal || (inputTokens === 0 && outputTokens === 0 && costUsd === undefined)) return
  const usage = { inputTokens, outputTokens, ...(costUsd === undefined ? {} : { costUsd }) }
  journal.write('spent', { run, usage, ...(agent === undefined ? {} : { agent }) })
}

function rootOf(run: RunContext): RunContext {
  return run.parent ? rootOf(run.parent) : run
}
