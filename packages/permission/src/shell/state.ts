/** What the shell holds at one point of a line. Never changed: every step makes a new one, so branches are free. */
export interface State {
  readonly variables: ReadonlyMap<string, Variable>
  /** Every folder it may be in; `undefined` when that is not known. */
  readonly cwd: readonly string[] | undefined
  /** Names that no longer mean the program of that name. */
  readonly redefined: ReadonlyMap<string, 'alias' | 'function'>
  /** Links that the line itself has made. */
  readonly links: readonly Link[]
}

export interface Variable {
  /** Everything it may hold; text that is not known stands as DYNAMIC within. */
  readonly values: readonly string[]
  /** The elements of an array. */
  readonly list?: readonly string[]
  readonly exported: boolean
}

export interface Link {
  readonly path: string
  readonly target: string
}

/** What is left after a command that went well, and after one that did not. */
export interface Outcome {
  readonly ok: State
  readonly fail: State
  /** Nothing of the same shell runs after it: `exit`, `return`, `exec program`. */
  readonly ends?: boolean
}

/** More possibilities than these are not followed; the thing then counts as unknown. */
export const MAX_ALTERNATIVES = 8

/** A line with more variables than this is not written by hand; the rest of them stay unknown. */
const MAX_VARIABLES = 200

export function same(state: State): Outcome {
  return { ok: state, fail: state }
}

/** Whatever way the command ended. */
export function after({ ok, fail, ends }: Outcome): State {
  return ends ? ok : either(ok, fail)
}

/** One of both, not known which. */
export function either(a: State, b: State): State {
  if (a === b) return a
  return {
    variables: a.variables === b.variables ? a.variables : eitherVariables(a.variables, b.variables),
    cwd: eitherCwd(a.cwd, b.cwd),
    redefined: a.redefined === b.redefined ? a.redefined : new Map([...a.redefined, ...b.redefined]),
    links: a.links === b.links ? a.links : [...new Set([...a.links, ...b.links])],
  }
}

function eitherCwd(a: State['cwd'], b: State['cwd']): State['cwd'] {
  if (a === undefined || b === undefined || a === b) return a === b ? a : undefined
  const all = [...new Set([...a, ...b])]
  return all.length > MAX_ALTERNATIVES ? undefined : all
}

function eitherVariables(a: State['variables'], b: State['variables']): State['variables'] {
  const all = new Map<string, Variable>()
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(name), b.get(name)]
    // Where one side never assigned it, it holds whatever the outside gave it.
    all.set(name, one === other && one ? one : eitherVariable(one ?? OUTSIDE, other ?? OUTSIDE))
  }
  return all
}

const OUTSIDE: Variable = { values: ['\uFFFC'], exported: false }

function eitherVariable(one: Variable, other: Variable): Variable {
  const values = [...new Set([...one.values, ...other.values])]
  return {
    values: values.length > MAX_ALTERNATIVES ? OUTSIDE.values : values,
    exported: one.exported || other.exported,
  }
}

export function withVariable(state: State, name: string, variable: Variable): State {
  if (state.variables.size >= MAX_VARIABLES && !state.variables.has(name)) return state
  const exported = variable.exported || (state.variables.get(name)?.exported ?? false)
  return { ...state, variables: new Map(state.variables).set(name, { ...variable, exported }) }
}

export function withCwd(state: State, cwd: State['cwd']): State {
  return { ...state, cwd }
}

export function withRedefined(state: State, name: string, by: 'alias' | 'function'): State {
  return { ...state, redefined: new Map(state.redefined).set(name, by) }
}

/** Every variable may have been changed, and the folder too if `moved`. */
export function blurred(state: State, moved: boolean): State {
  const variables = new Map(
    [...state.variables].map(([name, variable]) => [name, { ...OUTSIDE, exported: variable.exported }]),
  )
  return { ...state, variables, cwd: moved ? undefined : state.cwd }
}

/** What holds at the start of any round of a loop, given what one round makes of it. */
export function anyRound(before: State, afterRound: State): State {
  if (before === afterRound) return before
  const variables = new Map(before.variables)
  for (const [name, variable] of afterRound.variables) {
    if (before.variables.get(name) !== variable) variables.set(name, { ...OUTSIDE, exported: variable.exported })
  }
  const stayed = before.cwd !== undefined && afterRound.cwd?.join('\n') === before.cwd.join('\n')
  return {
    variables,
    cwd: stayed ? before.cwd : undefined,
    redefined: afterRound.redefined,
    links: afterRound.links,
  }
}
