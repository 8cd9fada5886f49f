import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ConfigSource, LayerName } from '@ext/kernel'

export interface Locations {
  /** Absolute. */
  readonly project: string
  /** Our own files, which hold all sections. */
  readonly config: readonly ConfigSource[]
  readonly claudeSettings: readonly ConfigSource[]
  readonly claudeMcp: readonly ConfigSource[]
  readonly skills: readonly ConfigSource[]
}

const SKILL_FOLDERS = ['.claude/skills', '.agents/skills', '.ext/skills']

/** Where configuration may lie. Whether it does is found out when it is read. */
export function locate(
  projectFolder: string,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Locations {
  const project = resolve(projectFolder)
  const extHome = env['EXT_HOME'] || join(home, '.ext')
  const file = (layer: LayerName, dialect: string, ...path: [string, ...string[]]): ConfigSource => ({
    kind: 'file',
    layer,
    dialect,
    path: join(...path),
  })
  const folder = (layer: LayerName, path: string): ConfigSource => ({ kind: 'folder', layer, dialect: 'skills', path })
  return {
    project,
    config: [
      file('user', 'ext', extHome, 'config.yaml'),
      file('project', 'ext', project, '.ext/config.yaml'),
      file('local', 'ext', project, '.ext/config.local.yaml'),
    ],
    claudeSettings: [
      file('user', 'claude-settings', home, '.claude/settings.json'),
      file('project', 'claude-settings', project, '.claude/settings.json'),
      file('local', 'claude-settings', project, '.claude/settings.local.json'),
    ],
    claudeMcp: [file('project', 'claude-mcp', project, '.mcp.json')],
    skills: [
      // Later in the list wins, so the nearest folder comes last.
      ...['.claude/skills', '.agents/skills'].map((path) => folder('user', join(home, path))),
      folder('user', join(extHome, 'skills')),
      ...foldersUpToRepository(project)
        .reverse()
        .flatMap((root) => SKILL_FOLDERS.map((path) => folder('project', join(root, path)))),
    ],
  }
}

/** The project folder and its parents up to the root of its repository; only the folder itself outside of one. */
function foldersUpToRepository(project: string): string[] {
  const folders: string[] = []
  for (let at = project; ; at = dirname(at)) {
    folders.push(at)
    if (existsSync(join(at, '.git'))) return folders
    if (dirname(at) === at) return [project]
  }
}
