import { arithmetic } from './arithmetic.js'
import { executes } from './environment.js'
import { expandText, expandWord, spanOf } from './expand.js'
import { printedBy } from './output.js'
import type { CommandNode, CompoundList, ParsedScript, Statement, TestExpression, Word } from './parse.js'
import { applyRedirects, readRedirects } from './redirect.js'
import type { Input, Place, Shell } from './shell.js'
import { runCommand } from './simple.js'
import {
  after,
  anyRound,
  blurred,
  either,
  MAX_ALTERNATIVES,
  type Outcome,
  type State,
  same,
  withRedefined,
  withVariable,
} from './state.js'
import { DYNAMIC } from './types.js'

type Node = Statement['command']

/** Scripts within scripts, deeper than anybody nests them. */
const MAX_DEPTH = 48

/** Goes through a script in the order in which it runs. */
export function runScript(shell: Shell, script: ParsedScript, state: State, place: Place): Outcome {
  for (const { message, pos } of script.errors ?? []) {
    const span = spanOf({ pos, end: pos + 1 }, place)
    shell.report.unknown({ code: 'syntax', message: `The line can't be parsed: ${message}.`, span })
  }
  if (place.depth > MAX_DEPTH) {
    const span = spanOf(script, place)
    shell.report.unknown({ code: 'limit', message: `Commands are nested more than ${MAX_DEPTH} deep.`, span })
    return same(state)
  }
  return runStatements(shell, script.commands, state, place)
}

function runStatements(shell: Shell, statements: readonly Statement[], state: State, place: Place): Outcome {
  let outcome = same(state)
  for (const { command, background } of statements) {
    const before = after(outcome)
    const next = runNode(shell, command, before, place)
    outcome = background ? same(before) : next
  }
  return outcome
}

function runList(shell: Shell, list: CompoundList, state: State, place: Place): Outcome {
  return runStatements(shell, list.commands, state, place)
}

function runNode(shell: Shell, node: Node, state: State, place: Place): Outcome {
  if (node.type === 'Command') return runCommand(shell, node, state, place)
  if (node.type === 'AndOr') {
    const [first, ...rest] = node.commands
    if (!first) return same(state)
    let result = runNode(shell, first, state, place)
    rest.forEach((each, index) => {
      const isAnd = node.operators[index] === '&&'
      const next = runNode(shell, each, isAnd ? result.ok : result.fail, place)
      // What has ended the shell leaves only the other way.
      if (isAnd) result = { ok: next.ok, fail: next.ends ? result.fail : either(result.fail, next.fail) }
      else result = { ok: next.ends ? result.ok : either(result.ok, next.ok), fail: next.ends ? result.ok : next.fail }
    })
    return result
  }
  if (node.type === 'Pipeline') return runPipeline(shell, node, state, place)
  return runCompound(shell, node, state, place)
}

function runPipeline(shell: Shell, node: Extract<Node, { type: 'Pipeline' }>, state: State, place: Place): Outcome {
  if (node.commands.length === 1 && node.commands[0]) {
    const { ok, fail, ...rest } = runNode(shell, node.commands[0], state, place)
    const negated = node.prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1
    return negated ? { ok: fail, fail: ok, ...rest } : { ok, fail, ...rest }
  }
  let input = place.input
  let last = same(state)
  node.commands.forEach((command, index) => {
    last = runNode(shell, command, state, { ...place, input })
    input = pipeFrom(shell, command, state, index)
  })
  // Only zsh runs the end of a pipe in the shell itself.
  return shell.context.shell === 'zsh' ? { ok: last.ok, fail: either(state, last.fail) } : same(state)
}

function pipeFrom(shell: Shell, command: CommandNode, state: State, index: number): Input {
  const text = index === 0 ? printedBy(command, state, shell) : undefined
  return text === undefined ? { from: 'a pipe' } : { text, from: 'a pipe' }
}

