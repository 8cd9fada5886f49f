import type { Node } from 'jsonc-parser'
import type { Locator, Span } from './locate.js'
import { MAX_DEPTH, type Parsed, type Problem, TOO_DEEP } from './parsed.js'

type Jsonc = typeof import('jsonc-parser')

/**
 * `JSON.parse` decides what is valid and what the value is. Comments and trailing commas are accepted on the error
 * path only, and said. Positions come from a tree that is built when somebody asks for one.
 */
export async function parseJson(text: string): Promise<Parsed> {
  const jsonc = await loadJsonc()
  const tree = lazily(() => jsonc.parseTree(text, [], { allowTrailingComma: true }))
  const locate = locator(tree)
  const strict = attempt(text)
  const bare = strict ? undefined : withoutComments(text, jsonc)
  const parsed = strict ?? (bare && attempt(bare.text))
  const outline = strict ? outlineOf(text) : scan(bare?.text ?? text)
  if (outline.tooDeep) return { locate, problems: [{ kind: 'syntax', message: TOO_DEEP, span: outline.tooDeep }] }
  const fault = strict ? undefined : findFault(text, jsonc)
  if (!parsed || fault) return { locate, problems: [fault ?? UNEXPLAINED] }
  const problems: Problem[] = []
  if (bare) problems.push({ kind: 'comments', span: bare.first })
  if (outline.colons !== countKeys(parsed.value)) problems.push(...duplicateKeys(tree()))
  return { value: parsed.value, locate, problems }
}

function attempt(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The text with comments and trailing commas blanked, so that every offset stays; and where the first one stood. */
function withoutComments(text: string, jsonc: Jsonc): { readonly text: string; readonly first: Span } {
  const bare = jsonc.stripComments(text, ' ')
  const chars = bare.split('')
  for (const comma of scan(bare).trailingCommas) chars[comma] = ' '
  const blanked = chars.join('')
  let first = 0
  while (first < text.length - 1 && text[first] === blanked[first]) first++
  return { text: blanked, first: [first, first + 1] }
}

interface Outline {
  /** Where the nesting passes the limit. */
  readonly tooDeep?: Span
  /** As many as the text has keys. */
  readonly colons: number
}

/** Of a text that is valid, so nothing but brackets, colons and the ends of strings has to be looked at. */
function outlineOf(text: string): Outline {
  let tooDeep: Span | undefined
  let colons = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = text.indexOf('"', at + 1)
        while (isEscaped(text, at)) at = text.indexOf('"', at + 1)
        break
      case 0x3a: // :
        colons++
        break
      case 0x5b: // [
      case 0x7b: // {
        depth++
        if (depth > MAX_DEPTH) tooDeep ??= [at, at + 1]
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
  return { ...(tooDeep && { tooDeep }), colons }
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** What can be said of a JSON text in one pass without recursion, whether it is valid or not. */
function scan(text: string): Outline & { readonly trailingCommas: readonly number[] } {
  const trailingCommas: number[] = []
  let tooDeep: Span | undefined
  let colons = 0
  let depth = 0
  let last = ''
  let comma: { readonly at: number; readonly after: string } | undefined
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    switch (char) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        continue
      case '"':
        at = endOfString(text, at)
        break
      case '{':
      case '[':
        depth++
        if (depth > MAX_DEPTH) tooDeep ??= [at, at + 1]
        break
      case '}':
      case ']':
        depth--
        // A comma right after an opening bracket or another comma separates nothing: that stays an error.
        if (last === ',' && comma && !'[{,:'.includes(comma.after)) trailingCommas.push(comma.at)
        break
      case ',':
        comma = { at, after: last }
        break
      case ':':
        colons++
        break
    }
    last = char
  }
  return { ...(tooDeep && { tooDeep }), trailingCommas, colons }
}

/** The closing quote, or the end of the line that lacks one. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"' && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1
  return at
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts: readonly unknown[] = Object.values(value)
  return parts.reduce((sum: number, part) => sum + countKeys(part), Array.isArray(value) ? 0 : parts.length)
}

function duplicateKeys(node: Node | undefined): readonly Problem[] {
  const seen = new Map<unknown, Node>()
  return (node?.children ?? []).flatMap((child) => {
    const key = node?.type === 'object' ? child.children?.[0] : undefined
    const first = key && seen.get(key.value)
    if (key) seen.set(key.value, key)
    const inside = duplicateKeys(key ? child.children?.[1] : child)
    if (!key || !first) return inside
    return [
      { kind: 'duplicate-key' as const, key: String(key.value), first: spanOf(first), span: spanOf(key) },
      ...inside,
    ]
  })
}

function findFault(text: string, jsonc: Jsonc): Problem | undefined {
  const errors: { error: number; offset: number; length: number }[] = []
  jsonc.parse(text, errors, { allowTrailingComma: true, allowEmptyContent: false })
  const [first] = errors
  if (!first) return undefined
  const message = EXPLAINED[jsonc.printParseErrorCode(first.error)] ?? UNEXPLAINED.message
  return { kind: 'syntax', message, span: [first.offset, first.offset + Math.max(1, first.length)] }
}

const UNEXPLAINED = { kind: 'syntax', message: 'something in it is not JSON', span: [0, 1] } as const

const EXPLAINED: Readonly<Record<string, string>> = {
  InvalidSymbol: 'an unquoted word stands where a value or a quoted key is expected',
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'a quoted key is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is missing between key and value',
  CommaExpected: 'a comma is missing between two items',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'there is more text after the end of the value',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number breaks off',
  InvalidUnicode: 'a \\u escape is malformed',
  InvalidEscapeCharacter: 'a backslash escape is unknown',
  InvalidCharacter: 'a control character stands inside a string',
}

/** jsonc-parser is CommonJS for Node, where its names hang on `default`. */
async function loadJsonc(): Promise<Jsonc> {
  return (await import('jsonc-parser')).default
}

function lazily<T>(build: () => T): () => T {
  let built: { readonly value: T } | undefined
  return () => {
    built ??= { value: build() }
    return built.value
  }
}

function locator(tree: () => Node | undefined): Locator {
  const properties = new WeakMap<Node, ReadonlyMap<unknown, Node>>()
  const property = (node: Node, key: string) => {
    let known = properties.get(node)
    if (!known) {
      // The last of two equal keys stays, as in JSON.parse.
      known = new Map((node.children ?? []).map((child) => [child.children?.[0]?.value, child]))
      properties.set(node, known)
    }
    return known.get(key)?.children
  }
  return (path, part) => {
    let node = tree()
    let key: Node | undefined
    for (const segment of path) {
      if (node?.type === 'object') {
        ;[key, node] = property(node, segment) ?? []
      } else {
        key = undefined
        node = node?.type === 'array' ? node.children?.[Number(segment)] : undefined
      }
    }
    const found = part === 'key' ? key : node
    return found && spanOf(found)
  }
}

function spanOf(node: Node): Span {
  return [node.offset, node.offset + node.length]
}
