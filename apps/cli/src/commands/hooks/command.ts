import { Argument, type Command, Option } from 'commander'
import { existingFile, folder } from '../../arguments.js'
import type { Io } from '../../io.js'

/** `ext hooks …`. */
export function addHooks(program: Command, io: Io, done: (code: number) => void): void {
  const hooks = program
    .command('hooks')
    .description('what runs at the moments of a session: list and check hooks, see what they have done, try one')
    .addHelpText(
      'after',
      '\nExamples:\n  ext hooks list\n  ext hooks doctor --project ./app\n\nRun ext hooks <command> --help for what each takes.',
    )

  hooks
    .command('list')
    .description('show every hook with its event, its place and what became of it; exits with 1 if something is broken')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--trust-project', 'judge the project as if it were approved')
    .option('--event <name>', 'only hooks of this event')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext hooks list\n  ext hooks list --project ./app --event PreToolUse --json')
    .action(async (options: import('./list.js').ListOptions) => {
      const { list } = await import('./list.js')
      done(await list(options, io))
    })

  hooks
    .command('doctor')
    .description(
      'say of every hook whether it can take effect, and what speaks against it; exits with 1 if something does',
    )
    .option('--file <file>', FILE, existingFile)
    .option('--project <dir>', PROJECT, folder)
    .option('--trust-project', 'judge the project as if it were approved')
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      '\nExamples:\n  ext hooks doctor\n  ext hooks doctor --project ./app --json\n  ext hooks doctor --file .claude/settings.json',
    )
    .action(async (options: import('./doctor.js').DoctorOptions) => {
      const { doctor } = await import('./doctor.js')
      done(await doctor(options, io))
    })

  hooks
    .command('stats')
    .description('show what the hooks have done so far: runs, blocks, failures, exit codes and times')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext hooks stats\n  ext hooks stats --project ./app --json')
    .action(async (options: import('./stats.js').StatsOptions) => {
      const { stats } = await import('./stats.js')
      done(await stats(options, io))
    })

  hooks
    .command('events')
    .description('show the events, what their matchers test and what a hook can do at each')
    .option('--json', 'for programs, with the fields of each payload')
    .addHelpText('after', '\nExamples:\n  ext hooks events\n  ext hooks events --json')
    .action(async (options: import('./events.js').EventsOptions) => {
      const { showEvents } = await import('./events.js')
      done(await showEvents(options, io))
    })

  hooks
    .command('test')
    .description(
      'run one hook, or all hooks of an event, with a payload and show what would come of it; exits with 1 if one fails',
    )
    .addArgument(new Argument('[hook]', 'its name or its id, as ext hooks list shows them (default: all of --event)'))
    .option('--event <name>', 'whose hooks; with a name, which one of several')
    .option('--file <file>', FILE, existingFile)
    .addOption(new Option('--payload <json>', 'fields of the payload (default: generated)').conflicts('payloadFile'))
    .option('--payload-file <file>', 'a recorded payload: what a hook got on standard input')
    .option('--project <dir>', PROJECT, folder)
    .option('--trust-project', 'let hooks of the project run')
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      '\nExamples:\n  ext hooks test no-push.sh --trust-project' +
        '\n  ext hooks test guard --payload \'{"tool_input":{"command":"git push"}}\'' +
        '\n  ext hooks test --file .claude/settings.json --event PreToolUse --payload \'{"tool_name":"Bash"}\'' +
        '\n  ext hooks test format --payload-file recorded.json --json',
    )
    .action(async (hook: string | undefined, options: import('./test.js').TestOptions) => {
      const { test } = await import('./test.js')
      done(await test(hook, options, io))
    })
}

const FILE = 'only the hooks of this file, which counts as approved: settings, our own format, a plugin’s, or a header'
const PROJECT = 'folder with the configuration (default: with --file the project of the file, else .)'
