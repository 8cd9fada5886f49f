import type { RunEvent, RunResult, RunOptions as SessionRunOptions } from '@ext/agent-core/types'
import { type Diagnostic, hasErrors } from '@ext/kernel'
import type { PermissionMode } from '@ext/kernel/contract'
import { skillCommand } from '@ext/skills'
import { terminalUser } from '../ask.js'
import { serverPerson } from '../asked/person.js'
import { createTurns } from '../asked/turns.js'
import { compose, type Extensions } from '../compose.js'
import type { Io } from '../io.js'
import { type LoadedModel, loadModel } from '../model.js'
import { expandPrompt, findPrompt, isPromptName } from '../prompts/command.js'
import { describeDiagnostics, shorten } from '../render/diagnostics.js'
import { createTranscript } from '../render/transcript.js'
import { printable } from '../render/words.js'

export interface RunOptions {
  readonly project: string
  readonly model?: string
  readonly trustProject?: boolean
  readonly output: 'text' | 'json' | 'stream-json'
  readonly permissionMode?: PermissionMode
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly maxTurns?: number
  readonly strict?: boolean
  readonly skillCommands?: boolean
}

/** One prompt to its end. */
export async function run(prompt: string, options: RunOptions, io: Io): Promise<number> {
  let loaded: Extensions | undefined
  const turns = createTurns()
  const user = terminalUser(io, turns, () => loaded)
  const extensions = await compose({
    project: options.project,
    trustProject: options.trustProject === true,
    connect: true,
    report: (text) => io.err(`ext: ${text}`),
    rules: { allow: options.allow, deny: options.deny },
    strict: options.strict === true,
    skillCommands: options.skillCommands === true,
    ...(user ? { user } : {}),
    person: serverPerson(io, turns),
  })
  loaded = extensions
  try {
    const short = shorten(extensions.locations.project)
    const before = extensions.diagnostics()
    await report(before, short, io)
    if (options.strict && hasErrors(extensions.hooks.diagnostics)) {
      io.err('ext: A hook can’t be loaded, so nothing is run. Fix it, or run without --strict.')
      return 1
    }
    for (const { name, state } of extensions.mcp?.status() ?? []) {
      if (state === 'connecting')
        io.err(`ext: The server \`${name}\` is still connecting; its tools join when it is ready.`)
    }
    const loaded = await chooseModel(options.model, extensions)
    await report(loaded.diagnostics, short, io)
    if ('problem' in loaded) {
      io.err(`ext: ${loaded.problem}`)
      return 2
    }
    const command = await findCommand(prompt, extensions, io)
    if (command?.problem !== undefined) {
      io.err(printable(`ext: ${command.problem}`))
      return 2
    }
    const agent = await extensions.createAgent(loaded.model, options.maxTurns ? { maxTurns: options.maxTurns } : {})
    const session = agent.session({
      cwd: extensions.locations.project,
      permissionMode: options.permissionMode ?? extensions.permission.defaultMode,
    })
    const expand = command?.expandFor(session.id)
    const events = session.run(prompt, { signal: io.signal, ...(expand ? { expand } : {}) })
    const show = eventWriter(options.output, extensions.locations.project, io)
    for await (const event of events) show(event)
    const result = await events.result
    for (const event of await agent.close()) show(event)
    if (options.output === 'json') io.out(JSON.stringify(result))
    // Servers can fail at any time.
    await report(newIn(extensions.diagnostics(), before), short, io)
    return exitCode(result)
  } finally {
    await extensions.close()
  }
}

/** What a prompt starts that begins with `/name`. */
type Command =
  | {
      readonly problem?: undefined
      expandFor(session: string): NonNullable<SessionRunOptions['expand']> | undefined
    }
  | { readonly problem: string }

/** A skill, or a prompt of an MCP server; `undefined` for any other text. */
async function findCommand(prompt: string, extensions: Extensions, io: Io): Promise<Command | undefined> {
  const command = skillCommand(prompt)
  if (!command) return undefined
  const { mcp, skills } = extensions
  if (mcp && isPromptName(command.name)) {
    const found = await findPrompt(command, mcp, io.signal)
    if ('problem' in found) return found
    return { expandFor: () => (each) => expandPrompt(found, mcp, each) }
  }
  const found = skills.lookUp(command.name, 'user')
  if (found.problem !== undefined) return { problem: `${found.problem} ${found.hint}` }
  return {
    expandFor(id) {
      const session = extensions.skillSession(id)
      return session && ((each) => session.expand(command, each))
    },
  }
}

async function chooseModel(flag: string | undefined, extensions: Extensions): Promise<LoadedModel> {
  if (flag !== undefined) return loadModel(flag, process.cwd())
  const { model } = extensions.config
  if (model) return loadModel(model.spec, model.folder)
  return {
    problem: 'No model is given. Use --model scripted:FILE, or write `model: scripted:FILE` into .ext/config.yaml.',
    diagnostics: [],
  }
}

function eventWriter(output: RunOptions['output'], project: string, io: Io): (event: RunEvent) => void {
  if (output === 'stream-json') return (event) => io.out(JSON.stringify(event))
  if (output === 'json') return () => {}
  const transcript = createTranscript(project)
  return (event) => {
    for (const line of transcript.add(event)) io.out(line)
  }
}

/** Messages, not results: they go to standard error whatever the output form. */
async function report(diagnostics: readonly Diagnostic[], short: (text: string) => string, io: Io): Promise<void> {
  const relevant = diagnostics.filter((diagnostic) => diagnostic.severity !== 'info')
  for (const text of await describeDiagnostics(relevant, short)) io.err(`${text}\n`)
}

function newIn(diagnostics: readonly Diagnostic[], before: readonly Diagnostic[]): readonly Diagnostic[] {
  const known = new Set(before.map(({ code, message }) => `${code} ${message}`))
  return diagnostics.filter(({ code, message }) => !known.has(`${code} ${message}`))
}

function exitCode(result: RunResult): number {
  if (result.reason === 'done') return 0
  return result.reason === 'aborted' ? 130 : 1
}
