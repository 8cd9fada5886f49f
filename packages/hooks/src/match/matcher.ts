import { compileRegex, MATCH_ALL, type Matcher, matchNames } from '@ext/kernel/match'

/** What a matcher is, by its form alone. */
export type MatcherForm =
  | { readonly kind: 'all' }
  | { readonly kind: 'names'; readonly names: readonly string[]; readonly emptyBranch: boolean }
  | { readonly kind: 'regex'; readonly pattern: string; readonly emptyBranch: boolean }

/** Tools that other products have renamed; files still use the former name. */
export const RENAMED: Readonly<Record<string, string>> = { Task: 'Agent', MultiEdit: 'Edit' }

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
