import { arithmetic } from './arithmetic.js'
import { expandBraces } from './brace.js'
import { outputOf } from './output.js'
import { type Part, parse, type Word } from './parse.js'
import type { Place, Shell } from './shell.js'
import { MAX_ALTERNATIVES, type State, type Variable, withVariable } from './state.js'
import { DYNAMIC, type Span, type UnknownCode } from './types.js'
import { type Arg, plainArg } from './word.js'

/** What one word may become: alternatives, each of them a list of words. */
export interface Expansion {
  readonly alternatives: readonly (readonly Arg[])[]
  /** `${x:=value}` assigns. */
  readonly state: State
}

interface Piece {
  readonly text: string
  readonly kind: 'literal' | 'value' | 'dynamic' | 'number' | 'pipe' | 'break'
  readonly quoted: boolean
  readonly glob?: boolean
}

const ANYTHING: Piece = { text: DYNAMIC, kind: 'dynamic', quoted: false }

/** Blanks that look like separators to people and are none to the shell, and characters that nobody sees. */
const ODD =
  /[\u00a0\u00ad\u115f\u1160\u1680\u3164\uffa0\u2000-\u200c\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]|\u200d|[\u180b-\u180e]/

/** What is called so in the environment is one word, and no option. */
const ADDRESS = /(?:^|_)(?:URL|URI|DSN)$/

const ASSIGNED_TILDE = /^[A-Za-z_]\w*=(?=~)/

export function spanOf(node: { readonly pos: number; readonly end: number }, place: Place): Span {
  return place.span ?? { start: Math.min(node.pos, place.end), end: Math.min(node.end, place.end) }
}

/** Expands a word, and runs what is substituted in it. */
export function expandWord(shell: Shell, word: Word, state: State, place: Place): Expansion {
  const { parts } = word
  const span = spanOf(word, place)
  if (!parts) return { alternatives: [[literalArg(shell, word, state, span)]], state }
  if (parts.some(({ type }) => type === 'BraceExpansion')) return expandBraced(shell, word, state, place)
  const expander = new Expander(shell, state, place)
  const lists = expander.pieces(parts, false)
  const alternatives = lists.flatMap((pieces) => {
    const fields = fieldsOf(pieces, span)
    // zsh does not split what it has expanded.
    const whole = shell.context.shell === 'zsh' && fields.length > 1 && !pieces.some(({ kind }) => kind === 'break')
    return whole
      ? [
          fields,
          fieldsOf(
            pieces.map((piece) => ({ ...piece, quoted: true })),
            span,
          ),
        ]
      : [fields]
  })
  return { alternatives, state: expander.state }
}

/** The text of a word that is not split: an assignment, a here-string. */
export function expandText(shell: Shell, word: Word, state: State, place: Place): { values: string[]; state: State } {
  const { alternatives, state: next } = expandWord(shell, word, state, place)
  return { values: alternatives.map((args) => args.map(({ text }) => text).join(' ')), state: next }
}

/** The text of a here-document. */
export function expandParts(shell: Shell, parts: readonly Part[], state: State, place: Place): string {
  const [pieces = []] = new Expander(shell, state, place).pieces(parts, true)
  return pieces.map(({ text }) => text).join('')
}

function literalArg(shell: Shell, word: Word, state: State, span: Span): Arg {
  const { text, value } = word
  if (ODD.test(text))
    report(
      shell,
      'characters',
      'A word holds a blank or an invisible character that the shell takes for a letter',
      span,
    )
  const first = text.charCodeAt(0)
  // `~`, `=` of zsh
  if (first === 126) return tilde(shell, value, text, state, span)
  if (first === 61 && text.length > 1 && shell.context.shell === 'zsh') {
    report(shell, 'expansion', `zsh replaces \`${text}\` by the path of a program`, span)
    return plainArg(value.slice(1), span)
  }
  const lead = value.includes('=~') ? ASSIGNED_TILDE.exec(text)?.[0] : undefined
  if (lead !== undefined) {
    const arg = tilde(shell, value.slice(lead.length), text.slice(lead.length), state, span)
    return { ...arg, text: lead + arg.text }
  }
  return text === value ? plainArg(value, span) : { ...plainArg(value, span), quoted: true }
}

function tilde(shell: Shell, value: string, source: string, state: State, span: Span): Arg {
  const { home } = shell.context
  const [, name = ''] = /^~([^/]*)/.exec(source) ?? []
  const rest = value.slice(1 + name.length)
  if (name === '') return plainArg(home + rest, span)
  const [cwd, ...others] = state.cwd ?? []
  if (name === '+' && cwd !== undefined && others.length === 0) return plainArg(cwd + rest, span)
  return { ...plainArg(DYNAMIC + rest, span), open: false }
}

