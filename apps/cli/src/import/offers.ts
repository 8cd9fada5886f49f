import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, formatPlace, isMap, joinPointer, type Source, valueAt } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import type { nodePorts } from '@ext/kernel/node'
import type { Locations } from '../locations.js'
import { type ForeignDocument, openForeign } from './document.js'
import { readDraft } from './draft.js'
import { translate } from './entry.js'
import { type Part, PROGRAMS, type Program } from './programs.js'
import { configuredServers, type KnownServer, readEntry, sameServer } from './servers.js'

/** Something in a file of another program, with what can become of it. */
export interface Offer {
  readonly program: string
  readonly file: string
  readonly what: 'server' | Part['what']
  /** Of a server its name, else the part of the file. */
  readonly name: string
  readonly source: Source
  /** `new`: can be imported · `there`: says the same as one that is there · `refused`: can't be, and `reason` says why */
  readonly outcome: 'new' | 'there' | 'refused'
  /** As it would be written. */
  readonly entry?: Readonly<Record<string, JsonValue>>
  readonly reason?: string
  readonly hint?: string
  /** What is otherwise than in the file. */
  readonly notes: readonly string[]
}

/** Looks for what other programs have configured in the project. Reads files, starts nothing and writes nothing. */
export async function findOffers(locations: Locations, ports: ReturnType<typeof nodePorts>): Promise<readonly Offer[]> {
  const { project } = locations
  const known = await configuredServers(locations, ports)
  const taken = new Map<string, string>()
  const offers: Offer[] = []
  for (const program of PROGRAMS) {
    for (const path of program.files) {
      const document = await openForeign(project, path, ports.files)
      if (!document) continue
      if ('problem' in document) {
        const source: Source = { layer: 'project', file: document.file }
        const hint = `Correct the file, if ${program.name} can't read it either.`
        const common = { program: program.name, file: document.file, source, notes: [] }
        offers.push({ ...common, what: 'file', name: path, outcome: 'refused', reason: document.problem, hint })
        continue
      }
      for (const found of serversIn(document, program)) {
        const offer = await offerServer(found, { document, program, taken, ports, known, project })
        // The next file may have the same, and is held against this one.
        if (offer.outcome === 'new' && offer.entry) {
          const read = await readEntry(found.name, offer.entry, project, ports)
          if (read.value) known.set(found.name, { value: read.value, source: offer.source })
        }
        offers.push(offer)
      }
      offers.push(...partsOf(document, program))
    }
    for (const { path, what, reason, hint } of program.others ?? []) {
      const file = join(project, path)
      if (!existsSync(file)) continue
      const source: Source = { layer: 'project', file }
      offers.push({
        program: program.name,
        file,
        what,
        name: path,
        source,
        outcome: 'refused',
        reason,
        hint,
        notes: [],
      })
    }
  }
  return offers
}

interface Found {
  readonly name: string
  readonly pointer: string
  readonly raw: unknown
}

function serversIn({ value }: ForeignDocument, { servers }: Program): readonly Found[] {
  const section = servers.find((pointer) => isMap(valueAt(value, pointer)))
  if (section === undefined) return []
  const entries = Object.entries(valueAt(value, section) as Readonly<Record<string, unknown>>)
  return entries.map(([name, raw]) => ({ name, pointer: joinPointer(section, name), raw }))
}

async function offerServer(
  { name, pointer, raw }: Found,
  context: {
    readonly document: ForeignDocument
    readonly program: Program
    readonly taken: Map<string, string>
    readonly ports: ReturnType<typeof nodePorts>
    readonly known: ReadonlyMap<string, KnownServer>
    readonly project: string
  },
): Promise<Offer> {
  const { document, program, taken, ports, known, project } = context
  const common = {
    program: program.name,
    file: document.file,
    what: 'server',
    name,
    source: document.at(pointer),
    notes: [],
  } as const
  const refused = (reason: string, hint?: string): Offer => ({
    ...common,
    outcome: 'refused',
    reason,
    ...(hint === undefined ? {} : { hint }),
  })
  const drafted = readDraft(raw, program.fields)
  program.beside?.(document.value, name, drafted.draft)
  const translated = translate(name, drafted, program.variables, taken)
  if (translated.problem !== undefined) return refused(translated.problem, translated.hint)
  const { entry, notes } = translated
  const read = await readEntry(name, entry, project, ports)
  if (!read.value) return refused(read.problem ?? 'It can not be read.', read.hint)
  const there = known.get(name)
  if (!there) {
    // That a variable has to be set was said with the reason already.
    const more = read.notes.filter((note) => !notes.some((each) => each.includes(note.match(/`\w+`/)?.[0] ?? note)))
    return { ...common, outcome: 'new', entry, notes: [...notes, ...more] }
  }
  const place = formatPlace(there.source)
  if (sameServer(there.value, read.value))
    return { ...common, outcome: 'there', reason: `The same stands at ${place}.` }
  return refused(
    `The name is taken by another one at ${place}, which stays as it is.`,
    'Remove one of the two, or give it another name with ext mcp add.',
  )
}

function partsOf(document: ForeignDocument, { name, servers, parts = [] }: Program): readonly Offer[] {
  const section = servers.find((pointer) => valueAt(document.value, pointer) !== undefined)
  const found = section === undefined ? undefined : valueAt(document.value, section)
  const noMap = section === undefined || isMap(found) || isEmpty(found) ? [] : [noServers(section, found)]
  return [...noMap, ...parts].flatMap(({ pointer, what, reason, hint }): readonly Offer[] => {
    const value = valueAt(document.value, pointer)
    if (value === undefined || value === null || isEmpty(value)) return []
    const source = document.at(pointer)
    const part = pointer.slice(1).replaceAll('/', '.')
    return [
      { program: name, file: document.file, what, name: part, source, outcome: 'refused', reason, hint, notes: [] },
    ]
  })
}

function noServers(pointer: string, found: unknown): Part {
  const hint = 'Write a map of names to servers.'
  return { pointer, what: 'file', reason: `It holds ${describe(found)}, not servers by name.`, hint }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
