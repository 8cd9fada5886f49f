import type { RunEvent } from '@ext/agent-core/types'
import { shorten } from '../../render/diagnostics.js'
import { count, oneLine, printable } from '../../render/words.js'
import { cutTo, hang } from '../terminal/rows.js'
import { describeEvent, firstLine, summarize } from './describe.js'
import type { Paint } from './paint.js'
import { createProse } from './prose.js'

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

/** Turns what happens in a session into rows: those that stand, and those of what is under way. */
export interface Conversation {
  /** The rows that this event completes. */
  add(event: RunEvent): readonly string[]
  /** What a person should see of what goes on, as of now. */
  live(columns: number, nowMs: number): readonly string[]
  /** Nothing goes on any more, whatever was announced. */
  settle(): readonly string[]
}

export interface ConversationOptions {
  readonly paint: Paint
  /** Paths below it are shown relative to it. */
  readonly project: string
  columns(): number
  now(): number
}

/** A call that has begun. What is said about it waits until it has ended, so that calls side by side don't get mixed. */
interface OpenCall {
  readonly event: Of<'tool_call'>
  readonly startedMs: number
  readonly notes: string[]
  progress: string
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
/** Rows of one call that are shown while it runs; all of them stand in the question about it. */
const MOST_ROWS = 3

export function createConversation({ paint, project, columns, now }: ConversationOptions): Conversation {
  const calls = new Map<string, OpenCall>()
  const prose = createProse(columns)
  const short = shorten(project)
  let phase: 'idle' | 'thinks' | 'answers' = 'idle'
  let phaseMs = 0
  const plain = (text: string) => printable(short(text))
  const block = (mark: string, text: string) => hang(mark, plain(text), columns())
  const note = (text: string) => hang('  ', plain(text), columns()).map(paint.dim)
  const enter = (next: typeof phase) => {
    if (phase !== next) phaseMs = now()
    phase = next
  }

  const ended = (event: Of<'tool_result'>): readonly string[] => {
    const call = calls.get(event.tool_use_id)
    calls.delete(event.tool_use_id)
    const outcome = event.is_error ? (event.executed ? 'failed' : 'not run') : 'done'
    const mark = event.is_error ? paint.bad('● ') : paint.good('● ')
    const title = call ? titleOf(call.event) : `${whose(event)}${event.tool}`
    return [
      ...hang(mark, plain(title), columns()).slice(0, MOST_ROWS),
      ...(call?.notes ?? []).flatMap(note),
      ...hang('  └ ', plain(`${outcome}: ${firstLine(event.content)}`), columns())
        .slice(0, MOST_ROWS)
        .map(paint.dim),
    ]
  }

  const rowsOf = (event: RunEvent): readonly string[] => {
    switch (event.type) {
      case 'user':
        // What a sub-agent is told is in the call of it.
        if (event.agent_type !== undefined) return note(`${event.agent_type} begins`)
        return ['', ...hang(paint.accent('> '), plain(event.text), columns()).map(paint.strong)]
      case 'model_start':
        enter('thinks')
        return []
      case 'model_end':
        enter('idle')
        return []
      case 'tool_call':
        calls.set(event.tool_use_id, { event, startedMs: now(), notes: [], progress: '' })
        return []
      case 'progress': {
        const call = calls.get(event.tool_use_id)
        if (call) call.progress = event.message ?? ''
        return []
      }
      case 'tool_result':
        return ended(event)
      case 'tool_rejected':
        calls.delete(event.tool_use_id)
        return [
          ...block(paint.bad('● '), `${whose(event)}${event.tool}`),
          ...note(`└ rejected: ${oneLine(event.reason, 300)}`),
        ]
      case 'result':
        enter('idle')
        return endOf(event)
      default: {
        const said = describeEvent(event)
        if (said === undefined) return []
        const call = 'tool_use_id' in event ? calls.get(event.tool_use_id ?? '') : undefined
        if (call) {
          call.notes.push(said)
          return []
        }
        return note(said)
      }
    }
  }
  const endOf = ({ reason, error, usage, turns }: Of<'result'>): readonly string[] => {
    if (reason === 'done') {
      const tokens = usage.inputTokens + usage.outputTokens
      return note([count(turns, 'turn'), ...(tokens > 0 ? [`${tokens} tokens`] : [])].join(', '))
    }
    if (reason === 'aborted') return block(paint.warn('■ '), 'interrupted')
    return block(paint.bad('■ '), `${reason.replaceAll('_', ' ')}${error ? `: ${error.message}` : ''}`)
  }
  return {
    add(event) {
      if (event.type === 'text') {
        enter('answers')
        return prose.add(printable(event.text), event.agent_type)
      }
      // What a model thinks aloud is no part of its answer.
      if (event.type === 'reasoning') return []
      const rows = rowsOf(event)
      // Rows of an answer that goes on are not cut in two by what has nothing to show.
      return rows.length === 0 && event.type !== 'model_end' ? [] : [...prose.end(), ...rows]
    },
    live(width, nowMs) {
      const frame = SPINNER[Math.floor(nowMs / FRAME_MS) % SPINNER.length] ?? ''
      const since = (ms: number) => `${Math.max(0, Math.floor((nowMs - ms) / 1000))} s`
      const running = [...calls.values()].map(({ event, startedMs, progress }) => {
        const far = progress === '' ? '' : ` ${progress}`
        return `${frame} ${cutTo(plain(oneLine(`${titleOf(event)} · ${since(startedMs)}${far}`, 500)), width - 2)}`
      })
      const thinking = phase === 'thinks' && calls.size === 0 ? [paint.dim(`${frame} thinks · ${since(phaseMs)}`)] : []
      return [...prose.live(), ...running, ...thinking]
    },
    settle() {
      calls.clear()
      enter('idle')
      return prose.end()
    },
  }
}

function titleOf(call: Of<'tool_call'>): string {
  return `${whose(call)}${call.tool} ${summarize(call.input)}`
}

/** The sub-agent in which it happens. */
function whose({ agent_type }: Pick<RunEvent, 'agent_type'>): string {
  return agent_type === undefined ? '' : `${agent_type} › `
}
