import { isSecretName, redact } from '@ext/kernel/env'

export interface AddOptions {
  readonly project: string
  readonly scope: 'user' | 'project' | 'local'
  readonly url?: string
  readonly type?: 'stdio' | 'http' | 'sse'
  readonly header: readonly string[]
  readonly env: readonly string[]
  readonly cwd?: string
  readonly trust?: boolean
  readonly force?: boolean
}

/** An entry as it is written into a file. */
export type WrittenEntry = Readonly<
  Record<string, string | boolean | readonly string[] | Readonly<Record<string, string>>>
>

/** What was asked for as an entry, or what is wrong with the asking. */
export function entryOf(
  command: readonly string[],
  { url, type, header, env, cwd, trust }: AddOptions,
): { readonly entry: WrittenEntry; readonly problem?: undefined } | { readonly problem: string } {
  if (url === undefined && command.length === 0) {
    return { problem: 'Say what to start, as in `ext mcp add NAME -- COMMAND ARGS…`, or what to reach with --url.' }
  }
  if (url !== undefined && command.length > 0) {
    return { problem: 'A server is started or reached: give a command or --url, not both.' }
  }
  if (url === undefined && header.length > 0) return { problem: '--header is for servers that are reached with --url.' }
  if (url !== undefined && (env.length > 0 || cwd !== undefined)) {
    return { problem: '--env and --cwd are for servers that are started, not for --url.' }
  }
  const headers = pairs(header, /^([^=:]+)(?:=|:\s*)(.*)$/s)
  const variables = pairs(env, /^([^=]+)=(.*)$/s)
  if (typeof headers === 'string') return { problem: `--header ${headers} is not of the form NAME=VALUE.` }
  if (typeof variables === 'string') return { problem: `--env ${variables} is not of the form NAME=VALUE.` }
  const [program, ...args] = command
  return {
    entry: {
      ...(type === undefined ? {} : { type }),
      ...(program === undefined ? {} : { command: program }),
      ...(args.length > 0 ? { args } : {}),
      ...(cwd === undefined ? {} : { cwd }),
      ...(url === undefined ? {} : { url }),
      ...(env.length > 0 ? { env: variables } : {}),
      ...(header.length > 0 ? { headers } : {}),
      ...(trust ? { trust } : {}),
    },
  }
}

/** The pairs, or the first text that is none. */
function pairs(texts: readonly string[], form: RegExp): Readonly<Record<string, string>> | string {
  const found: [string, string][] = []
  for (const text of texts) {
    const [, name, value] = form.exec(text) ?? []
    // What stands behind the name may be a secret.
    if (name === undefined || value === undefined) return text.replace(/[=:].*$/s, '…')
    found.push([name.trim(), value])
  }
  return Object.fromEntries(found)
}

/** What of an entry looks like a secret that would stand in the file as it is, with what to write instead. */
export function literalSecrets(entry: WrittenEntry): readonly string[] {
  const named = [
    ['--env', entry['env']],
    ['--header', entry['headers']],
  ] as const
  const found = named.flatMap(([option, values]) =>
    Object.entries(typeof values === 'object' && !Array.isArray(values) ? values : {}).flatMap(([name, value]) => {
      if (value.includes('${') || (!isSecretName(name) && redact(value) === value)) return []
      const variable = name.replace(/\W/g, '_').toUpperCase()
      const scheme = /^(?:Bearer|Basic|Token) /i.exec(value)?.[0] ?? ''
      return [
        `\`${name}\` looks like a secret. Set a variable and write ${option} '${name}=${scheme}\${${variable}}' instead.`,
      ]
    }),
  )
  const { args } = entry
  const words = Array.isArray(args) ? args : []
  const shown = JSON.parse(redact(words)) as unknown[]
  if (words.some((word, index) => word !== shown[index])) {
    found.push(
      'One of the arguments looks like a secret, and other programs can read them. Does the server take it from a variable, as in --env?',
    )
  }
  if (typeof entry['url'] === 'string' && redact(entry['url']) !== entry['url']) {
    found.push('The address looks like it holds a secret. Does the server take it from a header, as in --header?')
  }
  return found
}
