import type { RunEvent } from '@ext/agent-core/types'
import type { ContentBlock } from '@ext/kernel/contract'
import { shorten } from './diagnostics.js'
import { describeHandoff, describeHook } from './events.js'
import { count, oneLine, printable } from './words.js'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

/** Turns the events of a run into lines for people. Each line starts with the axis that acted. */
export interface Transcript {
  /** The lines that this event completes; none while text is still coming in. */
  add(event: RunEvent): readonly string[]
}

/** @param project places below it are shown relative to it */
export function createTranscript(project: string): Transcript {
  const calls = new Map<string, Of<'tool_call'>>()
  let text = ''
  let speaker: string | undefined
  const flush = (): readonly string[] => {
    const said = text
    text = ''
    return said.trim() === '' ? [] : [lineOf(speaker)('model', said.trim())]
  }
  return {
    add(event) {
      if (event.type === 'text') {
        const before = event.agent_type === speaker ? [] : flush()
        speaker = event.agent_type
        text += event.text
        return before
      }
      if (event.type === 'tool_call') calls.set(event.tool_use_id, event)
      return [...flush(), ...lines(event, calls).map(shorten(project))]
    },
  }
}

function lines(event: RunEvent, calls: ReadonlyMap<string, Of<'tool_call'>>): readonly string[] {
  const toolOf = (id: string | undefined) => (id === undefined ? undefined : calls.get(id))
  const line = lineOf(event.agent_type)
  switch (event.type) {
    case 'session_start':
      return [line('session', describeStart(event))]
    case 'session_end':
      return [line('session', `ended (${event.reason})`)]
    case 'agent_start':
      return [line('agent', `starts with ${event.model}, ${count(event.tools.length, 'tool')}`)]
    case 'agent_end':
      return [line('agent', `${event.reason} after ${count(event.turns, 'turn')}`)]
    case 'handoff':
      return [line('agent', describeHandoff(event))]
    case 'task_start':
      return [line('task', `${event.task_id} starts: ${oneLine(event.subject)}`)]
    case 'task_end':
      return [line('task', `${event.task_id} ${event.state}: ${oneLine(event.how)}`)]
    case 'user':
      return [line('user', oneLine(event.text, 400))]
    case 'tool_call':
      return [line(axisOf(event), describeCall(event))]
    case 'hook':
      return [line('hook', `${event.event} ${describeHook(event, 200)}`)]
    case 'permission':
      return [line('permission', describePermission(event))]
    case 'question':
      return [line('permission', `asks: ${oneLine(event.reason, 300)}`)]
    case 'changed':
      return [line('hook', `${event.by} replaced ${CHANGED[event.what]}`)]
    case 'dropped':
      return [line('notice', `${count(event.count, 'event')} came too fast and are not shown`)]
    case 'progress':
      return event.message === undefined ? [] : [line(axisOf(toolOf(event.tool_use_id)), oneLine(event.message))]
    case 'tool_result': {
      const outcome = event.is_error ? (event.executed ? 'failed' : 'not run') : 'done'
      return [line(axisOf(toolOf(event.tool_use_id)), `${event.tool} ${outcome}: ${firstText(event.content)}`)]
    }
    case 'tool_rejected':
      return [line('tool', `${event.tool} is rejected: ${oneLine(event.reason)}`)]
    case 'context':
      return [
        line('context', `${event.by}: ${event.place === 'system' ? 'in the system prompt' : 'goes with each turn'}`),
      ]
    case 'compacted':
      return [
        line(
          'session',
          `compacted, ${event.before_tokens} to ${event.after_tokens} tokens: ${oneLine(event.summary, 200)}`,
        ),
      ]
    case 'notice':
      return [line('notice', `${event.by ? `${event.by}: ` : ''}${oneLine(event.text, 300)}`)]
    case 'result':
      return [line('result', `${event.reason} after ${count(event.turns, 'turn')}`)]
    case 'text':
    case 'reasoning':
    case 'model_start':
    case 'model_end':
      return []
  }
}

function describeStart({ source, agent, model, tools }: Of<'session_start'>): string {
  const who = agent === undefined ? '' : `${agent} has it, `
  return `${ORIGINS[source]}${who}${model}, ${count(tools.length, 'tool')}`
}

const ORIGINS = {
  startup: '',
  resume: 'resumed, ',
  clear: 'cleared, ',
  fork: 'a copy, ',
} as const

const CHANGED = {
  request: 'what the model is sent',
  response: 'what the model said',
  output: 'what the tool gave',
} as const

const AXIS_WIDTH = 12

/**
 * Any part of a line can be from a model, tool or hook: it must neither act on the terminal nor look like another line.
 * @param agent the sub-agent that it is about
 */
function lineOf(agent: string | undefined): (axis: string, text: string) => string {
  const who = agent === undefined ? '' : `${agent} › `
  return (axis, text) => axis.padEnd(AXIS_WIDTH) + printable(who + text).replaceAll('\n', `\n${' '.repeat(AXIS_WIDTH)}`)
}

/** Who provides the tool: an MCP server, the skills, or the agent itself. */
export function axisOf(call: Of<'tool_call'> | undefined): 'mcp' | 'skill' | 'tool' {
  if (call?.source.server !== undefined) return 'mcp'
  return call?.tool === 'load_skill' ? 'skill' : 'tool'
}

function describeCall(call: Of<'tool_call'>): string {
  return `${call.tool} ${oneLine(JSON.stringify(call.input), 200)}`
}

/** The reason names the rule and its place. */
function describePermission(event: Of<'permission'>): string {
  const by = event.answeredBy === 'rules' ? '' : `, answered by ${event.answeredBy}`
  return `${event.behavior}${by}: ${oneLine(event.reason, 300)}`
}

function firstText(content: readonly ContentBlock[]): string {
  const block = content[0]
  if (!block) return '(nothing)'
  return block.type === 'text' ? oneLine(block.text, 200) : `(${block.type})`
}
