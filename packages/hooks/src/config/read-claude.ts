import {
  type BrokenEntry,
  type ConfigDocument,
  createReporter,
  type Diagnostic,
  describe,
  type FoundEntries,
  isMap,
  joinPointer,
  type Located,
  mapEntries,
  parsePointer,
  suggest,
  wrongShape,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { eventNamed } from '../event-names.js'
import { HOW_TO_SWITCH_OFF, isOffSwitch, unknownEvent } from './checks.js'
import type { HookInput, HookOwner } from './entry.js'

const report = createReporter(diagnosticCodes)

/** Where hooks of Claude Code's format stand, and whose they are. */
export interface ClaudePlace {
  /** Pointer of the map of events. Default `/hooks`. */
  readonly pointer?: string
  readonly owner?: HookOwner
}

/** Finds hooks in Claude Code's format: event → groups → handlers, or event → handlers. */
export function findClaudeHooks(
  document: ConfigDocument,
  { pointer = '/hooks', owner }: ClaudePlace = {},
): FoundEntries<HookInput> {
  const events = mapEntries(document, pointer)
  const search = new ClaudeSearch(document, pointer, owner, events.diagnostics ?? [])
  for (const entry of events.entries) search.event(entry.pointer, entry.value)
  return search
}

/** What people write who mean the matcher; without one a hook listens to everything. */
const FOR_MATCHER: readonly string[] = ['match', 'pattern', 'tool', 'tools', 'tool_name', 'toolName', 'toolNames']

function groupKeyHint(key: string, group: Readonly<Record<string, unknown>>): string {
  const isMatcher = FOR_MATCHER.includes(key) || suggest(key, ['matcher']) !== undefined
  if (isMatcher && !Object.hasOwn(group, 'matcher'))
    return 'Did you mean `matcher`? Without it the hooks listen to all.'
  return 'Move it into an item of `hooks`, or remove it.'
}

/** Keys of a group that say something to people only. */
const GROUP_KEYS = new Set(['matcher', 'hooks', 'description', 'id'])

class ClaudeSearch implements FoundEntries<HookInput> {
  readonly entries: Located<HookInput>[] = []
  readonly broken: BrokenEntry[] = []
  readonly diagnostics: Diagnostic[]
  readonly #document: ConfigDocument
  readonly #pointer: string
  readonly #owner: HookOwner | undefined
  readonly #env: Readonly<Record<string, string>>

  constructor(
    document: ConfigDocument,
    pointer: string,
    owner: HookOwner | undefined,
    diagnostics: readonly Diagnostic[],
  ) {
    this.#document = document
    this.#pointer = pointer
    this.#owner = owner
    this.diagnostics = [...diagnostics]
    // Only settings have an `env` block; in a header it would be somebody else's.
    this.#env = owner ? {} : this.#readEnv()
  }

  event(pointer: string, groups: unknown): void {
    const event = parsePointer(pointer).at(-1) ?? ''
    if (!Array.isArray(groups)) {
      this.#notUsable(pointer, event, groups, 'a list of {matcher, hooks: [...]}')
      return
    }
    const found = this.entries.length + this.broken.length
    for (const [index, group] of groups.entries()) this.#group(event, joinPointer(pointer, index), group)
    // Of an event that there is not, each hook says so.
    if (this.entries.length + this.broken.length > found) return
    if (eventNamed(event)) return
    const { message, more } = unknownEvent(event)
    const place = this.#document.at(pointer, 'key')
    this.diagnostics.push(report.warning('hooks.event.unknown', place, message, { ...more, pointer }))
  }

  #group(event: string, pointer: string, group: unknown): void {
    if (isMap(group) && Array.isArray(group['hooks'])) {
      this.#reportGroupKeys(pointer, group)
      const matcherPointer = joinPointer(pointer, 'matcher')
      for (const [index, handler] of group['hooks'].entries()) {
        this.#handler(event, joinPointer(pointer, 'hooks', index), handler, group['matcher'], matcherPointer)
      }
    } else if (isMap(group) && !Object.hasOwn(group, 'hooks') && ('type' in group || 'command' in group)) {
      // A flat entry: the group is its own handler.
      const { matcher, ...handler } = group
      this.#handler(event, pointer, handler, matcher, joinPointer(pointer, 'matcher'))
    } else {
      this.#notUsable(pointer, event, group, '{matcher, hooks: [...]} or {type: command, command}')
    }
  }

  #handler(event: string, pointer: string, handler: unknown, matcher: unknown, matcherPointer: string): void {
    const at = (part: 'event' | 'matcher') =>
      part === 'event' ? this.#document.at(joinPointer(this.#pointer, event), 'key') : this.#document.at(matcherPointer)
    this.entries.push(
      this.#document.located(pointer, {
        dialect: 'claude-settings',
        event,
        handler,
        matcher,
        env: this.#env,
        ...(this.#owner ? { owner: this.#owner } : {}),
        at,
      } satisfies HookInput),
    )
  }

  #notUsable(pointer: string, event: string, found: unknown, expected: string): void {
    const { id } = this.#document.located(pointer, found)
    const source = this.#document.at(pointer)
    this.broken.push({ id, name: event, source })
    this.diagnostics.push(
      report.error('hooks.shape', source, `\`${event}\` holds ${describe(found)}, not ${expected}.`, {
        entry: id,
        pointer,
        expected: [expected],
        hint: `Write ${expected} here; the other hooks of the file are not affected.`,
      }),
    )
  }

  #reportGroupKeys(pointer: string, group: Readonly<Record<string, unknown>>): void {
    for (const key of Object.keys(group)) {
      if (GROUP_KEYS.has(key)) continue
      const at = joinPointer(pointer, key)
      const message = `\`${key}\` stands beside \`hooks\`, where nothing reads it.`
      const hint = isOffSwitch(key, group[key]) ? HOW_TO_SWITCH_OFF : groupKeyHint(key, group)
      this.diagnostics.push(
        report.warning('hooks.group.key', this.#document.at(at, 'key'), message, { pointer: at, hint }),
      )
    }
  }

  #readEnv(): Readonly<Record<string, string>> {
    const block = isMap(this.#document.value) ? this.#document.value['env'] : undefined
    if (block === undefined || block === null) return {}
    if (!isMap(block)) {
      this.diagnostics.push(wrongShape(this.#document, '/env', 'a map of names to texts', block))
      return {}
    }
    const env: Record<string, string> = {}
    for (const [name, value] of Object.entries(block)) {
      if (typeof value === 'string') env[name] = value
      else this.diagnostics.push(wrongShape(this.#document, joinPointer('/env', name), 'a text', value))
    }
    return env
  }
}
