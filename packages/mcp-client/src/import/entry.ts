import type { JsonValue } from '@ext/kernel/contract'
import type { Draft, Drafted } from './draft.js'
import { hideSecrets, holdsSecret } from './secrets.js'
import { type Converted, convertText, type VariableStyle, type Where } from './variables.js'

/** An entry as it is written into our file, or why there is none, with what there is to say about it. */
export interface Translated {
  readonly entry?: Readonly<Record<string, JsonValue>>
  readonly notes: readonly string[]
  readonly problem?: string
  readonly hint?: string
}

/**
 * Says in our form what a draft says, or why that can't be.
 * @param taken what variables stand for that took the place of secrets before
 */
export function translate(
  name: string,
  { draft, notes, problem }: Drafted,
  style: VariableStyle,
  taken: Map<string, string>,
): Translated {
  if (problem !== undefined) return { notes, problem }
  const reader = new TextReader(style)
  const plain = (text: string | undefined) => (text === undefined ? undefined : reader.read(text, 'plain'))
  const values = (texts: Readonly<Record<string, string>> | undefined) =>
    Object.fromEntries(Object.entries(texts ?? {}).map(([key, text]) => [key, reader.read(text, 'value')]))
  const command = plain(draft.command)
  const args = draft.args?.map((each) => reader.read(each, 'plain'))
  const cwd = plain(draft.cwd)
  const env = hideSecrets(values(draft.env), name, { prefixed: false, taken })
  const urlNames = reader.names.size
  const url = draft.url === undefined ? undefined : reader.read(draft.url, 'url')
  const expandUrl = reader.names.size > urlNames || (url?.includes('${') ?? false)
  const headers = hideSecrets(values(draft.headers), name, { prefixed: true, taken })
  if (reader.problem !== undefined) return { notes, problem: reader.problem, hint: BY_HAND }
  if (reader.fromProject && cwd !== undefined && cwd !== '.') {
    return {
      notes,
      problem: 'It names paths from the folder of the project, and starts in another one.',
      hint: BY_HAND,
    }
  }
  if (holdsSecret([...(command === undefined ? [] : [command]), ...(args ?? [])])) {
    return {
      notes,
      problem: 'One of its arguments looks like a secret.',
      hint: 'Does the server take it from a variable in `env`?',
    }
  }
  if (url !== undefined && holdsSecret([url])) {
    return {
      notes,
      problem: 'Its address looks like it holds a secret.',
      hint: 'Does the server take it from a header?',
    }
  }
  const sent = { ...headers.texts, ...draft.variableHeaders }
  return {
    entry: {
      ...given('type', draft.type),
      ...given('command', command),
      ...(args && args.length > 0 ? { args } : {}),
      ...(cwd === undefined || cwd === '.' ? {} : { cwd }),
      ...(Object.keys(env.texts).length > 0 ? { env: env.texts } : {}),
      ...(draft.inheritEnv && draft.inheritEnv.length > 0 ? { inheritEnv: draft.inheritEnv } : {}),
      ...given('url', url),
      ...(expandUrl ? { expandUrl: true } : {}),
      ...(Object.keys(sent).length > 0 ? { headers: sent } : {}),
      ...(draft.enabled === false ? { enabled: false } : {}),
      ...timeouts(draft),
      ...tools(draft),
    },
    notes: [...notes, ...env.notes, ...headers.notes],
  }
}

const BY_HAND = 'Write the entry by hand.'

/** Converts texts and keeps what there is to say about all of them. */
class TextReader {
  readonly names = new Set<string>()
  problem: string | undefined
  fromProject = false
  readonly #style: VariableStyle

  constructor(style: VariableStyle) {
    this.#style = style
  }

  read(text: string, where: Where): string {
    const converted: Converted = convertText(text, this.#style, where)
    if (converted.problem !== undefined) {
      this.problem ??= converted.problem
      return text
    }
    for (const name of converted.names) this.names.add(name)
    this.fromProject ||= converted.fromProject
    return converted.text
  }
}

function given(key: string, value: string | undefined): Readonly<Record<string, JsonValue>> {
  return value === undefined ? {} : { [key]: value }
}

function timeouts({ connectMs, callMs }: Draft): Readonly<Record<string, JsonValue>> {
  if (connectMs === undefined && callMs === undefined) return {}
  const timeout = {
    ...(connectMs === undefined ? {} : { connect: duration(connectMs) }),
    ...(callMs === undefined ? {} : { call: duration(callMs) }),
  }
  return { timeout }
}

function duration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

function tools({ allow, deny = [] }: Draft): Readonly<Record<string, JsonValue>> {
  if (allow === undefined && deny.length === 0) return {}
  return { tools: { ...(allow === undefined ? {} : { allow }), ...(deny.length > 0 ? { deny } : {}) } }
}
