import { isMap } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import type { PromptArgument, PromptInfo, ResourceInfo, ResourceTemplateInfo } from '../offered.js'
import { toolName } from './names.js'

const MAX_URI = 8192
const MAX_NAME = 512
const MAX_TEXT = 4096
const MAX_ARGUMENTS = 100

/** The usable entries of a list, and how many were none. */
export interface Entries<T> {
  readonly items: readonly T[]
  readonly left: number
}

type Sent = Readonly<Record<string, unknown>>

/** Resources as a server listed them. Those without an address or name, and doubles, are left out. */
export function readResources(server: string, sent: readonly unknown[]): Entries<ResourceInfo> {
  return read(sent, 'uri', (entry, uri) => {
    const { size } = entry
    return { server, uri, ...described(entry, uri), ...(typeof size === 'number' ? { size } : {}) }
  })
}

export function readTemplates(server: string, sent: readonly unknown[]): Entries<ResourceTemplateInfo> {
  return read(sent, 'uriTemplate', (entry, uriTemplate) => ({ server, uriTemplate, ...described(entry, uriTemplate) }))
}

export function readPrompts(server: string, sent: readonly unknown[]): Entries<PromptInfo> {
  return read(sent, 'name', (entry, name) => {
    const { title, description } = entry
    const list: readonly unknown[] = Array.isArray(entry['arguments']) ? entry['arguments'] : []
    return {
      server,
      name,
      fullName: toolName(server, name),
      ...text('title', title),
      ...text('description', description),
      arguments: list.slice(0, MAX_ARGUMENTS).flatMap(toArgument),
    }
  })
}

function read<T>(sent: readonly unknown[], key: string, make: (entry: Sent, id: string) => T): Entries<T> {
  const byId = new Map<string, T>()
  for (const entry of sent) {
    const id = isMap(entry) ? entry[key] : undefined
    if (!isMap(entry) || typeof id !== 'string' || id === '' || id.length > (key === 'name' ? MAX_NAME : MAX_URI))
      continue
    if (!byId.has(id)) byId.set(id, make(entry, id))
  }
  return { items: [...byId.values()], left: sent.length - byId.size }
}

/** What resources and templates have in common. A name that is missing is the address. */
function described({ name, title, description, mimeType, annotations }: Sent, address: string) {
  return {
    name: typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME) : address.slice(0, MAX_NAME),
    ...text('title', title),
    ...text('description', description),
    ...text('mimeType', mimeType),
    ...(isMap(annotations) && JSON.stringify(annotations).length <= MAX_TEXT
      ? { annotations: annotations as JsonObject }
      : {}),
  }
}

function toArgument(sent: unknown): readonly PromptArgument[] {
  if (!isMap(sent)) return []
  const { name, title, description, required } = sent
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) return []
  return [{ name, ...text('title', title), ...text('description', description), required: required === true }]
}

function text<K extends string>(key: K, value: unknown): { readonly [key in K]?: string } {
  const found = typeof value === 'string' && value !== '' ? { [key]: value.slice(0, MAX_TEXT) } : {}
  return found as { readonly [key in K]?: string }
}
