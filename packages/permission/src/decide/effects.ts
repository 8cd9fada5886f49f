import type { Behavior } from '@ext/kernel/contract'
import { compilePathPattern } from '@ext/kernel/match'
import type { CommandReading } from '../rule/command/read.js'
import type { Hand } from '../rule/compile.js'
import { readDestination } from '../rule/domain.js'
import { domainKeys, pathKeys } from '../rule/keys.js'
import { foldPath, somethingBelow } from '../rule/path.js'
import { type Links, withLinks } from '../rule/reading.js'
import type { Effect } from '../shell/index.js'
import type { RuleIndex } from './rule-index.js'
import type { PlacedRule, Ruleset } from './ruleset.js'

/** The deny or ask rule about files and hosts that an effect of a command line certainly breaks. */
export function ruleOnEffect(
  effect: Effect,
  behavior: Behavior,
  rules: Ruleset,
  links: Links | undefined,
): PlacedRule | undefined {
  const { kind, certain, pattern, path, host } = effect
  if (kind === 'mention') return undefined
  const index = rules.hands(kind, behavior)
  if (index.size === 0) return undefined
  // Wherever it is: a rule about all files speaks about it.
  const everywhere = index.first([], speaksOfAll)
  if (everywhere || !certain || pattern) return everywhere
  if (kind === 'net') return host === undefined ? undefined : onHost(host, index)
  return path === undefined ? undefined : onPaths(withLinks([path], links), index)
}

function speaksOfAll({ compiled: { specifiers, problem } }: PlacedRule): boolean {
  if (problem || specifiers.length === 0) return true
  return specifiers.some((each) => each.kind === 'path' && each.everything)
}

function onHost(host: string, index: RuleIndex): PlacedRule | undefined {
  return index.first(
    domainKeys([host]),
    (rule) =>
      speaksOfAll(rule) ||
      rule.compiled.specifiers.some((each) =>
        each.kind === 'domain' ? each.test(host) : each.kind === 'regex' && each.part(host),
      ),
  )
}

function onPaths(paths: readonly string[], index: RuleIndex): PlacedRule | undefined {
  return index.first(
    paths.flatMap(pathKeys),
    (rule) =>
      speaksOfAll(rule) ||
      rule.compiled.specifiers.some((each) =>
        each.kind === 'path'
          ? paths.some((path) => each.test(path) || each.test(somethingBelow(path)))
          : each.kind === 'regex' && paths.some(each.part),
      ),
  )
}

/** A deny or ask rule that an effect may break: nobody knows all places that it reaches. */
export function ruleNearEffect(effect: Effect, rules: Ruleset, links: Links | undefined): PlacedRule | undefined {
  const hands: readonly Hand[] = effect.kind === 'mention' ? ['read', 'write'] : [effect.kind]
  for (const behavior of ['deny', 'ask'] as const) {
    for (const hand of hands) {
      const index = rules.hands(hand, behavior)
      if (index.size === 0) continue
      const found = hand === 'net' ? hostNear(effect, index) : pathNear(effect, index, links)
      if (found) return found
    }
  }
  return undefined
}

function hostNear({ host, certain }: Effect, index: RuleIndex): PlacedRule | undefined {
  if (host === undefined) return [...index][0]
  return certain ? undefined : onHost(host, index)
}

function pathNear(
  { kind, path, pattern, certain, recursive }: Effect,
  index: RuleIndex,
  links: Links | undefined,
): PlacedRule | undefined {
  if (path === undefined) return [...index][0]
  if (pattern) {
    for (const place of globPlaces(path, links)) {
      const found = ruleNearGlob(place, index)
      if (found) return found
    }
    return undefined
  }
  if (!certain || kind === 'mention') {
    const found = onPaths(withLinks([path], links), index)
    if (found) return found
  }
  if (!recursive) return undefined
  const above = `${foldPath(path) === '/' ? '' : foldPath(path)}/`
  return find(index, (rule) =>
    pathTests(rule).some(({ key, base, sample }) => {
      if (key.kind === 'at') return key.path.startsWith(above)
      // A name at any depth: most likely it is one in the folder where the rule starts.
      return key.kind === 'name' && foldPath(sample(base)).startsWith(above)
    }),
  )
}

/** URLs as they may stand within a word: `--index-url=https://a.test`, `git+ssh://b.test/x`. */
const URLS = /[a-z][a-z\d+.-]*:\/\/[^\s'"]+/gi

/** A deny or ask rule about a host that a command names, whatever it does with it. */
export function ruleNearWords({ units }: CommandReading, rules: Ruleset): PlacedRule | undefined {
  for (const behavior of ['deny', 'ask'] as const) {
    const index = rules.hands('net', behavior)
    for (const { unit } of index.size > 0 ? units : []) {
      for (const word of unit.argv) {
        for (const [url] of word.includes('://') ? word.matchAll(URLS) : []) {
          const found = first(readDestination(url).hosts, (host) => onHost(host, index))
          if (found) return found
        }
      }
    }
  }
  return undefined
}

function first<T, R>(items: readonly T[], look: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** A glob, below each place where the folder of its first wildcard leads. */
export function globPlaces(glob: string, links: Links | undefined): readonly string[] {
  const folder = literalFolder(glob)
  return withLinks([folder], links).map((place) => place + glob.slice(folder.length))
}

function ruleNearGlob(glob: string, index: RuleIndex): PlacedRule | undefined {
  const folder = literalFolder(glob)
  const matcher = compilePathPattern(`/${glob}`, { cwd: '/', home: '/', sourceDir: '/', ignoreCase: false })
  return find(index, (rule) =>
    pathTests(rule).some((each) => {
      const sample = each.sample(folder)
      return each.test(somethingBelow(glob)) || (matcher.test(sample) && showsDots(glob, sample) && each.test(sample))
    }),
  )
}

function pathTests({ compiled: { specifiers } }: PlacedRule) {
  return specifiers.flatMap((each) => (each.kind === 'path' ? [each] : []))
}

function find(rules: Iterable<PlacedRule>, test: (rule: PlacedRule) => boolean): PlacedRule | undefined {
  for (const rule of rules) if (test(rule)) return rule
  return undefined
}

/** The folder in which the first wildcard of a glob stands. */
export function literalFolder(glob: string): string {
  const literal = /^[^*?[{\\]*/.exec(glob)?.[0] ?? ''
  return literal.slice(0, Math.max(1, literal.lastIndexOf('/'))) || '/'
}

/** A wildcard at the beginning of a name does not stand for a dot, to a shell. */
function showsDots(glob: string, path: string): boolean {
  const names = path.split('/')
  return glob.split('/').every((part, index) => !/^[*?[]/.test(part) || !names[index]?.startsWith('.'))
}
