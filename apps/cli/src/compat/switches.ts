import {
  type ConfigDocument,
  createReporter,
  definePipeline,
  describe,
  documentReader,
  isMap,
  type Located,
  mapEntries,
  type Outcome,
  parsePointer,
  type Snapshot,
  type SnapshotEntry,
  suggest,
} from '@ext/kernel'
import type { ConfigSource, FilesPort, LayerName } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'

const report = createReporter(diagnosticCodes)

/** What is taken from Claude Code's files, each by the name of the section that says the same in ours. */
export const CLAUDE_PARTS = ['hooks', 'permissions', 'mcpServers', 'skills', 'agents', 'instructions'] as const

export type ClaudePart = (typeof CLAUDE_PARTS)[number]

/** One switch: of a part, or of all. */
export interface CompatSwitch {
  readonly part: ClaudePart | 'all'
  readonly on: boolean
}

export interface CompatSwitches {
  readonly snapshot: Snapshot<CompatSwitch>
  /** What keeps a part of the files of a layer from being read; `undefined` if nothing does. */
  offBy(part: ClaudePart, layer: LayerName): SnapshotEntry<CompatSwitch> | undefined
}

const pipeline = definePipeline<unknown, CompatSwitch, CompatSwitch, undefined>({
  axis: 'compat',
  readers: [documentReader('ext', readSection)],
  validate,
  identity: ({ pointer }) => parsePointer(pointer).join('.'),
  // Each has its own say, see offBy.
  merge: 'append',
  // A project has a say over its own files only, and could as well leave them out.
  needsConsent: () => false,
  compile: ({ value }) => ({ value, diagnostics: [] }),
})

/**
 * Reads `compat` of our own files. Whoever switches something off has a say over files that are trusted as much as theirs or
 * less: the administrator over all, the person over all but for the administrator's word, a project over its own alone. What
 * is switched off may be a deny rule or a hook of the person, so a project never reaches theirs.
 */
export async function loadCompat(layers: readonly ConfigSource[], files: FilesPort): Promise<CompatSwitches> {
  const snapshot = await pipeline.load(layers, undefined, { files })
  const of = (layer: LayerName, part: ClaudePart) =>
    snapshot.entries.findLast(
      ({ source, value }) => source.layer === layer && (value.part === part || value.part === 'all'),
    )
  return {
    snapshot,
    offBy(part, layer) {
      const managed = of('managed', part)
      // Of the administrator's own file nobody else has a say.
      const user = layer === 'managed' ? undefined : of('user', part)
      const local = layer === 'user' || layer === 'managed' ? undefined : of('local', part)
      const project = layer === 'project' ? of('project', part) : undefined
      // The first that speaks decides, but for the person's yes, which is what holds anyway.
      const decides = managed ?? (user?.value.on === false ? user : (local ?? project))
      return decides?.value.on === false ? decides : undefined
    },
  }
}

/** Each switch is an entry: `claude` as a whole, or its parts. */
function readSection(document: ConfigDocument) {
  const found = mapEntries(document, '/compat')
  const section = isMap(document.value) ? document.value['compat'] : undefined
  if (!isMap(section) || !isMap(section['claude'])) return found
  const parts = mapEntries(document, '/compat/claude')
  return {
    entries: [...found.entries.filter(({ pointer }) => pointer !== '/compat/claude'), ...parts.entries],
    diagnostics: [...(found.diagnostics ?? []), ...(parts.diagnostics ?? [])],
  }
}

function validate(entry: Located<unknown>): Outcome<CompatSwitch> {
  const { id, value, pointer } = entry
  const [, program = '', part = 'all'] = parsePointer(pointer)
  const fail = (message: string, hint: string, at?: 'key'): Outcome<CompatSwitch> => ({
    diagnostics: [report.error('cli.compat.invalid', entry.at('', at), message, { entry: id, pointer, hint })],
  })
  if (program !== 'claude') {
    const meant = suggest(program, ['claude'])
    return fail(
      `\`compat\` knows no \`${program}\`.`,
      meant
        ? 'Did you mean `claude`?'
        : 'There is `claude`. Files of other programs are imported with `ext init --import`.',
      'key',
    )
  }
  if (part !== 'all' && !isPart(part)) {
    const meant = suggest(part, CLAUDE_PARTS)
    const hint = meant ? `Did you mean \`${meant}\`?` : `There are: ${CLAUDE_PARTS.join(', ')}.`
    return fail(`\`compat.claude\` has no switch \`${part}\`.`, hint, 'key')
  }
  if (typeof value === 'boolean') return { value: { part, on: value }, diagnostics: [] }
  const name = part === 'all' ? 'compat.claude' : `compat.claude.${part}`
  const more = part === 'all' ? `, or a map with ${CLAUDE_PARTS.join(', ')}` : ''
  return fail(`\`${name}\` is ${describe(value)}.`, `Write true or false${more}; until then the files are read.`)
}

function isPart(name: string): name is ClaudePart {
  return CLAUDE_PARTS.some((part) => part === name)
}
