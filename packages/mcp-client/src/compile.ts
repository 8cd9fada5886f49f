import { createReporter, type Diagnostic, joinPointer, type Located, type Outcome } from '@ext/kernel'
import { childEnv, expandAll } from '@ext/kernel/env'
import { diagnosticCodes } from './codes.js'
import type { CompiledServer, ServerEntry } from './types.js'

const report = createReporter(diagnosticCodes)

export interface CompileContext {
  /** Where relative commands and folders start. */
  readonly cwd: string
  /** The host's variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly connectMs: number
  readonly callMs: number
}

/** Says what an entry means: what is started, in which folder, with which variables. */
export function compile(entry: Located<ServerEntry>, context: CompileContext): Outcome<CompiledServer> {
  const { name, command = '', trust, connectMs, callMs } = entry.value

  const { filled, diagnostics } = fillIn(entry, context.env)
  const declared = Object.keys(entry.value.env).map((key) => [key, filled[joinPointer('/env', key)] ?? ''] as const)
  const { env } = childEnv({ host: context.env, platform: context.platform, declared: Object.fromEntries(declared) })
  const launch = {
    command: {
      // A bare name is looked up on PATH; anything else is a path.
      file: /[\\/]/.test(command) ? resolve(context.cwd, command) : command,
      args: entry.value.args.map((arg, index) => filled[`/args/${index}`] ?? arg),
    },
    cwd: resolve(context.cwd, entry.value.cwd ?? ''),
    env,
  }
  return {
    value: {
      name,
      trusted: trust,
      connectMs: connectMs ?? context.connectMs,
      callMs: callMs ?? context.callMs,
      launch: () => launch,
    },
    diagnostics,
  }
}

/** Puts variables where the dialect has them, and warns of what is undefined or looks like a variable and is none. */
function fillIn(
  entry: Located<ServerEntry>,
  env: CompileContext['env'],
): { readonly filled: Readonly<Record<string, string>>; readonly diagnostics: readonly Diagnostic[] } {
  const { name, command = '', cwd = '', args } = entry.value
  const defaults = entry.source.dialect === 'claude-mcp'
  const inEnv = Object.entries(entry.value.env).map(([key, value]) => [joinPointer('/env', key), value] as const)
  const inArgs = args.map((arg, index) => [`/args/${index}`, arg] as const)
  const expanded = defaults ? [...inEnv, ...inArgs] : inEnv
  const kept = [['/command', command] as const, ['/cwd', cwd] as const, ...(defaults ? [] : inArgs)]

  const diagnostics: Diagnostic[] = []
  const warn = (code: 'mcp.env.undefined' | 'mcp.env.not-expanded', pointer: string, message: string, hint: string) =>
    diagnostics.push(
      report.warning(code, entry.at(pointer), message, { entry: entry.id, pointer: entry.pointer + pointer, hint }),
    )
  // Looks at what is written, never at what is put in: values of variables may hold anything.
  const understood = defaults ? /^\$\{[A-Za-z_]\w*(:-[^}]*)?\}$/ : /^\$\{[A-Za-z_]\w*\}$/
  const warnOfLiterals = (pointer: string, text: string, isUnderstood: (reference: string) => boolean) => {
    // Behind the last `}` there is none, and looking for one behind each `${` would take quadratic time.
    const written = text.slice(0, text.lastIndexOf('}') + 1)
    const literal = written.match(/\$\{[^}]*\}/g)?.find((reference) => !isUnderstood(reference))
    if (literal === undefined) return
    const hint = defaults
      ? 'Write the value itself. ${NAME} and ${NAME:-default} work in `env` and `args`.'
      : 'Write the value itself. ${NAME} works in values of `env` only.'
    warn('mcp.env.not-expanded', pointer, `\`${literal}\` is not expanded here and is passed on as it is.`, hint)
  }
  for (const [pointer, text] of expanded) warnOfLiterals(pointer, text, (reference) => understood.test(reference))
  for (const [pointer, text] of kept) warnOfLiterals(pointer, text, () => false)

  const { values = {}, undefinedNames } = expandAll(Object.fromEntries(expanded), env, { defaults })
  for (const { name: variable, key } of undefinedNames) {
    const message = `\`${variable}\` is not set, so \`${name}\` gets nothing in its place.`
    warn('mcp.env.undefined', key, message, `Set \`${variable}\` before the start.`)
  }
  return { filled: values, diagnostics }
}

function resolve(base: string, path: string): string {
  if (path === '') return base
  return /^([\\/]|[A-Za-z]:[\\/])/.test(path) ? path : `${base}/${path}`
}
