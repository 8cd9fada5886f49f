import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { RunEvent } from '@ext/agent-core/types'
import { messageOf } from '@ext/kernel'
import type { Watching } from '@ext/kernel/node'
import { terminalUser } from '../ask.js'
import { serverPerson } from '../asked/person.js'
import { createTurns, hasTerminal, type Turns } from '../asked/turns.js'
import { chooseSession, loadingOf, type SessionOptions } from '../commands/run-session.js'
import type { Extensions } from '../compose.js'
import type { Io } from '../io.js'
import { locate } from '../locations.js'
import { shorten } from '../render/diagnostics.js'
import type { Host } from './commands/table.js'
import { createConversation } from './draw/conversation.js'
import { createPaint, wantsColour } from './draw/paint.js'
import { banner, describeState, greet } from './greet.js'
import { historyFile } from './input/history-file.js'
import { watchServers } from './servers.js'
import { beginTalk, type Talk, type TalkOptions } from './talk.js'
import { wrap } from './terminal/rows.js'
import { createTerminal, type Terminal } from './terminal/terminal.js'
import { createWords } from './words.js'

/** A conversation at the terminal. The prompt can be used at once; what is configured comes as it is loaded. */
export async function interactive(options: SessionOptions, io: Io): Promise<number> {
  if (!hasTerminal() || process.stdout.isTTY !== true) {
    io.err('ext: This is no terminal, so nobody can be talked to. Use `ext run "prompt"`; ext --help shows the rest.')
    return 2
  }
  const project = resolve(options.project)
  const paint = createPaint(wantsColour(process.env, process.stdout))
  const history = historyFile(locate(project, process.env, homedir()).history)
  const words = createWords()
  let loaded: Extensions | undefined
  let talk: Talk | undefined
  let interrupt: (() => void) | undefined
  const conversation = createConversation({
    paint,
    project,
    columns: () => terminal.columns,
    now: () => performance.now(),
  })
  const terminal = createTerminal({
    input: process.stdin,
    output: process.stdout,
    paint,
    live: (columns) => conversation.live(columns, performance.now()),
    status: () => describeState(project, loaded, talk),
    words: words.all,
    sent: (text) => void history.add(text),
  })
  const shown: Pick<TalkOptions, 'show' | 'working'> = {
    show: (event: RunEvent) => terminal.print(conversation.add(event)),
    working(by) {
      interrupt = by
      if (!by) terminal.print(conversation.settle())
      terminal.working(by)
    },
  }
  const end = () => {
    interrupt?.()
    terminal.leave()
  }
  io.signal.addEventListener('abort', end, { once: true })
  let unwatch = () => {}
  let watching: Promise<Watching> | undefined
  try {
    terminal.print(banner(project, terminal.columns, paint))
    void history.read().then(terminal.recall)
    const here = { ...io, out: terminal.say, err: terminal.say, interrupt: () => interrupt?.() }
    const turns = turnsAt(terminal)
    loaded = await load(options, { project, here, turns, columns: () => terminal.columns, loaded: () => loaded })
    const extensions = loaded
    words.load(extensions)
    await greet(extensions, here)
    unwatch = watchServers(extensions, { say: terminal.say, refresh: terminal.refresh, prompts: words.setPrompts })
    const { store, id, problem } = await chooseSession(options, extensions.locations)
    if (problem !== undefined) here.err(problem)
    const host: Host = {
      extensions,
      store,
      get talk() {
        return talk
      },
      io: here,
      away: (work) => turns.take(work),
      async useModel(name = options.model) {
        const chosen = await extensions.models.choose(name)
        for (const { message } of chosen.diagnostics) here.err(message)
        if ('problem' in chosen) {
          here.err(`${chosen.problem} ${chosen.hint}`)
          return undefined
        }
        if (talk) {
          const lost = await talk.useModel(chosen)
          if (lost !== undefined) here.err(lost)
        } else {
          const begun = await beginTalk(chosen, id, {
            extensions,
            choice: options,
            store,
            ...limits(options),
            ...shown,
          })
          if ('problem' in begun) here.err(begun.problem)
          else talk = begun
        }
        terminal.refresh()
        return talk
      },
      leave: terminal.leave,
    }
    await host.useModel()
    watching = extensions.watch({
      idle: () => interrupt === undefined,
      tell(texts) {
        terminal.say(texts.map((text) => `* ${shorten(project)(text)}`).join('\n'))
        words.load(extensions)
      },
      onError: (error) => terminal.say(`! Changes are seen with the next turn only: ${messageOf(error)}`),
    })
    watching.catch((error: unknown) => terminal.say(`! Files can not be watched: ${messageOf(error)}`))
    await converse(host, terminal)
    return 0
  } finally {
    unwatch()
    await watching?.then((each) => each.close()).catch(() => {})
    io.signal.removeEventListener('abort', end)
    try {
      await talk?.close()
      await loaded?.close()
    } finally {
      terminal.close()
    }
  }
}

/** Line after line, until the person leaves. What goes wrong with one of them ends nothing. */
async function converse(host: Host, terminal: Terminal): Promise<void> {
  const [{ answer }, { goOn }] = await Promise.all([import('./answer.js'), import('./commands/resume.js')])
  await goOn(host)
  for (let line = await terminal.next(); line !== undefined; line = await terminal.next()) {
    try {
      await answer(line, host)
    } catch (error) {
      terminal.say(`! ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

function limits({ maxTurns }: SessionOptions): { readonly maxTurns?: number } {
  return maxTurns === undefined ? {} : { maxTurns }
}

interface LoadOptions {
  readonly project: string
  readonly here: Io
  readonly turns: Turns
  columns(): number
  loaded(): Extensions | undefined
}

async function load(
  options: SessionOptions,
  { project, here, turns, columns, loaded }: LoadOptions,
): Promise<Extensions> {
  // The first drawing does not wait for the packages.
  await new Promise((soon) => setTimeout(soon))
  const { compose } = await import('../compose.js')
  // Whoever asks has the terminal alone, and writes to it.
  const write = (text: string) => void process.stderr.write(`${wrap(text, columns()).join('\n')}\n`)
  const asker = { ...here, out: write, err: write }
  const user = terminalUser(asker, turns, loaded)
  return compose({
    project,
    ...loadingOf(options),
    connect: 'background',
    report: (text) => here.err(`! ${text}`),
    ...(user ? { user } : {}),
    person: serverPerson(asker, turns),
  })
}

/** Questions one after the other, each with the terminal to itself. */
function turnsAt(terminal: Pick<Terminal, 'away'>): Turns {
  const turns = createTurns()
  return { take: (work) => turns.take(() => terminal.away(work)) }
}
