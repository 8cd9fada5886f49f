import { isMap, openDocument, parsePointer, type Source, valueAt } from '@ext/kernel'
import { isSecretName, redact } from '@ext/kernel/env'
import type { FileSource, FilesPort } from '@ext/kernel/types'
import type { Extensions } from '../../compose.js'
import { SECTIONS } from '../../config.js'
import type { DiagnosedEntry } from '../../doctor/diagnose.js'

/** A value as it stands in a file, with what became of it. */
export interface ShownValue {
  /** Keys from the top of its file; numbers count items of a list. */
  readonly path: readonly string[]
  /** Without secrets. */
  readonly value: unknown
  readonly verdict: DiagnosedEntry['verdict']
  readonly source: Source
}

/** Sections of which each part is an entry with a verdict of its own. */
const WITH_ENTRIES: readonly string[] = [
  ...['model', 'models', 'mcpServers', 'hooks', 'permissions', 'skills', 'agents', 'compat'],
]

/** Every value of the configuration files, in their order, the farthest file first. Skills and agents have files of their own, and lists. */
export async function configuredValues(
  { locations }: Pick<Extensions, 'locations'>,
  entries: readonly DiagnosedEntry[],
  files: FilesPort,
): Promise<readonly ShownValue[]> {
  const { config, claudeHooks, claudePermissions, claudeMcp } = locations
  const sources = [...config, ...claudeHooks, ...claudePermissions, ...claudeMcp]
  const byPath = new Map(sources.flatMap((source) => (source.kind === 'file' ? [[source.path, source] as const] : [])))
  const all: ShownValue[] = []
  for (const source of byPath.values()) {
    const shown: ShownValue[] = []
    const { document } = await openDocument(source, files)
    if (!document) continue
    const own = source.dialect === 'ext' && isMap(document.value) ? Object.keys(document.value) : []
    for (const key of own.filter((each) => SECTIONS.includes(each) && !WITH_ENTRIES.includes(each))) {
      if (!mayStandIn(key, source)) continue
      const value = mask(key, valueAt(document.value, `/${key}`))
      shown.push({ path: [key], value, verdict: 'loaded', source: document.at(`/${key}`, 'key') })
    }
    const start = `${source.layer}:${source.path}#`
    for (const { id, verdict, source: place } of entries.filter((entry) => entry.id.startsWith(start))) {
      const pointer = id.slice(start.length)
      const value = valueAt(document.value, pointer)
      if (value === undefined) continue
      // A hook of Claude Code is shown with its matcher, which stands beside the list that it is in.
      const [, group] = /^(\/hooks\/.*\/\d+)\/hooks\/\d+$/.exec(pointer) ?? []
      const matcher = valueAt(document.value, `${group}/matcher`)
      const whole = group === undefined ? value : { ...(matcher === undefined ? {} : { matcher }), hooks: [value] }
      const path = parsePointer(group ?? pointer)
      shown.push({ path, value: mask(path.at(-1) ?? '', whole), verdict, source: place })
    }
    all.push(...shown.toSorted((a, b) => compare(a.source, b.source)))
  }
  return all
}

function compare(a: Source, b: Source): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}

/** What only the person and the administrator may set, and what only the administrator may. */
function mayStandIn(key: string, { layer }: FileSource): boolean {
  if (key === 'disableAllHooks' || key === 'disabledHooks') return true
  return layer === 'managed' || (key === 'audit' && layer === 'user')
}

/** As everywhere else. */
const MASK = '[redacted]'

/** What a field holds, without what looks like a secret. What names a variable is none. */
function mask(name: string, value: unknown): unknown {
  if (typeof value === 'string') return isSecret(name, value) ? MASK : redact(value)
  if (Array.isArray(value)) {
    const texts = value.every((each) => typeof each === 'string')
    return texts ? (JSON.parse(redact(value)) as unknown) : value.map((each) => mask('', each))
  }
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mask(key, each)]))
}

function isSecret(name: string, value: string): boolean {
  return isSecretName(name) && !/env$/i.test(name) && !/^(?:[A-Za-z]+ )?\$\{\w+(?::-)?\}$/.test(value)
}
