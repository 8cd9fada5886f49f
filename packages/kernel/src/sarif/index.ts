/**
 * Diagnostics as SARIF 2.1.0 (`@ext/kernel/sarif`), the form that code scanners and their viewers read.
 * @module
 */
import type { Diagnostic, Severity, Source } from '../types.js'

/** Who reports, and relative to what. */
export interface SarifOptions {
  readonly tool: {
    readonly name: string
    readonly version: string
    readonly informationUri?: string
  }
  /** The registries of the packages whose diagnostics these are, in one: code → its line of documentation. */
  readonly codes: Readonly<Record<string, string>>
  /** Absolute path. Files in it are given relative to it, as viewers of repositories need them; others stay absolute. */
  readonly root?: string
}

/** A log with one run. */
export interface SarifLog {
  readonly $schema: string
  readonly version: '2.1.0'
  readonly runs: readonly [SarifRun]
}

/** What one call of the tool has found. */
export interface SarifRun {
  readonly tool: {
    readonly driver: {
      readonly name: string
      readonly version: string
      readonly informationUri?: string
      readonly rules: readonly SarifRule[]
    }
  }
  readonly columnKind: 'utf16CodeUnits'
  readonly originalUriBaseIds?: Readonly<Record<string, { readonly uri: string }>>
  readonly results: readonly SarifResult[]
}

/** A diagnostic code. */
export interface SarifRule {
  readonly id: string
  readonly shortDescription?: { readonly text: string }
  readonly helpUri?: string
}

/** A diagnostic. */
export interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: 'error' | 'warning' | 'note'
  readonly message: { readonly text: string }
  readonly locations: readonly SarifLocation[]
  readonly relatedLocations?: readonly SarifLocation[]
  readonly properties?: Readonly<Record<string, unknown>>
}

/** A place in a file, or the name of a source that is none. */
export interface SarifLocation {
  readonly physicalLocation?: {
    readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: string }
    readonly region?: Readonly<Partial<Record<'startLine' | 'startColumn' | 'endLine' | 'endColumn', number>>>
  }
  readonly logicalLocations?: readonly { readonly name: string }[]
  readonly message?: { readonly text: string }
}

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
const ROOT_ID = 'ROOT'
const LEVELS: Readonly<Record<Severity, SarifResult['level']>> = { error: 'error', warning: 'warning', info: 'note' }

/** A SARIF log that holds every diagnostic, in the order given; what stands in it is plain data for `JSON.stringify`. */
export function toSarif(diagnostics: readonly Diagnostic[], { tool, codes, root }: SarifOptions): SarifLog {
  const rules = rulesOf(diagnostics, codes)
  const index = new Map(rules.map(({ id }, at) => [id, at]))
  const base = root === undefined ? undefined : `${root.replace(/[\\/]+$/, '')}/`
  const run: SarifRun = {
    tool: { driver: { ...tool, rules } },
    columnKind: 'utf16CodeUnits',
    ...(base === undefined ? {} : { originalUriBaseIds: { [ROOT_ID]: { uri: fileUri(base) } } }),
    results: diagnostics.map((each) => resultOf(each, index.get(each.code) ?? -1, base)),
  }
  return { $schema: SCHEMA, version: '2.1.0', runs: [run] }
}

function rulesOf(diagnostics: readonly Diagnostic[], codes: SarifOptions['codes']): readonly SarifRule[] {
  const rules = new Map<string, SarifRule>()
  for (const { code, url } of diagnostics) {
    if (rules.has(code)) continue
    const text = Object.hasOwn(codes, code) ? codes[code] : undefined
    rules.set(code, {
      id: code,
      ...(text === undefined ? {} : { shortDescription: { text } }),
      ...(url === undefined ? {} : { helpUri: url }),
    })
  }
  return [...rules.values()]
}

function resultOf(diagnostic: Diagnostic, ruleIndex: number, base: string | undefined): SarifResult {
  const { code, severity, message, hint, source, related, entry, pointer, expected } = diagnostic
  const properties = {
    layer: source.layer,
    ...(entry === undefined ? {} : { entry }),
    ...(pointer === undefined ? {} : { pointer }),
    ...(expected === undefined ? {} : { expected }),
  }
  return {
    ruleId: code,
    ruleIndex,
    level: LEVELS[severity],
    // Viewers show only this: the fix belongs to it.
    message: { text: hint === undefined ? message : `${message} ${hint}` },
    locations: [locationOf(source, base)],
    ...(related?.length
      ? {
          relatedLocations: related.map((each) => ({
            ...locationOf(each.source, base),
            message: { text: each.message },
          })),
        }
      : {}),
    properties,
  }
}

function locationOf(source: Source, base: string | undefined): SarifLocation {
  const { file, name, layer, line, column, endLine, endColumn } = source
  if (file === undefined) return { logicalLocations: [{ name: name ?? layer }] }
  const artifactLocation =
    base !== undefined && file.startsWith(base)
      ? { uri: encodePath(file.slice(base.length).replace(/^\/+/, '')), uriBaseId: ROOT_ID }
      : { uri: fileUri(file) }
  if (line === undefined) return { physicalLocation: { artifactLocation } }
  const region = {
    startLine: line,
    ...(column === undefined ? {} : { startColumn: column }),
    ...(endLine === undefined ? {} : { endLine }),
    ...(endColumn === undefined ? {} : { endColumn }),
  }
  return { physicalLocation: { artifactLocation, region } }
}

function fileUri(path: string): string {
  const rooted = path.startsWith('/') ? path : `/${path}`
  return `file://${encodePath(rooted)}`
}

/** `C:\a b` and `/a b` as parts of a URI. */
function encodePath(path: string): string {
  // Half a surrogate pair, which a text may hold, has no place in a URI.
  const wellFormed = new TextDecoder().decode(new TextEncoder().encode(path))
  return wellFormed
    .replaceAll('\\', '/')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^\/([A-Za-z])%3A\//, '/$1:/')
}
