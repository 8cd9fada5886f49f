import type { SessionStore } from '@ext/agent-core/types'
import { ExtError } from '@ext/kernel'
import type { Message } from '@ext/kernel/contract'
import { atTerminal } from '../../asked/at-terminal.js'
import { oneLine, printable } from '../../render/words.js'
import { elsewhere, findSession } from '../../sessions.js'
import type { Talk } from '../talk.js'
import { type Host, NO_MODEL } from './table.js'

/** Sessions that are offered. */
const MOST = 20

/** Goes on with the session that is named, or that the person chooses. */
export async function resume(wanted: string, host: Host): Promise<void> {
  const { talk, io, store } = host
  if (!talk) return io.err(NO_MODEL)
  if (!store) return io.err('--no-save keeps nothing, so no other session can go on here.')
  const id = wanted === '' ? await choose(store, host) : await find(wanted, store, host)
  if (id === undefined) return
  if (id === talk.session.id) return io.err(`The session ${id} is this one.`)
  try {
    await talk.resume(id)
  } catch (error) {
    if (!ExtError.isInstance(error)) throw error
    return io.err(printable(error.message))
  }
  await goOn(host)
}

/** Shows where a session was left, and goes on in the middle of a run if that is where it was. */
export async function goOn(host: Host): Promise<void> {
  const { talk, io } = host
  if (!talk || talk.session.messages.length === 0) return
  for (const line of recap(talk.session.messages)) io.out(printable(line))
  io.out(`Session ${talk.session.id} goes on.`)
  if (talk.session.isUnfinished) await goOnInside(talk, host)
}

/** A run that was ended in the middle can go on: whatever was asked then is asked again. */
async function goOnInside(talk: Talk, { away, io }: Host): Promise<void> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await away(() =>
    confirm({ message: 'It was ended before the model had the last word. Go on there?', ...atTerminal() }),
  )
  if (isCancel(answer) || !answer) return io.out('The next prompt takes its place.')
  await talk.continue()
}

async function find(
  wanted: string,
  store: SessionStore,
  { extensions: { locations }, io }: Host,
): Promise<string | undefined> {
  const found = await findSession(store, wanted)
  const problem = found.problem ?? elsewhere(found, locations.project)
  if (problem === undefined) return found.id
  io.err(printable(problem))
  return undefined
}

async function choose(
  store: SessionStore,
  { talk, extensions: { locations }, io, away }: Host,
): Promise<string | undefined> {
  const all = await store.list({ cwd: locations.project, limit: MOST + 1 })
  const others = all.filter(({ id, problem }) => id !== talk?.session.id && problem === undefined).slice(0, MOST)
  if (others.length === 0) {
    io.out('There is no other session of this project.')
    return undefined
  }
  const { isCancel, select } = await import('@clack/prompts')
  const answer = await away(() =>
    select<string>({
      message: 'Which session?',
      options: others.map(({ id, updatedAt, title }) => ({
        value: id,
        label: printable(`${updatedAt.slice(0, 16).replace('T', ' ')}  ${oneLine(title, 60)}`),
      })),
      ...atTerminal(),
    }),
  )
  return isCancel(answer) ? undefined : answer
}

/** The end of a conversation, for somebody who comes back to it. */
function recap(messages: readonly Message[]): readonly string[] {
  return messages.slice(-6).flatMap((message) => {
    if (message.role === 'assistant') return message.text === '' ? [] : [oneLine(message.text, 200)]
    if (message.role !== 'user') return []
    return message.content.flatMap((block) => (block.type === 'text' ? [`> ${oneLine(block.text, 200)}`] : []))
  })
}
