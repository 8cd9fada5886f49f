import { basename, dirname, resolve } from 'node:path'
import { type ConfigSource, createReporter, type Diagnostic, isMap, openDocument } from '@ext/kernel'
import { nodeFiles } from '@ext/kernel/node'
import { diagnosticCodes } from '../../codes.js'
import { readEvent } from './event-name.js'

const report = createReporter(diagnosticCodes)

/** Hooks of one file that a person has named, and the folder that they are about. */
export interface HookFile {
  /** Who names a file on the command line has agreed to it. */
  readonly source: ConfigSource
  /** The project whose file it is, as far as its place says. */
  readonly project: string | undefined
}

/** What reading the hooks of one file takes, if one is named: its project, unless a person has said another one. */
export async function openHookFile(options: { readonly project?: string; readonly file?: string }): Promise<{
  readonly project: string
  readonly hookFile?: HookFile
}> {
  const { project, file } = options
  if (file === undefined) return { project: project ?? '.' }
  const found = await hookFile(file)
  return { project: project ?? found.project ?? '.', hookFile: found }
}

/** Says of a file in which of the formats of hooks it is: by its name, then by what it holds. */
export async function hookFile(path: string): Promise<HookFile> {
  const file = resolve(path)
  const of = (dialect: string): HookFile => ({
    source: { kind: 'file', layer: 'command-line', dialect, path: file },
    project: projectOf(file),
  })
  const name = basename(file)
  if (/\.md$/i.test(name)) return of(name.toLowerCase() === 'skill.md' ? 'skill' : 'agent')
  const plugin = pluginOf(file)
  if (plugin !== undefined) {
    const source = { kind: 'folder', layer: 'command-line', dialect: 'claude-plugin', path: plugin } as const
    return { source, project: undefined }
  }
  const isOurs = (await hasRules(file)) ?? !/\.json$/i.test(name)
  return of(isOurs ? 'ext' : 'claude-settings')
}

/** The root of the plugin whose manifest or hooks these are. */
function pluginOf(file: string): string | undefined {
  const folder = dirname(file)
  const place = `${basename(folder)}/${basename(file)}`
  return place === '.claude-plugin/plugin.json' || place === 'hooks/hooks.json' ? dirname(folder) : undefined
}

/** `.claude/settings.json`, `.ext/config.yaml`, `.claude/skills/<name>/SKILL.md`, `.claude/agents/<name>.md`. */
function projectOf(file: string): string | undefined {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) {
    if (/^\.(?:claude|agents|ext)$/.test(basename(at))) return dirname(at)
  }
  return undefined
}

/** Ours are a list, those of Claude Code a map; `undefined` where neither is there. */
async function hasRules(path: string): Promise<boolean | undefined> {
  const { document } = await open(path)
  const hooks = isMap(document?.value) ? document.value['hooks'] : undefined
  return hooks === undefined || hooks === null ? undefined : Array.isArray(hooks)
}

/** What to say of a file in which no hook was found and nothing is broken. */
export async function noHooks({ source }: HookFile): Promise<Diagnostic> {
  const path = source.kind === 'value' ? source.name : source.path
  const { document } = source.kind === 'file' ? await open(path) : {}
  const place = { layer: source.layer, file: path }
  const events = isMap(document?.value)
    ? Object.keys(document.value).filter((key) => typeof readEvent(key) !== 'string')
    : []
  const [event] = events
  if (event !== undefined && document) {
    const message = `\`${event}\` stands at the top of the file, where nothing reads it.`
    return report.warning('cli.hooks.misplaced', document.at(`/${event}`, 'key'), message, {
      hint: 'Put it below a key `hooks`.',
    })
  }
  return report.info('cli.hooks.none', place, 'There are no hooks in this file.', {
    hint: 'Hooks stand below `hooks`: a list of rules, or a map of events as in settings of Claude Code.',
  })
}

function open(path: string): ReturnType<typeof openDocument> {
  return openDocument({ kind: 'file', layer: 'command-line', dialect: 'ext', path }, nodeFiles())
}
