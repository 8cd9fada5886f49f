/** Words that begin something other than a program that could be looked for. */
const KEYWORDS = new Set(
  (
    'if then else elif fi for while until do done case esac function select time { } ! [ [[ test cd pushd popd eval exec ' +
    'source . trap return local declare typeset'
  ).split(' '),
)

/** What a shell does itself. */
const BUILTINS = new Set(
  (
    'echo printf exit true false : set export read unset shift wait type command alias umask ulimit kill pwd let builtin ' +
    'disown getopts hash jobs mapfile readarray shopt'
  ).split(' '),
)

/** One program with its arguments. */
export type Words = readonly [program: string, ...args: string[]]

/**
 * The programs that a script starts from its beginning on, as far as text can tell without a doubt: it ends where something
 * is decided, repeated, or only known when it runs.
 */
export function simpleCommands(script: string, variables: Readonly<Record<string, string>>): readonly Words[] {
  const commands: Words[] = []
  for (const written of split(script, variables)) {
    if (written === undefined) return commands
    const start = written.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
    const [program, ...args] = start === -1 ? [] : written.slice(start)
    if (program === undefined) continue
    if (KEYWORDS.has(program) || /\(\)?$/.test(program)) return commands
    if (!BUILTINS.has(program)) commands.push([program, ...args])
  }
  return commands
}

/** The words of each simple command; `undefined` for the first that can't be known. */
function* split(script: string, variables: Readonly<Record<string, string>>): Generator<readonly string[] | undefined> {
  let words: string[] = []
  let word: string | undefined
  const end = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  for (let at = 0; at < script.length; at++) {
    const char = script[at] ?? ''
    if (char === "'") {
      const close = script.indexOf("'", at + 1)
      if (close === -1) return yield undefined
      word = (word ?? '') + script.slice(at + 1, close)
      at = close
    } else if (char === '"') {
      const [text, length] = doubleQuoted(script.slice(at), variables) ?? []
      if (text === undefined || length === undefined) return yield undefined
      word = (word ?? '') + text
      at += length - 1
    } else if (char === '$') {
      const [text, value] = variable(script.slice(at), variables) ?? []
      if (text === undefined || value === undefined) return yield undefined
      word = (word ?? '') + value
      at += text.length - 1
    } else if (/[`(){}*?<>]/.test(char)) {
      // A redirection says nothing about the program; anything else may be anything.
      if (char !== '<' && char !== '>') return yield undefined
      if (script[at + 1] === '<' || script[at + 1] === '(') return yield undefined
      if (word !== undefined && /^\d$/.test(word)) word = undefined
      end()
      const target = /^(?:>>|[<>]&?)\s*(?:"[^"]*"|'[^']*'|[^\s;&|<>()]+)/.exec(script.slice(at))?.[0]
      if (target === undefined) return yield undefined
      at += target.length - 1
    } else if (char === '\\') {
      at++
      if (script[at] !== '\n') word = (word ?? '') + (script[at] ?? '')
    } else if (char === '#' && word === undefined) {
      const line = script.indexOf('\n', at)
      at = line === -1 ? script.length : line - 1
    } else if (/[;&|\n]/.test(char)) {
      end()
      if (words.length > 0) yield words
      words = []
    } else if (/\s/.test(char)) end()
    else word = (word ?? '') + char
  }
  end()
  if (words.length > 0) yield words
}

function doubleQuoted(
  text: string,
  variables: Readonly<Record<string, string>>,
): readonly [text: string, length: number] | undefined {
  let value = ''
  for (let at = 1; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '"') return [value, at + 1]
    if (char === '`') return undefined
    if (char === '\\') value += text[++at] ?? ''
    else if (char === '$') {
      const [name, known] = variable(text.slice(at), variables) ?? []
      if (name === undefined || known === undefined) return undefined
      value += known
      at += name.length - 1
    } else value += char
  }
  return undefined
}

function variable(
  text: string,
  variables: Readonly<Record<string, string>>,
): readonly [text: string, value: string] | undefined {
  const [whole, braced, plain] = /^\$(?:\{(\w+)\}|([A-Za-z_]\w*))/.exec(text) ?? []
  const value = variables[braced ?? plain ?? '']
  return whole === undefined || value === undefined ? undefined : [whole, value]
}
