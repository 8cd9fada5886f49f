import type { Behavior, PermissionMode } from '@ext/kernel/contract'

/** What goes into the native file. */
export interface Carried {
  mode?: PermissionMode
  /** No session may be in the mode `bypassPermissions`. */
  noBypass?: true
  readonly rules: Readonly<Record<Behavior, string[]>>
  readonly directories: string[]
}

/**
 * `/path` starts at the folder of the file that it is written in, which for a file in `.claude` of a project is the
 * project, as it is for one in `.ext`. Everywhere else the folder has to be spelled out.
 */
export function moveAnchor(text: string, { folder, home }: { readonly folder: string; readonly home: string }): string {
  const [, head = '', rest = ''] =
    /^(\s*(?:Read|Edit|Write|MultiEdit|NotebookEdit|NotebookRead|Glob|Grep|LS)\(\s*)(\/(?!\/).*)$/s.exec(text) ?? []
  if (rest === '' || (folder.endsWith('/.claude') && folder !== `${home}/.claude`)) return text
  const anchor =
    folder === home || folder.startsWith(`${home}/`)
      ? `~${escapePattern(folder.slice(home.length))}`
      : `/${escapePattern(folder)}`
  return head + anchor + rest
}

/** The characters of a path that mean something in a pattern. */
function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&')
}

/** A text in JSON quotes is one in YAML as well. */
export function toYaml({ mode, noBypass, rules, directories }: Carried, file: string): string {
  const list = (key: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`  ${key}:`, ...items.map((item) => `    - ${JSON.stringify(item)}`)]
  return [
    `# From ${file.replace(/[\0-\x1f\x7f]/g, '?')}`,
    'permissions:',
    ...(mode === undefined ? [] : [`  mode: ${mode}`]),
    ...(noBypass ? ['  disableBypassPermissionsMode: disable'] : []),
    ...list('allow', rules.allow),
    ...list('ask', rules.ask),
    ...list('deny', rules.deny),
    ...list('additionalDirectories', directories),
    '',
  ].join('\n')
}
