import type { Document, Node, ParsedNode } from 'yaml'
import { messageOf } from '../errors.js'
import type { Locator, Span } from './locate.js'
import type { Parsed, Problem } from './parsed.js'

/** YAML 1.2 core schema. Any error makes the whole text unusable: half a document is a silent loss. */
export async function parseYaml(text: string): Promise<Parsed> {
  const yaml = await import('yaml')
  try {
    const document = yaml.parseDocument(text, { version: '1.2', uniqueKeys: true, prettyErrors: false })
    const locate = locator(document, yaml)
    const problems = document.errors.map((error): Problem => {
      const [start, end] = error.pos
      return { kind: 'syntax', message: explain(error.code, error.message), span: [start, Math.max(end, start + 1)] }
    })
    if (problems.length > 0) return { locate, problems }
    return { value: document.toJS({ maxAliasCount: 100 }), locate, problems }
  } catch (error) {
    // Alias bombs and nesting beyond the stack are thrown by the parser, without a position.
    return { locate: () => undefined, problems: [{ kind: 'syntax', message: messageOf(error), span: [0, 1] }] }
  }
}

function explain(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'the same key stands twice in one map'
  if (code === 'TAB_AS_INDENT') return 'a tab is used for indentation; YAML allows spaces only'
  return message.replace(/\.?$/, '')
}

function locator(document: Document.Parsed, yaml: typeof import('yaml')): Locator {
  return (path, part) => {
    let node: Node | null | undefined = document.contents
    let key: unknown
    for (const segment of path) {
      if (yaml.isAlias(node)) node = node.resolve(document)
      if (yaml.isMap(node)) {
        const pair = node.items.find((item) => keyText(item.key, yaml) === segment)
        key = pair?.key
        node = (pair?.value ?? undefined) as ParsedNode | undefined
        // `key:` without a value has no node of its own; the key is where it is missing.
        if (pair && !node) node = pair.key as ParsedNode
      } else {
        key = undefined
        node = yaml.isSeq(node) ? (node.items[Number(segment)] as ParsedNode | undefined) : undefined
      }
      if (!node) return undefined
    }
    const found = part === 'key' ? key : node
    return yaml.isNode(found) ? span(found) : undefined
  }
}

function keyText(key: unknown, yaml: typeof import('yaml')): string {
  return String(yaml.isScalar(key) ? key.value : key)
}

function span(node: Node): Span | undefined {
  return node.range ? [node.range[0], node.range[1]] : undefined
}
