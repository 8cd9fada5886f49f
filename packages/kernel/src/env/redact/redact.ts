import { isSecretName, maskByName } from './by-name.js'
import { maskByValue } from './by-value.js'
import { maskKnown } from './known.js'
import { MASK } from './mask.js'

/**
 * Masks what looks like a secret in something that is logged: by name (`api_key`, `secret`, `token`, `password`,
 * `credential`, `auth`, `private_key`, `cookie` in any case and any place of a name) in `NAME=value`, `--name value`,
 * `name: value` and JSON; by value: passwords in URLs, keys with a known start, bearer and JSON web tokens, PEM blocks.
 *
 * It makes leaks rarer and is **no boundary**: a secret under another name, cut in two or encoded otherwise gets
 * through, and harmless text that looks like a secret is lost. Takes linear time; what is masked stays so when it is
 * masked again.
 * @param subject a text, or a value that becomes JSON with its secrets masked by field; never throws
 * @param options.secrets values to mask wherever they stand; those of less than four characters are not looked for
 */
export function redact(
  subject: string | readonly unknown[] | Readonly<Record<string, unknown>>,
  options: { readonly secrets?: readonly string[] } = {},
): string {
  const { secrets = [] } = options
  const maskText = (text: string) => maskByName(maskByValue(maskKnown(text, secrets)))
  if (typeof subject === 'string') return maskText(subject)
  try {
    const text = JSON.stringify(subject, function (this: unknown, key: string, value: unknown) {
      if (value === undefined || value === null) return value
      if (isSecretName(key) || (Array.isArray(this) && isNamedBefore(this, Number(key)))) return MASK
      if (typeof value === 'bigint') return String(value)
      return typeof value === 'string' ? maskText(value) : value
    })
    return maskKnown(text ?? MASK, secrets)
  } catch {
    // It refers to itself, is nested too deep, or has a `toJSON` that throws.
    return MASK
  }
}

/** Behind `--token` in a list of arguments, and in a header that is a pair of name and value. */
function isNamedBefore(list: readonly unknown[], index: number): boolean {
  const before = list[index - 1]
  if (typeof before !== 'string' || !isSecretName(before)) return false
  return /^--?[\w-]+$/.test(before) || (list.length === 2 && /^[\w-]+$/.test(before))
}
