import type { Node } from 'jsonc-parser'
import type { Locator, Span } from './locate.js'
import type { Parsed } from './parsed.js'

/**
 * `JSON.parse` decides what is valid and what the value is. Comments and trailing commas are accepted on the error
 * path only, and said. Positions come from a tree that is built when somebody asks for one.
 */
export async function parseJson(text: string): Promise<Parsed> {
  const jsonc = await loadJsonc()
  const locate = lazyLocator(() => jsonc.parseTree(text, [], { allowTrailingComma: true }))
  try {
    return { value: JSON.parse(text), locate, problems: [] }
  } catch {
    const errors: { error: number; offset: number; length: number }[] = []
    const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true, allowEmptyContent: false })
    const first = errors[0]
    if (!first) return { value, locate, problems: [{ kind: 'comments' }] }
    const span: Span = [first.offset, first.offset + Math.max(1, first.length)]
    const message = EXPLAINED[jsonc.printParseErrorCode(first.error)] ?? 'the text is not valid JSON'
    return { locate, problems: [{ kind: 'syntax', message, span }] }
  }
}

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
async function loadJsonc(): Promise<typeof import('jsonc-parser')> {
  return (await import('jsonc-parser')).default
}

function lazyLocator(build: () => Node | undefined): Locator {
  let root: Node | undefined
  let built = false
  return (path, part) => {
    if (!built) {
      root = build()
      built = true
    }
    let node = root
    let key: Node | undefined
    for (const segment of path) {
      if (!node) return undefined
      if (node.type === 'object') {
        // The last of two equal keys is the one that JSON.parse keeps.
        const property = node.children?.findLast((child) => child.children?.[0]?.value === segment)
        key = property?.children?.[0]
        node = property?.children?.[1]
      } else {
        key = undefined
        node = node.type === 'array' ? node.children?.[Number(segment)] : undefined
      }
    }
    const found = part === 'key' ? key : node
    return found && [found.offset, found.offset + found.length]
  }
}
