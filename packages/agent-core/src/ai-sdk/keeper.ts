import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from '@ai-sdk/provider'
import { isMap } from '@ext/kernel'
import { receive } from '../json.js'
import type { KeptPart } from './kept.js'

/** Notes down, while an answer comes in, what the provider wants back of it. */
export interface Keeper {
  add(part: LanguageModelV3StreamPart): void
  /** @param calls ids of the calls that are a part of the answer */
  parts(calls: ReadonlySet<string>): readonly KeptPart[]
}

interface Open {
  readonly type: KeptPart['type']
  readonly id: string
  text: string
  length: number
  ended: boolean
  options: SharedV3ProviderMetadata | undefined
}

export function createKeeper(): Keeper {
  const all: Open[] = []
  const open = new Map<string, Open>()
  const begin = (type: Open['type'], id: string): Open => {
    const part: Open = { type, id, text: '', length: 0, ended: type === 'call', options: undefined }
    all.push(part)
    return part
  }
  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start': {
          const begun = begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id)
          open.set(keyOf(begun), begun)
          note(begun, part.providerMetadata)
          return
        }
        case 'text-delta':
        case 'reasoning-delta': {
          const type = part.type === 'text-delta' ? 'text' : 'reasoning'
          const at = open.get(`${type} ${part.id}`)
          if (!at) return
          if (type === 'reasoning') at.text += part.delta
          at.length += part.delta.length
          note(at, part.providerMetadata)
          return
        }
        case 'text-end':
        case 'reasoning-end': {
          const at = open.get(`${part.type === 'text-end' ? 'text' : 'reasoning'} ${part.id}`)
          if (!at) return
          at.ended = true
          open.delete(keyOf(at))
          note(at, part.providerMetadata)
          return
        }
        case 'tool-call':
          if (!part.providerExecuted) note(begin('call', part.toolCallId), part.providerMetadata)
      }
    },
    parts(calls) {
      return all.flatMap((part): readonly KeptPart[] => {
        const options = part.options ? { options: part.options } : {}
        if (part.type === 'text') return part.length === 0 && !part.options ? [] : [{ ...options, ...textOf(part) }]
        if (part.type === 'call') return calls.has(part.id) ? [{ type: 'call', ...options }] : []
        // Half a thought has no signature, and a provider takes none without one.
        return part.ended ? [{ type: 'reasoning', text: part.text, ...options }] : []
      })
    },
  }
}

function textOf({ length }: Open): KeptPart {
  return { type: 'text', length }
}

function keyOf({ type, id }: Open): string {
  return `${type} ${id}`
}

/** What comes later about a part wins, field by field. What is no JSON could not be kept, and is left out. */
function note(part: Open, metadata: SharedV3ProviderMetadata | undefined): void {
  if (!metadata) return
  const { value } = receive(metadata)
  if (!isMap(value)) return
  const options: Record<string, SharedV3ProviderMetadata[string]> = { ...part.options }
  for (const [provider, fields] of Object.entries(value as SharedV3ProviderMetadata)) {
    if (isMap(fields) && Object.keys(fields).length > 0) options[provider] = { ...options[provider], ...fields }
  }
  if (Object.keys(options).length > 0) part.options = options
}
