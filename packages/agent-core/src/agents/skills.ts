import { messageOf } from '@ext/kernel'
import type { ContentBlock, SessionRef } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import { checkedExpansion } from '../expansion.js'
import type { RunContext } from '../run-context.js'
import { until } from '../signals.js'
import { limitsOf } from '../terms.js'
import type { PromptExpansion } from '../types.js'

/**
 * Loads the skills of an agent, each as one step, and gives what goes behind its prompt. One that can't be loaded is
 * named. Rejects only when the run is aborted, or the engine behind the steps fails.
 */
export async function loadSkills(
  run: RunContext,
  names: readonly string[],
  {
    place = '',
    who = 'The sub-agent begins without it',
    ref = run.session.ref,
  }: { readonly place?: string; readonly who?: string; readonly ref?: SessionRef } = {},
): Promise<readonly ContentBlock[]> {
  const blocks: ContentBlock[] = []
  for (const name of names) {
    const { context, problem } = await run.durable.step(`${place}skill:${name}`, () => expand(run, name, ref))
    if (problem) run.emit('notice', { by: problem.by, text: `${who}: ${problem.text}` })
    for (const { by, text } of context ?? []) {
      run.emit('context', { by, place: 'turn', text })
      blocks.push(textBlock(text))
    }
  }
  return blocks
}

async function expand(run: RunContext, name: string, ref: SessionRef): Promise<PromptExpansion> {
  const { signal, session } = run
  const extension = session.extensions.find((each) => each.expand)
  if (!extension?.expand) return { problem: { by: `skill ${name}`, text: 'Nothing here loads skills.' } }
  try {
    const expanding = extension.expand({ name, args: '' }, { signal, terms: limitsOf(run), session: ref })
    return checkedExpansion(await until(signal, expanding))
  } catch (error) {
    signal.throwIfAborted()
    return { problem: { by: `skill ${name}`, text: messageOf(error) } }
  }
}
