import { Argument, type Command } from 'commander'
import { folder } from '../../arguments.js'
import type { Io } from '../../io.js'

/** `ext trust …`. */
export function addTrust(program: Command, io: Io, done: (code: number) => void): void {
  const trust = program
    .command('trust')
    .description('what of a project may run: show what waits, approve it, take approvals back')
    .addHelpText(
      'after',
      '\nExamples:\n  ext trust list\n  ext trust approve\n\nRun ext trust <command> --help for what each takes.',
    )

  trust
    .command('list')
    .description('show exactly what waits for approval, and what was approved')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext trust list\n  ext trust list --project ./app --json')
    .action(async (options: import('./list.js').ListOptions) => {
      const { list } = await import('./list.js')
      done(await list(options, io))
    })

  trust
    .command('approve')
    .description('show what waits, and approve it as it is now; what changes later has to be approved again')
    .addArgument(new Argument('[names...]', 'only entries of these names (default: all that wait)'))
    .option('--yes', 'ask nobody')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext trust approve\n  ext trust approve guard.sh --yes --project ./app')
    .action(async (names: readonly string[], options: import('./approve.js').ApproveOptions) => {
      const { approve } = await import('./approve.js')
      done(await approve(names, options, io))
    })

  trust
    .command('revoke')
    .description('take approvals of the project back')
    .addArgument(new Argument('[names...]', 'of entries of these names'))
    .option('--all', 'all of the project')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext trust revoke guard.sh\n  ext trust revoke --all --project ./app')
    .action(async (names: readonly string[], options: import('./revoke.js').RevokeOptions) => {
      const { revoke } = await import('./revoke.js')
      done(await revoke(names, options, io))
    })
}
