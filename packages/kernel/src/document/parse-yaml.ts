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
  const { document, second, tooDeep } = compose(text, yaml)
  if (tooDeep) return { locate: () => undefined, problems: [{ kind: 'syntax', message: TOO_DEEP, span: tooDeep }] }
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
  const faults = new Faults(yaml)
  if (problems.length === 0) problems.push(...faults.find(document.contents))
  if (problems.length > 0) return { locate, problems: problems.slice(0, MAX_PROBLEMS) }
  const fail = (message: string, place: Span | undefined): Parsed => ({
    locate,
    problems: [{ kind: 'syntax', message, span: place ?? [0, 1] }],
  })
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    const growth = faults.sawAlias
      ? findGrowth(value, { left: Math.max(MAX_EXPANDED, 4 * text.length) }, [], [])
      : undefined
    if (growth) return fail(growth.why, locate(growth.path, 'value'))
    return { value, locate: locateLater(text, yaml), problems }
  } catch (error) {
    return fail(error instanceof ReferenceError ? TOO_LARGE : messageOf(error), firstAlias(document, yaml))
  }
}

interface Composed {
  readonly document?: Document.Parsed | undefined
  readonly second?: Document.Parsed | undefined
  readonly tooDeep?: Span
}

function compose(text: string, yaml: Yaml): Composed {
  const tokens = [...new yaml.Parser().parse(text)]
  // The composer is recursive and ends the whole process close to the end of its stack, so depth is measured before.
  const tooDeep = findTooDeep(tokens)
  if (tooDeep) return { tooDeep }
  // `uniqueKeys` of the library takes quadratic time, and tells `1` from `"1"`: see Faults.
  const options = { version: '1.2', uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const
  const [document, second] = new yaml.Composer(options).compose(tokens, true, text.length)
  return { document: document as Document.Parsed | undefined, second: second as Document.Parsed | undefined }
}

/**
 * The tree of a text takes fifty times its memory, and most files are never asked where something stands. So it is
 * dropped, and built again on the first question.
 */
function locateLater(text: string, yaml: Yaml): Locator {
  let locate: Locator | undefined
  return (path, part) => {
    if (!locate) {
      const { document } = compose(text, yaml)
      locate = document ? locator(document, yaml) : () => undefined
    }
    return locate(path, part)
  }
}

const EXPLAINED: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used for indentation; YAML allows spaces only',
  TAG_RESOLVE_FAILED: 'the tag is unknown; a text that starts with ! needs quotes',
}

/** Where collections are nested beyond the limit. Iterative, for it runs on what recursion could not survive. */
function findTooDeep(tokens: readonly CST.Token[]): Span | undefined {
  let level: CST.Token[] = []
  for (const token of tokens) push(level, token.type === 'document' ? token.value : token)
  for (let depth = 0; level.length > 0; depth++) {
    const below: CST.Token[] = []
    for (const token of level) {
      if (depth === MAX_DEPTH) return [token.offset, token.offset + 1]
      if (!('items' in token)) continue
      for (const { key, value } of token.items) {
        push(below, key)
        push(below, value)
      }
    }
    level = below
  }
  return undefined
}

function push(collections: CST.Token[], token: CST.Token | null | undefined): void {
  if (token && 'items' in token) collections.push(token)
}

/** What YAML allows and this reader does not: keys that a map can't tell apart or hold, and aliases of nothing. */
class Faults {
  readonly #yaml: Yaml
  readonly #anchors = new Set<string>()
  readonly #problems: Problem[] = []
  sawAlias = false

  constructor(yaml: Yaml) {
    this.#yaml = yaml
  }

  find(node: unknown): readonly Problem[] {
    this.#visit(node)
    return this.#problems
  }

  #visit(node: unknown): void {
    const { isAlias, isMap, isScalar, isSeq } = this.#yaml
    if (isAlias(node)) {
      this.sawAlias = true
      if (!this.#anchors.has(node.source)) this.#add('the alias refers to no anchor above it', node)
      return
    }
    if (isScalar(node)) {
      if (node.anchor) this.#anchors.add(node.anchor)
      return
    }
    if (isSeq(node)) {
      if (node.anchor) this.#anchors.add(node.anchor)
      for (const item of node.items) this.#visit(item)
      return
    }
    if (!isMap(node)) return
    if (node.anchor) this.#anchors.add(node.anchor)
    const seen = new Set<string>()
    for (const { key, value } of node.items) {
      if (key !== null && !isScalar(key)) this.#add(NO_KEY, key)
      else {
        const text = keyText(key, this.#yaml)
        if (seen.has(text)) this.#add('the same key stands twice in one map', key)
        else seen.add(text)
      }
      this.#visit(key)
      this.#visit(value)
    }
  }

  #add(message: string, node: unknown): void {
    this.#problems.push({ kind: 'syntax', message, span: spanOf(node) ?? [0, 1] })
  }
}

const NO_KEY = 'a map, list or alias stands where a key belongs; a text that starts with {, [ or * needs quotes'

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
