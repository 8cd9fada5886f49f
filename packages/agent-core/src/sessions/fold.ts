import type { Message, ToolMessageResult } from '@ext/kernel/contract'
import { messageProblem, resultProblem } from '../messages.js'
import type { Pending } from '../run-context.js'
import type { RunReason } from '../run-events.js'
import { nothingSpent, type Spent, spend } from '../spending.js'
import { taskNumber } from '../tasks/ids.js'
import type { SessionEvent, SessionHeader } from './log.js'
import type { KeptTask, OpenTurn, Restored, UnfinishedRun } from './restored.js'

/** Puts a session together, event by event. */
export interface Fold {
  /** What is wrong with the event where it stands, as the end of a sentence. It then changes nothing. */
  add(event: SessionEvent): string | undefined
  restored(): Restored
}

const NO_RESULTS = 'the calls before it have no results'

export function createFold(header: SessionHeader): Fold {
  let { cwd, permissionMode } = header
  let messages: Message[] = []
  let promptAt = 0
  let prompts = 0
  let turns = 0
  let open: OpenTurn | undefined
  let unfinished: (UnfinishedRun & { readonly spent: Spent; readonly counted: Set<string> }) | undefined
  let states: Restored['states'] = {}
  let pending: readonly Pending[] = []
  let measured: Restored['measured']
  let holder: Restored['holder']
  let handingOver: Restored['handingOver']
  /** A handoff was ordered since the session was taken up last: whoever has it next got it by that. */
  let ordered = false
  let endedBy: RunReason | undefined
  const tasks = new Map<string, KeptTask>()
  let lastTask = 0
  const ended = nothingSpent()
  let running = nothingSpent()
  let turnsOfRun = 0

  const openIds = () => open?.calls.map(({ id }) => id) ?? []

  function push(message: Message): void {
    messages.push(message)
    open = undefined
    // What waits goes into messages of this kind.
    if (message.role === 'user') pending = []
  }

  function addMessage(event: Extract<SessionEvent, { type: 'message' }>): string | undefined {
    const { message, prompt, turn, usage } = event
    const problem = messageProblem(message, openIds())
    if (problem !== undefined) return `its message ${problem}`
    if (prompt) {
      promptAt = messages.length
      prompts++
    }
    push(message)
    handingOver = undefined
    ordered = false
    if (message.role !== 'assistant') return undefined
    if (message.calls.length > 0) {
      open = {
        run: unfinished?.run ?? '',
        turn: turn ?? 0,
        calls: message.calls,
        started: new Set(),
        results: new Map(),
        agents: new Map(),
      }
    }
    if (turn === undefined) return undefined
    turnsOfRun++
    if (unfinished) unfinished = { ...unfinished, turns: turn }
    if (!usage) return undefined
    use(usage)
    const tokens = usage.inputTokens + usage.outputTokens
    if (tokens > 0) measured = { tokens, messages: messages.length }
    return undefined
  }

  function addResult(result: ToolMessageResult): string | undefined {
    const call = open?.calls.find(({ id }) => id === result.callId)
    if (!open || !call || open.results.has(call.id)) return 'no call waits for its result'
    const problem = resultProblem({ ...result })
    if (problem !== undefined) return `it ${problem}`
    open.results.set(call.id, result)
    const { calls, results } = open
    if (results.size === calls.length) {
      push(Object.freeze({ role: 'tool', results: Object.freeze(calls.flatMap(({ id }) => results.get(id) ?? [])) }))
    }
    return undefined
  }

  /** Puts a conversation in the place of the one so far, if it is whole. */
  function replace(next: readonly Message[], prompt: number): string | undefined {
    let calls: readonly unknown[] = []
    for (const message of next) {
      const problem = messageProblem(message, calls)
      if (problem !== undefined) return `one of its messages ${problem}`
      calls = message.role === 'assistant' ? message.calls.map(({ id }) => id) : []
    }
    if (calls.length > 0) return 'its last calls have no results'
    messages = [...next]
    promptAt = Math.min(prompt, next.length)
    measured = undefined
    return undefined
  }

  function compact(event: Extract<SessionEvent, { type: 'compact' }>): string | undefined {
    if (open) return NO_RESULTS
    if (event.keep > messages.length) return `there are no ${event.keep} messages that it could keep`
    const problem = replace([...event.messages, ...messages.slice(messages.length - event.keep)], event.promptAt)
    if (problem === undefined) use(event.usage)
    return problem
  }

  function handOver(event: Extract<SessionEvent, { type: 'agent' }>): string | undefined {
    if (open && event.messages) return NO_RESULTS
    const problem = event.messages && replace(event.messages, event.promptAt ?? 0)
    if (problem !== undefined) return problem
    const { name, permissionMode: mode, profile, turn } = event
    holder = { ...(name === undefined ? {} : { name }), permissionMode: mode, profile, since: turn }
    // Otherwise it is said again who has it, and an order that was open still is.
    if (!ordered) return undefined
    handingOver = undefined
    ordered = false
    if (unfinished) unfinished = { ...unfinished, handoffs: unfinished.handoffs + 1 }
    return undefined
  }

  function addAgent({ log, agent, name, call, task }: Extract<SessionEvent, { type: 'sub_agent' }>): void {
    const known = task === undefined ? undefined : tasks.get(task)
    if (task !== undefined && known) tasks.set(task, { ...known, child: { log, agent, name } })
    if (task === undefined && call !== undefined && openIds().includes(call))
      open?.agents.set(call, { log, agent, name })
  }

  function use(usage: Readonly<Parameters<typeof spend>[1]>): void {
    spend(running, usage)
    if (unfinished) spend(unfinished.spent, usage)
  }

  /** What the run says at its end counts its sub-agents too. A run that came to none has what its answers say. */
  function settle(usage: Readonly<Parameters<typeof spend>[1]>): void {
    spend(ended, usage)
    running = nothingSpent()
    turns += turnsOfRun
    turnsOfRun = 0
  }

  return {
    add(event) {
      switch (event.type) {
        case 'resume':
          ;({ cwd, permissionMode } = event)
          ordered = false
          return undefined
        case 'run':
          settle(running)
          endedBy = undefined
          // A run that is taken up again is the same one.
          if (unfinished?.run !== event.run) {
            unfinished = { run: event.run, turns: 0, handoffs: 0, spent: nothingSpent(), counted: new Set() }
            if (holder) holder = { ...holder, since: 0 }
          }
          return undefined
        case 'message':
          return addMessage(event)
        case 'start':
          if (!openIds().includes(event.call)) return 'there is no such call'
          open?.started.add(event.call)
          return undefined
        case 'result':
          return addResult(event.result)
        case 'handoff':
          handingOver = { to: event.to, ...(event.reason === undefined ? {} : { reason: event.reason }) }
          ordered = true
          return undefined
        case 'agent':
          return handOver(event)
        case 'sub_agent':
          addAgent(event)
          return undefined
        case 'task':
          lastTask = Math.max(lastTask, taskNumber(event.task))
          if (!event.taken) tasks.set(event.task, { subject: event.subject })
          return undefined
        case 'task_end':
          tasks.delete(event.task)
          pending = [...pending, { by: event.task, text: event.text, task: event.task }]
          return undefined
        case 'state':
          states = event.states
          return undefined
        case 'compact':
          return compact(event)
        case 'spent':
          // What goes on in the background beyond its run is in no usage of a run.
          if (unfinished?.run !== event.run) return undefined
          use(event.usage)
          if (event.agent !== undefined) unfinished.counted.add(event.agent)
          return undefined
        case 'end':
          if (open) return NO_RESULTS
          settle(event.usage)
          unfinished = undefined
          endedBy = event.reason
          pending = event.pending
          return undefined
      }
    },
    restored() {
      const sum: Spent = { ...ended }
      spend(sum, running)
      const { inputTokens, outputTokens, costUsd } = sum
      return {
        cwd,
        permissionMode,
        holder,
        handingOver,
        messages,
        promptAt,
        open,
        unfinished: unfinished && {
          ...unfinished,
          spent: { ...unfinished.spent },
          counted: new Set(unfinished.counted),
        },
        ended: endedBy,
        tasks,
        lastTask,
        totals: {
          prompts,
          turns: turns + turnsOfRun,
          inputTokens,
          outputTokens,
          ...(costUsd === undefined ? {} : { costUsd }),
        },
        states,
        pending,
        measured,
      }
    },
  }
}
