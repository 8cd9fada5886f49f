import { expandWord } from './expand.js'
import type { CommandNode, ParsedScript } from './parse.js'
import type { Shell } from './shell.js'
import type { State } from './state.js'
import { DYNAMIC } from './types.js'

/** What a script prints, where that is plain to see: `pwd`, `echo words`, `cat` of a here-document. */
export function outputOf(script: ParsedScript, state: State, shell: Shell): string | undefined {
  const [statement, ...more] = script.commands
  if (!statement || more.length > 0 || statement.background) return undefined
  const { command } = statement
  return command.type === 'AndOr' || command.type === 'Pipeline' ? undefined : printedBy(command, state, shell)
}

/** The same for one command. */
export function printedBy(node: CommandNode, state: State, shell: Shell): string | undefined {
  if (node.type !== 'Command' || !node.name || node.prefix.length > 0) return undefined
  const name = node.name.value
  const [first] = node.suffix
  if (name === 'pwd' && node.suffix.length === 0) return state.cwd?.length === 1 ? state.cwd[0] : undefined
  if (name === 'cat' && node.suffix.length === 1 && first?.type === 'HereDoc') {
    const literal = first.delimiter?.quoted === true || first.body.parts === undefined
    return literal ? first.body.text.replace(/\n+$/, '') : undefined
  }
  if (name !== 'echo' && name !== 'printf') return undefined
  const words: string[] = []
  for (const word of node.suffix) {
    // What is substituted within would have to run twice, and once more at each depth.
    if (word.type !== 'Word' || /`|\$\(|[<>]\(|\$\{[\s|]/.test(word.text)) return undefined
    const { alternatives } = shell.report.quietly(() =>
      expandWord(shell, word, state, {
        end: Number.MAX_SAFE_INTEGER,
        via: [],
        depth: 0,
        remote: false,
        input: undefined,
      }),
    )
    const [args, ...others] = alternatives
    if (!args || others.length > 0) return undefined
    if (args.some(({ text, glob }) => glob || /[\\%]/.test(text) || text.includes(DYNAMIC))) return undefined
    words.push(...args.map(({ text }) => text))
  }
  if (words[0]?.startsWith('-') || (name === 'printf' && words.length > 1)) return undefined
  return words.join(' ').replace(/\n+$/, '')
}
