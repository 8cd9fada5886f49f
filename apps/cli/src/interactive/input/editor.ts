import { charactersOf } from '../terminal/characters.js'
import type { Key } from '../terminal/keys.js'

/** What is being written, and where. */
export interface Editor {
  readonly text: string
  /** Before which code unit of the text the next one goes; never inside a character. */
  readonly cursor: number
  /** What was cut last, for Ctrl+Y. */
  readonly cut: string
}

export const EMPTY: Editor = { text: '', cursor: 0, cut: '' }

/** The text with the cursor behind it. */
export function withText(editor: Editor, text: string): Editor {
  return { ...editor, text, cursor: text.length }
}

/**
 * What a key makes of the text, as in a shell.
 * @returns the same object for a key that means nothing here, so that the caller can give it a meaning
 */
export function edit(editor: Editor, key: Key): Editor {
  if (key.name === 'paste') return insert(editor, pasted(key.sequence))
  if (isNewLine(editor, key)) return newLine(editor)
  const move = movement(editor, key)
  if (move !== undefined) return move === editor.cursor ? editor : { ...editor, cursor: move }
  const range = removal(editor, key)
  if (range) return remove(editor, range)
  if (key.ctrl && key.name === 'y') return insert(editor, editor.cut)
  if (key.ctrl || key.meta || !isText(key.sequence)) return editor
  return insert(editor, key.sequence)
}

function insert(editor: Editor, added: string): Editor {
  if (added === '') return editor
  const { text, cursor } = editor
  return { ...editor, text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length }
}

/** Line ends as one kind, tabs as spaces, and nothing that would act on a terminal. */
function pasted(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
}

function isText(sequence: string): boolean {
  return sequence !== '' && !/[\u0000-\u001f\u007f-\u009f]/.test(sequence)
}

/** Alt+Enter, Ctrl+J, or Enter behind a backslash, which not every terminal keeps from us. */
function isNewLine({ text, cursor }: Editor, { name, meta }: Key): boolean {
  if (name === 'enter') return true
  return name === 'return' && (meta || text[cursor - 1] === '\\')
}

function newLine(editor: Editor): Editor {
  const { text, cursor } = editor
  if (text[cursor - 1] !== '\\') return insert(editor, '\n')
  return { ...editor, text: `${text.slice(0, cursor - 1)}\n${text.slice(cursor)}` }
}

function movement({ text, cursor }: Editor, { name, ctrl, meta }: Key): number | undefined {
  if (name === 'left' && !ctrl && !meta) return before(text, cursor)
  if (name === 'right' && !ctrl && !meta) return after(text, cursor)
  if (ctrl && name === 'b') return before(text, cursor)
  if (ctrl && name === 'f') return after(text, cursor)
  if ((meta && name === 'b') || name === 'left') return wordStart(text, cursor)
  if ((meta && name === 'f') || name === 'right') return wordEnd(text, cursor)
  if (name === 'home' || (ctrl && name === 'a')) return lineStart(text, cursor)
  if (name === 'end' || (ctrl && name === 'e')) return lineEnd(text, cursor)
  if (name === 'up' && text.lastIndexOf('\n', cursor - 1) !== -1) return above(text, cursor)
  if (name === 'down' && text.includes('\n', cursor)) return below(text, cursor)
  return undefined
}

type Range = readonly [from: number, to: number, keep: boolean]

function removal({ text, cursor }: Editor, { name, ctrl, meta }: Key): Range | undefined {
  if ((ctrl && name === 'w') || (meta && name === 'backspace')) return [wordStart(text, cursor), cursor, true]
  if (meta && name === 'd') return [cursor, wordEnd(text, cursor), true]
  if (name === 'backspace' || (ctrl && name === 'h')) return [before(text, cursor), cursor, false]
  if (name === 'delete' || (ctrl && name === 'd' && text !== '')) return [cursor, after(text, cursor), false]
  if (ctrl && name === 'u') return [lineStart(text, cursor), cursor, true]
  if (ctrl && name === 'k') {
    const end = lineEnd(text, cursor)
    return [cursor, end === cursor ? after(text, cursor) : end, true]
  }
  return undefined
}

function remove(editor: Editor, [from, to, keep]: Range): Editor {
  if (from === to) return editor
  const { text } = editor
  const cut = keep ? { cut: text.slice(from, to) } : {}
  return { ...editor, ...cut, text: text.slice(0, from) + text.slice(to), cursor: from }
}

/** Where the characters of a text begin, as people count them. */
function boundaries(text: string): readonly number[] {
  let at = 0
  return [...charactersOf(text)].map((character) => {
    at += character.length
    return at - character.length
  })
}

function before(text: string, cursor: number): number {
  const start = plainBefore(text, cursor)
  return start + (boundaries(text.slice(start, cursor)).at(-1) ?? 0)
}

function after(text: string, cursor: number): number {
  const [first = ''] = charactersOf(text.slice(cursor))
  return cursor + first.length
}

/** A place before the cursor where a character begins, as near as can be told at a glance: between two plain letters. */
function plainBefore(text: string, cursor: number): number {
  const isPlain = (at: number) => /[ -~]/.test(text.charAt(at))
  let start = cursor - 1
  while (start > 0 && !(isPlain(start) && isPlain(start - 1))) start--
  return Math.max(0, start)
}

function wordStart(text: string, cursor: number): number {
  return cursor - (/[^\p{L}\p{N}_]*$/u.exec(text.slice(0, cursor))?.[0].length ?? 0) - wordBefore(text, cursor)
}

function wordBefore(text: string, cursor: number): number {
  const left = text.slice(0, cursor).replace(/[^\p{L}\p{N}_]*$/u, '')
  return /[\p{L}\p{N}_]*$/u.exec(left)?.[0].length ?? 0
}

function wordEnd(text: string, cursor: number): number {
  return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0)
}

function lineStart(text: string, cursor: number): number {
  return text.lastIndexOf('\n', cursor - 1) + 1
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor)
  return end === -1 ? text.length : end
}

/** The same column of the line above, or its end. */
function above(text: string, cursor: number): number {
  const start = lineStart(text, cursor)
  return atColumn(text, lineStart(text, start - 1), cursor - start)
}

function below(text: string, cursor: number): number {
  const next = lineEnd(text, cursor) + 1
  return atColumn(text, next, cursor - lineStart(text, cursor))
}

function atColumn(text: string, start: number, column: number): number {
  const end = lineEnd(text, start)
  const wanted = Math.min(start + column, end)
  // Not into the middle of a character.
  return wanted === end ? end : start + (boundaries(text.slice(start, end)).findLast((at) => at <= column) ?? 0)
}
