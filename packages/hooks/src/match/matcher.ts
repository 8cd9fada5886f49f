import { compileRegex, MATCH_ALL, type Matcher, matchNames } from '@ext/kernel/match'

/** What a matcher is, by its form alone. */
export type MatcherForm =
  | { readonly kind: 'all' }
  | { readonly kind: 'names'; readonly names: readonly string[]; readonly emptyBranch: boolean }
  | { readonly kind: 'regex'; readonly pattern: string; readonly emptyBranch: boolean }

/** Tools that other products have renamed; files still use the former name. */
export const RENAMED: Readonly<Record<string, string>> = { Task: 'Agent', MultiEdit: 'Edit' }

/** What other products call the well-known tools. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  Bash: ['bash', 'shell', 'run_shell_command', 'run_terminal_cmd', 'execute_command', 'exec_command', 'run_command'],
  Read: ['read', 'read_file', 'view', 'view_file', 'read_many_files'],
  Edit: [
    'edit',
    'edit_file',
    'replace',
    'str_replace',
    'search_replace',
    'apply_patch',
    'apply_diff',
    'replace_in_file',
  ],
  Write: ['write', 'write_file', 'create_file', 'write_to_file'],
  Glob: ['glob', 'find_files', 'file_search', 'list_files'],
  Grep: ['grep', 'grep_search', 'search_file_content', 'search_files', 'ripgrep'],
  WebFetch: ['web_fetch', 'webfetch', 'fetch'],
  WebSearch: ['web_search', 'websearch', 'google_web_search'],
  Agent: ['agent', 'task', 'Task', 'subagent', 'spawn_agent'],
}

/** The other names of the tool that a name means: `Edit` for `edit_file`, and `edit_file` for `Edit`. */
export function otherNames(name: string): readonly string[] {
  const family = Object.entries(OTHER_NAMES).find(([known, others]) => known === name || others.includes(name))
  return family ? [family[0], ...family[1]].filter((other) => other !== name) : []
}

export function parseMatcher(text: string | undefined): MatcherForm {
  if (text === undefined || text === '' || text === '*') return { kind: 'all' }
  if (/^[A-Za-z0-9_\-|, ]+$/.test(text)) {
    const parts = text.split(/[|,]/).map((part) => part.trim())
    const names = parts.filter((part) => part !== '')
    return { kind: 'names', names, emptyBranch: names.length < parts.length }
  }
  const pattern = text.length > 2 && text.startsWith('/') && text.endsWith('/') ? text.slice(1, -1) : text
  return { kind: 'regex', pattern, emptyBranch: hasEmptyBranch(pattern) }
}

/**
 * Says whether a hook listens to a subject: the name of a tool, a model, a kind of agent, the source of a session.
 * @param options.anchored a regular expression has to match the whole subject
 * @param options.likeness the well-known name of a host's tool, under which it is matched too; absent: no tools
 */
export function compileMatcher(
  text: string,
  form: MatcherForm,
  options: { readonly anchored: boolean; likeness?(subject: string): string | undefined },
):
  | { readonly matcher: Matcher; readonly problem?: undefined }
  | { readonly matcher?: undefined; readonly problem: string } {
  if (form.kind === 'all') return { matcher: MATCH_ALL }
  const { likeness } = options
  const compiled =
    form.kind === 'names'
      ? { matcher: matchNames(likeness ? form.names.flatMap((name) => [name, RENAMED[name] ?? name]) : form.names) }
      : compileRegex(form.pattern, options)
  if (!compiled.matcher) return compiled
  const { test } = compiled.matcher
  if (!likeness) return { matcher: { ...compiled.matcher, text } }
  return {
    matcher: {
      ...compiled.matcher,
      text,
      test(subject) {
        if (test(subject)) return true
        const like = likeness(subject)
        return like !== undefined && test(like)
      },
    },
  }
}

function hasEmptyBranch(pattern: string): boolean {
  const bare = pattern
    .replaceAll(/\\./g, 'x')
    .replaceAll(/\[[^\]]*\]/g, 'x')
    .replaceAll(/\(\?[^:)]*:/g, '(')
  return /(?:^|[(|])\||\|(?:$|\))/.test(bare)
}
