import type { RunEvent } from '@ext/agent-core/types'
import { isMap } from '@ext/kernel'
import type { ContentBlock } from '@ext/kernel/contract'
import { describeHandoff, describeHook } from '../../render/events.js'
import { count, oneLine } from '../../render/words.js'

/** What a call is about, in a line: the field that people would name, else all of its input. */
export function summarize(input: unknown): string {
  if (!isMap(input)) return oneLine(JSON.stringify(input) ?? '', 300)
  for (const field of ['command', 'file_path', 'path', 'pattern', 'url', 'query']) {
    const value = input[field]
    if (typeof value === 'string') return oneLine(value, 300)
  }
  return Object.keys(input).length === 0 ? '' : oneLine(JSON.stringify(input), 300)
}

/** One line about an event beside the conversation; `undefined` for one that says nothing to people. */
export function describeEvent(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'hook': {
      if (event.outcome === 'noDecision') return undefined
      return `hook ${describeHook(event, 300)}`
    }
    case 'permission':
      if (event.behavior === 'deny') return `denied: ${oneLine(event.reason, 300)}`
      return event.answeredBy === 'rules' ? undefined : `allowed by ${event.answeredBy}`
    case 'changed':
      return `${event.by} replaced what ${CHANGED[event.what]}`
    case 'context':
      return event.place === 'turn' ? `+ ${event.by}` : undefined
    case 'notice':
      return `! ${event.by ? `${event.by}: ` : ''}${oneLine(event.text, 500)}`
    case 'compacted':
      return `compacted from ${event.before_tokens} to ${event.after_tokens} tokens: ${oneLine(event.summary, 200)}`
    case 'task_start':
      return `${event.task_id} runs in the background: ${oneLine(event.subject)}`
    case 'task_end':
      return `${event.task_id} ${event.state}: ${oneLine(event.how)}`
    case 'agent_end':
      return `${event.agent_type ?? 'the sub-agent'} ended: ${event.reason} after ${count(event.turns, 'turn')}`
    case 'handoff':
      return describeHandoff(event)
    case 'dropped':
      return `${count(event.count, 'event')} came too fast and are not shown`
    default:
      return undefined
  }
}

const CHANGED = {
  request: 'the model is sent',
  response: 'the model said',
  output: 'the tool gave',
} as const

export function firstLine(content: readonly ContentBlock[]): string {
  const block = content[0]
  if (!block) return '(nothing)'
  if (block.type !== 'text') return `(${block.type})`
  const lines = block.text.trim().split('\n')
  const more = lines.length > 1 ? ` (+${count(lines.length - 1, 'line')})` : ''
  return `${oneLine(lines[0] ?? '', 200)}${more}`
}
