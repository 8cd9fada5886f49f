import type { ConformanceCase, TreeItem } from './cases.js'

/** What a loader has made of a case. Paths are relative to the root of the case, with `/`. */
export interface LoaderOutcome {
  readonly skills: readonly { readonly file: string; readonly name: string; readonly description?: string }[]
  /** What it has said: to a person, in a list, in a log. */
  readonly reports: readonly { readonly file?: string; readonly line?: number; readonly column?: number }[]
}

/**
 * - `missing`: a skill that has to take effect does not · `unexpected`: one does that must not
 * - `differs`: its name or description is another · `silent`: nothing is said where something has to be
 * - `misplaced`: it is said at another line or column · `crashed`: the loader threw
 */
export interface Fault {
  readonly kind: 'missing' | 'unexpected' | 'differs' | 'silent' | 'misplaced' | 'crashed'
  readonly file: string
  readonly message: string
}

/** Holds what a loader has made of a case against what is right. Pure. */
export function scoreCase({ tree, expected }: ConformanceCase, outcome: LoaderOutcome): readonly Fault[] {
  const { accountsFor } = expected
  if (accountsFor !== undefined) return account(accountsFor, outcome)
  const faults: Fault[] = []
  const wanted = new Map(expected.loaded.map((skill) => [skill.file, skill]))
  for (const skill of expected.loaded) {
    const found = outcome.skills.find(({ file }) => file === skill.file)
    if (!found) faults.push({ kind: 'missing', file: skill.file, message: `\`${skill.name}\` is not loaded.` })
    else faults.push(...differences(skill, found))
  }
  const seen = new Set<string>()
  for (const { file, name } of outcome.skills) {
    if (!wanted.has(file)) faults.push({ kind: 'unexpected', file, message: `\`${name}\` takes effect.` })
    else if (seen.has(file)) faults.push({ kind: 'unexpected', file, message: `\`${name}\` is loaded once more.` })
    seen.add(file)
  }
  for (const place of expected.reported) faults.push(...checkReport(place, outcome))
  const spoken = new Set([...wanted.keys(), ...expected.reported.map(({ file }) => file), ...(expected.inside ?? [])])
  for (const file of skillFiles(tree)) {
    if (spoken.has(file) || outcome.reports.some((report) => report.file === file)) continue
    faults.push({ kind: 'silent', file, message: 'It is neither loaded nor spoken of.' })
  }
  return faults
}

function account(count: number, { skills, reports }: LoaderOutcome): readonly Fault[] {
  if (new Set(skills.map(({ file }) => file)).size === count || (skills.length > 0 && reports.length > 0)) return []
  const message = `${skills.length} of ${count} skills are loaded, and nothing is said about the others.`
  return [{ kind: 'silent', file: '', message }]
}

function differences(
  wanted: ConformanceCase['expected']['loaded'][number],
  found: LoaderOutcome['skills'][number],
): readonly Fault[] {
  const { file } = wanted
  const faults: Fault[] = []
  for (const field of ['name', 'description'] as const) {
    if (wanted[field] === undefined || wanted[field] === found[field]) continue
    const message = `\`${field}\` is ${JSON.stringify(found[field])}, not ${JSON.stringify(wanted[field])}.`
    faults.push({ kind: 'differs', file, message })
  }
  return faults
}

function checkReport(
  { file, line, column }: ConformanceCase['expected']['reported'][number],
  { reports }: LoaderOutcome,
): readonly Fault[] {
  const own = reports.filter((report) => report.file === file)
  if (own.length === 0) return [{ kind: 'silent', file, message: 'Nothing is said about it.' }]
  const fits = own.some(
    (report) => (line === undefined || report.line === line) && (column === undefined || report.column === column),
  )
  // Of a file, every report has a place; a folder has none.
  const placed = !isSkillFile(file) || own.some((report) => report.line !== undefined && report.column !== undefined)
  if (fits && placed) return []
  const at = own.map((report) => `${report.line ?? '?'}:${report.column ?? '?'}`).join(', ')
  return [
    { kind: 'misplaced', file, message: `It is spoken of at ${at}, not at ${line ?? 'a line'}:${column ?? '…'}.` },
  ]
}

function skillFiles(tree: readonly TreeItem[]): readonly string[] {
  return tree
    .filter(({ folder, link, count }) => !folder && link === undefined && count === undefined)
    .map(({ path }) => path)
    .filter(isSkillFile)
}

function isSkillFile(path: string): boolean {
  return /(?:^|\/)skill\.md$/i.test(path)
}
