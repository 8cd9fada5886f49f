import { DYNAMIC } from '../types.js'
import type { Arg } from '../word.js'
import type { OptionRole, ProgramRow, Special } from './types.js'

/** The words of a command, sorted by what the table says about them. */
export interface WordsRead {
  /** Of the program, or of the sub-command that was found. */
  readonly row: ProgramRow
  readonly program: ProgramRow
  /** Of the sub-command, or else of the program. */
  readonly special: Special | undefined
  /** The sub-command, word by word. */
  readonly sub: readonly string[]
  /** False for a sub-command that the table does not have. */
  readonly isListed: boolean
  /** Where the words behind the sub-command begin; 1 without one. */
  readonly bodyAt: number
  readonly options: readonly OptionRead[]
  readonly operands: readonly OperandRead[]
  /** Where the command that it runs begins. */
  readonly innerAt?: number
  /** The word that keeps it from being known where the sub-command or the inner command begins. */
  readonly vagueAt?: number
}

export interface OptionRead {
  /** As the table has it, under its main name; as typed if the table does not know it. */
  readonly name: string
  readonly role: OptionRole | undefined
  readonly at: number
  readonly value?: Arg
  /** The word that holds the value. */
  readonly valueAt?: number
}

export interface OperandRead {
  readonly arg: Arg
  readonly at: number
}

const VALUED: ReadonlySet<OptionRole> = new Set([
  'value',
  'text',
  'lead',
  'lead-read',
  'lead-code',
  'read',
  'write',
  'url',
  'into',
  'recipe',
  'upload',
  'cookies',
  'exec',
  'run',
  'code',
  'sql',
  'opaque',
  'plugin',
  'cwd',
  'place',
  'module',
  'env',
  'config',
])

/** Reads `args[1]` and what follows. */
export function readWords(program: ProgramRow, args: readonly Arg[]): WordsRead {
  const reader = new WordReader(program, args)
  return reader.read()
}

class WordReader {
  readonly #rows: ProgramRow[]
  readonly #args: readonly Arg[]
  readonly #options: OptionRead[] = []
  readonly #operands: OperandRead[] = []
  readonly #sub: string[] = []
  #bodyAt = 1
  #vagueAt: number | undefined
  /** An option has said that what follows is for something else. */
  #stopped = false
  #listed = true
  #restAt: number | undefined

  constructor(program: ProgramRow, args: readonly Arg[]) {
    this.#rows = [program]
    this.#args = args
  }

  read(): WordsRead {
    let onlyOperands = false
    let innerAt: number | undefined
    for (let at = 1; at < this.#args.length; at++) {
      const arg = this.#args[at]
      if (!arg) break
      const row = this.#row
      if (!onlyOperands && arg.text === '--') {
        onlyOperands = true
        continue
      }
      // A lone dash is an operand, but for `su -` and `env -`.
      const isOption =
        arg.text.length > 1 ? arg.text.startsWith('-') : arg.text === '-' && row.options?.['-'] !== undefined
      if (!onlyOperands && isOption) {
        at = this.#option(arg, at)
        if (this.#restAt !== undefined) {
          innerAt = this.#restAt
          break
        }
        onlyOperands = this.#stopped
        continue
      }
      const waits = row.commands !== undefined || row.runs === 'command' || row.runs === 'shell'
      if (waits && (arg.split || arg.open || arg.glob)) this.#vagueAt ??= at
      if (row.commands && this.#enter(arg.text, at)) {
        onlyOperands = false
        continue
      }
      if (row.assigns && /^[A-Za-z_]\w*=/.test(arg.text)) {
        this.#options.push({ name: 'NAME=value', role: 'env', at, value: arg, valueAt: at })
        continue
      }
      if ((row.runs === 'command' || row.runs === 'shell') && this.#operands.length >= this.#lead(row)) {
        innerAt = at
        break
      }
      this.#operands.push({ arg, at })
      if (row.stops) onlyOperands = true
    }
    // An unlisted option matters only in front of something.
    const last = this.#args.length - 1
    if (this.#vagueAt === last && this.#args[last]?.text.startsWith('-')) this.#vagueAt = undefined
    return {
      row: this.#row,
      program: this.#rows[0] ?? {},
      special: this.#row.special ?? this.#rows[0]?.special,
      sub: this.#sub,
      isListed: this.#listed,
      bodyAt: this.#bodyAt,
      options: this.#options,
      operands: this.#operands,
      ...(innerAt === undefined ? {} : { innerAt }),
      ...(this.#vagueAt === undefined ? {} : { vagueAt: this.#vagueAt }),
    }
  }

  /** An option can take the place of the leading operands. */
  #lead({ lead = 0 }: ProgramRow): number {
    return lead > 0 && this.#options.some(({ role }) => role?.startsWith('lead')) ? 0 : lead
  }

  get #row(): ProgramRow {
    return this.#rows[this.#rows.length - 1] ?? {}
  }

