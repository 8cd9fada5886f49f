import { analyzeShell, DYNAMIC, type ShellAnalysis, type ShellContext, type ShellUnit } from '../../shell/index.js'
import { commandKeys } from '../keys.js'
import { flattenWords, joinWords } from './pattern.js'

/** A command line, read once in both directions. */
export interface CommandReading {
  readonly analysis: ShellAnalysis
  /** In the order of `analysis.units`. */
  readonly units: readonly UnitReading[]
  /** Which programs run is only known once the line runs: `$TOOL push`, `{git,push}`, `sh -c "$LINE"`. */
  readonly opaque: boolean
}

/** One command of a line, as rules see it. What no rule asks for is not made. */
export class UnitReading {
  readonly unit: ShellUnit
  readonly #ignoreCase: boolean
  readonly #withEnv: readonly string[] | undefined
  #narrow: readonly string[] | undefined
  #narrowKeys: readonly string[] | undefined
  #wide: readonly string[] | undefined
  #wideKeys: readonly string[] | undefined

  /** @param ignoreCase the wide forms are in lower case, for file systems on which `RM` is `rm` */
  constructor(unit: ShellUnit, ignoreCase: boolean) {
    this.unit = unit
    this.#ignoreCase = ignoreCase
    const { env, argv } = unit
    if (env.length > 0 && env.every(({ value }) => value !== undefined)) {
      this.#withEnv = [...env.map(({ name, value }) => `${name}=${value}`), ...argv]
    }
  }

  /**
   * What allow rules may speak about: the command itself, what does the very same, and last the command with what is
   * assigned for it, where something is.
   */
  get narrow(): readonly string[] {
    this.#narrow ??= this.#forms([]).map(joinWords)
    return this.#narrow
  }

  /** How many words of the last of `narrow` are assignments. */
  get assignments(): number {
    return this.#withEnv ? this.unit.env.length : 0
  }

  /** What deny and ask rules see: everything that it may be. */
  get wide(): readonly string[] {
    this.#wide ??= this.#forms(this.unit.readings).map((words) => this.#flat(words))
    return this.#wide
  }

  /** What it may run in turn. */
  get suspects(): readonly string[] {
    return this.unit.suspects.map((words) => this.#flat(words))
  }

  /** For each of `wide` that is not all known: what stands before the first unknown part. */
  get open(): readonly string[] {
    if (!this.unit.argv.some((word) => word.includes(DYNAMIC))) return NOTHING
    return this.wide.flatMap((text) => (text.includes(DYNAMIC) ? [text.slice(0, text.indexOf(DYNAMIC))] : []))
  }

  /** Of `narrow`, for finding rules. */
  get narrowKeys(): readonly string[] {
    this.#narrowKeys ??= keysOf(this.#forms([]), joinWords)
    return this.#narrowKeys
  }

  /** Of `wide`, for finding rules. */
  get wideKeys(): readonly string[] {
    this.#wideKeys ??= keysOf(this.#forms(this.unit.readings), (words) => this.#flat(words))
    return this.#wideKeys
  }

  #forms(others: ShellUnit['readings']): ShellUnit['readings'] {
    const { argv, same } = this.unit
    return [argv, ...same, ...others, ...(this.#withEnv ? [this.#withEnv] : [])]
  }

  #flat(words: readonly string[]): string {
    return this.#ignoreCase ? flattenWords(words).toLowerCase() : flattenWords(words)
  }
}

const NOTHING: readonly string[] = []

/** @param join puts the words together; only the first two of them, for an index knows no more */
function keysOf(forms: ShellUnit['readings'], join: (words: readonly string[]) => string): readonly string[] {
  const keys = new Set<string>()
  let last: readonly string[] = []
  for (const words of forms) {
    // Most forms of a command begin with the same words.
    const plain = isSeen(words[0]) && isSeen(words[1])
    if (plain && words[0] === last[0] && words[1] === last[1]) continue
    last = words
    for (const key of commandKeys(join(plain ? words.slice(0, 2) : words))) keys.add(key)
  }
  return [...keys]
}

/** A word of blanks alone is none, once the words stand in one text. */
function isSeen(word: string | undefined): boolean {
  return word === undefined || word.trim() !== ''
}

/** These leave open what is run; the others only what it is run with. */
const OPAQUE: ReadonlySet<string> = new Set([
  'language',
  'syntax',
  'characters',
  'limit',
  'program',
  'code',
  'redefined',
])

/** Never throws. */
export function readCommand(command: string, context: ShellContext): CommandReading {
  const analysis = analyzeShell(command, context)
  const ignoreCase = context.platform === 'darwin' || context.platform === 'win32'
  return {
    analysis,
    units: analysis.units.map((unit) => new UnitReading(unit, ignoreCase)),
    opaque: analysis.unknowns.some(({ code }) => OPAQUE.has(code)),
  }
}
