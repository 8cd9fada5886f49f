import { join } from 'node:path'
import { nodePorts } from '@ext/kernel/node'
import { atTerminal } from '../../asked/at-terminal.js'
import { findOffers, type Offer } from '../../import/offers.js'
import { type Written, writeOffers } from '../../import/write.js'
import type { Io } from '../../io.js'
import { describeDiagnostics, fewOfEachKind, shorten } from '../../render/diagnostics.js'
import { count, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'
import { describeOffers, describeRead } from './describe.js'
import { type FoundInProject, findInProject } from './found.js'
import { type Starter, writeStarter } from './starter.js'

export interface InitOptions {
  readonly project: string
  /** Imports without a question. */
  readonly import?: boolean
  readonly yes?: boolean
  readonly json?: boolean
  /** Only writes the file. */
  readonly bare?: boolean
}

/**
 * Writes a starter configuration where there is none, says what of the project is read as it is, and imports what other
 * programs have, if a person says so. Nothing is started, and what is imported waits for approval like everything else.
 */
export async function init(options: InitOptions, io: Io): Promise<number> {
  // What is found is what was there before.
  const { locations, found } = await withExtensions(options, io, async (extensions) => ({
    locations: extensions.locations,
    found: options.bare ? undefined : await findInProject(extensions),
  }))
  const file = join(locations.project, '.ext/config.yaml')
  const short = shorten(locations.project)
  const say = (text: string) => (options.json ? undefined : io.out(printable(short(text))))
  const offers = options.bare ? [] : await findOffers(locations, nodePorts())
  const starter = await writeStarter(file)
  if (starter.state === 'failed') {
    io.err(printable(`ext: ${file} can't be written: ${starter.problem}`))
    return 1
  }
  if (starter.state === 'written') say(`Wrote ${file}.`)
  else if (!options.json) io.err(printable(short(`ext: ${file} is there already; what is in it stays as it is.`)))

  if (found && !options.json) await showFound(found, offers, say, short)
  const fresh = offers.filter(({ outcome }) => outcome === 'new')
  const written =
    fresh.length > 0 && (await wantsImport(fresh.length, options, io)) ? await writeOffers(file, fresh) : NOTHING
  if (options.json) io.out(JSON.stringify(report(file, starter, found, offers, written), null, 2))
  else showWritten(written, fresh, say)
  if (!options.bare) say('Run ext doctor to see what becomes of every entry.')
  return exitCode(options, starter, offers, written)
}

const NOTHING: Written = { imported: [], refused: [] }

async function showFound(
  found: FoundInProject,
  offers: readonly Offer[],
  say: (text: string) => void,
  short: (text: string) => string,
): Promise<void> {
  const sections = [describeRead(found), describeOffers(offers, short)].filter((lines) => lines.length > 0)
  for (const lines of sections) {
    say('')
    for (const line of lines) say(line)
  }
  if (found.waiting > 0) {
    say(`\nWaiting for approval: ${found.waiting}. See ext trust list.`)
  }
  if (found.diagnostics.length > 0) {
    say('\nWhat can’t take effect, or hardly as it is meant:')
    const { shown, more } = fewOfEachKind(found.diagnostics)
    for (const text of await describeDiagnostics(shown, short)) say(`${text}\n`)
    for (const line of more) say(`${line}\n`)
  } else if (sections.length > 0) say('')
}

function showWritten({ imported, refused }: Written, fresh: readonly Offer[], say: (text: string) => void): void {
  for (const { name, file } of imported) say(`Imported ${name} from ${file}.`)
  for (const { offer, reason } of refused) say(`Not imported ${offer.name} from ${offer.file}: ${reason}.`)
  if (imported.length > 0) say('They start once they are approved: see ext trust list, then ext trust approve.')
  else if (fresh.length > 0 && refused.length === 0)
    say('Nothing was imported; ext init --import does it without a question.')
}

/** Asks at a terminal. Elsewhere only a flag is a yes. */
async function wantsImport(number: number, { import: flag, yes, json }: InitOptions, io: Io): Promise<boolean> {
  if (flag || yes) return true
  if (json || !process.stdin.isTTY || !process.stderr.isTTY) return false
  const { confirm, isCancel } = await import('@clack/prompts')
  const message = `Import ${count(number, 'server')} into .ext/config.yaml?`
  const answer = await confirm({ message, initialValue: true, ...atTerminal(), signal: io.signal })
  if (isCancel(answer)) io.interrupt()
  return answer === true
}

function report(
  file: string,
  { state }: Starter,
  found: FoundInProject | undefined,
  offers: readonly Offer[],
  { imported, refused }: Written,
) {
  return {
    file,
    written: state === 'written',
    read: found?.read ?? [],
    instructions: found?.instructions ?? [],
    offers: offers.map((offer) => {
      const late = refused.find((each) => each.offer === offer)
      if (late) return { ...offer, outcome: 'refused', reason: late.reason }
      return imported.includes(offer) ? { ...offer, outcome: 'imported' } : offer
    }),
    diagnostics: found?.diagnostics ?? [],
  }
}

/** 1 if nothing could be done, or not all that was asked for. */
function exitCode(
  options: InitOptions,
  { state }: Starter,
  offers: readonly Offer[],
  { imported, refused }: Written,
): number {
  if (refused.length > 0) return 1
  if (options.import || options.yes) {
    return offers.some(({ outcome, what }) => outcome === 'refused' && what === 'server') ? 1 : 0
  }
  return state === 'there' && imported.length === 0 ? 1 : 0
}
