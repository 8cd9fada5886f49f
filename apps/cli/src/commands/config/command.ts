import type { Command } from 'commander'
import { folder } from '../../arguments.js'
import type { Io } from '../../io.js'

/** `ext config …`. */
export function addConfig(program: Command, io: Io, done: (code: number) => void): void {
  const config = program
    .command('config')
    .description(
      'the configuration as a whole: show what holds and where it stands, its schema, and a file to start with',
    )
    .addHelpText('after', '\nRun ext config <command> --help for options and examples.')

  config
    .command('show')
    .description('show every value that holds, with its place; secrets are masked. Exits with 1 if something is broken')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--trust-project', 'judge the project as if it were approved')
    .option('--all', 'also values that have no effect, with the reason in a word')
    .option('--json', 'for programs; all values')
    .addHelpText(
      'after',
      '\nExamples:\n  ext config show\n  ext config show --all\n  ext config show --project ./app --json',
    )
    .action(async (options: import('./show.js').ShowOptions) => {
      const { show } = await import('./show.js')
      done(await show(options, io))
    })

  config
    .command('schema')
    .description('print the JSON schema of .ext/config.yaml, for editors')
    .option('--path', 'print where it is instead')
    .addHelpText('after', '\nExamples:\n  ext config schema > config.schema.json\n  ext config schema --path')
    .action(async (options: { path?: boolean }) => {
      const { printSchema } = await import('./schema.js')
      done(await printSchema(options, io))
    })

  config
    .command('init')
    .description('write a commented starter configuration, .ext/config.yaml; the same as ext init, and nothing besides')
    .option('--project <dir>', 'folder to write it in', folder, '.')
    .addHelpText('after', '\nExamples:\n  ext config init\n  ext config init --project ./app')
    .action(async (options: { project: string }) => {
      const { init } = await import('../init/init.js')
      done(await init({ ...options, bare: true }, io))
    })
}
