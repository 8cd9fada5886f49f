import { basename, dirname } from 'node:path'
import { formatPlace } from '@ext/kernel'
import type { Extensions } from '../../compose.js'
import type { Io } from '../../io.js'
import { describeDiagnostics, fewOfEachKind, shorten } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { byName } from '../../render/order.js'
import { count, countSeverity, oneLine, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'
import { forPrograms } from './for-programs.js'

export interface ListOptions {
  readonly project: string
  readonly json?: boolean
}

/** Every skill that was found, with what became of it. */
export async function list(options: ListOptions, io: Io): Promise<number> {
  return withExtensions(options, io, (extensions) => showSkills(extensions, options, io))
}

/** The same of what is loaded already. */
export async function showSkills(
  extensions: Pick<Extensions, 'skills' | 'locations' | 'skillDiagnostics'>,
  options: Pick<ListOptions, 'json'>,
  io: Pick<Io, 'out'>,
): Promise<number> {
  const { skills, locations } = extensions
  const { snapshot } = skills
  const diagnostics = extensions.skillDiagnostics()
  const errors = countSeverity(diagnostics, 'error')
  const byId = new Map(snapshot.entries.map((entry) => [entry.id, entry.value]))
  const found = snapshot.records
    .map(({ id, name, verdict, source }) => {
      // Nobody knows what one is called that can't be read, so it goes by its folder.
      const listed = { name: name === source.file ? basename(dirname(name)) : name, verdict, source }
      return { listed, skill: verdict === 'loaded' ? byId.get(id) : undefined }
    })
    .toSorted((a, b) => byName(a.listed, b.listed))
  if (options.json) {
    const rows = found.map(({ listed, skill }) => (skill ? { ...listed, skill: forPrograms(skill) } : listed))
    io.out(JSON.stringify({ skills: rows, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
    return errors > 0 ? 1 : 0
  }
  const short = shorten(locations.project)
  for (const { listed, skill } of found) {
    const { name, verdict, source } = listed
    const place = formatPlace({ layer: source.layer, ...(source.file === undefined ? {} : { file: source.file }) })
    const about = skill ? `${skill.name}: ${oneLine(skill.description, 70)}` : oneLine(name, 70)
    io.out(printable(short(`${verdict.padEnd(11)}${source.layer.padEnd(9)}${about}  ${place}`)))
  }
  if (diagnostics.length > 0) io.out('')
  const { shown, more } = fewOfEachKind(diagnostics)
  for (const text of await describeDiagnostics(shown, short)) io.out(`${text}\n`)
  for (const line of more) io.out(`${line}\n`)
  io.out(`${count(snapshot.entries.length, 'skill')}, ${count(errors, 'error')}`)
  return errors > 0 ? 1 : 0
}
