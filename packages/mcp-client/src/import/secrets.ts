import { isSecretName, redact } from '@ext/kernel/env'
import { variableName } from './variables.js'

/** Texts without the secrets that stood in them. */
export interface Hidden {
  readonly texts: Readonly<Record<string, string>>
  /** What has to be set now, in a sentence each. */
  readonly notes: readonly string[]
}

/**
 * Puts a variable in the place of what looks like a secret: the file that is written may be committed. Rather too often than
 * not: whoever reads the note can write the value back.
 * @param server of which the values are
 * @param options.prefixed names of the variables start with that of the server, since the same header stands in many
 * @param options.taken what variables stand for already; two secrets never share one
 */
export function hideSecrets(
  texts: Readonly<Record<string, string>>,
  server: string,
  { prefixed, taken }: { readonly prefixed: boolean; readonly taken: Map<string, string> },
): Hidden {
  const notes: string[] = []
  const hidden = Object.entries(texts).map(([name, value]): [string, string] => {
    if (!isSecret(name, value)) return [name, value]
    const scheme = /^(?:Bearer|Basic|Token) /i.exec(value)?.[0] ?? ''
    const short = prefixed ? variableName(server, name) : variableName(name)
    const variable = (taken.get(short) ?? value) === value ? short : variableName(server, name)
    taken.set(variable, value)
    notes.push(`\`${name}\` looks like a secret and is not copied: set \`${variable}\` to what stands there.`)
    return [name, `${scheme}\${${variable}}`]
  })
  return { texts: Object.fromEntries(hidden), notes }
}

function isSecret(name: string, value: string): boolean {
  // What is left beside variables.
  const literal = value.replace(/\$\{\w+\}/g, '').trim()
  if (literal === '' || /^(?:Bearer|Basic|Token)$/i.test(literal) || /^(?:true|false|\d{1,6})$/i.test(literal))
    return false
  if (redact(literal) !== literal) return true
  return isSecretName(name) && !value.includes('${')
}

/** Whether a secret stands in texts that have no place for a variable. */
export function holdsSecret(texts: readonly string[]): boolean {
  return redact(texts) !== JSON.stringify(texts)
}
