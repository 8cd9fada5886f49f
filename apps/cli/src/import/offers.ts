import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { formatPlace, type Source, valueAt } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import type { nodePorts } from '@ext/kernel/node'
import type { ImportedServer } from '@ext/mcp-client/import'
import type { Locations } from '../locations.js'
import { type ForeignDocument, openForeign } from './document.js'
import { type Aside, PROGRAMS, type Program } from './programs.js'
import { configuredServers, type KnownServer, readEntry, sameServer } from './servers.js'

type Ports = ReturnType<typeof nodePorts>

/** Something in a file of another program, with what can become of it. */
export interface Offer {
  readonly program: string
  readonly file: string
  readonly what: 'server' | Aside['what']
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
export async function findOffers(locations: Locations, ports: Ports): Promise<readonly Offer[]> {
  const { project } = locations
  const known = await configuredServers(locations, ports)
  const taken = new Map<string, string>()
  const offers: Offer[] = []
  for (const program of PROGRAMS) {
    for (const path of program.files) {
      const document = await openForeign(project, path, ports.files)
      if (!document) continue
      if ('problem' in document) {
        const hint = `Correct the file, if ${program.name} can't read it either.`
        const source: Source = { layer: 'project', file: document.file }
        offers.push(aside(program, path, source, { what: 'file', reason: document.problem, hint }))
      } else offers.push(...(await offersOf(document, program, { known, taken, project, ports })))
    }
    for (const [path, what] of Object.entries(program.others ?? {})) {
      const file = join(project, path)
      if (existsSync(file)) offers.push(aside(program, path, { layer: 'project', file }, what))
    }
  }
  return offers
}

interface Context {
  /** Servers by name, also those that can be imported from an earlier file. */
  readonly known: Map<string, KnownServer>
  readonly taken: Map<string, string>
  readonly project: string
  readonly ports: Ports
}

/** Everything in a file that is about servers, rules, hooks and the like. */
async function offersOf(document: ForeignDocument, program: Program, context: Context): Promise<readonly Offer[]> {
  const { importServers } = await import('@ext/mcp-client/import')
  const { servers, fault } = importServers({ program: program.id, value: document.value, taken: context.taken })
  const offers: Offer[] = []
  for (const server of servers) offers.push(await offerServer(server, document, program, context))
  const noServers: Record<string, Aside> = fault
    ? { [fault.pointer]: { what: 'file', reason: fault.problem, hint: 'Write a map of names to servers.' } }
    : {}
  for (const [pointer, what] of Object.entries({ ...noServers, ...program.parts })) {
    if (isEmpty(valueAt(document.value, pointer))) continue
    offers.push(aside(program, pointer.slice(1).replaceAll('/', '.'), document.at(pointer), what))
  }
  return offers
}

async function offerServer(
  { name, pointer, entry, notes, problem, hint }: ImportedServer,
  document: ForeignDocument,
  program: Program,
  { known, project, ports }: Context,
): Promise<Offer> {
  const source = document.at(pointer)
  const common = { program: program.name, file: document.file, what: 'server', name, source, notes: [] } as const
  const refused = (reason: string, how?: string): Offer => ({
    ...common,
    outcome: 'refused',
    reason,
    ...(how === undefined ? {} : { hint: how }),
  })
  if (entry === undefined) return refused(problem ?? 'It is no server.', hint)
  const read = await readEntry(name, entry, project, ports)
  if (!read.value) return refused(read.problem ?? 'It is no server.', read.hint)
  const there = known.get(name)
  if (!there) {
    // The next file may have the same, and is held against this one.
    known.set(name, { value: read.value, source })
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

function aside({ name: program }: Program, name: string, source: Source, { what, reason, hint }: Aside): Offer {
  return { program, file: source.file ?? '', what, name, source, outcome: 'refused', reason, hint, notes: [] }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
