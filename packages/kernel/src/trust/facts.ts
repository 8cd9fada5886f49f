import { ExtError } from '../errors.js'
import { Places } from './places.js'
import { visible, word, wordSet, words } from './text.js'
import type { Fact, HashedFile, HashPort, Problem, Runs, TrustSubject } from './types.js'

/** What a subject comes down to on this machine. */
export interface Findings {
  /** The real path of the root. */
  readonly root: string
  readonly facts: readonly Fact[]
  readonly problems: readonly Problem[]
}

/** Says what would run, with the content of scripts, in an order of its own that has nothing to do with how it is written. */
export function findFacts(subject: TrustSubject, port: HashPort): Findings {
  const { runs } = subject
  const places = new Places(subject, port)
  const facts: Fact[] = []
  const add = (field: string, value: string | undefined) => {
    if (value !== undefined) facts.push({ field, value })
  }
  const { command } = runs
  if (command && 'shell' in command) add(`runs in ${command.shell}`, visible(command.script))
  else if (command) add('runs', words([command.file, ...command.args].map((each) => places.reroot(each))))
  if (runs.cwd !== undefined) {
    add('working folder', [places.show(places.base), ...places.link(places.base, port.realPath(places.base))].join(' '))
  }
  const scripts = findScripts(runs, places, port)
  facts.push(...scripts.facts)
  add('url', runs.url === undefined ? undefined : visible(runs.url))
  add('host', runs.host === undefined ? undefined : word(runs.host))
  add('prompt', runs.prompt === undefined ? undefined : visible(runs.prompt))
  for (const [name, value] of sorted(runs.headers)) add(`header ${word(name)}`, visible(value))
  for (const [name, value] of sorted(runs.env)) add(`sets ${word(name)}`, visible(value))
  add('passes', runs.passEnv && wordSet(runs.passEnv))
  add('sends', typeof runs.sends === 'string' ? '(everything)' : runs.sends && wordSet(runs.sends))
  add('tools', runs.tools && wordSet(runs.tools))
  const { believesAnnotations: believes } = runs
  add('annotations', believes === undefined ? undefined : believes ? 'believed' : 'not believed')
  for (const [name, value] of sorted(runs.also)) {
    add(`with ${word(name)}`, typeof value === 'string' ? word(value) : wordSet(value))
  }
  if (facts.length === 0) {
    throw new ExtError('kernel.trust.empty', `The subject \`${subject.name}\` does not say what would run.`)
  }
  const gone: readonly Problem[] = places.rootExists
    ? []
    : [{ path: subject.root, failure: 'missing', message: 'The folder does not exist or can not be reached.' }]
  return { root: places.root, facts, problems: [...gone, ...scripts.problems] }
}

function sorted<T>(map: Readonly<Record<string, T>> = {}): readonly (readonly [string, T])[] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))
}

function findScripts(runs: Runs, places: Places, port: HashPort): Pick<Findings, 'facts' | 'problems'> {
  const found = new Map<string, HashedFile>()
  for (const script of runs.scripts ?? []) {
    const path = places.absolute(script)
    found.set(path, port.file(path))
  }
  const { command } = runs
  const look = (texts: readonly string[], isOurs: (path: string | undefined) => boolean) => {
    for (const path of texts.flatMap(possiblePaths).map((each) => places.absolute(each))) {
      if (found.has(path) || !(isOurs(path) || isOurs(port.realPath(path)))) continue
      const file = port.file(path)
      // Most words name no file, and a folder has no content of its own.
      if (file.failure !== 'missing' && file.failure !== 'folder') found.set(path, file)
    }
  }
  if (command && 'file' in command) look([command.file, ...command.args], (path) => places.isBelow(path))
  look(runs.words ?? [], (path) => places.isBelow(path) || places.isBelowBase(path))
  const facts: Fact[] = []
  const problems: Problem[] = []
  for (const [path, file] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const field = `script ${places.show(path)}`
    if (file.failure === undefined) {
      facts.push({ field, value: [...places.link(path, file.realPath), 'sha256', file.sha256].join(' ') })
    } else {
      facts.push({ field, value: file.failure })
      problems.push({ path, failure: file.failure, message: file.message })
    }
  }
  return { facts, problems }
}

/** `guard.js`, `--require=guard.js`, `-rguard.js`. */
function possiblePaths(text: string): readonly string[] {
  const value = text.slice(text.indexOf('=') + 1)
  const attached = /^-[^-]./.test(text) ? text.slice(2) : text
  return [...new Set([text, value, attached])].filter((each) => each !== '')
}
