import { executes, isHarmless } from './environment.js'
import { expandText, expandWord, spanOf } from './expand.js'
import type { Assignment, Command } from './parse.js'
import { applyRedirects, readRedirects } from './redirect.js'
import type { Place, Shell } from './shell.js'
import { either, MAX_ALTERNATIVES, type Outcome, type State, same, withVariable } from './state.js'
import { DYNAMIC, type EnvAssignment, type Span } from './types.js'
import { type Arg, plainArg } from './word.js'

/** A simple command: its redirects, its assignments, its words, and then what these words do. */
export function runCommand(shell: Shell, node: Command, state: State, place: Place): Outcome {
  const span = spanOf(node, place)
  let next = state
  let lists: readonly (readonly Arg[])[] = [[]]
  for (const word of node.name ? [node.name, ...node.suffix] : []) {
    if (word.type !== 'Word' && word.type !== 'Assignment') continue
    const { alternatives, state: afterWord } =
      word.type === 'Word' ? expandWord(shell, word, next, place) : assignmentWord(shell, word, next, place)
    next = afterWord
    lists = combine(lists, alternatives, span)
  }
  const values = node.prefix.flatMap((each) =>
    each.type === 'Assignment' ? [readAssignment(shell, each, next, place)] : [],
  )
  const redirects = readRedirects(shell, node.redirects, next, place)
  const first = shell.report.units.length
  if (lists.every((args) => args.length === 0)) {
    applyRedirects(shell, redirects, undefined)
    if (node.name) unnamed(shell, span)
    return same(assign(shell, values, next, span))
  }
  const assigned = values.map(({ name, texts }): EnvAssignment => ({ name, value: known(texts) }))
  const inner = redirects.input ? { ...place, input: redirects.input } : place
  const outcomes = lists.map((args) =>
    args.length === 0 ? same(next) : shell.invoke({ args, assigned, state: next, place: inner, span }),
  )
  applyRedirects(shell, redirects, shell.report.units.length > first ? first : undefined)
  if (lists.some((args) => args.length === 0)) unnamed(shell, span)
  return outcomes.reduce((one, other) => ({ ok: either(one.ok, other.ok), fail: either(one.fail, other.fail) }))
}

/** All ways to go on with what has been read so far. */
function combine(
  lists: readonly (readonly Arg[])[],
  alternatives: readonly (readonly Arg[])[],
  span: Span,
): readonly (readonly Arg[])[] {
  const [only] = alternatives
  if (alternatives.length === 1 && only) {
    const [list] = lists
    // The common case, in place: the lists are ours.
    if (lists.length === 1 && list) {
      ;(list as Arg[]).push(...only)
      return lists
    }
    return lists.map((list) => [...list, ...only])
  }
  if (lists.length * alternatives.length <= MAX_ALTERNATIVES) {
    return lists.flatMap((list) => alternatives.map((args) => [...list, ...args]))
  }
  return lists.map((list) => [...list, { ...plainArg(DYNAMIC, span), split: true, open: true }])
}

interface ReadAssignment {
  readonly name: string
  readonly append: boolean
  readonly texts: readonly string[]
  readonly list?: readonly string[]
}

function readAssignment(shell: Shell, node: Assignment, state: State, place: Place): ReadAssignment {
  const { name, value, index, append = false } = node
  if (index) expandWord(shell, index, state, place)
  if (value.type === 'Word') {
    const texts = expandText(shell, value, state, place).values
    return { name, append, texts: index ? [DYNAMIC] : texts }
  }
  const list: string[] = []
  for (const element of value.elements) {
    for (const args of expandWord(shell, element, state, place).alternatives) list.push(...args.map(({ text }) => text))
  }
  return { name, append, texts: list.slice(0, 1), ...(append ? {} : { list }) }
}

/** `export A=b` and the like get the assignment as a word. */
function assignmentWord(shell: Shell, node: Assignment, state: State, place: Place) {
  const { texts } = readAssignment(shell, node, state, place)
  const span = spanOf(node, place)
  const name = `${node.name}${node.append ? '+' : ''}=`
  return { alternatives: texts.map((text) => [plainArg(name + text, span)]), state }
}

function assign(shell: Shell, values: readonly ReadAssignment[], state: State, span: Span): State {
  let next = state
  for (const { name, append, texts, list } of values) {
    const before = next.variables.get(name)
    if (executes(name) || (before?.exported && !isHarmless(name))) {
      shell.report.unknown({ code: 'environment', message: `\`${name}\` can change what later commands run.`, span })
    }
    const old = append ? (before?.values ?? [DYNAMIC]) : ['']
    const all = old.flatMap((head) => texts.map((text) => head + text))
    const values = all.length > MAX_ALTERNATIVES || all.length === 0 ? [DYNAMIC] : all
    next = withVariable(next, name, { values, exported: false, ...(list ? { list } : {}) })
  }
  return next
}

function known(texts: readonly string[]): string | undefined {
  const [only] = texts
  return texts.length === 1 && only !== undefined && !only.includes(DYNAMIC) ? only : undefined
}

/** Words that vanish when they are expanded, so that what follows them is the command. */
function unnamed(shell: Shell, span: Span): void {
  shell.report.unknown({ code: 'program', message: 'Which program runs is only known when the line runs.', span })
}