  /** Goes into the sub-command, if the word names one. */
  #enter(text: string, at: number): boolean {
    const next = this.#row.commands
    const named = next && Object.hasOwn(next, text) ? next[text] : undefined
    const found = named?.as === undefined ? named : next?.[named.as]
    // An unlisted word where a sub-command stands: it is one all the same, of which nothing is known.
    if (!found && this.#operands.length > 0) return false
    if (!found) this.#listed = false
    this.#rows.push(found ?? { operands: 'mention' })
    this.#sub.push(text)
    this.#bodyAt = at + 1
    return true
  }

  #option(arg: Arg, at: number): number {
    const { text } = arg
    const single = this.#rows[0]?.dashes === 'single'
    if (text.startsWith('--') || single) {
      const equals = text.indexOf('=')
      const typed = equals === -1 ? text : text.slice(0, equals)
      const { name, role } = this.#long(typed, single)
      if (equals !== -1) return this.#add({ name, role, at, value: cut(arg, equals + 1), valueAt: at })
      if (role !== undefined && VALUED.has(role)) return this.#valued(name, role, at)
      if (role === undefined) this.#unlisted(at)
      return this.#add({ name, role, at })
    }
    if (text === '-') return this.#add({ name: '-', role: 'flag', at })
    // Some programs have long options with one dash among clusters of short ones.
    const equalsAt = text.indexOf('=')
    const whole = this.#exact(equalsAt === -1 ? text : text.slice(0, equalsAt))
    if (whole && (equalsAt === -1 ? text.length : equalsAt) > 2) {
      if (equalsAt !== -1) return this.#add({ ...whole, at, value: cut(arg, equalsAt + 1), valueAt: at })
      if (VALUED.has(whole.role)) return this.#valued(whole.name, whole.role, at)
      return this.#add({ name: whole.name, role: whole.role, at })
    }
    for (let place = 1; place < text.length; place++) {
      const char = text[place] ?? ''
      const found = this.#exact(`-${char}`)
      const rest = place + 1 < text.length ? cut(arg, place + 1) : undefined
      if (!found) {
        if (char === DYNAMIC) this.#vagueAt ??= at
        else if (!/\d/.test(char)) this.#unlisted(at)
        this.#add({ name: `-${char}`, role: undefined, at })
        continue
      }
      const { name, role } = found
      if (VALUED.has(role)) {
        if (rest) return this.#add({ name, role, at, value: rest, valueAt: at })
        return this.#valued(name, role, at)
      }
      if (rest && (role === 'optional' || role === 'rewrites' || role === 'saves'))
        return this.#add({ name, role, at, value: rest, valueAt: at })
      this.#add({ name, role, at })
    }
    return at
  }

  /** Before a sub-command, an unlisted option may take the word that looks like it. */
  #unlisted(at: number): void {
    const { commands, runs } = this.#row
    if (/^--?(?:help|version|[hV])$/.test(this.#args[at]?.text ?? '')) return
    if (commands || runs === 'command' || runs === 'shell') this.#vagueAt ??= at
  }

  #valued(name: string, role: OptionRole, at: number): number {
    const value = this.#args[at + 1]
    this.#add({ name, role, at, ...(value ? { value, valueAt: at + 1 } : {}) })
    return at + 1
  }

  #add(option: OptionRead): number {
    this.#options.push(option)
    if (option.role === 'module') this.#stopped = true
    if (option.role === 'rest') this.#restAt = option.at + 1
    return option.at
  }

  #exact(key: string): { readonly name: string; readonly role: OptionRole } | undefined {
    for (let level = this.#rows.length - 1; level >= 0; level--) {
      const options = this.#rows[level]?.options
      const role = options && Object.hasOwn(options, key) ? options[key] : undefined
      if (role === undefined) continue
      if (!role.startsWith('=')) return { name: key, role: role as OptionRole }
      return this.#exact(role.slice(1))
    }
    return undefined
  }

  /** A long option under its full name, also when it is abbreviated. */
  #long(typed: string, single: boolean): { readonly name: string; readonly role: OptionRole | undefined } {
    const keys = single ? [typed, typed.replace(/^--/, '-'), typed.replace(/^-(?=[^-])/, '--')] : [typed]
    for (const key of keys) {
      const found = this.#exact(key)
      if (found) return found
    }
    if (!this.#rows[0]?.exact && !single && typed.length > 2) {
      let best: { readonly name: string; readonly role: OptionRole } | undefined
      let length = 0
      for (const { options = {} } of this.#rows) {
        for (const key of Object.keys(options)) {
          if (!key.startsWith(typed) || !key.startsWith('--')) continue
          const found = this.#exact(key)
          // Where it could be several, it is taken for one that matters, or else for the shortest.
          const better =
            !best || (HARMLESS.has(best.role) && (!HARMLESS.has(found?.role ?? 'flag') || key.length < length))
          if (found && better) {
            best = found
            length = key.length
          }
        }
      }
      if (best) return best
    }
    return { name: typed, role: undefined }
  }
}

const HARMLESS: ReadonlySet<OptionRole> = new Set(['flag', 'neutral', 'value', 'optional'])

function cut(arg: Arg, from: number): Arg {
  const text = arg.text.slice(from)
  return { ...arg, text, open: false }
}
