import { describe, isMap } from '@ext/kernel'
import type { JsonObject, JsonValue, LifecycleEvent } from '@ext/kernel/contract'
import { eventNamed } from '../event-names.js'
import { events, type OutputField } from '../events.js'
import { misplacedDecision } from './misplaced.js'
import { COMMON_FIELDS, SPECIFIC_FIELDS } from './output.js'
import { readPermissionUpdates } from './permission-updates.js'
import { type PartsField, readParts } from './rewrite.js'
import type { Asked, ReadFields, ReplyFields, ReplyProblem } from './types.js'

/** Reads a reply in the words of Claude Code's protocol. A field that is null is absent. */
export function readFields(reply: JsonObject, asked: Asked): ReadFields {
  const reader = new FieldReader(asked)
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

/** What goes with which answer to a permission request. */
const ANSWER_FIELDS = {
  allow: ['behavior', 'message', 'updatedInput', 'updatedPermissions'],
  deny: ['behavior', 'message', 'interrupt'],
}

/** Words that only a reply to a server that asks is known by: elsewhere anything may have them. */
const ELICITATION_FIELDS: readonly string[] = ['action', 'content'] satisfies OutputField[]

class FieldReader implements ReadFields {
  readonly fields: ReplyFields = {}
  readonly ignored: string[] = []
  isQuiet = false
  problem?: ReplyProblem
  readonly #event: LifecycleEvent
  readonly #toolInput: JsonObject | undefined
  readonly #mcpTool: boolean
  readonly #outputs: readonly OutputField[]

  constructor({ event, toolInput, mcpTool }: Asked) {
    this.#event = event
    this.#toolInput = toolInput
    this.#mcpTool = mcpTool
    this.#outputs = events[event].outputs
  }

  readReply(reply: JsonObject): void {
    const { fields } = this
    if (this.#boolean(reply, 'continue') === false) fields.stop = true
    if (this.#boolean(reply, 'suppressOutput')) this.isQuiet = true
    assign(fields, 'stopReason', this.#text(reply, 'stopReason'))
    assign(fields, 'message', this.#text(reply, 'systemMessage'))
    const reason = this.#text(reply, 'reason')
    this.#decision('decision', reply['decision'], reason)
    const specific = reply['hookSpecificOutput']
    if (isMap(specific)) this.#readSpecific(specific as JsonObject, reason)
    else if (specific !== undefined && specific !== null) this.#wrongType('hookSpecificOutput', specific, 'a map')
    if (!fields.stop && fields.stopReason !== undefined) {
      delete fields.stopReason
      this.ignored.push('`stopReason`, since there is no `continue: false` that it could explain')
    }
    if (fields.stop && fields.stopReason === undefined) assign(fields, 'stopReason', reason ?? fields.reason)
    if (reason !== undefined && !fields.block && !fields.opinion && !fields.stop) {
      this.ignored.push('`reason`, since there is no decision that it could explain')
    }
    for (const key of Object.keys(reply)) {
      if (includes(SPECIFIC_FIELDS, key) || (includes(ELICITATION_FIELDS, key) && this.#honours('action'))) {
        this.#fault(
          `${key} in the wrong place`,
          `write {"hookSpecificOutput": {"hookEventName": "${this.#event}", "${key}": …}}`,
        )
      } else if (!includes(COMMON_FIELDS, key) && !this.#isMisplaced(key, reply[key])) {
        this.ignored.push(`\`${key}\`, which is no field of a reply`)
      }
    }
  }

  #readSpecific(specific: JsonObject, commonReason: string | undefined): void {
    const named = this.#text(specific, 'hookEventName')
    if (named !== undefined && eventNamed(named)?.event !== this.#event) {
      this.#fault(`hookSpecificOutput for ${named}`, `this is ${this.#event}, so write that as its hookEventName`)
      return
    }
    for (const key of Object.keys(specific)) {
      if (key === 'hookEventName' || includes(this.#outputs, key)) continue
      if (key === 'tool_input' && this.#honours('updatedInput')) continue
      if (this.#isMisplaced(key, specific[key])) continue
      this.ignored.push(`\`${key}\`, which ${this.#event} does not honour`)
    }
    if (this.#honours('permissionDecision')) {
      const reason = this.#text(specific, 'permissionDecisionReason')
      this.#decision('permissionDecision', specific['permissionDecision'], reason)
      if (reason !== undefined && (specific['permissionDecision'] ?? null) === null) {
        this.ignored.push('`permissionDecisionReason`, since there is no `permissionDecision` that it could explain')
      }
    }
    if (this.#honours('decision')) this.#decision('decision', specific['decision'], commonReason)
    if (this.#honours('additionalContext')) assign(this.fields, 'context', this.#text(specific, 'additionalContext'))
    if (this.#honours('retry') && this.#boolean(specific, 'retry')) this.fields.retry = true
    if (this.#honours('updatedInput')) {
      this.#changedInput(specific)
      this.#updatedInput(specific)
    }
    if (this.#honours('updatedToolOutput')) this.#updatedToolOutput(specific)
    if (this.#honours('action')) this.#elicitation(specific)
    for (const field of ['updatedRequest', 'updatedResponse'] as const) {
      if (this.#honours(field)) this.#updatedParts(field, specific)
    }
  }

  #isMisplaced(key: string, value: JsonValue | undefined): boolean {
    const problem = misplacedDecision(key, value, this.#event)
    if (problem) this.#fault(problem.cause, problem.detail)
    return problem !== undefined
  }

  #decision(field: 'decision' | 'permissionDecision', value: JsonValue | undefined, reason: string | undefined): void {
    if (value === undefined || value === null) return
    if (this.#honours('decision') && isMap(value)) {
      this.#answer(value as JsonObject, reason)
      return
    }
    const { fields } = this
    const meaning = typeof value === 'string' && Object.hasOwn(SYNONYMS, value) ? SYNONYMS[value] : undefined
    if (!meaning) {
      const answers = this.#honours('decision')
        ? '{"behavior": "deny"} or {"behavior": "allow"}'
        : '"block" or "approve"'
      const known = field === 'decision' ? answers : '"deny", "ask" or "allow"'
      this.#fault(`unknown ${field}`, `it is ${describe(value)}; write ${known}`)
      return
    }
    if (meaning === 'deny') fields.block = true
    else if (this.#honours('permissionDecision')) {
      if (meaning === 'defer') {
        this.ignored.push('`defer`, which is not supported by this version; the call has to be asked for instead')
      }
      if (fields.opinion !== 'ask') fields.opinion = meaning === 'allow' ? 'allow' : 'ask'
    } else if (this.#honours('decision') && meaning === 'allow') fields.opinion = 'allow'
    else {
      // Elsewhere there is nothing to approve: not to block is all that it can mean.
      if (meaning !== 'allow') this.ignored.push(`\`${field}: ${value}\`, which ${this.#event} does not honour`)
      return
    }
    if (meaning === 'deny' || !fields.block) assign(fields, 'reason', reason)
  }

  /** The answer to a permission request as a map. */
  #answer(answer: JsonObject, commonReason: string | undefined): void {
    const { fields } = this
    const { behavior } = answer
    if (behavior !== 'allow' && behavior !== 'deny') {
      this.#fault('unknown decision', `its behavior is ${describe(behavior)}; write "allow" or "deny"`)
      return
    }
    for (const key of Object.keys(answer)) {
      if (answer[key] !== null && !includes(ANSWER_FIELDS[behavior], key)) {
        this.ignored.push(`\`decision.${key}\`, which has no meaning beside ${behavior}`)
      }
    }
    assign(fields, 'reason', this.#text(answer, 'message') ?? commonReason)
    if (behavior === 'deny') {
      fields.block = true
      if (this.#boolean(answer, 'interrupt')) fields.stop = true
      return
    }
    fields.opinion = 'allow'
    this.#updatedInput(answer)
    const { updatedPermissions: updates = null } = answer
    if (updates === null) return
    const { rules, ignored, problem } = readPermissionUpdates(updates)
    if (rules.length > 0) fields.rules = rules
    this.ignored.push(...ignored)
    if (problem) this.#fault(problem.cause, problem.detail)
  }

  /** Other products' word for a change of some fields; a whole input beside it wins. */
  #changedInput(from: JsonObject): void {
    const changes = this.#map(from, 'tool_input')
    if (changes) this.fields.rewrite = { field: 'updatedInput', value: { ...this.#toolInput, ...changes } }
  }

  #updatedInput(from: JsonObject): void {
    const value = this.#map(from, 'updatedInput')
    if (value) this.fields.rewrite = { field: 'updatedInput', value }
  }

  /** Claude Code has an older field of the same meaning, for the tools of MCP servers only. */
  #updatedToolOutput({ updatedToolOutput = null, updatedMCPToolOutput = null }: JsonObject): void {
    let value = updatedToolOutput
    if (updatedMCPToolOutput !== null) {
      if (!this.#mcpTool) this.ignored.push('`updatedMCPToolOutput`, since the tool is not of an MCP server')
      else if (value !== null) this.ignored.push('`updatedMCPToolOutput`, since there is `updatedToolOutput`')
      else value = updatedMCPToolOutput
    }
    if (value !== null) this.fields.rewrite = { field: 'updatedToolOutput', value }
  }

  #elicitation(specific: JsonObject): void {
    const content = this.#map(specific, 'content')
    const { action = null } = specific
    if (action === null) {
      if (content) this.ignored.push('`content`, since there is no `action` that it could go with')
      return
    }
    if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
      this.#fault('unknown action', `it is ${describe(action)}; write "accept", "decline" or "cancel"`)
      return
    }
    if (content && action !== 'accept') this.ignored.push(`\`content\`, which has no meaning beside ${action}`)
    this.fields.answer = { action, ...(content && action === 'accept' ? { content } : {}) }
  }

  #updatedParts(field: PartsField, specific: JsonObject): void {
    const written = this.#map(specific, field)
    if (!written) return
    const { value, ignored, problem } = readParts(field, written)
    if (Object.keys(value).length > 0) this.fields.rewrite = { field, value }
    this.ignored.push(...ignored)
    if (problem) this.#fault(problem.cause, problem.detail)
  }

  #honours(field: OutputField): boolean {
    return this.#outputs.includes(field)
  }

  #map(from: JsonObject, key: string): JsonObject | undefined {
    const value = from[key]
    if (isMap(value)) return value as JsonObject
    if (value !== undefined && value !== null) this.#wrongType(key, value, 'a map')
    return undefined
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
