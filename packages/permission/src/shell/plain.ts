import type { Command, ParsedScript, Statement, Word } from './parse.js'

/** Letters that mean nothing to the shell, wherever they stand, and the operators that are read here. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./\- &|;]*$/
/** Words that are grammar where a command begins, or change how the words behind them are read. */
const GRAMMAR =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|select|function|coproc|time|export|declare|typeset|local|readonly|alias|eval|let)$/

type Node = Statement['command']
type Chain = { commands: Node[]; operators: string[] }

/**
 * Reads a line of plain words between `&&`, `||`, `|` and `;` without the parser, and makes the tree that the parser
 * makes. `undefined` for any other line.
 */
export function parsePlain(text: string): ParsedScript | undefined {
  if (!PLAIN.test(text)) return undefined
  const statements: Statement[] = []
  let chain: Chain = { commands: [], operators: [] }
  let pipe: Chain = { commands: [], operators: [] }
  let words: Word[] = []
  const closeCommand = (): boolean => {
    const node = command(words)
    words = []
    return node !== undefined && pipe.commands.push(node) > 0
  }
  const closePipe = () => {
    chain.commands.push(joined('Pipeline', pipe))
    pipe = { commands: [], operators: [] }
  }
  const closeStatement = () => {
    const node = joined('AndOr', chain)
    statements.push({ type: 'Statement', pos: node.pos, end: node.end, command: node, background: undefined })
    chain = { commands: [], operators: [] }
  }
  let at = 0
  while (at < text.length) {
    const char = text[at]
    if (char === ' ') at++
    else if (char === ';') {
      if (!closeCommand()) return undefined
      closePipe()
      closeStatement()
      at++
    } else if (char === '&' || char === '|') {
      const double = text[at + 1] === char
      // A single `&` belongs to other grammar, and so does `|&`.
      if ((char === '&' && !double) || (char === '|' && text[at + 1] === '&') || !closeCommand()) return undefined
      if (double) {
        closePipe()
        chain.operators.push(char + char)
      } else pipe.operators.push('|')
      at += double ? 2 : 1
    } else {
      const start = at
      while (at < text.length && !/[ ;&|]/.test(text[at] ?? '')) at++
      const value = text.slice(start, at)
      words.push({ type: 'Word', text: value, value, pos: start, end: at })
    }
  }
  // A line may end in `;`, but not in another operator.
  if (words.length > 0) {
    if (!closeCommand()) return undefined
    closePipe()
    closeStatement()
  } else if (pipe.commands.length > 0 || chain.commands.length > 0) return undefined
  return { type: 'Script', pos: 0, end: text.length, shebang: undefined, commands: statements }
}

/** One command, a pipe of them, or a list of pipes. */
function joined(type: 'Pipeline' | 'AndOr', { commands, operators }: Chain): Node {
  const [first] = commands
  const last = commands.at(-1)
  if (!first || !last) throw new Error('A list without commands.')
  if (commands.length === 1) return first
  return {
    type,
    pos: first.pos,
    end: last.end,
    commands,
    operators,
    ...(type === 'Pipeline' ? { prefixes: [] } : {}),
  } as Node
}

function command(words: readonly Word[]): Command | undefined {
  const [name, ...suffix] = words
  if (!name || name.value.includes('=') || GRAMMAR.test(name.value)) return undefined
  const end = words.at(-1)?.end ?? name.end
  return { type: 'Command', pos: name.pos, end, name, prefix: [], suffix, args: suffix, redirects: [] }
}
