import type { HookEntry } from './entry.js'

/** The folders that the command of a hook can name, by their variables. */
export function folderVariables(
  { dialect, owner }: Pick<HookEntry, 'dialect' | 'owner'>,
  root: string,
): Readonly<Record<string, string>> {
  return {
    HOOK_PROJECT_DIR: root,
    ...(dialect === 'claude-settings' ? { CLAUDE_PROJECT_DIR: root } : {}),
    ...(owner?.kind === 'plugin' ? { CLAUDE_PLUGIN_ROOT: owner.root } : {}),
    ...(owner?.kind === 'plugin' && owner.data !== undefined ? { CLAUDE_PLUGIN_DATA: owner.data } : {}),
  }
}
