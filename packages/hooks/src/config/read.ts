import {
  type BrokenEntry,
  type ConfigDocument,
  createReporter,
  type Diagnostic,
  describe,
  documentReader,
  type FoundEntries,
  isMap,
  joinPointer,
  type Located,
  listEntries,
  mapEntries,
  parsePointer,
  type Reader,
  wrongShape,
} from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { HookInput } from './entry.js'

const report = createReporter(diagnosticCodes)

/** Reads the `hooks` list of our own configuration files. */
export const extReader: Reader<HookInput> = documentReader('ext', (document) => {
  const found = listEntries(document, '/hooks')
  const entries = found.entries.map((entry) => ({ ...entry, value: { dialect: 'ext', rule: entry.value } as const }))
  return wholeFile(document, ['disabledHooks'], { ...found, entries })
})

/** Reads the `hooks` map of Claude Code settings files and plugin files: event → groups → handlers. */
export const claudeReader: Reader<HookInput> = documentReader('claude-settings', (document) =>
  wholeFile(
    document,
    ['allowManagedHooksOnly', 'allowedHttpHookUrls', 'httpHookAllowedEnvVars'],
    findClaudeHooks(document),
  ),
)

/** What both dialects say about a file as a whole. */
function wholeFile(
  document: ConfigDocument,
  unsupportedKeys: readonly string[],
  found: FoundEntries<HookInput>,
): FoundEntries<HookInput> {
  const root = document.value
  if (!isMap(root)) return found

  const diagnostics = [...(found.diagnostics ?? [])]
  for (const key of unsupportedKeys.filter((key) => Object.hasOwn(root, key))) {
    const pointer = joinPointer('', key)
    diagnostics.push(
      report.warning(
        'hooks.key.unsupported',
        document.at(pointer, 'key'),
        `\`${key}\` is not supported by this version.`,
        { pointer, hint: 'Nothing reads it: hooks load as if it were not there.' },
      ),
    )
  }
  const off = root['disableAllHooks']
  if (off === undefined || off === false) return { ...found, diagnostics }
  if (off !== true) {
    const hint = 'Write true or false; until then the hooks of this file run.'
    const unclear = { ...wrongShape(document, '/disableAllHooks', 'true or false', off), hint }
    return { ...found, diagnostics: [...diagnostics, unclear] }
  }
  const count = found.entries.length
  const switchedOff = report.info(
    'hooks.disabled',
    document.at('/disableAllHooks', 'key'),
    `\`disableAllHooks\` switches off the hooks of this file (${count}); other files keep theirs.`,
    { pointer: '/disableAllHooks' },
  )
  return { entries: [], diagnostics: [...diagnostics, switchedOff] }
}

function findClaudeHooks(document: ConfigDocument): FoundEntries<HookInput> {
  const events = mapEntries(document, '/hooks')
  const search = new ClaudeSearch(document, events.diagnostics ?? [])
  for (const { pointer, value } of events.entries) search.event(pointer, value)
  return search
}

/** Keys of a group that say something to people only. */
const GROUP_KEYS = new Set(['matcher', 'hooks', 'description', 'id'])

class ClaudeSearch implements FoundEntries<HookInput> {
  readonly entries: Located<HookInput>[] = []
  readonly broken: BrokenEntry[] = []
  readonly diagnostics: Diagnostic[]
  readonly #document: ConfigDocument
  readonly #env: Readonly<Record<string, string>>

  constructor(document: ConfigDocument, diagnostics: readonly Diagnostic[]) {
    this.#document = document
    this.diagnostics = [...diagnostics]
    this.#env = this.#readEnv()
  }

  event(pointer: string, groups: unknown): void {
    const event = parsePointer(pointer).at(-1) ?? ''
    if (!Array.isArray(groups)) {
      this.#notUsable(pointer, event, groups, 'a list of {matcher, hooks: [...]}')
      return
    }
    for (const [index, group] of groups.entries()) this.#group(event, joinPointer(pointer, index), group)
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
      part === 'event' ? this.#document.at(joinPointer('/hooks', event), 'key') : this.#document.at(matcherPointer)
    this.entries.push(
      this.#document.located(pointer, {
        dialect: 'claude-settings',
        event,
        handler,
        matcher,
        env: this.#env,
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
      this.diagnostics.push(
        report.warning(
          'hooks.group.key',
          this.#document.at(joinPointer(pointer, key), 'key'),
          `\`${key}\` stands beside \`hooks\`, where nothing reads it.`,
          { pointer: joinPointer(pointer, key), hint: 'Move it into an item of `hooks`, or remove it.' },
        ),
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
