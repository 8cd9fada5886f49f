import { createReporter, type Diagnostic, joinPointer, type Located, type Outcome } from '@ext/kernel'
import { expandVariables, minimalEnv } from '@ext/kernel/env'
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

  const variables = new Variables(entry, context.env)
  const claude = entry.source.dialect === 'claude-mcp'
  const env = minimalEnv(context.env, context.platform)
  for (const [key, value] of Object.entries(entry.value.env)) {
    env[key] = variables.expand(value, joinPointer('/env', key))
  }
  const file = variables.keep(command, '/command')
  const folder = variables.keep(entry.value.cwd ?? '', '/cwd')
  const args = entry.value.args.map((arg, index) =>
    claude ? variables.expand(arg, `/args/${index}`) : variables.keep(arg, `/args/${index}`),
  )
  const launch = {
    // A bare name is looked up on PATH; anything else is a path.
    command: { file: /[\\/]/.test(file) ? resolve(context.cwd, file) : file, args },
    cwd: resolve(context.cwd, folder),
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
    diagnostics: variables.diagnostics,
  }
}

/** The variables of one entry: each field says whether they are expanded, and what is wrong is said once. */
class Variables {
  readonly diagnostics: Diagnostic[] = []
  readonly #entry: Located<ServerEntry>
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #defaults: boolean
  readonly #undefined = new Set<string>()

  constructor(entry: Located<ServerEntry>, env: Readonly<Record<string, string | undefined>>) {
    this.#entry = entry
    this.#env = env
    this.#defaults = entry.source.dialect === 'claude-mcp'
  }

  expand(text: string, pointer: string): string {
    const understood = this.#defaults ? /^\$\{[A-Za-z_]\w*(:-[^}]*)?\}$/ : /^\$\{[A-Za-z_]\w*\}$/
    this.#warnOfLiterals(text, pointer, (reference) => understood.test(reference))
    const expansion = expandVariables(text, this.#env, { defaults: this.#defaults })
    for (const name of expansion.undefinedNames) this.#warnOfUndefined(name, pointer)
    return expansion.text
  }

  keep(text: string, pointer: string): string {
    this.#warnOfLiterals(text, pointer, () => false)
    return text
  }

  /** Looks at what is written, never at what was put in: values of variables may hold anything. */
  #warnOfLiterals(text: string, pointer: string, understood: (reference: string) => boolean): void {
    const literal = text.match(/\$\{[^}]*\}/g)?.find((reference) => !understood(reference))
    if (literal === undefined) return
    const message = `\`${literal}\` is not expanded here and is passed on as it is.`
    const hint = this.#defaults
      ? 'Write the value itself. ${NAME} and ${NAME:-default} work in `env` and `args`.'
      : 'Write the value itself. ${NAME} works in values of `env` only.'
    this.#warn('mcp.env.not-expanded', pointer, message, hint)
  }

  #warnOfUndefined(name: string, pointer: string): void {
    if (this.#undefined.has(name)) return
    this.#undefined.add(name)
    const message = `\`${name}\` is not set, so \`${this.#entry.value.name}\` gets nothing in its place.`
    this.#warn('mcp.env.undefined', pointer, message, `Set \`${name}\` before the start.`)
  }

  #warn(code: 'mcp.env.undefined' | 'mcp.env.not-expanded', pointer: string, message: string, hint: string): void {
    const { id, pointer: base } = this.#entry
    this.diagnostics.push(
      report.warning(code, this.#entry.at(pointer), message, { entry: id, pointer: base + pointer, hint }),
    )
  }
}

function resolve(base: string, path: string): string {
  if (path === '') return base
  return /^([\\/]|[A-Za-z]:[\\/])/.test(path) ? path : `${base}/${path}`
}
