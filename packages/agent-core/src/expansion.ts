import { ExtError, isMap } from '@ext/kernel'
import { isAttributed } from './sessions/check.js'
import type { PromptExpansion } from './types.js'

/** What was made of a prompt or a name. A host in plain JavaScript can give anything. */
export function checkedExpansion(expansion: PromptExpansion): PromptExpansion {
  const { context, problem } = isMap(expansion) ? expansion : {}
  if (problem === undefined ? Array.isArray(context) && context.every(isAttributed) : isAttributed(problem)) {
    return expansion
  }
  throw new ExtError('agent-core.expansion', 'it gave neither `context` nor a `problem`, with `by` and `text`')
}
