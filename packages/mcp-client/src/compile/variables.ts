import type { Located } from '@ext/kernel'
import { expandVariables } from '@ext/kernel/env'
import type { ServerEntry } from '../config/entry.js'
import { dotted, type Notes } from '../config/notes.js'
import { references } from '../config/references.js'

type Env = Readonly<Record<string, string | undefined>>

/** Words that editors put in; here they are names of variables like others. */
const OF_EDITORS: Readonly<Record<string, string>> = {
  workspaceFolder: 'Write a relative path; servers run in the project.',
  workspaceRoot: 'Write a relative path; servers run in the project.',
  userHome: 'Write `${HOME}`.',
}

/** What stands for the project, here and in editors. */
const OF_PROJECT = /^\$\{(?:CLAUDE_PROJECT_DIR|workspaceFolder|workspaceRoot)\}$/

const RELATIVE = 'Write a relative path, which starts at the project.'

const IN_URL = 'Write the value itself, or add `expandUrl: true`, and `${NAME}` works in `url` too.'

/**
 * Puts variables into the texts of one entry: `${NAME}`, in an `.mcp.json` also `${NAME:-default}`. What is put in is never
 * looked at again, and never shown.
 */
export class Variables {
  readonly #server: string
  readonly #env: Env
  readonly #fixed: Env
  readonly #notes: Notes
  readonly #undefined = new Set<string>()
  readonly #used = new Map<string, string>()
  /** Whether the file is read as Claude reads it. */
  readonly claude: boolean

  constructor(entry: Located<ServerEntry>, host: { readonly env: Env; readonly cwd: string }, notes: Notes) {
    this.#server = entry.value.name
    this.#notes = notes
    this.claude = entry.source.dialect === 'claude-mcp'
    this.#fixed = this.claude ? fixed(entry, host.cwd) : {}
    this.#env = this.claude ? { ...host.env, ...this.#fixed } : host.env
  }

  /** By name, what was put in. */
  get used(): ReadonlyMap<string, string> {
    return this.#used
  }

  /** Without these variables the server stays off. */
  require(names: readonly string[]): void {
    for (const [index, name] of names.entries()) {
      if (this.#valueOf(name) !== undefined || this.#undefined.has(name)) continue
      this.#undefined.add(name)
      const message = `\`${name}\` is required and not set, so \`${this.#server}\` stays off.`
      this.#notes.error('mcp.env.required', `/required/${index}`, message, `Set \`${name}\` before the start.`)
    }
  }

  /** A text in which variables are replaced. */
  fill(pointer: string, text: string): string {
    // Behind the last `}` there is none, and looking for one behind each `${` would take quadratic time.
    const behind = text.lastIndexOf('}') + 1
    const written = text.slice(0, behind)
    this.#warnOfLiterals(pointer, written.replace(references(this.claude), ' ') + text.slice(behind), true)
    const { text: filled, undefinedNames } = expandVariables(text, this.#env, { defaults: this.claude })
    for (const [, name = ''] of written.matchAll(references(this.claude))) {
      const value = this.#valueOf(name)
      if (value !== undefined && !Object.hasOwn(this.#fixed, name)) this.#used.set(name, value)
    }
    for (const name of undefinedNames) this.#warnOfUndefined(pointer, name)
    return filled
  }

  /** A text in which only the placeholders are replaced that Claude's files have. */
  fillFixed(pointer: string, text: string): string {
    const placeholders = /\$\{(CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR)\}/g
    const filled = text.replace(placeholders, (whole, name: string) => this.#fixed[name] ?? whole)
    this.keep(
      pointer,
      text.replace(placeholders, (whole, name: string) => (this.#fixed[name] === undefined ? whole : ' ')),
    )
    return filled
  }

  /** A text in which nothing is replaced. */
  keep(pointer: string, text: string): string {
    this.#warnOfLiterals(pointer, text, false)
    return text
  }

  #valueOf(name: string): string | undefined {
    return Object.hasOwn(this.#env, name) ? this.#env[name] : undefined
  }

  /** Looks at what is written, never at what is put in: values of variables may hold anything. */
  #warnOfLiterals(pointer: string, written: string, expands: boolean): void {
    // Behind the last `}` there is none, and looking for one behind each `${` would take quadratic time.
    const literal = /\$\{[^}]*\}/.exec(written.slice(0, written.lastIndexOf('}') + 1))?.[0]
    const bare = expands ? /^(?:\$([A-Za-z_]\w*)|%([A-Za-z_]\w*)%)$/.exec(written) : null
    if (literal === undefined && !bare) return
    const found = literal ?? written
    const message = `\`${found}\` in ${dotted(pointer)} is not expanded and is passed on as it is.`
    const hint =
      pointer === '/url' && !expands
        ? IN_URL
        : pointer === '/cwd' && OF_PROJECT.test(found)
          ? RELATIVE
          : this.#hint(found, bare?.[1] ?? bare?.[2], expands)
    this.#notes.warning('mcp.env.not-expanded', pointer, message, hint)
  }

  #hint(found: string, bare: string | undefined, expands: boolean): string {
    const name = bare ?? /^\$\{env:([A-Za-z_]\w*)\}$/.exec(found)?.[1]
    if (expands && name !== undefined) return `Write \`\${${name}}\`.`
    if (found.startsWith('${input:')) return 'Nobody is asked for it here; set a variable and write `${NAME}`.'
    const where = this.claude ? '`env`, `args`, `headers` and `url`' : 'values of `env` and `headers`'
    const forms = this.claude ? '`${NAME}` and `${NAME:-default}` work' : '`${NAME}` works'
    return `Write the value itself. ${forms} in ${where}.`
  }

  #warnOfUndefined(pointer: string, name: string): void {
    if (this.#undefined.has(name)) return
    this.#undefined.add(name)
    const message = `\`${name}\` is not set, so \`${this.#server}\` gets nothing in its place.`
    const hint = OF_EDITORS[name] ?? `Set \`${name}\` before the start.`
    this.#notes.warning('mcp.env.undefined', pointer, message, hint)
  }
}

/** What Claude puts in wherever the file is used. */
function fixed({ source }: Located<ServerEntry>, cwd: string): Env {
  const folder = source.layer === 'plugin' ? source.file?.replace(/[\\/][^\\/]*$/, '') : undefined
  return { CLAUDE_PROJECT_DIR: cwd, ...(folder === undefined ? {} : { CLAUDE_PLUGIN_ROOT: folder }) }
}