function runCompound(
  shell: Shell,
  node: Exclude<CommandNode, { type: 'Command' }>,
  state: State,
  place: Place,
): Outcome {
  const span = spanOf(node, place)
  switch (node.type) {
    case 'BraceGroup':
      return runList(shell, node.body, state, place)
    case 'Subshell':
      runList(shell, node.body, state, place)
      return same(state)
    case 'Redirected': {
      const redirects = readRedirects(shell, node.redirects, state, place)
      applyRedirects(shell, redirects, undefined)
      return runCompound(shell, node.command, state, redirects.input ? { ...place, input: redirects.input } : place)
    }
    case 'If': {
      let test = runList(shell, node.clause, state, place)
      const ends = [after(runList(shell, node.then, test.ok, place))]
      for (const { clause, then } of node.elif) {
        test = runList(shell, clause, test.fail, place)
        ends.push(after(runList(shell, then, test.ok, place)))
      }
      ends.push(node.else ? after(runList(shell, node.else, test.fail, place)) : test.fail)
      return same(ends.reduce(either))
    }
    case 'While': {
      const round = (from: State) => {
        const test = runList(shell, node.clause, from, place)
        const [inner, outer] = node.kind === 'while' ? [test.ok, test.fail] : [test.fail, test.ok]
        return { end: after(runList(shell, node.body, inner, place)), outer }
      }
      const entry = loopEntry(shell, state, (from) => round(from).end)
      const { end, outer } = round(entry)
      return same(either(outer, end))
    }
    case 'For':
    case 'Select': {
      const { values, state: next } = wordList(shell, node, state, place)
      if (executes(node.name.value)) {
        const message = `\`${node.name.value}\` can change what later commands run.`
        shell.report.unknown({ code: 'environment', message, span })
      }
      const round = (from: State) =>
        after(runList(shell, node.body, withVariable(from, node.name.value, { values, exported: false }), place))
      return same(either(next, round(loopEntry(shell, next, round))))
    }
    case 'ArithmeticFor': {
      for (const each of [node.initialize, node.test, node.update]) if (each) arithmetic(shell, each, state, place)
      const round = (from: State) => after(runList(shell, node.body, from, place))
      return same(either(state, round(loopEntry(shell, state, round))))
    }
    case 'Case': {
      let next = expandWord(shell, node.word, state, place).state
      const ends = [next]
      for (const { pattern, body } of node.items) {
        for (const word of pattern) next = expandWord(shell, word, next, place).state
        const end = after(runList(shell, body, next, place))
        ends.push(end)
        next = either(next, end)
      }
      return same(ends.reduce(either))
    }
    case 'Function':
      return defineFunction(shell, node, state, place)
    case 'Coproc': {
      const { body } = node
      if (body.type === 'CompoundList') runList(shell, body, state, place)
      else runNode(shell, body, state, place)
      return same(state)
    }
    case 'TestCommand':
      test(shell, node.expression, state, place)
      return same(state)
    case 'ArithmeticCommand':
      if (node.expression) arithmetic(shell, node.expression, state, place)
      else if (node.body.trim() !== '') {
        shell.report.unknown({ code: 'syntax', message: "An arithmetic expression can't be parsed.", span })
      }
      return same(assignedIn(node.body, state))
    default:
      shell.report.unknown({
        code: 'syntax',
        message: `\`${(node as { type: string }).type}\` is not understood.`,
        span,
      })
      return same(state)
  }
}

/** `((x = 1))` leaves a number in x. */
function assignedIn(body: string, state: State): State {
  let next = state
  for (const [, name = ''] of body.matchAll(/([A-Za-z_]\w*)\s*(?:\+\+|--|[-+*/%&|^]?=(?!=))/g)) {
    next = withVariable(next, name, { values: [DYNAMIC], exported: false })
  }
  return next
}

