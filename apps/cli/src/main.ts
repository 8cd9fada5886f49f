import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { Io } from './io.js'
import { version } from './package.js'

/**
 * Runs one command and returns its exit code: 0 ok, 1 findings or a failed run, 2 usage, 130 interrupted.
 * Commands are imported when they are called, so that `ext --version` pays for none of them.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  const io: Io = {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    signal: interrupted.signal,
  }
  // A reader that goes away early, such as `head`, is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  let code = 0
  const program = createProgram(io, (result) => {
    code = result
  })
  try {
    await program.parseAsync(argv)
    return interrupted.signal.aborted ? 130 : code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (interrupted.signal.aborted) return 130
    io.err(`ext: ${error instanceof Error ? error.message : String(error)}`)
    if (program.opts<{ debug?: boolean }>().debug && error instanceof Error) io.err(error.stack ?? '')
    else io.err('Run it again with --debug to see where this comes from.')
    return 1
  } finally {
    process.removeListener('SIGINT', interrupt)
  }
}

function createProgram(io: Io, done: (code: number) => void): Command {
  const program = new Command('ext')
    .description('The extension layer of an AI agent: MCP servers, skills, hooks and permission in one run.')
    .version(version)
    .option('--debug', 'show stack traces of unexpected errors')
    .exitOverride()
    .showHelpAfterError('Run ext --help to see what there is.')
    .addHelpText('after', '\nExit codes: 0 ok, 1 findings or a failed run, 2 usage, 130 interrupted.')

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

  program
    .command('run')
    .description('run one prompt to its end')
    .argument('<prompt>', 'what the agent shall do')
    .option('--project <dir>', 'folder with the configuration', '.')
    .option('--model <spec>', 'provider:name, for example scripted:script.yaml (default: `model` in .ext/config.yaml)')
    .option('--trust-project', 'let servers, hooks and allow rules of the project take effect')
    .addOption(
      new Option('--output <form>', 'what goes to standard output')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .addOption(
      new Option('--permission-mode <mode>', 'how questions are answered').choices([
        'default',
        'acceptEdits',
        'plan',
        'dontAsk',
        'bypassPermissions',
      ]),
    )
    .option('--allow <rule>', 'add an allow rule; can be repeated', collect, [])
    .option('--deny <rule>', 'add a deny rule; can be repeated', collect, [])
    .option('--max-turns <n>', 'end the run after this many answers of the model', positive)
    .addHelpText(
      'after',
      '\nExamples:\n  ext run --trust-project "Release the change"\n  ext run --project ./app --output stream-json "List the open tasks"',
    )
    .action(async (prompt: string, options: import('./commands/run.js').RunOptions) => {
      const { run } = await import('./commands/run.js')
      done(await run(prompt, options, io))
    })

  program
    .command('doctor')
    .description('say of every configured entry what became of it; exits with 1 if something is broken')
    .option('--project <dir>', 'folder with the configuration', '.')
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

  program
    .command('init')
    .description('write a commented starter configuration, .ext/config.yaml')
    .option('--project <dir>', 'folder to write it in', '.')
    .addHelpText('after', '\nExamples:\n  ext init\n  ext init --project ./app')
    .action(async (options: import('./commands/init.js').InitOptions) => {
      const { init } = await import('./commands/init.js')
      done(await init(options, io))
    })
  return program
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function positive(value: string): number {
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number from 1.')
  return number
}
