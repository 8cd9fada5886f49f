import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ProjectFile } from '@ext/agent-core/instructions'
import type { FileSource, FolderSource, LayerName } from '@ext/kernel/types'

/** A file or a folder that configuration may lie in. */
export type Place = FileSource | FolderSource

/** A file of Claude Code that is not read. */
export interface UnreadFile {
  readonly path: string
  readonly layer: LayerName
  /** `state`: what the program has written down, servers of the person among it. */
  readonly holds: 'state' | 'servers' | 'settings'
}

export interface Locations {
  /** Absolute. */
  readonly project: string
  /** The root of its repository, or the project itself. */
  readonly repository: string
  /** Where the person's approvals are. */
  readonly trustStore: string
  /** Where runs of hooks are written down. */
  readonly hookLedger: string
  /** Where calls of tools are written down. */
  readonly audit: string
  /** Folder for what commands in the background put out. */
  readonly tasks: string
  /** Folders of the MCP client: logs of servers, approved definitions of tools, those of lazy servers, what was cut from results. */
  readonly mcp: { readonly logs: string; readonly pins: string; readonly cache: string; readonly results: string }
  /** Prompts that were written in interactive sessions. */
  readonly history: string
  /** Where sessions are kept. */
  readonly sessions: string
  readonly instructions: {
    /** Of the person, for all projects. */
    readonly user: readonly string[]
    /** Files of projects that are not read. */
    readonly leaveOut: readonly ProjectFile[]
  }
  /** Our own files, which hold all sections. */
  readonly config: readonly Place[]
  /** Settings files of Claude Code, for the hooks in them. */
  readonly claudeHooks: readonly Place[]
  /** The same files, for their permission rules. */
  readonly claudePermissions: readonly Place[]
  readonly claudeMcp: readonly Place[]
  /** The same settings files, for the servers that they say no to. */
  readonly claudeMcpSettings: readonly Place[]
  /** Files of Claude Code with servers or rules that are not read, by what is in them. */
  readonly claudeUnread: readonly UnreadFile[]
  readonly skills: readonly Place[]
  readonly agents: readonly Place[]
}

const SKILL_FOLDERS = ['.claude/skills', '.agents/skills', '.ext/skills']
const AGENT_FOLDERS = ['.claude/agents', '.ext/agents']

/** Of the administrator. No variable and no option leads elsewhere, so that nobody else can. */
const MANAGED_FOLDER = '/etc/ext'

/** Where Claude Code has the administrator's settings, which are read like those of anybody else. */
const CLAUDE_MANAGED_FOLDER =
  process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'

/**
 * Where configuration may lie. Whether it does is found out when it is read.
 * @param managedFolder for tests: with all files of the administrator
 */
export function locate(
  projectFolder: string,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  managedFolder: string = MANAGED_FOLDER,
): Locations {
  const project = resolve(projectFolder)
  const extHome = resolve(env['EXT_HOME'] || join(home, '.ext'))
  const file = (layer: LayerName, dialect: string, ...path: [string, ...string[]]): Place => ({
    kind: 'file',
    layer,
    dialect,
    path: join(...path),
  })
  // Later in a list wins, so the nearest folder comes last.
  const roots = foldersUpToRepository(project).reverse()
  const folders = (dialect: string, ofUser: readonly string[], ofProject: readonly string[]): readonly Place[] =>
    ownFilesOnce([
      ...ofUser.map((path): Place => ({ kind: 'folder', layer: 'user', dialect, path })),
      ...roots.flatMap((root) =>
        ofProject.map((path): Place => ({ kind: 'folder', layer: 'project', dialect, path: join(root, path) })),
      ),
    ])
  const claudeManaged = managedFolder === MANAGED_FOLDER ? CLAUDE_MANAGED_FOLDER : managedFolder
  const claudeSettings = ownFilesOnce([
    file('user', 'claude-settings', home, '.claude/settings.json'),
    file('project', 'claude-settings', project, '.claude/settings.json'),
    file('local', 'claude-settings', project, '.claude/settings.local.json'),
    file('managed', 'claude-settings', claudeManaged, 'managed-settings.json'),
  ])
  return {
    project,
    repository: roots[0] ?? project,
    trustStore: join(extHome, 'trust.json'),
    hookLedger: join(extHome, 'hooks.jsonl'),
    audit: join(extHome, 'audit.jsonl'),
    tasks: join(extHome, 'tasks'),
    mcp: {
      logs: join(extHome, 'logs/mcp'),
      pins: join(extHome, 'mcp/tools'),
      cache: join(extHome, 'mcp/cache'),
      results: join(extHome, 'mcp/results'),
    },
    history: join(extHome, 'history.jsonl'),
    sessions: join(extHome, 'sessions'),
    instructions: { user: [join(home, '.claude/CLAUDE.md'), join(extHome, 'AGENTS.md')], leaveOut: [] },
    config: ownFilesOnce([
      file('user', 'ext', extHome, 'config.yaml'),
      file('project', 'ext', project, '.ext/config.yaml'),
      file('local', 'ext', project, '.ext/config.local.yaml'),
      file('managed', 'ext', managedFolder, 'config.yaml'),
    ]),
    claudeHooks: claudeSettings,
    claudePermissions: claudeSettings,
    claudeMcp: [file('project', 'claude-mcp', project, '.mcp.json')],
    claudeMcpSettings: claudeSettings,
    claudeUnread: [
      { path: join(home, '.claude.json'), layer: 'user', holds: 'state' },
      { path: join(claudeManaged, 'managed-mcp.json'), layer: 'managed', holds: 'servers' },
      { path: join(claudeManaged, 'managed-settings.d'), layer: 'managed', holds: 'settings' },
    ],
    skills: folders(
      'skills',
      [join(home, '.claude/skills'), join(home, '.agents/skills'), join(extHome, 'skills')],
      SKILL_FOLDERS,
    ),
    agents: folders('agents', [join(home, '.claude/agents'), join(extHome, 'agents')], AGENT_FOLDERS),
  }
}

/** Where the project is the home folder, or lies in a repository there, the person's own files are no project's. */
export function ownFilesOnce<P extends Place>(sources: readonly P[]): readonly P[] {
  const own = new Set(sources.filter(({ layer }) => layer === 'user').map(({ path }) => realPath(path)))
  return sources.filter(({ layer, path }) => layer === 'user' || !own.has(realPath(path)))
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist, so it is nobody's.
    return path
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
