import { isSecretName, minimalEnv } from '@ext/kernel/env'
import type { Command } from '@ext/kernel/types'
import type { Endpoint } from '../compiled.js'
import type { CompileContext } from './compile.js'

/**
 * Values that must not be shown: what was put in for variables, other than those that every child gets, and what stands
 * under a secret's name.
 */
export function secretsOf(
  endpoint: Endpoint,
  used: ReadonlyMap<string, string>,
  { env, platform }: CompileContext,
): readonly string[] {
  const everyones = minimalEnv(env, platform)
  const found = [...used].flatMap(([name, value]) =>
    Object.hasOwn(everyones, name) && !isSecretName(name) ? [] : [value],
  )
  if (endpoint.kind === 'stdio') found.push(...named(endpoint.env), ...ofArguments(endpoint.command))
  else found.push(...named(endpoint.headers), ...ofUrl(endpoint.url))
  return [...new Set(found)].filter((value) => value !== '')
}

function named(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (!isSecretName(name)) return []
    // Of `Bearer TOKEN`, the token alone is a secret too.
    const behindScheme = /^[\w-]+ +(\S+)$/.exec(value)?.[1]
    return behindScheme === undefined ? [value] : [value, behindScheme]
  })
}

/** `--token=SECRET` and `--token SECRET`. */
function ofArguments(command: Command): readonly string[] {
  const args = 'args' in command ? command.args : []
  return args.flatMap((arg, index) => {
    const [, name = '', value] = /^-{0,2}([\w-]+)(?:=(.*))?$/s.exec(arg) ?? []
    if (!isSecretName(name)) return []
    if (value !== undefined) return [value]
    const next = args[index + 1]
    return arg.startsWith('-') && next !== undefined && !next.startsWith('-') ? [next] : []
  })
}

function ofUrl(text: string): readonly string[] {
  return [...new URL(text).searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
}
