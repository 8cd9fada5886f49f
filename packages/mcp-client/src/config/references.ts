import type { HttpEntry, StdioEntry } from './entry.js'

/** What Claude puts in wherever a file is used; no variables of the host. */
const FIXED: readonly string[] = ['CLAUDE_PLUGIN_ROOT', 'CLAUDE_PROJECT_DIR']

/** A new expression each time, since it remembers where it was. */
export function references(claude: boolean): RegExp {
  return claude ? /\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/g : /\$\{([A-Za-z_]\w*)\}/g
}

/** The names of the host's variables that are put into an entry; each once, sorted. */
export function variablesOf(transport: StdioEntry | HttpEntry, claude: boolean): readonly string[] {
  const texts =
    transport.kind === 'stdio'
      ? [...Object.values(transport.env), ...(claude ? transport.args : [])]
      : [...Object.values(transport.headers), ...(claude || transport.expandUrl ? [transport.url] : [])]
  const names = texts.flatMap((text) =>
    // Behind the last `}` there is none, and looking for one behind each `${` would take quadratic time.
    [...text.slice(0, text.lastIndexOf('}') + 1).matchAll(references(claude))].map(([, name = '']) => name),
  )
  return [...new Set(names)].filter((name) => !claude || !FIXED.includes(name)).sort()
}
