import type { Tool, ToolResult } from '@ext/kernel/contract'
import { textBlock } from '../call/content.js'
import { defineTool } from '../define-tool.js'
import type { RunContext } from '../run-context.js'
import { createLimit } from '../signals.js'
import type { Task } from './tasks.js'

/** Longest time that a look at a task waits for its end. */
const MAX_WAIT_MS = 60_000
/** Of a task's output in one look. */
export const MOST_SHOWN = 32_000
/** A task that can't be ended keeps nobody. */
export const STOP_MS = 5000

/** None where nothing can run in the background: an engine would not find it again after the end of the process. */
export function taskToolsFor(run: RunContext): readonly Tool[] {
  const { agent, durable, session } = run
  // Who works for a hook or a skill is waited for, and starts nothing that is not.
  const mayGoOn = agent.tasks !== undefined && !durable.remembers && session.ref.origin !== 'hook'
  return mayGoOn ? taskTools(run) : NO_TOOLS
}

const NO_TOOLS: readonly Tool[] = Object.freeze([])

/** The tools by which a model sees and stops what it has started in the background. */
function taskTools(run: RunContext): readonly Tool[] {
  return [listTool(run), outputTool(run), stopTool(run)].map((tool) => ({ ...tool, system: true }))
}

const TASK_ID = { type: 'string', minLength: 1, description: 'Such as task-1.' } as const

function listTool(run: RunContext): Tool {
  return defineTool({
    name: 'task_list',
    description: 'Lists what you have started in the background: commands and sub-agents, and how far they are.',
    kind: 'meta',
    annotations: { readOnly: true },
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    async run() {
      const tasks = run.session.tasks.of(run.session)
      return tasks.length === 0 ? 'There are none.' : tasks.map((task) => lineOf(run, task)).join('\n')
    },
  })
}

function outputTool(run: RunContext): Tool {
  return defineTool({
    name: 'task_output',
    description:
      'Shows how far a task in the background is, and what it has put out since you looked last. You are told by itself when one ends.',
    kind: 'meta',
    annotations: { readOnly: true },
    inputSchema: {
      type: 'object',
      properties: {
        task_id: TASK_ID,
        wait_ms: {
          type: 'integer',
          minimum: 0,
          maximum: MAX_WAIT_MS,
          description: 'Waits so long for its end. Default 0.',
        },
        again: { type: 'boolean', description: 'Show also what you have seen, as far as it is kept.' },
      },
      required: ['task_id'],
      additionalProperties: false,
    },
    async run({ task_id, wait_ms = 0, again = false }, { signal }) {
      const task = find(run, task_id)
      if (!task) return missing(run, task_id)
      if (task.state === 'running' && wait_ms > 0) await settled(run, task, wait_ms, signal)
      seen(run, task)
      const output = again ? task.output.last(MOST_SHOWN) : task.output.unseen(MOST_SHOWN)
      task.output.see()
      const none = task.output.length === 0 ? 'It has put out nothing.' : 'Nothing new.'
      return `${lineOf(run, task)}\n${output === '' ? none : output}`
    },
  })
}

function stopTool(run: RunContext): Tool {
  return defineTool({
    name: 'task_stop',
    description: 'Stops a task in the background.',
    kind: 'meta',
    annotations: { readOnly: false },
    inputSchema: {
      type: 'object',
      properties: { task_id: TASK_ID },
      required: ['task_id'],
      additionalProperties: false,
    },
    async run({ task_id }, { signal }) {
      const task = find(run, task_id)
      if (!task) return missing(run, task_id)
      if (task.state !== 'running') return `It has ended already.\n${lineOf(run, task)}`
      task.work.abort('you have stopped it')
      await settled(run, task, STOP_MS, signal)
      seen(run, task)
      return lineOf(run, task)
    },
  })
}

async function settled({ agent }: RunContext, { done }: Task, ms: number, signal: AbortSignal): Promise<void> {
  await createLimit(agent.clock, ms, signal)
    .hold(done)
    .catch(() => signal.throwIfAborted())
}

/** Whoever has looked at its end needs not be told of it. */
function seen({ session }: RunContext, { id, state }: Task): void {
  if (state !== 'running') session.pending = session.pending.filter(({ task }) => task !== id)
}

function find({ session }: RunContext, id: string): Task | undefined {
  return session.tasks.of(session).find((task) => task.id === id)
}

function missing({ session }: RunContext, id: string): ToolResult {
  const ids = session.tasks.of(session).map((task) => task.id)
  const text = `There is no task ${id}. ${ids.length === 0 ? 'There are none.' : `There are: ${ids.join(', ')}.`}`
  return { content: [textBlock(text)], isError: true }
}

function lineOf({ agent }: RunContext, task: Task): string {
  const { id, kind, state, how, subject, startedMs, endedMs = agent.clock.now() } = task
  const seconds = Math.round((endedMs - startedMs) / 1000)
  return `[${id}, ${kind}, ${state}${how === '' ? '' : `: ${how}`}, ${seconds} s] ${subject}`
}
