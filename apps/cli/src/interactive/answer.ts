import { findCommand } from '../prompts/find.js'
import { commands, type Host } from './commands/table.js'

/** A line that was sent: a command of the session, else a prompt, which can begin with the name of a skill or of a prompt. */
export async function answer(line: string, host: Host): Promise<void> {
  const { io, extensions } = host
  const [, name, args = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? []
  const command = commands.find((each) => each.name === name)
  if (command) {
    io.out(`\n> ${line.trim()}`)
    await command.run(args.trim(), host)
    return
  }
  const start = await findCommand(line, extensions, io.signal)
  if (start?.problem !== undefined) return io.err(`\n> ${line.trim()}\n${start.problem}`)
  const talk = host.talk ?? (await host.useModel())
  await talk?.run(line, start && { command: start.command, expand: start.expandFor(talk.session.id) })
}
