import { Command, CommanderError, Option } from 'commander'
import { folder } from './arguments.js'
import { addChat, addRun } from './commands/agent.js'
import { addAgents } from './commands/agents/command.js'
import { addAudit } from './commands/audit/command.js'
import { addCompletion } from './commands/completion/command.js'
import { addConfig } from './commands/config/command.js'
import { addHelp, showWayToHelp } from './commands/help.js'
import { addHooks } from './commands/hooks/command.js'
import { addInit } from './commands/init/command.js'
import { addMcp } from './commands/mcp/command.js'
import { addExplain, addPermissions } from './commands/permissions/command.js'
import { addSessions } from './commands/sessions/command.js'
import { addSkills } from './commands/skills/command.js'
import { addTrust } from './commands/trust/command.js'
import type { Io } from './io.js'
import { leaveLostTerminal } from './lost-terminal.js'
import { version } from './package.js'

/** What ends a command early, and the exit code that says so: 128 and the number of the signal. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/**
 * Runs one command and returns its exit code: 0 ok, 1 findings or a failed run, 2 usage, above 128 interrupted.
 * Commands are imported when they are called, so that `ext --version` pays for none of them.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const interrupted = new AbortController()
  let ended: number | undefined
  // Never by `process.exit`: servers, hooks and commands that run have to be ended first.
  const end = (code: number) => {
    ended ??= code
    interrupted.abort()
  }
  const listeners = Object.entries(SIGNALS).map(([signal, code]) => [signal, () => end(code)] as const)
  // A second signal changes nothing: by default it would end this process before its children, and they end in seconds.
  for (const [signal, listener] of listeners) process.on(signal, listener)

  let unwritable = false
  const io: Io = {
    out: (text) => {
      if (!unwritable) process.stdout.write(`${text}\n`)
    },
    err: (text) => void process.stderr.write(`${text}\n`),
    signal: interrupted.signal,
    interrupt: () => end(SIGNALS.SIGINT),
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (unwritable) return
    unwritable = true
    // A reader that goes away early, such as `head`, is no failure of ours.
    if (error.code === 'EPIPE') return end(0)
    // Its window was closed, and the signal that says so is on its way.
    if (error.code === 'EIO' && process.stdout.isTTY) return end(SIGNALS.SIGHUP)
    io.err(`ext: The results can't be written: ${error.message}.`)
    end(1)
  })
  process.once('exit', leaveLostTerminal)
  // Nobody reads the messages; the results still count.
  process.stderr.on('error', () => {})

  let code = 0
  const program = createProgram(io, (result) => {
    code = result
  })
  const fail = (error: unknown) => {
    io.err(`ext: ${error instanceof Error ? error.message : String(error)}`)
    if (program.opts<{ debug?: boolean }>().debug && error instanceof Error) io.err(error.stack ?? '')
    else io.err('Run it again with --debug to see where this comes from.')
    end(1)
  }
  // What nobody waits for fails here. The command is ended as by a signal, with all that it has started.
  process.on('uncaughtException', fail)
  try {
    await program.parseAsync(argv)
  } catch (error) {
    if (error instanceof CommanderError) code = error.exitCode === 0 ? 0 : 2
    else if (ended === undefined) fail(error)
  } finally {
    // Whether the last lines could be written is known once they were.
    if (!unwritable) await new Promise((resolve) => process.stdout.write('', resolve))
    for (const [signal, listener] of listeners) process.removeListener(signal, listener)
  }
  return ended ?? code
}

/** All commands, with what they take. They report their exit codes to `done`. */
export function createProgram(io: Io, done: (code: number) => void): Command {
  const program = new Command('ext')
    .description('The extension layer of an AI agent: MCP servers, skills, hooks and permission in one run.')
    .version(version)
    .option('--debug', 'show stack traces of unexpected errors')
    .exitOverride()
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExamples:\n  ext demo\n  ext doctor\n  ext run "What does this project do?"\n\nExit codes: 0 ok, 1 findings or a failed run, 2 usage, 130 interrupted (129 hung up, 143 terminated).',
    )

  program
    .command('demo')
    .description(
      'make a throw-away project, run a real session in it with a scripted model, and show what each axis did',
    )
    .option('--keep', 'leave the project for a look')
    .addHelpText('after', '\nExamples:\n  ext demo\n  ext demo --keep')
    .action(async (options: { keep?: boolean }) => {
      const { demo } = await import('./commands/demo.js')
      done(await demo({ keep: options.keep === true }, io))
    })

  addChat(program, io, done)
  addRun(program, io, done)

  program
    .command('doctor')
    .description('say of every configured entry what became of it; exits with 1 if something is broken')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--trust-project', 'judge the project as if it were approved')
    .addOption(new Option('--json', 'for programs').conflicts('sarif'))
    .option('--sarif', 'what is to be said as SARIF 2.1.0, for CI and editors')
    .addHelpText(
      'after',
      '\nExamples:\n  ext doctor\n  ext doctor --project ./app --json\n  ext doctor --sarif > ext.sarif',
    )
    .action(async (options: import('./commands/doctor.js').DoctorOptions) => {
      const { doctor } = await import('./commands/doctor.js')
      done(await doctor(options, io))
    })

  addInit(program, io, done)
  addConfig(program, io, done)
  addExplain(program, io, done)
  addPermissions(program, io, done)
  addHooks(program, io, done)
  addAudit(program, io, done)
  addSkills(program, io, done)
  addAgents(program, io, done)
  addMcp(program, io, done)
  addTrust(program, io, done)
  addSessions(program, io, done)
  addCompletion(program, io, done)
  addHelp(program, io, done)
  showWayToHelp(program)
  return program
}
