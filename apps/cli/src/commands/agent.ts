import { type Command, Option } from 'commander'
import { collect, DEFAULT_COMMAND, folder, permissionModeOption, positive } from '../arguments.js'
import type { Io } from '../io.js'
import { noCommand } from './help.js'

type Done = (code: number) => void

/** A conversation: what `ext` does without a command. */
export function addChat(program: Command, io: Io, done: Done): void {
  const chat = program
    .command(DEFAULT_COMMAND, { isDefault: true })
    .description('talk with the agent at the terminal; what `ext` does without a command')
    .argument('[word]', 'none: a single prompt is for `ext run`')
  addSessionOptions(chat)
    .addHelpText('after', '\nExamples:\n  ext\n  ext --model haiku --permission-mode plan\n  ext chat --continue')
    .action(async (word: string | undefined, options: import('./run-session.js').SessionOptions) => {
      if (word !== undefined) return done(await unknownCommand(word, program, io))
      const { interactive } = await import('../interactive/interactive.js')
      done(await interactive(options, io))
    })
}

export function addRun(program: Command, io: Io, done: Done): void {
  const run = program
    .command('run')
    .description('run one prompt to its end')
    .argument(
      '[prompt]',
      'what the agent shall do; `/name arguments` starts a skill, `/mcp__server__prompt name=value` a prompt of a server',
    )
  addSessionOptions(run)
    .option('--stdin', 'wait for standard input, however long it takes; what comes within a moment is read in any case')
    .addOption(
      new Option('--output <form>', 'what goes to standard output')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  ext run --trust-project "Release the change"\n  ext run --project ./app --output stream-json "List the open tasks"\n  ext run "/release-notes 1.2.0"\n  ext run --continue "Now push it"\n  git diff | ext run --stdin "Review this"',
    )
    .action(async (prompt: string | undefined, options: import('./run.js').RunOptions) => {
      const { run } = await import('./run.js')
      done(await run(prompt, options, io))
    })
}

/** What a prompt and a conversation have in common. */
function addSessionOptions(command: Command): Command {
  return command
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option(
      '--model <spec>',
      'anthropic/<id>, openai/<id>, openai-compatible:<URL>/<id>, scripted:<FILE>, or a name (default: `model` in the configuration)',
    )
    .option('--trust-project', 'let servers, hooks and allow rules of the project take effect')
    .addOption(permissionModeOption())
    .option('--allow <rule>', 'add an allow rule; can be repeated', collect, [])
    .option('--deny <rule>', 'add a deny rule; can be repeated', collect, [])
    .option('--strict', 'a hook that fails blocks, and one that can’t be loaded keeps the run from starting')
    .option('--skill-commands', 'run the commands that skills of yours mark with !`…`, as far as permission lets them')
    .option('--max-turns <n>', 'end the run after this many answers of the model', positive)
    .addOption(
      new Option('--resume <id>', 'go on with this session; without a prompt where it was ended').conflicts('continue'),
    )
    .option('--continue', 'go on with the newest session of the project')
    .option('--hand-back', 'with one of these two: let the first agent go on where another one has the conversation')
    .option('--fork', 'with one of these two: leave the session as it is and go on with a copy')
    .option('--no-save', 'do not keep this session; its calls are written down all the same')
}

async function unknownCommand(word: string, program: Command, io: Io): Promise<number> {
  io.err(`ext: ${await noCommand(word, program)}`)
  io.err('To have a prompt run, write ext run "…". Run ext --help to see what there is.')
  return 2
}
