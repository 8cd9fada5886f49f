import { describe, isMap } from '@ext/kernel'
import type { JsonObject, JsonValue, LifecycleEvent } from '@ext/kernel/contract'
import { eventNamed } from '../event-names.js'
import { events, type OutputField } from '../events.js'
import { COMMON_FIELDS, SPECIFIC_FIELDS } from './output.js'

/** Why a reply can't be taken as it is. */
export interface ReplyProblem {
  /** Short and stable. */
  readonly cause: string
  /** What to write instead. */
  readonly detail: string
}

/** What a reply says, whatever words it uses. */
export interface ReplyFields {
  block?: boolean
  opinion?: 'allow' | 'ask'
  /** Of the block or the opinion. */
  reason?: string
  stop?: boolean
  stopReason?: string
  updatedInput?: JsonObject
  context?: string
  message?: string
}

/** A reply, field by field. `problem` is the first fault; the fields that could be read are there all the same. */
export interface ReadFields {
  readonly fields: ReplyFields
  readonly problem?: ReplyProblem
  /** Fields that had no effect, each with the reason. */
  readonly ignored: readonly string[]
}

/** Reads a reply in the words of Claude Code's protocol. A field that is null is absent. */
export function readFields(reply: JsonObject, event: LifecycleEvent): ReadFields {
  const reader = new FieldReader(event)
  reader.readReply(reply)
  return reader
}

const SYNONYMS: Readonly<Record<string, 'allow' | 'ask' | 'deny' | 'defer'>> = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
  defer: 'defer',
}

class FieldReader implements ReadFields {
  readonly fields: ReplyFields = {}
  readonly ignored: string[] = []
  problem?: ReplyProblem
  readonly #event: LifecycleEvent
  readonly #outputs: readonly OutputField[]

  constructor(event: LifecycleEvent) {
    this.#event = event
    this.#outputs = events[event].outputs
  }

  readReply(reply: JsonObject): void {
    const { fields } = this
    if (this.#boolean(reply, 'continue') === false) fields.stop = true
    this.#boolean(reply, 'suppressOutput')
    assign(fields, 'stopReason', this.#text(reply, 'stopReason'))
    assign(fields, 'message', this.#text(reply, 'systemMessage'))
    const reason = this.#text(reply, 'reason')
    this.#decision('decision', reply['decision'], reason)
    const specific = reply['hookSpecificOutput']
    if (isMap(specific)) this.#readSpecific(specific as JsonObject)
    else if (specific !== undefined && specific !== null) this.#wrongType('hookSpecificOutput', specific, 'a map')
    if (fields.stop && fields.stopReason === undefined) assign(fields, 'stopReason', reason)
    if (reason !== undefined && !fields.block && !fields.opinion && !fields.stop) {
      this.ignored.push('`reason`, since there is no decision that it could explain')
    }
    for (const key of Object.keys(reply)) {
      if (includes(SPECIFIC_FIELDS, key)) {
        this.#fault(
          `${key} in the wrong place`,
          `write {"hookSpecificOutput": {"hookEventName": "${this.#event}", "${key}": …}}`,
        )
      } else if (!includes(COMMON_FIELDS, key)) {
        this.ignored.push(`\`${key}\`, which is no field of a reply`)
      }
    }
  }

  #readSpecific(specific: JsonObject): void {
    const named = this.#text(specific, 'hookEventName')
    if (named !== undefined && eventNamed(named)?.event !== this.#event) {
      this.#fault(`hookSpecificOutput for ${named}`, `this is ${this.#event}, so write that as its hookEventName`)
      return
    }
    for (const key of Object.keys(specific)) {
      if (key === 'hookEventName' || includes(this.#outputs, key)) continue
      this.ignored.push(`\`${key}\`, which ${this.#event} does not honour`)
    }
    const honours = (field: OutputField) => this.#outputs.includes(field)
    if (honours('permissionDecision')) {
      const reason = this.#text(specific, 'permissionDecisionReason')
      this.#decision('permissionDecision', specific['permissionDecision'], reason)
    }
    if (honours('additionalContext')) assign(this.fields, 'context', this.#text(specific, 'additionalContext'))
    if (honours('updatedInput')) {
      const input = specific['updatedInput']
      if (isMap(input)) this.fields.updatedInput = input as JsonObject
      else if (input !== undefined && input !== null) this.#wrongType('updatedInput', input, 'a map')
    }
  }

  #decision(field: 'decision' | 'permissionDecision', value: JsonValue | undefined, reason: string | undefined): void {
    if (value === undefined || value === null) return
    const { fields } = this
    const meaning = typeof value === 'string' && Object.hasOwn(SYNONYMS, value) ? SYNONYMS[value] : undefined
    if (!meaning) {
      const known = field === 'decision' ? '"block" or "approve"' : '"deny", "ask" or "allow"'
      this.#fault(`unknown ${field}`, `it is ${describe(value)}; write ${known}`)
      return
    }
    if (meaning === 'deny') fields.block = true
    else if (!this.#outputs.includes('permissionDecision')) {
      // Elsewhere there is nothing to approve: not to block is all that it can mean.
      if (meaning !== 'allow') this.ignored.push(`\`${field}: ${value}\`, which ${this.#event} does not honour`)
      return
    } else if (meaning === 'defer') {
      fields.opinion = 'ask'
      this.ignored.push('`defer`, which is not supported by this version; the call has to be asked for instead')
    } else if (fields.opinion !== 'ask') fields.opinion = meaning
    assign(fields, 'reason', reason)
  }

  #text(from: JsonObject, key: string): string | undefined {
    const value = from[key]
    if (typeof value === 'string') return value
    if (value !== undefined && value !== null) this.#wrongType(key, value, 'a text')
    return undefined
  }

  #boolean(from: JsonObject, key: string): boolean | undefined {
    const value = from[key]
    if (typeof value === 'boolean') return value
    if (value !== undefined && value !== null) this.#wrongType(key, value, 'true or false')
    return undefined
  }

  #wrongType(key: string, value: unknown, expected: string): void {
    this.#fault(`wrong type of ${key}`, `it is ${describe(value)}; write ${expected}`)
  }

  #fault(cause: string, detail: string): void {
    this.problem ??= { cause, detail }
  }
}

function assign<K extends 'reason' | 'stopReason' | 'context' | 'message'>(
  fields: ReplyFields,
  key: K,
  value: string | undefined,
): void {
  if (value !== undefined && value !== '') fields[key] = value
}

function includes(list: readonly string[], key: string): boolean {
  return list.includes(key)
}
