import { type Command, Option } from 'commander'
import { positive } from '../../arguments.js'
import type { Io } from '../../io.js'
import type { QueryOptions } from './query.js'

/** `ext audit …`. */
export function addAudit(program: Command, io: Io, done: (code: number) => void): void {
  const audit = program
    .command('audit')
    .description('what tools were called, and what became of it: the newest calls, a search in all of them, sums')
    .addHelpText(
      'after',
      '\nExamples:\n  ext audit tail\n  ext audit query --errors --since 2026-01-31\n\nRun ext audit <command> --help for what each takes.',
    )

  narrowed(audit.command('tail').description('show the newest calls'))
    .option('-n, --lines <n>', 'how many', positive, 20)
    .addHelpText('after', '\nExamples:\n  ext audit tail\n  ext audit tail -n 100 --json')
    .action(async (options: QueryOptions) => {
      const { query } = await import('./query.js')
      done(await query(options, io))
    })

  narrowed(audit.command('query').description('show all calls that the options name'))
    .addHelpText(
      'after',
      '\nExamples:\n  ext audit query --tool Bash --errors\n  ext audit query --since 2026-01-31 --json',
    )
    .action(async (options: QueryOptions) => {
      const { query } = await import('./query.js')
      done(await query(options, io))
    })

  narrowed(audit.command('stats').description('sum the calls up, tool by tool'))
    .addHelpText('after', '\nExamples:\n  ext audit stats\n  ext audit stats --since 2026-01-31 --json')
    .action(async (options: QueryOptions) => {
      const { stats } = await import('./stats.js')
      done(await stats(options, io))
    })
}

function narrowed(command: Command): Command {
  return command
    .option('--tool <name>', 'only calls of this tool')
    .option('--server <name>', 'only calls of this MCP server')
    .option('--session <id>', 'only calls of this session')
    .addOption(new Option('--since <time>', 'only calls from this day or time on, as ISO 8601'))
    .option('--errors', 'only calls that failed or were not permitted')
    .option('--json', 'for programs')
}
