import { describe, isMap } from '@ext/kernel'
import { isPermissionMode } from '../agents/modes.js'
import { isProfile } from '../agents/profile.js'
import type { SessionEventFields, SessionHeader } from './log.js'

/** What is wrong with a value that should be the header of a log, as the end of a sentence. The version is not looked at. */
export function headerProblem(value: unknown): string | undefined {
  if (!isMap(value)) return `it holds ${describe(value)}`
  if (value['type'] !== 'session') return 'its `type` is not `session`'
  if (!isCount(value['version'])) return 'its `version` is no whole number'
  for (const key of ['id', 'at', 'cwd'] satisfies readonly (keyof SessionHeader)[]) {
    if (typeof value[key] !== 'string' || value[key] === '') return `it has no \`${key}\``
  }
  const { parent } = value
  if (parent !== undefined && !(isMap(parent) && typeof parent['session'] === 'string' && isParent(parent))) {
    return 'its `parent` does not say whose sub-agent it is of'
  }
  return isPermissionMode(value['permissionMode']) ? undefined : 'its `permissionMode` is none'
}

type Fields = Readonly<Record<string, unknown>>

/** Whether an event has the parts that it is used by. Messages are looked at where they are put into a conversation. */
const SHAPES: Readonly<Record<keyof SessionEventFields, (event: Fields) => boolean>> = {
  resume: ({ cwd, permissionMode }) => typeof cwd === 'string' && isPermissionMode(permissionMode),
  run: ({ run }) => typeof run === 'string',
  message: ({ message, turn = 0, usage }) => isMap(message) && isCount(turn) && (usage === undefined || isUsage(usage)),
  start: ({ call }) => typeof call === 'string',
  result: ({ result }) => isMap(result) && typeof result['callId'] === 'string',
  handoff: ({ to, reason = '' }) => typeof to === 'string' && typeof reason === 'string',
  agent: ({ name = '', permissionMode, profile, turn, messages = [], promptAt = 0 }) =>
    typeof name === 'string' &&
    isPermissionMode(permissionMode) &&
    (profile === undefined || isProfile(profile)) &&
    isCount(turn) &&
    Array.isArray(messages) &&
    isCount(promptAt),
  sub_agent: (event) => typeof event['log'] === 'string' && isParent(event),
  task: ({ task, subject, taken = true }) => typeof task === 'string' && typeof subject === 'string' && taken === true,
  task_end: ({ task, text }) => typeof task === 'string' && typeof text === 'string',
  state: ({ states }) => isMap(states),
  compact: ({ messages, keep, promptAt, usage }) =>
    Array.isArray(messages) && isCount(keep) && isCount(promptAt) && isUsage(usage),
  spent: ({ run, usage, agent = '' }) => typeof run === 'string' && isUsage(usage) && typeof agent === 'string',
  end: ({ reason, turns, usage, pending }) =>
    typeof reason === 'string' &&
    isCount(turns) &&
    isUsage(usage) &&
    Array.isArray(pending) &&
    pending.every(isAttributed),
}

/** What is wrong with a value that should be an event, as the end of a sentence. */
export function eventProblem(value: unknown): string | undefined {
  if (!isMap(value)) return `it holds ${describe(value)}`
  const type = String(value['type'])
  if (!Object.hasOwn(SHAPES, type)) return `there is no event \`${type}\``
  if (typeof value['at'] !== 'string') return 'it has no `at`'
  return SHAPES[type as keyof SessionEventFields](value) ? undefined : `it is no whole \`${type}\` event`
}

function isParent({ agent, name, call = '', task = '' }: Fields): boolean {
  return [agent, name, call, task].every((each) => typeof each === 'string')
}

function isUsage(value: unknown): boolean {
  if (!isMap(value)) return false
  const { inputTokens, outputTokens, costUsd = 0 } = value
  return [inputTokens, outputTokens, costUsd].every((each) => typeof each === 'number' && each >= 0)
}

export function isAttributed(value: unknown): boolean {
  return isMap(value) && typeof value['by'] === 'string' && typeof value['text'] === 'string'
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
