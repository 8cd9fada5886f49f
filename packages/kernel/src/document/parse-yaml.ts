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
  // `uniqueKeys` of the library takes quadratic time, and tells `1` from `"1"`: see findFaults.
  const options = { version: '1.2', uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const
  const [document, second] = new yaml.Composer(options).compose(tokens, true, text.length)
  if (!document) return { value: null, locate: () => undefined, problems: [] }
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
  if (problems.length === 0) problems.push(...findFaults(document.contents, new Set(), yaml))
  if (problems.length > 0) return { locate, problems: problems.slice(0, MAX_PROBLEMS) }
  const fail = (message: string, place: Span | undefined): Parsed => ({
    locate,
    problems: [{ kind: 'syntax', message, span: place ?? [0, 1] }],
  })
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    const growth = findGrowth(value, { left: Math.max(MAX_EXPANDED, 4 * text.length) }, [], [])
    return growth ? fail(growth.why, locate(growth.path, 'value')) : { value, locate, problems }
  } catch (error) {
    return fail(error instanceof ReferenceError ? TOO_LARGE : messageOf(error), firstAlias(document, yaml))
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

/** What YAML allows and this reader does not: keys that a map can't tell apart or hold, and aliases of nothing. */
function findFaults(node: unknown, anchors: Set<string>, yaml: Yaml): readonly Problem[] {
  if (yaml.isAlias(node)) return anchors.has(node.source) ? [] : [fault('the alias refers to no anchor above it', node)]
  if (yaml.isNode(node) && node.anchor) anchors.add(node.anchor)
  if (yaml.isSeq(node)) return node.items.flatMap((item) => findFaults(item, anchors, yaml))
  if (!yaml.isMap(node)) return []
  const seen = new Set<string>()
  return node.items.flatMap(({ key, value }) => {
    const problems: Problem[] = []
    if (key !== null && !yaml.isScalar(key)) problems.push(fault(NO_KEY, key))
    else if (seen.has(keyText(key, yaml))) problems.push(fault('the same key stands twice in one map', key))
    else seen.add(keyText(key, yaml))
    return [...problems, ...findFaults(key, anchors, yaml), ...findFaults(value, anchors, yaml)]
  })
}

const NO_KEY = 'a map, list or alias stands where a key belongs; a text that starts with {, [ or * needs quotes'

function fault(message: string, node: unknown): Problem {
  return { kind: 'syntax', message, span: spanOf(node) ?? [0, 1] }
}

const TOO_LARGE = 'its aliases multiply beyond the limit'

/** The first part through which aliases make a value endless or huge. */
function findGrowth(
  value: unknown,
  budget: { left: number },
  path: readonly string[],
  parents: readonly unknown[],
): { readonly why: string; readonly path: readonly string[] } | undefined {
  budget.left -= typeof value === 'string' ? 1 + value.length : 1
  if (budget.left < 0) return { why: TOO_LARGE, path }
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
  return spanOf(found)
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
        node = found?.value ?? key
      } else {
        key = undefined
        node = yaml.isSeq(node) ? (node as YAMLSeq).items[Number(segment)] : undefined
      }
      if (!node) return undefined
    }
    const place = spanOf(part === 'key' ? key : node)
    // `key:` without a value covers nothing; the key is where it is missing.
    return place && place[0] === place[1] ? (spanOf(key) ?? place) : place
  }
}

/** The key as `toJS` makes it. */
function keyText(key: unknown, yaml: Yaml): string {
  return String((yaml.isScalar(key) ? key.value : key) ?? '')
}

function spanOf(node: unknown): Span | undefined {
  const range = (node as Node | null | undefined)?.range
  return range ? [range[0], range[1]] : undefined
}
