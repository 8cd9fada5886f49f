import { extname } from 'node:path'
import { canonicalJson, isMap, parseDocument } from '@ext/kernel'

/** Sections that are read once, when the program starts. */
const AT_START: readonly string[] = ['model', 'models', 'skills', 'audit']

/** What has changed in a file of the configuration, section by section. */
export interface ChangedSections {
  /** Used from now on. */
  readonly now: readonly string[]
  /** Used once the program is started again. */
  readonly atStart: readonly string[]
}

/**
 * Compares two texts of a file. One that is missing, or could not be parsed before, has no sections. `undefined`: it can't be
 * parsed now.
 */
export async function changedSections(
  path: string,
  before: string | undefined,
  after: string | undefined,
): Promise<ChangedSections | undefined> {
  const [a = {}, b] = await Promise.all([sectionsOf(path, before), sectionsOf(path, after)])
  if (!b) return undefined
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  const changed = names.filter((name) => canonicalJson(a[name]) !== canonicalJson(b[name]))
  return {
    now: changed.filter((name) => !AT_START.includes(name)),
    atStart: changed.filter((name) => AT_START.includes(name)),
  }
}

async function sectionsOf(
  path: string,
  text: string | undefined,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (text === undefined) return {}
  const format = extname(path) === '.json' ? 'json' : 'yaml'
  const { document } = await parseDocument(text, format, { layer: 'user', dialect: 'ext', file: path })
  if (!document) return undefined
  return isMap(document.value) ? document.value : {}
}
