import { messageOf } from '@ext/kernel'
import type { Message, SessionRef } from '@ext/kernel/contract'
import { textBlock } from '../../call/content.js'
import { frozenCopy, receive } from '../../json.js'
import { messagesProblem } from '../../messages.js'
import { currentToolbox, userMessage } from '../../prompt.js'
import type { RunContext } from '../../run-context.js'
import { addMessage } from '../../sessions/conversation.js'
import { attempt, createLimit } from '../../signals.js'
import { foldName } from '../names.js'
import { sayRole } from '../role.js'
import { loadSkills } from '../skills.js'
import { type Holder, holderName, keptHolder, nextHolder, refFor, seat, workAsHolder } from './holder.js'
import type { HandoffEvent } from './options.js'

/** What the next agent sees, or why it gets nothing. `null`: everything, as it is. */
type Filtered =
  | { readonly messages: readonly Message[] | null; readonly promptAt: number; readonly problem?: undefined }
  | { readonly problem: string }

/**
 * Hands the conversation over as an agent has ordered, between two turns. An order that can't be carried out leaves
 * everything as it is, and model and user are told. Where the run is aborted before it is done, the next one does it. Rejects
 * only when the engine behind the steps fails.
 */
export async function handOver(run: RunContext): Promise<void> {
  const { session, agent } = run
  const order = session.handingOver
  if (!order) return
  const definition = agent.agents.get(foldName(order.to))
  const isFirst = order.to === agent.handoff?.first
  // A definition can be gone when the session is resumed.
  if (!agent.handoff || !(isFirst || definition?.handoff)) return refuse(run, 'it takes no conversation over any more')
  const event: HandoffEvent = Object.freeze({ from: holderName(agent, session.holder), ...order })
  const skills = definition?.skills ?? []
  try {
    const filtered = await run.durable.step(`handoff:${run.turns}`, () => filter(run, event))
    if (filtered.problem !== undefined) return refuse(run, filtered.problem)
    const holder = nextHolder(run, definition, run.turns)
    const ref = refFor(session, holder)
    const how = { place: `handoff:${run.turns}:`, who: `${event.to} begins without it`, ref }
    const blocks = skills.length === 0 ? [] : await loadSkills(run, skills, how)
    const problem = take(run, { holder, ref }, filtered, event)
    if (problem !== undefined) return refuse(run, problem)
    if (blocks.length > 0) addMessage(session, userMessage(run, blocks))
  } catch (error) {
    if (!run.signal.aborted) throw error
    return
  }
  await run.durable.step(`handoff:${run.turns}:told`, async () => tell(run, event))
}

/**
 * One synchronous step: nobody sees half of it.
 * @returns why nothing has changed: hooks or a gate that would see nothing of this agent can't be done without
 */
function take(
  run: RunContext,
  { holder, ref }: { readonly holder: Holder; readonly ref: SessionRef },
  { messages, promptAt }: Extract<Filtered, { problem?: undefined }>,
  event: HandoffEvent,
): string | undefined {
  const { session, agent } = run
  const { definition } = holder
  try {
    seat(agent, session, holder, ref)
  } catch (error) {
    return `its hooks or its permission can’t begin: ${messageOf(error)}`
  }
  session.handingOver = undefined
  if (messages) {
    session.messages.splice(0, session.messages.length, ...frozenCopy(messages))
    session.promptAt = promptAt
    session.measured = undefined
  }
  session.journal?.write('agent', { ...keptHolder(session), ...(messages ? { messages, promptAt } : {}) })
  session.journal?.turnOver()
  run.handoffs++
  workAsHolder(run)
  run.emit('handoff', event)
  if (definition) sayRole(run, definition, holder.role, 'The agent')
  // Hooks may have sub-agents run before the next turn, with what this agent has.
  currentToolbox(run)
  return undefined
}

/** Rejects only when the run is aborted. */
async function filter(run: RunContext, event: HandoffEvent): Promise<Filtered> {
  const { session, agent, signal } = run
  const inputFilter = agent.handoff?.inputFilter
  if (!inputFilter) return { messages: null, promptAt: 0 }
  try {
    const limit = createLimit(agent.clock, agent.limits.toolTimeoutMs, signal)
    const given = await limit.hold(Promise.resolve(inputFilter([...session.messages], event)))
    const { value, problem } = receive(given)
    const wrong = problem === undefined ? messagesProblem(value) : `it ${problem}`
    if (wrong !== undefined) return { problem: `what its filter gave can’t be used: ${wrong}` }
    return { messages: value as unknown as readonly Message[], promptAt: promptIn(given, session) }
  } catch (error) {
    signal.throwIfAborted()
    return { problem: `its filter failed: ${messageOf(error)}` }
  }
}

/** Where the newest prompt is now, or what is likest to it. */
function promptIn(messages: readonly Message[], session: RunContext['session']): number {
  const prompt = session.messages[session.promptAt]
  const at = prompt === undefined ? -1 : messages.indexOf(prompt)
  return Math.max(0, at === -1 ? messages.findLastIndex(({ role }) => role === 'user') : at)
}

/** The agent that wanted to hand over keeps the conversation. */
function refuse(run: RunContext, why: string): void {
  const { session } = run
  const to = session.handingOver?.to ?? ''
  session.handingOver = undefined
  const text = `The conversation was not handed over to ${to}: ${why}.`
  run.emit('notice', { text })
  addMessage(session, userMessage(run, [textBlock(`[${text} Go on with it yourself.]`)]))
}

function tell(run: RunContext, event: HandoffEvent): null {
  const say = (error: unknown) => {
    run.emit('notice', { text: `\`onHandoff\` failed when it was told of the handoff: ${messageOf(error)}` })
  }
  attempt(() => run.agent.handoff?.onHandoff?.(event), say)
  return null
}
