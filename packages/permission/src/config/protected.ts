import type { ValueSource } from '@ext/kernel'

/**
 * Files that decide what programs run or what an agent may do. Editing one is always asked, unless a deny rule says no:
 * no allow rule, mode or hook turns that question into a yes. The list is that of Claude Code's documentation on
 * protected paths, and our own folders.
 */
const FOLDERS = [
  '.git',
  '.config/git',
  '.vscode',
  '.idea',
  '.husky',
  '.cargo',
  '.devcontainer',
  '.yarn',
  '.mvn',
  '.claude',
  '.ext',
  '.ssh',
]

const FILES = [
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
  '.yarnrc*',
  '.pnp*',
  'bunfig.toml',
  '.bazelrc*',
  '.pre-commit-config.yaml',
  'lefthook.*',
  '.ripgreprc',
  '.mcp.json',
  '.claude.json',
  '.envrc',
]

export const PROTECTED_PATHS: ValueSource = {
  kind: 'value',
  layer: 'built-in',
  dialect: 'ext',
  name: 'protected paths',
  value: {
    permissions: {
      ask: [...FOLDERS.map((name) => `Edit(//**/${name}/**)`), ...FILES.map((name) => `Edit(//**/${name})`)],
    },
  },
}
