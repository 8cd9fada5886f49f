import { compilePathPattern } from '@ext/kernel/match'
import { foldPath } from '../rule/path.js'
import { literalFolder } from './effects.js'

/**
 * Files that decide what programs run or what an agent may do. The list is that of Claude Code's documentation on
 * protected paths, and our own files.
 */
const FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.vscode',
  '.idea',
  '.husky',
  '.cargo',
  '.devcontainer',
  '.yarn',
  '.mvn',
  '.claude',
  '.ext',
  '.agents',
  '.ssh',
  '.gnupg',
])

const FILES: ReadonlySet<string> = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.gitconfig',
  '.gitmodules',
  '.npmrc',
  'bunfig.toml',
  '.pre-commit-config.yaml',
  '.ripgreprc',
  '.mcp.json',
  '.claude.json',
  '.envrc',
  'skills.lock',
])

/** By its name alone, and not behind a glob: every `*.md` would be one. */
const SKILL = 'skill.md'

const PREFIXES = ['.yarnrc', '.pnp', '.bazelrc', 'lefthook.']

/** Whether a path may not be written without a person; by name, at any depth. In any case, for some file systems fold it. */
export function isProtected(path: string): boolean {
  const names = foldPath(path).split('/')
  const last = names.length - 1
  return names.some((name, index) => {
    // A worktree of the agent is a workspace.
    if (name === '.claude' && names[index + 1] === 'worktrees') return false
    if (FOLDERS.has(name) || (name === 'git' && names[index - 1] === '.config')) return true
    return index === last && (name === SKILL || FILES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix)))
  })
}

/**
 * A protected path that a glob may lead to.
 * @param glob absolute
 */
export function protectedBehind(glob: string): string | undefined {
  if (isProtected(literalFolder(glob))) return literalFolder(glob)
  const folder = literalFolder(glob)
  const matcher = compilePathPattern(`/${glob}`, { cwd: '/', home: '/', sourceDir: '/', ignoreCase: true })
  const names = [...FOLDERS, ...FILES, ...PREFIXES.map((prefix) => `${prefix}x`)]
  // A shell's wildcard at the beginning of a name does not stand for a dot, and one alone means nothing in particular.
  const hidden = /\/\.[^/]*[*?[]/.test(glob)
  const bare = /\/\*+$/.test(glob)
  return names.find((name) => (name.startsWith('.') ? hidden : !bare) && matcher.test(`${folder}/${name}`))
}
