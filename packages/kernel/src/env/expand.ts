/** A text with its variables filled in. */
export interface Expansion {
  readonly text: string
  /** Names that have no value; each once, in order. They stand for nothing in `text`. */
  readonly undefinedNames: readonly string[]
}

/**
 * Replaces `${NAME}` and nothing else; `$NAME` and `$(command)` are plain text. What is put in is never looked at
 * again, so a value can't smuggle in another variable: of `${${A}}` only the inner `${A}` is replaced.
 * @param options.defaults also read `${NAME:-default}`, as Claude-format files write it: the default stands for a
 *   variable that is undefined or empty, ends at the first `}`, and is plain text
 */
export function expandVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  options: { readonly defaults?: boolean } = {},
): Expansion {
  const undefinedNames = new Set<string>()
  const pattern = options.defaults ? /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g : /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
  // Behind the last `}` nothing can end, and each `${A:-` there would be followed to the end of the text.
  const end = text.lastIndexOf('}') + 1
  const expanded = text.slice(0, end).replace(pattern, (_whole, name: string, fallback: unknown) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (typeof fallback === 'string') return value || fallback
    if (value === undefined) undefinedNames.add(name)
    return value ?? ''
  })
  return { text: expanded + text.slice(end), undefinedNames: [...undefinedNames] }
}
