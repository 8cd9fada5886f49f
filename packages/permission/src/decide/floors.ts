import type { TraceStep } from '@ext/kernel/contract'
import type { CallReading } from '../rule/reading.js'
import { withLinks } from '../rule/reading.js'
import type { DecideContext } from './decide.js'
import { globPlaces, literalFolder } from './effects.js'
import { fileRule } from './line.js'
import { isProtected, protectedBehind } from './protected.js'
import { sentence } from './words.js'

/** A step under the rules: no rule makes it milder. */
export interface Floor {
  readonly step: TraceStep
  /** Only a person may say yes. */
  readonly personOnly: boolean
}

/** What nobody may do in passing: removing the workspace, home or the root, writing to disks, fork bombs. */
export function criticalFloor({ command }: CallReading): Floor {
  const found = command === undefined || command === 'unreadable' ? [] : command.analysis.critical
  if (found.length === 0) return NOT_CRITICAL
  const what = found.map((each) => each.what).join(', and ')
  const reason = `It is critical: it ${what}. Only a person may allow that, one call at a time.`
  return { step: { layer: 'critical', verdict: 'ask', reason }, personOnly: true }
}

const NOT_CRITICAL: Floor = {
  step: { layer: 'critical', verdict: 'none', reason: 'It does nothing that is critical.' },
  personOnly: false,
}

const INSIDE: Floor = {
  step: {
    layer: 'boundary',
    verdict: 'none',
    reason: 'It writes nothing outside the workspace and nothing protected.',
  },
  personOnly: false,
}

interface Write {
  readonly path?: string
  readonly pattern: boolean
  readonly recursive: boolean
}

/** The workspace and what is protected in it: writes that do not follow from a rule about a command or a tool. */
export function boundaryFloor(reading: CallReading, context: DecideContext): Floor {
  let outside: Floor | undefined
  for (const write of writesOf(reading)) {
    const floor = floorOf(write, context)
    if (floor?.personOnly) return floor
    outside ??= floor
  }
  return outside && context.mode !== 'bypassPermissions' ? outside : INSIDE
}

function writesOf({ command, like, paths }: CallReading): readonly Write[] {
  if (command !== undefined && command !== 'unreadable') {
    return command.analysis.effects.filter(({ kind }) => kind === 'write')
  }
  if (like?.family !== 'Edit') return []
  return paths?.map((path) => ({ path, pattern: false, recursive: false })) ?? [{ pattern: false, recursive: false }]
}

function floorOf(write: Write, context: DecideContext): Floor | undefined {
  const { path, pattern, recursive } = write
  if (path === undefined) return asked('It writes to a place that is not known.', false)
  const { roots } = context.rules
  const places = pattern ? globPlaces(path, context.links) : withLinks([path], context.links)
  const guarded = pattern ? first(places, protectedBehind) : places.find(isProtected)
  if (guarded !== undefined) {
    return asked(`${sentence(`\`${guarded}\``)} is protected: it decides what runs, or what an agent may do.`, true)
  }
  const reached = pattern ? places.map(literalFolder) : places
  if (recursive && reached.some((place) => roots.some((root) => isWithin(root, place)))) {
    return asked(`It writes everything in \`${path}\`, and with it what is protected there.`, false)
  }
  const far = reached.find((place) => !roots.some((root) => isWithin(place, root)))
  if (far === undefined || fileRule(write, context, { far: true })) return undefined
  return asked(`\`${far}\` lies outside the workspace, and only a rule that names the place lets it be written.`, false)
}

function first<T>(items: readonly string[], find: (item: string) => T | undefined): T | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function asked(reason: string, personOnly: boolean): Floor {
  return { step: { layer: 'boundary', verdict: 'ask', reason }, personOnly }
}

/** Whether a path is the folder, or lies in it. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder)
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`) && path !== folder
}

/** Whether every path of the call lies in the workspace; false when it has none, or one can't be judged. */
export function isInside({ paths }: CallReading, { rules: { roots } }: DecideContext): boolean {
  return paths?.every((path) => roots.some((root) => isWithin(path, root))) ?? false
}
