import { isDisk } from './critical.js'
import { invoke } from './invoke.js'
import { parse } from './parse.js'
import { parsePlain } from './plain.js'
import { builtInPrograms } from './programs/table.js'
import { Report } from './report.js'
import type { Place, Shell } from './shell.js'
import { type Outcome, type State, same } from './state.js'
import { DYNAMIC, type ShellAnalysis, type ShellContext, type UnknownCode } from './types.js'
import { runScript } from './walk.js'

/** A longer line is analysed, and asked about all the same. UTF-16 units. */
const MAX_LENGTH = 10_000
/** Text that is read at most, nested scripts counted each time. */
const MAX_TEXT = 4_000_000

const START: State = { variables: new Map(), cwd: undefined, redefined: new Map(), links: [] }

/** Characters that are not seen, or turn around what is seen. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffc]/
/** What only zsh reads in its own way: qualifiers that run code, `=(…)`, flags of expansions, `>!`, `repeat`. */
const ZSH = /[*?\])\w/.~]\(|=\(|\$\{\(|\(#|>[!|]|&[!|]|<\d*-\d*>|~\[|\b(?:repeat|foreach|always)\b|^\s*\(\)/

/** Names of what goes to another folder, however they are quoted; `$'` can spell them in numbers. */
const MOVES = /\b(?:cd|chdir|pushd|popd|source)\b|(?:^|[\s;&|({])\.\s|\$'/

/**
 * What a command line would run and touch, as far as text can tell. Pure, synchronous and total: whatever the line is,
 * the answer is an analysis, and what could not be judged is an unknown in it. Links on disk, aliases and functions
 * that the shell already has, and what programs do once they run are out of its sight.
 */
export function analyzeShell(command: string, context: ShellContext): ShellAnalysis {
  const report = new Report()
  const whole = { start: 0, end: command.length }
  const unclear = (code: UnknownCode, message: string) => report.unknown({ code, message, span: whole })
  if (context.shell === 'powershell' || context.shell === 'cmd') {
    unclear('language', `Lines of ${context.shell} are not analysed.`)
    return report
  }
  if (command.length > MAX_LENGTH)
    unclear('limit', `The line has ${command.length} characters, and ${MAX_LENGTH} are the limit.`)
  if (HIDDEN.test(command) || /\p{Cs}/u.test(command))
    unclear('characters', 'The line holds characters that nobody sees.')
  if (context.shell === 'zsh' && ZSH.test(command.replace(/[\w-]+ *\( *\)/g, ''))) {
    unclear('language', 'The line holds what zsh reads in a way of its own.')
  }
  try {
    const shell = newShell(command, context, report)
    const script = parsePlain(command) ?? parse(command.replaceAll(DYNAMIC, ' '))
    const place: Place = { end: command.length, via: [], depth: 0, remote: false, input: undefined }
    runScript(shell, script, { ...START, cwd: [context.cwd] }, place)
  } catch (error) {
    // Nesting that no stack holds; what was found before stays.
    const isDeep = error instanceof RangeError
    unclear('limit', isDeep ? 'The line is nested too deep.' : `The line can't be analysed: ${String(error)}.`)
  }
  if (report.units.length === 0 && report.unknowns.length === 0) unclear('empty', 'Nothing in the line is a command.')
  for (const effect of report.effects) {
    if (!isDisk(effect)) continue
    const unit = effect.unit === undefined ? {} : { unit: effect.unit }
    report.critical.push({ what: `writes to the disk \`${effect.path}\``, span: effect.span, ...unit })
  }
  return report
}

function newShell(command: string, context: ShellContext, report: Report): Shell {
  let budget = MAX_TEXT
  const shell: Shell = {
    context,
    programs: context.programs ?? builtInPrograms,
    roots: context.roots ?? [context.cwd],
    foldCase: context.platform === 'darwin' || context.platform === 'win32',
    moves: MOVES.test(command.replace(/["\\]|(?<!\$)'/g, '')),
    report,
    script: (script, state, place) => runScript(shell, script, state, place),
    text: (text, state, place) => {
      budget -= text.length + 100
      return runText(shell, text, state, place, budget > 0)
    },
    invoke: (invocation) => invoke(shell, invocation),
  }
  return shell
}

/** A text that is run as a script. Pieces of it that are not known may hold anything. */
function runText(shell: Shell, text: string, state: State, place: Place, inBudget: boolean): Outcome {
  const span = place.span ?? { start: 0, end: 0 }
  if (text.includes(DYNAMIC)) {
    shell.report.unknown({ code: 'program', message: 'A part of a script is only known when the line runs.', span })
  }
  if (!inBudget) {
    shell.report.unknown({ code: 'limit', message: 'The line holds more scripts than are followed.', span })
    return same(state)
  }
  return runScript(shell, parse(text), state, { ...place, span })
}
