import { describe, isMap } from '@ext/kernel'

/** An entry of another program in our words; its texts are still those of the other one. */
export interface Draft {
  command?: string
  args?: readonly string[]
  cwd?: string
  env?: Readonly<Record<string, string>>
  inheritEnv?: readonly string[]
  type?: string
  url?: string
  headers?: Readonly<Record<string, string>>
  /** Headers whose values are in variables, in our form already. */
  variableHeaders?: Readonly<Record<string, string>>
  enabled?: boolean
  connectMs?: number
  callMs?: number
  allow?: readonly string[]
  deny?: readonly string[]
}

/** Takes one field over. Says what is wrong with it, if something is. */
export type Take = (value: unknown, draft: Draft) => string | undefined

export type Fields = Readonly<Record<string, Take>>

type Key<T> = {
  [K in keyof Draft]-?: NonNullable<Draft[K]> extends T ? (T extends NonNullable<Draft[K]> ? K : never) : never
}[keyof Draft]

export function text(key: Key<string>): Take {
  return (value, draft) => {
    if (typeof value !== 'string' || value === '') return `is ${describe(value)}, not a text`
    draft[key] = value
    return undefined
  }
}

export function texts(key: Key<readonly string[]>): Take {
  return (value, draft) => {
    if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) {
      return `is ${describe(value)}, not a list of texts`
    }
    draft[key] = value
    return undefined
  }
}

export function pairs(key: Key<Readonly<Record<string, string>>>): Take {
  return (value, draft) => {
    if (!isMap(value)) return `is ${describe(value)}, not a map of texts`
    const found = Object.entries(value).map(([name, each]) => [name, asText(each)] as const)
    const [wrong] = found.find(([, each]) => each === undefined) ?? []
    if (wrong !== undefined) return `has no text for \`${wrong}\``
    draft[key] = Object.fromEntries(found) as Record<string, string>
    return undefined
  }
}

/** Numbers and switches are written without quotes where a text is meant. */
function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** @param unitMs how many milliseconds the number counts */
export function time(key: 'connectMs' | 'callMs', unitMs: number): Take {
  return (value, draft) => {
    if (typeof value !== 'number' || !(value > 0)) return `is ${describe(value)}, not a time`
    draft[key] = Math.round(value * unitMs)
    return undefined
  }
}

/** @param on what `true` says */
export function enabled(on: boolean): Take {
  return (value, draft) => {
    if (typeof value !== 'boolean') return `is ${describe(value)}, not true or false`
    // Off is the stricter word, wherever it is said.
    draft.enabled = (draft.enabled ?? true) && value === on
    return undefined
  }
}

/** A program with its arguments in one list. */
export const commandLine: Take = (value, draft) => {
  const wrong = texts('args')(value, draft)
  if (wrong !== undefined) return wrong
  const [command, ...args] = draft.args ?? []
  if (command === undefined || command === '') return 'is empty'
  draft.command = command
  draft.args = args
  return undefined
}

/** Fields that allow less: without them the server could do more than was written. */
const RESTRICTING: readonly string[] = ['sandbox', 'sandboxEnabled', 'capabilities', 'tools']

/** What people write for people. */
const FOR_PEOPLE: readonly string[] = ['description', 'name', 'title', 'icon', 'version', 'gallery', 'comment', '//']

/** What happens here instead, where it is not simply nothing. */
const INSTEAD: Readonly<Record<string, string>> = {
  trust: 'its tools are asked about like others',
  alwaysAllow: 'its tools are asked about like others',
  autoApprove: 'its tools are asked about like others',
  auth: 'nobody is signed in; a token goes into `headers`',
  oauth: 'nobody is signed in; a token goes into `headers`',
  envFile: 'no file of variables is read; they go into `env`',
  required: 'a run goes on without it',
}

/** What is taken over of an entry, what is not, and what keeps it from being taken over at all. */
export interface Drafted {
  readonly draft: Draft
  readonly notes: readonly string[]
  readonly problem?: string
}

/** Reads an entry field by field; nothing of it is left out without a word. */
export function readDraft(raw: unknown, fields: Fields): Drafted {
  const draft: Draft = {}
  const notes: string[] = []
  if (!isMap(raw)) return { draft, notes, problem: `It is ${describe(raw)}, not a map.` }
  for (const [key, value] of Object.entries(raw)) {
    const take = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (value === null || value === undefined) continue
    if (take) {
      const wrong = take(value, draft)
      if (wrong !== undefined) return { draft, notes, problem: `\`${key}\` ${wrong}.` }
    } else if (!isEmpty(value) && !FOR_PEOPLE.includes(key)) {
      if (RESTRICTING.includes(key)) {
        return { draft, notes, problem: `\`${key}\` restricts the server, and nothing here can do that.` }
      }
      const instead = Object.hasOwn(INSTEAD, key) ? INSTEAD[key] : undefined
      notes.push(`\`${key}\` is not carried over: ${instead ?? 'nothing here acts on it'}.`)
    }
  }
  return { draft, notes }
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === false || (isMap(value) && Object.keys(value).length === 0)
}
