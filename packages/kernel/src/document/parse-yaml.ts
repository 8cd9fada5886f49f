import type { Alias, CST, Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml'
import { messageOf } from '../errors.js'
import type { Locator, Span } from './locate.js'
import { MAX_DEPTH, type Parsed, type Problem, TOO_DEEP } from './parsed.js'

type Yaml = typeof import('yaml')

/** More syntax errors than this are echoes of the first ones. */
const MAX_PROBLEMS = 10
/** References to one anchor, counted with those that its own content holds. */
const MAX_ALIASES = 100
/** What a value may grow to through its aliases, in nodes and characters. A text of 1 MiB without aliases stays below. */
const MAX_EXPANDED = 4 * 1024 * 1024

/** YAML 1.2 core schema. Any error makes the whole text unusable: half a document is a silent loss. */
export async function parseYaml(text: string): Promise<Parsed> {
  const yaml = await import('yaml')
  const tokens = [...new yaml.Parser().parse(text)]
  // The composer is recursive and ends the whole process close to the end of its stack, so depth is measured before.
  const deep = tooDeep(tokens)
  if (deep) return { locate: () => undefined, problems: [{ kind: 'syntax', message: TOO_DEEP, span: deep }] }
  // `uniqueKeys` of the library takes quadratic time, and tells `1` from `"1"`: see findBadKeys.
  const options = { version: '1.2', uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const
  const [document, second] = new yaml.Composer(options).compose(tokens, true, text.length)
  if (!document) return { locate: () => undefined, problems: [] }
  const locate = locator(document, yaml)
  const problems: Problem[] = [...document.errors, ...document.warnings].map(
    ({ code, message, pos: [start, end] }) => ({
      kind: 'syntax',
      message: EXPLAINED[code] ?? message.replace(/\.?$/, ''),
      span: [start, Math.max(end, start + 1)],
    }),
  )
  if (second) {
    const [start] = second.range
    problems.push({ kind: 'syntax', message: 'a second document starts here', span: [start, start + 1] })
  }
  if (problems.length === 0) problems.push(...findBadKeys(document.contents, yaml))
  if (problems.length > 0) return { locate, problems: problems.slice(0, MAX_PROBLEMS) }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    const growth = findGrowth(value, { left: Math.max(MAX_EXPANDED, 4 * text.length) }, [], [])
    if (!growth) return { value, locate, problems }
    return { locate, problems: [{ kind: 'syntax', message: growth.why, span: locate(growth.path, 'value') ?? [0, 1] }] }
  } catch (error) {
    const message = error instanceof ReferenceError ? 'its aliases multiply beyond the limit' : messageOf(error)
    return { locate, problems: [{ kind: 'syntax', message, span: firstAlias(document, yaml) ?? [0, 1] }] }
  }
}

const EXPLAINED: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used for indentation; YAML allows spaces only',
  TAG_RESOLVE_FAILED: 'the tag is unknown; a text that starts with ! needs quotes',
}

/** Where collections are nested beyond the limit. Iterative, for it runs on what recursion could not survive. */
function tooDeep(tokens: readonly CST.Token[]): Span | undefined {
  const open: { readonly token: CST.Token | null | undefined; readonly depth: number }[] = []
  for (const token of tokens) open.push({ token, depth: 0 })
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next
    if (token?.type === 'document') open.push({ token: token.value, depth })
    if (!token || !('items' in token)) continue
    if (depth === MAX_DEPTH) return [token.offset, token.offset + 1]
    for (const { key, value } of token.items)
      open.push({ token: key, depth: depth + 1 }, { token: value, depth: depth + 1 })
  }
  return undefined
}

function findBadKeys(node: unknown, yaml: Yaml): readonly Problem[] {
  if (yaml.isSeq(node)) return node.items.flatMap((item) => findBadKeys(item, yaml))
  if (!yaml.isMap(node)) return []
  const seen = new Set<string>()
  return node.items.flatMap(({ key, value }) => {
    const problems = findBadKeys(value, yaml)
    const at = (yaml.isNode(key) && span(key)) || [0, 1]
    if (key !== null && !yaml.isScalar(key)) {
      const message = 'a map, list or alias stands where a key belongs; a text that starts with {, [ or * needs quotes'
      return [{ kind: 'syntax' as const, message, span: at }, ...problems]
    }
    const name = keyText(key, yaml)
    if (seen.has(name)) {
      return [{ kind: 'syntax' as const, message: 'the same key stands twice in one map', span: at }, ...problems]
    }
    seen.add(name)
    return problems
  })
}

/** The first part through which aliases make a value endless or huge. */
function findGrowth(
  value: unknown,
  budget: { left: number },
  path: readonly string[],
  parents: readonly unknown[],
): { readonly why: string; readonly path: readonly string[] } | undefined {
  budget.left -= typeof value === 'string' ? 1 + value.length : 1
  if (budget.left < 0) return { why: 'its aliases multiply beyond the limit', path }
  if (typeof value !== 'object' || value === null) return undefined
  if (parents.includes(value)) return { why: 'an alias stands inside the very part that it refers to', path }
  if (parents.length === MAX_DEPTH) return { why: TOO_DEEP, path }
  for (const [key, part] of Object.entries(value)) {
    const growth = findGrowth(part, budget, [...path, key], [...parents, value])
    if (growth) return growth
  }
  return undefined
}

function firstAlias(document: Document.Parsed, yaml: Yaml): Span | undefined {
  let found: Alias | undefined
  yaml.visit(document, {
    Alias(_key, alias) {
      found = alias
      return yaml.visit.BREAK
    },
  })
  return found && span(found)
}

function locator(document: Document.Parsed, yaml: Yaml): Locator {
  const pairs = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()
  const pair = (map: YAMLMap, key: string) => {
    let known = pairs.get(map)
    if (!known) {
      known = new Map(map.items.map((item) => [keyText(item.key, yaml), item]))
      pairs.set(map, known)
    }
    return known.get(key)
  }
  return (path, part) => {
    let node: unknown = document.contents
    let key: unknown
    for (const segment of path) {
      if (yaml.isAlias(node)) node = node.resolve(document)
      if (yaml.isMap(node)) {
        const found = pair(node, segment)
        key = found?.key
        // `key:` without a value has no node of its own; the key is where it is missing.
        node = found?.value ?? key
      } else {
        key = undefined
        node = yaml.isSeq(node) ? (node as YAMLSeq).items[Number(segment)] : undefined
      }
      if (!node) return undefined
    }
    const found = part === 'key' ? key : node
    return yaml.isNode(found) ? span(found) : undefined
  }
}

/** The key as `toJS` makes it. */
function keyText(key: unknown, yaml: Yaml): string {
  return String((yaml.isScalar(key) ? key.value : key) ?? '')
}

function span(node: Node): Span | undefined {
  return node.range ? [node.range[0], node.range[1]] : undefined
}