function expandBraced(shell: Shell, word: Word, state: State, place: Place): Expansion {
  const span = spanOf(word, place)
  const texts = expandBraces(word.text)
  if (!texts) {
    report(shell, 'limit', `\`${word.text.slice(0, 40)}\` makes too many words`, span)
    return { alternatives: [[{ ...plainArg(DYNAMIC, span), split: true, open: true }]], state }
  }
  if (texts.length === 1 && texts[0] === word.text) return expandUnbraced(shell, word, state, place)
  const inner: Place = { ...place, span }
  let fields: Arg[] = []
  let next = state
  for (const text of texts) {
    // What looks like an assignment only now is none, so a tilde in it stands for itself.
    const source = /^[A-Za-z_]\w*=/.test(word.text) ? text : text.replace('=~', '=\\~')
    const [statement] = parse(`: ${source}`).commands
    const [only, ...more] = statement?.command.type === 'Command' ? statement.command.suffix : []
    if (text === '') continue
    if (only?.type !== 'Word' || more.length > 0) {
      report(shell, 'expansion', `\`${word.text}\` can't be expanded`, span)
      continue
    }
    const expansion = expandUnbraced(shell, only, next, inner)
    next = expansion.state
    fields = [
      ...fields,
      ...(expansion.alternatives.length === 1 ? (expansion.alternatives[0] ?? []) : [anything(span)]),
    ]
  }
  return { alternatives: [fields], state: next }
}

/** What looks like a brace expansion and is none stands for itself. */
function expandUnbraced(shell: Shell, word: Word, state: State, place: Place): Expansion {
  const parts = word.parts?.flatMap((part): readonly Part[] =>
    part.type === 'BraceExpansion'
      ? (part.parts ?? [{ type: 'Literal', pos: part.pos, end: part.end, text: part.text, value: part.text }])
      : [part],
  )
  const plain = { text: word.text, value: word.value, pos: word.pos, end: word.end, type: 'Word' as const }
  return expandWord(shell, parts ? { ...plain, parts } : plain, state, place)
}

function anything(span: Span): Arg {
  return { ...plainArg(DYNAMIC, span), split: true, open: true }
}

function report(shell: Shell, code: UnknownCode, message: string, span: Span): void {
  shell.report.unknown({ code, message: `${message}.`, span })
}

/** Turns the parts of a word into pieces; every possibility is a list of its own. */
class Expander {
  readonly #shell: Shell
  readonly #place: Place
  state: State

  constructor(shell: Shell, state: State, place: Place) {
    this.#shell = shell
    this.#place = place
    this.state = state
  }

  pieces(parts: readonly Part[], quoted: boolean): readonly (readonly Piece[])[] {
    let lists: readonly (readonly Piece[])[] = [[]]
    parts.forEach((part, index) => {
      const options = this.#piecesOf(part, quoted, index === 0, parts.length === 1)
      const [only] = options
      if (options.length === 1 && only) lists = lists.map((list) => [...list, ...only])
      else if (lists.length * options.length <= MAX_ALTERNATIVES) {
        lists = lists.flatMap((list) => options.map((option) => [...list, ...option]))
      } else lists = lists.map((list) => [...list, { ...ANYTHING, quoted }])
    })
    return lists
  }