/** What any round of a loop begins with. */
function loopEntry(shell: Shell, state: State, round: (from: State) => State): State {
  // Within a quiet round, inner loops are not tried out once more: the time stays linear in the depth.
  if (shell.report.isQuiet) return blurred(state, shell.moves)
  return anyRound(
    state,
    shell.report.quietly(() => round(state)),
  )
}

function wordList(
  shell: Shell,
  { wordlist }: { readonly wordlist: readonly Word[] | undefined },
  state: State,
  place: Place,
): { readonly values: readonly string[]; readonly state: State } {
  const values: string[] = []
  let next = state
  for (const word of wordlist ?? []) {
    const expansion = expandWord(shell, word, next, place)
    next = expansion.state
    values.push(
      // What a pattern becomes begins as the pattern does.
      ...expansion.alternatives.flat().map(({ text, glob }) => (glob ? text.replace(/[*?[+@!].*$/s, DYNAMIC) : text)),
    )
  }
  const known = new Set(values)
  return { values: wordlist && known.size > 0 && known.size <= MAX_ALTERNATIVES ? [...known] : [DYNAMIC], state: next }
}

function defineFunction(
  shell: Shell,
  node: Extract<CommandNode, { type: 'Function' }>,
  state: State,
  place: Place,
): Outcome {
  const name = node.name.value
  const next = withRedefined(state, name, 'function')
  const { body } = node
  if (isForkBomb(name, body)) {
    shell.report.criticalOperation({ what: 'starts copies of itself without end', span: spanOf(node, place) })
  }
  // It runs later, with other variables, and perhaps elsewhere.
  const inner = { ...place, via: [...place.via, `${name}()`], depth: place.depth + 1 }
  const later = blurred(next, shell.moves)
  if (body.type === 'CompoundList') runList(shell, body, later, inner)
  else runCompound(shell, body, later, inner)
  return same(next)
}

/** A function that calls itself in a pipe or in the background. */
function isForkBomb(name: string, body: { readonly type: string }): boolean {
  let found = false
  const visit = (node: unknown, parallel: boolean): void => {
    if (found || typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const each of node) visit(each, parallel)
      return
    }
    const { type, background, name: called, commands } = node as Record<string, unknown>
    if (type === 'Command' && parallel && (called as Word | undefined)?.value === name) found = true
    const forks =
      parallel || background === true || (type === 'Pipeline' && Array.isArray(commands) && commands.length > 1)
    for (const [key, value] of Object.entries(node)) if (key !== 'parts') visit(value, forks)
  }
  visit(body, false)
  return found
}

function test(shell: Shell, expression: TestExpression, state: State, place: Place): void {
  switch (expression.type) {
    case 'TestUnary': {
      const { values } = expandText(shell, expression.operand, state, place)
      if (/^-[vR]$/.test(expression.operator)) evaluated(shell, values, expression, place)
      return
    }
    case 'TestBinary': {
      const values = [expression.left, expression.right].flatMap((word) => expandText(shell, word, state, place).values)
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)) evaluated(shell, values, expression, place)
      return
    }
    case 'TestLogical':
      for (const each of expression.operands) test(shell, each, state, place)
      return
    case 'TestNot':
      test(shell, expression.operand, state, place)
      return
    case 'TestGroup':
      test(shell, expression.expression, state, place)
      return
    default:
      shell.report.unknown({
        code: 'syntax',
        message: `\`${(expression as { type: string }).type}\` is not understood.`,
        span: spanOf(expression, place),
      })
  }
}

/** Subscripts are evaluated, down to the substitutions in them. */
function evaluated(
  shell: Shell,
  values: readonly string[],
  node: { readonly pos: number; readonly end: number },
  place: Place,
): void {
  if (!values.some((value) => /[[$`]/.test(value))) return
  shell.report.unknown({
    code: 'expansion',
    message: 'A text is evaluated as an expression, which can run commands.',
    span: spanOf(node, place),
  })
}
