import { type ParsedScript, parse } from './parse.js'
import type { ShellAnalysis, ShellContext, ShellUnit, Unknown } from './types.js'

/** Pure, synchronous and total: whatever the text is, the answer is an analysis. */
export function analyzeShell(command: string, context: ShellContext): ShellAnalysis {
  const units: ShellUnit[] = []
  const unknowns: Unknown[] = []
  const whole = { start: 0, end: command.length }
  const unclear = (code: Unknown['code'], message: string) => unknowns.push({ code, message, span: whole })
  const script: ParsedScript = parse(command)
  for (const error of script.errors ?? []) unclear('syntax', `The line can't be parsed: ${error.message}.`)
  const visit = (node: ParsedScript['commands'][number]['command']): void => {
    if (node.type === 'AndOr') for (const each of node.commands) visit(each)
    else if (node.type === 'Pipeline') for (const each of node.commands) visit(each)
    else if (node.type === 'Command' && node.name && node.prefix.length === 0) {
      const words = [node.name, ...node.suffix]
      const argv = words.map((word) => (word.type === 'Word' && !word.parts ? word.value : undefined))
      if (argv.some((word) => word === undefined)) return void unclear('expansion', 'Only plain words are understood.')
      const [name = '', ...rest] = argv as string[]
      const base = name.slice(name.lastIndexOf('/') + 1)
      units.push({
        argv: [name, ...rest],
        program: base,
        span: { start: node.pos, end: node.end },
        cwd: context.cwd,
        env: [],
        via: [],
        transparent: false,
        readings: base === name ? [] : [[base, ...rest]],
        same: [],
        suspects: [],
        readOnly: false,
        remote: false,
      })
    } else unclear('syntax', `\`${node.type}\` is not understood.`)
  }
  for (const statement of script.commands) visit(statement.command)
  if (units.length === 0 && unknowns.length === 0) unclear('empty', 'Nothing in the line is a command.')
  return { units, effects: [], unknowns, critical: [] }
}
