/** A script in a script in a script is as deep as people go. */
const MAX_DEPTH = 3

/** Variables that a script builds of each other could grow without end; paths are shorter. UTF-16 units. */
const MAX_VALUE = 1024

/** Folders that one script goes to. */
const MAX_FOLDERS = 32

/** Text that a shell would read again. */
export const LOOKS_LIKE_SCRIPT: RegExp = /[\s;&|()<>$'"]/

/** What can't be known of a word: the rest may start anywhere. */
const UNKNOWN = '\u0000'

const NAME = /^\$(?:\{([A-Za-z_]\w*)(?::?[-=]([^}]*))?[^}]*\}|([A-Za-z_]\w*)|\{[^}]*\}|[^'"])/

/**
 * The words of a shell script that may name files it runs. Better one too many than one too few: a word counts wherever
 * it stands, but as the target of `>`. Variables are put in where they are known; where one is not, or a command says
 * the folder (`"$(git rev-parse --show-toplevel)"/check.sh`), the rest is looked for as if that were the working folder.
 */
export function shellWords(script: string, variables: Readonly<Record<string, string>>): readonly string[] {
  const reader = new WordReader({ ...variables })
  reader.read(script, 0)
  const relative = [...reader.words].filter((word) => !/^(\/|[A-Za-z]:)/.test(word))
  const moved = [...reader.folders].flatMap((folder) => relative.map((word) => `${folder}/${word}`))
  return [...new Set([...reader.words, ...moved])]
}

class WordReader {
  readonly words = new Set<string>()
  /** Where the script goes before it runs what comes next. */
  readonly folders = new Set<string>()
  readonly #variables: Record<string, string>

  constructor(variables: Record<string, string>) {
    this.#variables = variables
  }

  read(script: string, depth: number): void {
    /** One level per `$(`; quotes inside are of their own. */
    const levels: ('none' | 'double' | 'single')[] = ['none']
    let word = ''
    let isTarget = false
    let previous = ''
    const end = () => {
      if (word === '') return
      if (!isTarget) this.#take(word, previous, depth)
      if (!word.startsWith('-')) previous = word
      isTarget = false
      word = ''
    }
    for (let at = 0; at < script.length; at++) {
      const char = script[at] ?? ''
      const level = levels.at(-1)
      const toggle = (quote: 'double' | 'single') => {
        levels[levels.length - 1] = level === quote ? 'none' : quote
      }
      if (level === 'single') {
        if (char === "'") toggle('single')
        else word += char
      } else if (char === '\\') {
        at++
        if (script[at] !== '\n') word += script[at] ?? ''
      } else if (char === '"') toggle('double')
      else if (char === "'" && level === 'none') toggle('single')
      else if (script.startsWith('$(', at) || char === '`') {
        end()
        isTarget = false
        if (char === '$') {
          levels.push('none')
          at++
        } else word = UNKNOWN
      } else if (char === ')' && levels.length > 1 && level === 'none') {
        end()
        levels.pop()
        word = UNKNOWN
      } else if (char === '$') {
        const [text, braced, fallback, plain] = NAME.exec(script.slice(at, at + 256)) ?? ['$']
        const value = this.#variables[braced ?? plain ?? ''] ?? fallback ?? UNKNOWN
        word += word.length > 4 * MAX_VALUE ? UNKNOWN : value
        at += text.length - 1
      } else if (level === 'double' || !/[\s;&|()<>]/.test(char)) word += char
      else {
        end()
        if (char === '>') isTarget = true
        else if (!/\s/.test(char)) isTarget = false
      }
    }
    end()
  }

  #take(word: string, previous: string, depth: number): void {
    const known = word.slice(word.lastIndexOf(UNKNOWN) + 1)
    const text = known === word ? word : known.replace(/^\/+/, '')
    if (text === '') return
    const assigned = /^([A-Za-z_]\w*)=(.*)$/s.exec(text)
    if (assigned?.[1] !== undefined) this.#variables[assigned[1]] = assigned[2]?.slice(0, MAX_VALUE) ?? ''
    if (previous === 'cd' || previous === 'pushd') this.#goTo(text)
    this.words.add(withHome(text, this.#variables['HOME']))
    // What is in quotes may be a script again, as behind `bash -c`.
    if (depth < MAX_DEPTH && LOOKS_LIKE_SCRIPT.test(text)) this.read(text, depth + 1)
  }

  #goTo(folder: string): void {
    const last = [...this.folders].at(-1)
    for (const each of last === undefined ? [folder] : [folder, `${last}/${folder}`]) {
      if (this.folders.size < MAX_FOLDERS) this.folders.add(each)
    }
  }
}

function withHome(word: string, home: string | undefined): string {
  return home !== undefined && word.startsWith('~/') ? `${home}${word.slice(1)}` : word
}
