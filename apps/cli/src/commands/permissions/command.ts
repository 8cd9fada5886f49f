import { Argument, type Command } from 'commander'
import { folder, permissionModeOption } from '../../arguments.js'
import type { Io } from '../../io.js'

type Done = (code: number) => void

const EXAMPLE = `'{"command":"git push --force"}'`

/** `ext explain`. */
export function addExplain(program: Command, io: Io, done: Done): void {
  explainOptions(program.command('explain'))
    .description('say what would happen to a call of a tool, and why; nothing runs')
    .addHelpText(
      'after',
      `\nExamples:\n  ext explain Bash --input ${EXAMPLE}\n  ext explain Edit --input '{"file_path":".env"}' --json`,
    )
    .action(async (tool: string, options: import('./explain.js').ExplainOptions) => {
      const { explain } = await import('./explain.js')
      done(await explain(tool, options, io))
    })
}

/** `ext permissions …`. */
export function addPermissions(program: Command, io: Io, done: Done): void {
  const permissions = program
    .command('permissions')
    .description('rules about what may run: list, explain, check, test and import them')
    .addHelpText(
      'after',
      '\nExamples:\n  ext permissions list\n  ext permissions lint --project ./app\n\nRun ext permissions <command> --help for what each takes.',
    )

  permissions
    .command('list')
    .description('show every rule, and what became of it')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--trust-project', 'judge the project as if it were approved')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext permissions list\n  ext permissions list --project ./app --json')
    .action(async (options: import('./list.js').ListOptions) => {
      const { list } = await import('./list.js')
      done(await list(options, io))
    })

  explainOptions(permissions.command('explain'))
    .description('the same as ext explain')
    .addHelpText('after', `\nExamples:\n  ext permissions explain Bash --input ${EXAMPLE}`)
    .action(async (tool: string, options: import('./explain.js').ExplainOptions) => {
      const { explain } = await import('./explain.js')
      done(await explain(tool, options, io))
    })

  permissions
    .command('lint')
    .description('find rules that do not mean what they show; exits with 1 if there are any')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext permissions lint\n  ext permissions lint --project ./app --json')
    .action(async (options: import('./lint.js').LintOptions) => {
      const { lint } = await import('./lint.js')
      done(await lint(options, io))
    })

  permissions
    .command('test')
    .description('run the tests that stand beside rules, or score the engine on a corpus; exits with 1 if one fails')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--corpus <file>', 'calls with their rules and the right verdicts, one JSON object a line')
    .option('--json', 'for programs')
    .addHelpText('after', '\nExamples:\n  ext permissions test\n  ext permissions test --corpus corpus.jsonl --json')
    .action(async (options: import('./test.js').TestOptions) => {
      const { test } = await import('./test.js')
      done(await test(options, io))
    })

  permissions
    .command('import')
    .description('print the permissions of a Claude Code settings file in the native form')
    .addArgument(new Argument('<file>', 'settings.json of Claude Code'))
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      '\nExamples:\n  ext permissions import .claude/settings.json\n  ext permissions import ~/.claude/settings.json > permissions.yaml',
    )
    .action(async (file: string, options: import('./import.js').ImportOptions) => {
      const { importFile } = await import('./import.js')
      done(await importFile(file, options, io))
    })
}

function explainOptions(command: Command): Command {
  return command
    .addArgument(new Argument('<tool>', 'for example Bash, Edit, WebFetch or mcp__server__tool'))
    .requiredOption('--input <json>', 'the input of the call, a JSON object')
    .option('--project <dir>', 'folder with the configuration', folder, '.')
    .option('--trust-project', 'judge the project as if it were approved')
    .addOption(permissionModeOption())
    .option('--json', 'for programs')
}
