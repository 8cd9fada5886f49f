import type { Command } from 'commander'

/** `ext help …`. That of the parser prints all there is for a command that there is not, and does not say so. */
export function addHelp(program: Command): void {
  program
    .command('help')
    .description('show what a command does and takes; the same as --help behind it')
    .argument('[command...]', 'its names, such as `mcp add`')
    .addHelpText('after', '\nExamples:\n  ext help run\n  ext help mcp add')
    .action(async (names: readonly string[]) => {
      let command = program
      for (const name of names) {
        const found = childOf(command, name)
        if (!found) return command.error(await unknown(command, name))
        command = found
      }
      command.outputHelp()
    })
  program.addHelpText('beforeAll', ({ command }) => {
    const [first, second] = command.args
    const name = first === 'help' ? second : first
    if (command.commands.length === 0 || name === undefined || name.startsWith('-') || childOf(command, name)) return ''
    return command.error(`error: unknown command '${name}'`)
  })
}

function childOf(command: Command, name: string): Command | undefined {
  return command.commands.find((each) => each.name() === name || each.aliases().includes(name))
}

async function unknown(command: Command, name: string): Promise<string> {
  const { suggest } = await import('@ext/kernel')
  const known = command.createHelp().visibleCommands(command)
  const meant = suggest(
    name,
    known.map((each) => each.name()),
  )
  return `error: unknown command '${name}'${meant === undefined ? '' : `\n(Did you mean ${meant}?)`}`
}

/** After a mistake each command points to its own help. */
export function showWayToHelp(command: Command, above = ''): void {
  const name = `${above}${command.name()}`
  const what = command.commands.length > 0 ? 'what there is' : 'how it is used'
  command.showHelpAfterError(`Run ${name} --help to see ${what}.`)
  for (const child of command.commands) showWayToHelp(child, `${name} `)
}
