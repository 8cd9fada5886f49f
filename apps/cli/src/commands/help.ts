import type { Command } from 'commander'
import { DEFAULT_COMMAND } from '../arguments.js'
import type { Io } from '../io.js'

/** `ext help …`. That of the parser prints all there is for a command that there is not, and does not say so. */
export function addHelp(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('help')
    .description('show what a command does and takes; the same as --help behind it')
    .argument('[command...]', 'its names, such as `mcp add`')
    .addHelpText('after', '\nExamples:\n  ext help run\n  ext help mcp add')
    .action(async (names: readonly string[]) => {
      let command = program
      for (const name of names) {
        const found = childOf(command, name)
        if (!found) {
          io.err(`ext: ${await noCommand(name, command)}`)
          return done(2)
        }
        command = found
      }
      command.outputHelp()
    })
  // So does --help: the command that it stands behind is looked for by nobody.
  program.addHelpText('beforeAll', ({ command }) => {
    const [first, second] = command.args
    const name = first === 'help' ? second : first
    const takesCommands = command.commands.length > 0 || command.name() === DEFAULT_COMMAND
    if (!takesCommands || name === undefined || name.startsWith('-') || childOf(command, name)) return ''
    return command.error(`error: unknown command '${name}'`)
  })
}

function childOf(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name || each.aliases().includes(name))
}

/** That there is no such command, with the one that may be meant, or where to look. */
export async function noCommand(name: string, above: Command): Promise<string> {
  const { suggest } = await import('@ext/kernel')
  const names = above
    .createHelp()
    .visibleCommands(above)
    .map((each) => each.name())
  const path = above.parent ? `${above.name()} ` : ''
  const meant = suggest(name, names)
  const hint = meant ? `Did you mean \`ext ${path}${meant}\`?` : `There are ${names.join(', ')}.`
  return `There is no command \`${path}${name}\`. ${hint}`
}

/** After a mistake each command points to its own help. */
export function showWayToHelp(command: Command, above = ''): void {
  const name = `${above}${command.name()}`
  const what = command.commands.length > 0 ? 'what there is' : 'how it is used'
  command.showHelpAfterError(`Run ${name} --help to see ${what}.`)
  for (const child of command.commands) showWayToHelp(child, `${name} `)
}
