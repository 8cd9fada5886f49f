import { isAbsolute, join, relative, resolve } from 'node:path'
import {
  createReporter,
  definePipeline,
  describe,
  isForeignLayer,
  type Located,
  type Outcome,
  parsePointer,
  type Snapshot,
  suggest,
} from '@ext/kernel'
import type { ConfigSource, Diagnostic, FilesPort, FolderSource } from '@ext/kernel/types'
import type { Skills } from '@ext/skills'
import { diagnosticCodes } from '../codes.js'
import { folderOf } from '../models/spec.js'
import { sectionReader, unknownSetting, wrongItem, wrongSetting } from '../settings/section.js'

const report = createReporter(diagnosticCodes)

/** One item of the section `skills`. */
type Setting =
  | { readonly kind: 'folder'; readonly source: FolderSource }
  | { readonly kind: 'disabled'; readonly name: string }
  | { readonly kind: 'catalogTokens'; readonly tokens: number }

interface SettingContext {
  readonly project: string
  readonly home: string
  /** Root of the project's repository, or the project itself. */
  readonly repository: string
}

/** What the section `skills` of all configuration files says. */
export interface SkillSettings {
  readonly snapshot: Snapshot<Setting>
  /** In an order in which the later one wins. */
  readonly folders: readonly FolderSource[]
  readonly disabled: readonly string[]
  readonly catalogTokens?: number
}

const LISTS = ['folders', 'disabled']
const KEYS = [...LISTS, 'catalogTokens']
const MAX_TOKENS = 50_000
const CODE = 'cli.skills.setting'

const pipeline = definePipeline<unknown, Setting, Setting, SettingContext>({
  axis: 'skill-settings',
  readers: [sectionReader('skills', LISTS)],
  validate,
  identity: ({ value, pointer }) => (value.kind === 'catalogTokens' ? value.kind : pointer),
  merge: 'append',
  mergeOf: ({ kind }) => (kind === 'catalogTokens' ? 'override' : undefined),
  // Settings list and take away; what the skills of a folder grant and run is asked about like that of any other.
  needsConsent: () => false,
  compile: ({ value }) => ({ value, diagnostics: [] }),
})

export async function loadSkillSettings(
  layers: readonly ConfigSource[],
  context: SettingContext,
  files: FilesPort,
): Promise<SkillSettings> {
  const snapshot = await pipeline.load(layers, context, { files })
  const settings = snapshot.entries.map(({ value }) => value)
  const tokens = settings.find((each) => each.kind === 'catalogTokens')?.tokens
  return {
    snapshot,
    folders: settings.flatMap((each) => (each.kind === 'folder' ? [each.source] : [])),
    disabled: settings.flatMap((each) => (each.kind === 'disabled' ? [each.name] : [])),
    ...(tokens === undefined ? {} : { catalogTokens: tokens }),
  }
}

/**
 * What lies in the usual folders of skills is protected: whoever writes it decides what is granted and run. So is what lies
 * in these.
 */
export function askForSkills({ folders }: SkillSettings): readonly ConfigSource[] {
  if (folders.length === 0) return []
  const ask = folders.map(({ path }) => `Edit(/${path.replaceAll('\\', '/')}/**)`)
  const value = { permissions: { ask } }
  return [{ kind: 'value', layer: 'built-in', dialect: 'ext', name: 'skills.folders', value }]
}

/** What names nothing: a folder that is not there, and a skill that is not there to be switched off. */
export function withoutEffect({ snapshot }: SkillSettings, skills: Skills): readonly Diagnostic[] {
  const missing = new Set(
    skills.snapshot.files.flatMap(({ file, state, layer }) => (state === 'missing' ? [`${layer}:${file}`] : [])),
  )
  return snapshot.entries.flatMap(({ id, value, at }): readonly Diagnostic[] => {
    if (value.kind === 'folder' && missing.has(`${value.source.layer}:${value.source.path}`)) {
      const message = `There is no folder ${value.source.path}, so no skills are found in it.`
      return [report.warning('cli.skills.folder', at(), message, { entry: id, hint: 'Make it, or correct the path.' })]
    }
    if (value.kind === 'disabled' && skills.explain(value.name).found.length === 0) {
      const names = skills.snapshot.entries.map((entry) => entry.value.name)
      const meant = suggest(value.name, names)
      const message = `\`${value.name}\` is switched off, and there is no skill of this name.`
      const hint = meant ? `Did you mean \`${meant}\`?` : 'See with `ext skills list` which skills there are.'
      return [report.warning('cli.skills.nothing-disabled', at(), message, { entry: id, hint })]
    }
    return []
  })
}

function validate(entry: Located<unknown>, context: SettingContext): Outcome<Setting> {
  const { value, pointer } = entry
  const [, key = ''] = parsePointer(pointer)
  if (key === 'catalogTokens') {
    const isGood = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS
    if (isGood) return { value: { kind: key, tokens: value }, diagnostics: [] }
    const hint = `Write a whole number from 0 to ${MAX_TOKENS}.`
    return wrongSetting(CODE, entry, `\`${key}\` is ${describe(value)}.`, hint)
  }
  if (!LISTS.includes(key)) return wrongSetting(CODE, entry, ...unknownSetting('skills', key, KEYS), 'key')
  const wrong = wrongItem(key, value)
  if (wrong) return wrongSetting(CODE, entry, ...wrong)
  return key === 'disabled'
    ? { value: { kind: key, name: String(value) }, diagnostics: [] }
    : folderSetting(entry, String(value), context)
}

/** A project names no folder outside of its repository: what lies there is none of its business. */
function folderSetting(entry: Located<unknown>, text: string, context: SettingContext): Outcome<Setting> {
  const { id, pointer, source } = entry
  const { layer } = source
  const written = /^~(?=[\\/]|$)/.test(text) ? join(context.home, text.slice(1)) : text
  const path = resolve(folderOf(source, context.project), written)
  const inner = relative(context.repository, path)
  if (isForeignLayer(layer) && (isAbsolute(inner) || /^\.\.(?:[\\/]|$)/.test(inner))) {
    const message = `A project can't have skills outside of its repository, as in ${path}; the folder is left out.`
    const hint = 'Name a folder of the project, or write this one into ~/.ext/config.yaml.'
    return { diagnostics: [report.error('cli.skills.folder', entry.at(), message, { entry: id, pointer, hint })] }
  }
  return { value: { kind: 'folder', source: { kind: 'folder', layer, dialect: 'skills', path } }, diagnostics: [] }
}
