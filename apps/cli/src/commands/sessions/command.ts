import { Argument, type Command, Option } from 'commander'
import { folder, positive } from '../../arguments.js'
import type { Io } from '../../io.js'

/** `ext sessions …`. */
export function addSessions(program: Command, io: Io, done: (code: number) => void): void {
  const sessions = program
    .command('sessions')
    .description('what was said and done: list, show and export the sessions that are kept')
    .addHelpText('after', '\nRun ext sessions <command> --help for options and examples.')
  const session = () => new Argument('<id>', 'of the session, or its beginning')

  sessions
    .command('list')
    .description('show the sessions of a project, the newest first')
    .option('--project <dir>', 'folder of the project', folder, '.')
    .option('--all', 'those of all projects')
    .option('--agents', 'also the logs of sub-agents')
    .option('--search <text>', 'those in which somebody said this')
    .option('--limit <n>', 'at most so many', positive)
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext sessions list\n  ext sessions list --all --search "release notes" --json')
    .action(async (options: import('./list.js').ListOptions) => {
      const { list } = await import('./list.js')
      done(await list(options, io))
    })

  sessions
    .command('show')
    .description('show what was said and done in a session; exits with 1 if its log is damaged')
    .addArgument(session())
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext sessions show 3f2a\n  ext sessions show 3f2a --json')
    .action(async (id: string, options: { json?: boolean }) => {
      const { show } = await import('./show.js')
      done(await show(id, { project: '.', ...options }, io))
    })

  sessions
    .command('export')
    .description('write a session to standard output, with everything that was said in it')
    .addArgument(session())
    .addOption(new Option('--format <form>', 'what it is written as').choices(['markdown', 'json']).default('markdown'))
    .addHelpText(
      'after',
      '\nExamples:\n  ext sessions export 3f2a > session.md\n  ext sessions export 3f2a --format json',
    )
    .action(async (id: string, options: { format: 'markdown' | 'json' }) => {
      const { exportSession } = await import('./export.js')
      done(await exportSession(id, { project: '.', ...options }, io))
    })
}