  #piecesOf(part: Part, quoted: boolean, first: boolean, only = false): readonly (readonly Piece[])[] {
    switch (part.type) {
      case 'Literal':
        return [[this.#literal(part.text, part.value, quoted, first, only)]]
      case 'Glob':
        return [[{ text: part.text, kind: 'literal', quoted, glob: true }]]
      case 'ExtendedGlob':
        for (const each of part.parts ?? []) this.#piecesOf(each, true, false)
        return [[{ text: part.text, kind: 'literal', quoted, glob: true }]]
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return [[{ text: part.value, kind: 'literal', quoted: true }]]
      case 'DoubleQuoted':
      case 'LocaleString': {
        const inner = this.pieces(part.parts, true)
        return inner.map((list) => (list.length === 0 ? [{ text: '', kind: 'literal', quoted: true }] : list))
      }
      case 'SimpleExpansion':
        return this.#variable(part.text.slice(1), quoted)
      case 'ParameterExpansion':
        return this.#parameter(part, quoted)
      case 'CommandExpansion': {
        if (!part.script) return this.#unclear('syntax', "A substitution can't be parsed", part, quoted)
        const { shell, place } = { shell: this.#shell, place: this.#place }
        const output = outputOf(part.script, this.state, shell)
        shell.script(part.script, this.state, inside(place, part, '$()', part.script.source !== undefined))
        return [[output === undefined ? { ...ANYTHING, quoted } : { text: output, kind: 'value', quoted }]]
      }
      case 'ProcessSubstitution': {
        if (!part.script) return this.#unclear('syntax', "A substitution can't be parsed", part, quoted)
        const place = inside(this.#place, part, `${part.operator}()`, part.script.source !== undefined)
        const fed = part.operator === '>' ? { ...place, input: { from: 'a pipe' } } : place
        this.#shell.script(part.script, this.state, fed)
        return [[{ text: DYNAMIC, kind: 'pipe', quoted: true }]]
      }
      case 'ArithmeticExpansion':
        this.#arithmetic(part)
        return [[{ text: DYNAMIC, kind: 'number', quoted: true }]]
      case 'BraceExpansion':
        return [[{ text: part.text, kind: 'literal', quoted, glob: true }]]
      default:
        return this.#unclear('syntax', `\`${(part as { type: string }).type}\` is not understood`, part, quoted)
    }
  }

  #arithmetic(part: Extract<Part, { type: 'ArithmeticExpansion' }>): void {
    if (part.expression) arithmetic(this.#shell, part.expression, this.state, this.#place)
    else if (/[$`[]/.test(part.text.slice(3, -2)))
      this.#unclear('syntax', "An arithmetic expression can't be parsed", part, true)
  }

  #literal(text: string, value: string, quoted: boolean, first: boolean, only: boolean): Piece {
    if (quoted) return { text: value, kind: 'literal', quoted }
    if (ODD.test(text))
      this.#unclear(
        'characters',
        'A word holds a blank or an invisible character that the shell takes for a letter',
        undefined,
        false,
      )
    // A tilde with something else than a slash behind it stands for itself.
    const tilde = first ? /^(?:[A-Za-z_]\w*=)?~[^/]*(\/?)/.exec(text) : undefined
    const special = (first && text.startsWith('=')) || (tilde && (only || tilde[1] === '/'))
    if (!special) return { text: value, kind: 'literal', quoted: text !== value }
    const word = { type: 'Word', text, value, pos: 0, end: 0 } as const
    const arg = literalArg(this.#shell, word, this.state, this.#place.span ?? { start: 0, end: 0 })
    return { text: arg.text, kind: arg.text.startsWith(DYNAMIC) ? 'pipe' : 'literal', quoted: true }
  }

  #variable(name: string, quoted: boolean): readonly (readonly Piece[])[] {
    if (/^[#?$!]$/.test(name)) return [[{ text: DYNAMIC, kind: 'number', quoted: true }]]
    const variable = this.#lookup(name)
    if (variable?.list && name === '@') return this.#elements(name, quoted)
    if (!variable && ADDRESS.test(name)) return [[{ ...ANYTHING, kind: 'number', quoted }]]
    if (!variable) return [[{ ...ANYTHING, quoted: quoted && name !== '@' }]]
    return variable.values.map((value) => [valuePiece(value, quoted)])
  }

  #lookup(name: string): Variable | undefined {
    const found = this.state.variables.get(name)
    if (found) return found
    const { context } = this.#shell
    const known = (value: string | undefined) => (value === undefined ? undefined : { values: [value], exported: true })
    if (name === 'HOME') return known(context.home)
    if (name === 'PWD') return this.state.cwd && { values: this.state.cwd, exported: true }
    if (name === 'IFS') return known(' \t\n')
    return known(context.env && Object.hasOwn(context.env, name) ? context.env[name] : undefined)
  }

  #parameter(part: Extract<Part, { type: 'ParameterExpansion' }>, quoted: boolean): readonly (readonly Piece[])[] {
    const { parameter, prefix, index, operation } = part
    const every = index !== undefined && /^[@*]$/.test(index.value)
    if (index && !every) expandWord(this.#shell, index, this.state, this.#place)
    if (prefix === '#') return [[{ text: DYNAMIC, kind: 'number', quoted: true }]]
    if (prefix === '!') return this.#operands(part, quoted)
    if (every && !operation) return this.#elements(parameter, quoted)
    if (index) return this.#operands(part, quoted)
    if (!operation) return this.#variable(parameter, quoted)
    if (operation.type !== 'Default') return this.#operands(part, quoted)
    const operand = expandText(this.#shell, operation.operand, this.state, this.#place).values
    const variable = this.#lookup(parameter)
    const stands = variable?.values ?? [DYNAMIC]
    const whole = operand.map((value) => [valuePiece(value, quoted)])
    const own = stands.map((value) => [valuePiece(value, quoted)])
    switch (operation.operator) {
      case '+':
      case ':+':
        return [...whole, [valuePiece('', quoted)]]
      case '?':
      case ':?':
        return own
      default: {
        const assigns = operation.operator.endsWith('=')
        const isSet = variable !== undefined && stands.every((value) => value !== '' && !value.includes(DYNAMIC))
        if (assigns && !isSet) {
          const values = variable ? [...stands, ...operand] : [...operand]
          this.state = withVariable(this.state, parameter, { values, exported: false })
        }
        return isSet ? own : [...own.filter(([piece]) => piece?.text !== ''), ...whole].slice(0, MAX_ALTERNATIVES)
      }
    }
  }

  #elements(name: string, quoted: boolean): readonly (readonly Piece[])[] {
    const list = this.state.variables.get(name)?.list
    if (!list) return [[{ ...ANYTHING, quoted: false }]]
    const broken = list.flatMap((value): Piece[] => [{ text: '', kind: 'break', quoted }, valuePiece(value, quoted)])
    return [broken.slice(1)]
  }

  /** An operation whose result is not worked out. What stands within it runs all the same. */
  #operands(part: Extract<Part, { type: 'ParameterExpansion' }>, quoted: boolean): readonly (readonly Piece[])[] {
    const { operation } = part
    for (const value of Object.values(operation ?? {})) {
      if (typeof value === 'object' && value.type === 'Word') expandWord(this.#shell, value, this.state, this.#place)
    }
    if (operation?.type === 'Transform' && operation.operand.value === 'P') {
      return this.#unclear(
        'expansion',
        `\`${part.text}\` evaluates a value as a prompt, which can run commands`,
        part,
        quoted,
      )
    }
    if (operation?.type === 'Unknown')
      return this.#unclear('expansion', `\`${part.text}\` is not understood`, part, quoted)
    return [[{ ...ANYTHING, quoted }]]
  }

  #unclear(code: UnknownCode, message: string, part: Part | undefined, quoted: boolean): readonly (readonly Piece[])[] {
    const span = part ? spanOf(part, this.#place) : (this.#place.span ?? { start: 0, end: 0 })
    report(this.#shell, code, message, span)
    return [[{ ...ANYTHING, quoted }]]
  }
}

/** The place of a script within a word. */
function inside(place: Place, part: Part, via: string, decoded: boolean): Place {
  const span = decoded ? { span: spanOf(part, place) } : {}
  return { ...place, ...span, via: [...place.via, via], depth: place.depth + 1 }
}

function valuePiece(text: string, quoted: boolean): Piece {
  return text === DYNAMIC ? { ...ANYTHING, quoted } : { text, kind: 'value', quoted }
}

/** Splits pieces into words where an unquoted value holds blanks. */
function fieldsOf(pieces: readonly Piece[], span: Span): readonly Arg[] {
  const fields: Arg[] = []
  let open: Arg | undefined
  const close = () => {
    if (open) fields.push(open)
    open = undefined
  }
  const add = (text: string, piece: Piece) => {
    const dynamic = text.includes(DYNAMIC)
    const loose = dynamic && !piece.quoted && (piece.kind === 'dynamic' || piece.kind === 'value')
    const before = open
    open = {
      text: (before?.text ?? '') + text,
      span,
      glob:
        (before?.glob ?? false) ||
        piece.glob === true ||
        (piece.kind === 'value' && !piece.quoted && /[*?[]/.test(text)),
      split: (before?.split ?? false) || loose,
      open:
        before !== undefined && before.text !== ''
          ? before.open
          : text.startsWith(DYNAMIC) && (piece.kind === 'dynamic' || piece.kind === 'value'),
      pipe: (before?.pipe ?? false) || piece.kind === 'pipe',
      quoted: (before?.quoted ?? false) || piece.quoted,
    }
  }
  for (const piece of pieces) {
    if (piece.kind === 'break') close()
    else if (piece.kind !== 'value' || piece.quoted || !/[ \t\n]/.test(piece.text)) {
      if (piece.text !== '' || piece.quoted || piece.kind === 'literal') add(piece.text, piece)
    } else {
      const words = piece.text.split(/[ \t\n]+/)
      words.forEach((word, index) => {
        if (index > 0) close()
        if (word !== '') add(word, piece)
      })
    }
  }
  close()
  return fields
}
