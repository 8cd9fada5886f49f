import { Argument, type Command, Option } from 'commander'
import { folder, positive } from '../../arguments.js'
import type { Io } from '../../io.js'

/** `ext skills …`. */
export function addSkills(program: Command, io: Io, done: (code: number) => void): void {
  const skills = program
    .command('skills')
    .description('procedures that are loaded when they are needed: list, search, explain and check skills')
    .addHelpText(
      'after',
      '\nExamples:\n  ext skills list\n  ext skills lint .claude/skills\n\nRun ext skills <command> --help for what each takes.',
    )

  skills
    .command('list')
    .description('show every skill with its place and what became of it; exits with 1 if something is broken')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext skills list\n  ext skills list --project ./app --json')
    .action(async (options: import('./list.js').ListOptions) => {
      const { list } = await import('./list.js')
      done(await list(options, io))
    })

  skills
    .command('search')
    .description('find skills by what they are for, as the model does')
    .addArgument(new Argument('<query>', 'a few words'))
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--limit <n>', 'at most this many', positive, 5)
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      '\nExamples:\n  ext skills search "release a version"\n  ext skills search pdf --limit 3 --json',
    )
    .action(async (query: string, options: import('./search.js').SearchOptions) => {
      const { search } = await import('./search.js')
      done(await search(query, options, io))
    })

  skills
    .command('show')
    .description('show what the header of a skill means; exits with 1 if none of this name takes effect')
    .addArgument(new Argument('<name>', 'as ext skills list shows it'))
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--why', 'name the skill that takes effect, the others of its name, and the reasons')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext skills show deploy\n  ext skills show deploy --why --json')
    .action(async (name: string, options: import('./show.js').ShowOptions) => {
      const { show } = await import('./show.js')
      done(await show(name, options, io))
    })

  skills
    .command('lint')
    .description('check skills as files; exits with 1 if there is an error or a warning')
    .addArgument(new Argument('<path...>', 'SKILL.md files, folders of skills, or folders that hold such folders'))
    .addOption(
      new Option('--profile <name>', 'who shall be able to read them')
        .choices(['portable', 'lenient', 'claude-code'])
        .default('lenient'),
    )
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      '\nExamples:\n  ext skills lint .claude/skills\n  ext skills lint ./my-skill --profile portable --json',
    )
    .action(async (paths: readonly string[], options: import('./lint.js').LintOptions) => {
      const { lint } = await import('./lint.js')
      done(await lint(paths, options, io))
    })
}
