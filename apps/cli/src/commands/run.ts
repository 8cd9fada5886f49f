import { resolve } from 'node:path'
import type { RunResult, RunOptions as SessionRunOptions } from '@ext/agent-core/types'
import { type Diagnostic, hasErrors, messageOf } from '@ext/kernel'
import { terminalUser } from '../ask.js'
import { serverPerson } from '../asked/person.js'
import { createTurns } from '../asked/turns.js'
import { compose, type Extensions } from '../compose.js'
import type { Io } from '../io.js'
import { sayProgress } from '../progress.js'
import { findCommand } from '../prompts/find.js'
import { describeDiagnostics, fewOfEachKind, newIn, shorten } from '../render/diagnostics.js'
import { printable } from '../render/words.js'
import { readStandardInput } from '../standard-input.js'
import { type OutputForm, type RunOutput, runOutput } from './run-output.js'
import { chooseSession, loadingOf, openSession, type SessionOptions, usageProblem } from './run-session.js'

export interface RunOptions extends SessionOptions {
  readonly output: OutputForm
  /** Wait for standard input, however long it takes. */
  readonly stdin?: boolean
}

/** One prompt to its end. */
export async function run(prompt: string | undefined, options: RunOptions, io: Io): Promise<number> {
  const output = runOutput(options.output, resolve(options.project), io)
  try {
    return await runOnce(prompt, options, io, output)
  } catch (error) {
    // Who calls says it; whoever reads the output waits for a result.
    output.refuse(messageOf(error))
    throw error
  }
}

async function runOnce(given: string | undefined, options: RunOptions, io: Io, output: RunOutput): Promise<number> {
  const refuse = (message: string, code = 2) => {
    io.err(printable(`ext: ${message}`))
    output.refuse(message)
    return code
  }
  const reading = readStandardInput(options.stdin === true, io.signal)
  const goesOn = options.continue === true || options.resume !== undefined
  // Without a prompt it is the prompt.
  const piped = given === undefined && !goesOn ? await reading : undefined
  if (piped?.problem !== undefined) return refuse(piped.problem)
  const prompt = given ?? piped?.text?.trim()
  const wrong = usageProblem(prompt, options)
  if (wrong !== undefined) return refuse(wrong)
  let loaded: Extensions | undefined
  const turns = createTurns()
  const user = terminalUser(io, turns, () => loaded)
  const extensions = await compose({
    project: options.project,
    ...loadingOf(options),
    connect: true,
    command: 'ext run',
    report: (text) => io.err(`ext: ${text}`),
    waiting: (servers) => sayProgress(io, `Waiting for ${servers.join(', ')} …`),
    ...(user ? { user } : {}),
    person: serverPerson(io, turns),
  })
  loaded = extensions
  try {
    const short = shorten(extensions.locations.project)
    const before = extensions.diagnostics()
    await report(before, short, io)
    if (options.strict && hasErrors(extensions.hooks.diagnostics)) {
      return refuse('A hook can’t be loaded, so nothing is run. Fix it, or run without --strict.', 1)
    }
    for (const { name, state } of extensions.mcp?.status() ?? []) {
      if (state === 'connecting')
        io.err(`ext: The server \`${name}\` is still connecting; its tools join when it is ready.`)
    }
    const chosen = await extensions.models.choose(options.model)
    await report(chosen.diagnostics, short, io)
    if ('problem' in chosen) return refuse(`${chosen.problem} ${chosen.hint}`)
    const kept = await chooseSession(options, extensions.locations)
    if (kept.problem !== undefined) return refuse(kept.problem)
    const command = prompt === undefined ? undefined : await findCommand(prompt, extensions, io.signal)
    if (command?.problem !== undefined) return refuse(command.problem)
    const agent = await extensions.createAgent(chosen, {
      ...(options.maxTurns ? { maxTurns: options.maxTurns } : {}),
      ...(kept.store ? { store: kept.store } : {}),
    })
    const { session, problem } = await openSession(agent, kept.id, options, extensions)
    if (!session) return refuse(problem)
    if (prompt === undefined && !session.isUnfinished) {
      await agent.close()
      return refuse('The session has come to its end, so there is nothing to go on with. Give a prompt.')
    }
    extensions.attach(session)
    const input = piped ?? (await reading)
    if (input.problem !== undefined) return refuse(input.problem)
    if (input.remark !== undefined) io.err(`ext: ${input.remark}`)
    const expand = withInput(command?.expandFor(session.id), piped ? undefined : input.text)
    const events =
      prompt === undefined
        ? session.continue({ signal: io.signal })
        : session.run(prompt, {
            signal: io.signal,
            ...(command ? { command: command.command } : {}),
            ...(expand ? { expand } : {}),
          })
    for await (const event of events) output.show(event)
    const result = await events.result
    for (const event of await agent.close()) output.show(event)
    output.end(result, session.id)
    // Servers can fail at any time.
    await report(newIn(extensions.diagnostics(), before), short, io)
    return exitCode(result)
  } finally {
    await extensions.close()
  }
}

/** What came on standard input goes behind the prompt, before what the prompt starts. */
function withInput(expand: SessionRunOptions['expand'], text: string | undefined): SessionRunOptions['expand'] {
  if (text === undefined) return expand
  const input = { by: 'standard input', text }
  return async (options) => {
    const started = (await expand?.(options)) ?? { context: [] }
    return started.problem ? started : { context: [input, ...started.context] }
  }
}

/** Messages, not results: they go to standard error whatever the output form. */
async function report(diagnostics: readonly Diagnostic[], short: (text: string) => string, io: Io): Promise<void> {
  const relevant = diagnostics.filter((diagnostic) => diagnostic.severity !== 'info')
  const { shown, more } = fewOfEachKind(relevant)
  for (const text of await describeDiagnostics(shown, short)) io.err(`${text}\n`)
  for (const line of more) io.err(`${line}\n`)
}

function exitCode(result: RunResult): number {
  if (result.reason === 'done') return 0
  return result.reason === 'aborted' ? 130 : 1
}
