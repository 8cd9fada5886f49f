import type { CompiledRule, Specifier } from './compile.js'
import { foldPath } from './path.js'

/**
 * Keys by which an index finds the rules that may speak about something: a rule is looked at only if one of its keys is
 * among those of the call. A rule with `undefined` is always looked at.
 */
export function keysOfRule({ specifiers, problem }: CompiledRule): readonly string[] | undefined {
  if (problem || specifiers.length === 0) return undefined
  const keys = specifiers.map(keyOf)
  return keys.every((key) => key !== undefined) ? keys : undefined
}

function keyOf(specifier: Specifier): string | undefined {
  switch (specifier.kind) {
    case 'command':
      return specifier.pattern.lead === undefined ? undefined : `c:${specifier.pattern.lead}`
    case 'path':
      return specifier.key.kind === 'any'
        ? undefined
        : specifier.key.kind === 'at'
          ? `p:${specifier.key.path}`
          : `n:${specifier.key.name}`
    case 'domain':
      return specifier.host === undefined ? undefined : `d:${specifier.host}`
    case 'target':
    case 'params':
    case 'regex':
      return undefined
  }
}

/** @param text words with one blank between them */
export function commandKeys(text: string): readonly string[] {
  const first = text.indexOf(' ')
  if (first === -1) return [`c:${text}`]
  const second = text.indexOf(' ', first + 1)
  return [`c:${text.slice(0, first)}`, `c:${second === -1 ? text : text.slice(0, second)}`]
}

/** @param path absolute and normalised */
export function pathKeys(path: string): readonly string[] {
  const folded = foldPath(path)
  const keys: string[] = []
  let start = 0
  while (start !== -1) {
    const next = folded.indexOf('/', start + 1)
    const end = next === -1 ? folded.length : next
    keys.push(`p:${folded.slice(0, end)}`, `n:${folded.slice(start + 1, end)}`)
    start = next
  }
  return keys
}

export function domainKeys(hosts: readonly string[]): readonly string[] {
  return hosts.map((host) => `d:${host}`)
}
