import type { Command } from 'commander'
import { folder } from '../../arguments.js'
import type { Io } from '../../io.js'

/** `ext agents …`. */
export function addAgents(program: Command, io: Io, done: (code: number) => void): void {
  const agents = program
    .command('agents')
    .description('sub-agents that files describe: list them')
    .addHelpText('after', '\nRun ext agents <command> --help for options and examples.')

  agents
    .command('list')
    .description('show every sub-agent with its limits, its place and what became of it; exits with 1 if one is broken')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext agents list\n  ext agents list --project ./app --json')
    .action(async (options: import('./list.js').ListOptions) => {
      const { list } = await import('./list.js')
      done(await list(options, io))
    })
}
