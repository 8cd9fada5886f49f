import { dirname, resolve } from 'node:path'
import { suggest } from '@ext/kernel'
import type { LayerName } from '@ext/kernel/types'

/** A model as it can be asked for. */
export type ModelSpec = ScriptedSpec | ProviderSpec

export interface ScriptedSpec {
  readonly provider: 'scripted'
  /** Absolute. */
  readonly file: string
  readonly written: string
}

export interface ProviderSpec {
  readonly provider: ProviderName
  /** What the provider calls it. */
  readonly id: string
  /** Default: the provider's own. */
  readonly baseURL?: string
  /** Name of the variable with the key. */
  readonly apiKeyEnv?: string
  readonly maxOutputTokens?: number
  /** What its context holds: a conversation is compacted before it is full. */
  readonly contextTokens?: number
  readonly images?: boolean
  /** In the words of the AI SDK. */
  readonly options?: Readonly<Record<string, unknown>>
}

export type ProviderName = 'anthropic' | 'openai' | 'openai-compatible'

export const PROVIDERS: readonly ProviderName[] = ['anthropic', 'openai', 'openai-compatible']

/** How a model is written as a text. */
export const FORMS: readonly string[] = [
  'anthropic/<id>',
  'openai/<id>',
  'openai-compatible:<URL>/<id>',
  'scripted:<FILE>',
  'a name from `models`',
]

/** A spec, a name that stands for one, or what is wrong and how to write it. */
export type ParsedSpec =
  | { readonly spec: ModelSpec }
  | { readonly name: string }
  | { readonly problem: string; readonly hint: string }

const KNOWN = [...PROVIDERS, 'scripted']

/** @param folder where the path of a script starts */
export function parseSpec(text: string, folder: string): ParsedSpec {
  const [, provider = '', mark = '', rest = ''] = text.match(/^([^:/]*)([:/])(.*)$/s) ?? []
  if (mark === '') return { name: text }
  if (!KNOWN.includes(provider)) return unknownProvider(text, provider)
  if (rest.trim() === '') return { problem: `\`${text}\` names no model.`, hint: `Write ${formOf(provider)}.` }
  if (provider === 'scripted') return { spec: { provider, file: resolve(folder, rest), written: text } }
  if (provider === 'openai-compatible') return atAddress(text, rest)
  if (mark === ':')
    return { problem: `\`${text}\` has a colon where a slash belongs.`, hint: `Write ${provider}/${rest}.` }
  return { spec: { provider: provider as ProviderName, id: rest } }
}

function unknownProvider(text: string, provider: string): ParsedSpec {
  const meant = suggest(provider, KNOWN)
  const others = 'Others can be reached as openai-compatible:<URL>/<id> if they speak that format.'
  return {
    problem: `\`${text}\` names no provider that there is: anthropic, openai, openai-compatible or scripted.`,
    hint: meant ? `Did you mean \`${meant}\`?` : others,
  }
}

function formOf(provider: string): string {
  return FORMS.find((form) => form.startsWith(`${provider}/`) || form.startsWith(`${provider}:`)) ?? provider
}

/** Ids may hold slashes and so may addresses: the id begins behind the version of the API, else behind the last slash. */
function atAddress(text: string, rest: string): ParsedSpec {
  const [, baseURL, id] = rest.match(/^(https?:\/\/.*?\/v\d+)\/(.+)$/) ?? rest.match(/^(https?:\/\/.+)\/([^/]+)$/) ?? []
  if (baseURL === undefined || id === undefined || !isPlainURL(baseURL)) {
    return {
      problem: `\`${text}\` does not say where the model is and what it is called.`,
      hint: 'Write for example openai-compatible:http://127.0.0.1:11434/v1/llama3.2, or a map with `baseURL` and `id`.',
    }
  }
  return { spec: { provider: 'openai-compatible', id, baseURL } }
}

/** Nothing in an address may be a secret: addresses are shown. */
function isPlainURL(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return [username, password, search, hash].every((part) => part === '')
}

/** For people: as it would be written. */
export function describeSpec(spec: ModelSpec): string {
  if (spec.provider === 'scripted') return spec.written
  if (spec.provider === 'openai-compatible') return `openai-compatible:${spec.baseURL}/${spec.id}`
  return `${spec.provider}/${spec.id}`
}

/** Where a relative path in a file starts. */
export function folderOf(source: { readonly layer: LayerName; readonly file?: string }, project: string): string {
  const isOwn = source.layer === 'user' || source.layer === 'managed'
  return isOwn && source.file !== undefined ? dirname(source.file) : project
}
