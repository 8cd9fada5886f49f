import { ExtError, isMap, messageOf } from '@ext/kernel'
import type { ToolContext, ToolResult } from '@ext/kernel/contract'
import type { RunContext } from '../run-context.js'
import { deadline, until } from '../signals.js'
import { type Attempt, type Ending, failed } from './attempt.js'
import { textOf } from './content.js'

/** Runs the tool under the run's abort and its own time limit. Never rejects. */
export async function execute(run: RunContext, attempt: Attempt, idempotencyKey: string): Promise<Ending> {
  const { tool, call } = attempt
  const { clock, limits } = run.agent
  if (run.signal.aborted) return aborted(attempt)
  const { signal, release } = deadline(clock, limits.toolTimeoutMs, run.signal)
  const started = clock.now()
  attempt.executed = true
  let running = true
  try {
    const context: ToolContext = {
      signal,
      session: run.session.ref,
      callId: call.id,
      idempotencyKey,
      progress: (update) => running && run.emit('progress', { ...update, tool_use_id: call.id }),
      report: (text) => running && run.emit('notice', { by: tool.name, text }),
    }
    const result = checked(await until(signal, tool.run(call.input, context)))
    return result.isError ? failed('remote', textOf(result.content), result.content) : { result }
  } catch (error) {
    if (run.signal.aborted) return aborted(attempt)
    if (signal.aborted)
      return failed('timeout', `${tool.name} was ended: it ran longer than ${limits.toolTimeoutMs} ms.`)
    return failed('crashed', `${tool.name} crashed: ${messageOf(error)}`)
  } finally {
    running = false
    release()
    attempt.durationMs = clock.now() - started
  }
}

export function aborted({ tool, executed }: Attempt): Ending {
  return failed('aborted', `The run was aborted ${executed ? 'while' : 'before'} ${tool.name} ran.`)
}

/** A tool written in plain JavaScript can return anything. */
function checked(result: ToolResult | undefined): ToolResult {
  if (Array.isArray(result?.content) && result.content.every(isBlock)) return result
  throw new ExtError('agent-core.tool.result', 'it gave no result with a list of content blocks')
}

function isBlock(block: unknown): boolean {
  if (!isMap(block) || typeof block['type'] !== 'string') return false
  if (block['type'] === 'resource') return isMap(block['resource'])
  return block['type'] !== 'text' || typeof block['text'] === 'string'
}
