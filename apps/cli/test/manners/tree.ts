import type { Command } from 'commander'
import { createProgram } from '../../src/main.js'

/** A command and its names: `mcp add`. */
export interface Named {
  readonly path: string
  readonly command: Command
}

/** The program, without anything that it does. */
export function program(): Command {
  const io = { out: () => {}, err: () => {}, signal: new AbortController().signal, interrupt: () => {} }
  return createProgram(io, () => {})
}

/** Every command that is shown, from the program down. */
export function everyCommand(command: Command = program(), path = ''): readonly Named[] {
  const children = command.createHelp().visibleCommands(command)
  return [
    { path, command },
    ...children
      // That of the parser, which each group has.
      .filter((child) => path === '' || child.name() !== 'help')
      .flatMap((child) => everyCommand(child, `${path} ${child.name()}`.trim())),
  ]
}

export function isGroup({ command }: Named): boolean {
  return command.commands.length > 0
}

/** What a person sees who asks for help. */
export function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  return text
}

/** The words of a line as a shell would take them, as far as examples go. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'[^']*'|"[^"]*"|[^\s'"]+/g)].map(([word]) => word.replace(/^(['"])(.*)\1$/s, '$2'))
}

/** Takes a line as the program does, up to where something would happen. Rejects with what is wrong with it. */
export async function parse(words: readonly string[]): Promise<void> {
  const fresh = program()
  for (const { command } of everyCommand(fresh)) {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
    if (command.commands.length > 0) continue
    command.action((word?: unknown) => {
      // Whatever is no command comes to the one that `ext` alone is.
      if (command.name() === 'chat' && word !== undefined) throw new Error(`There is no command ${word}.`)
    })
  }
  await fresh.parseAsync(words, { from: 'user' })
}

/**
 * What the parser says of a line, if it does not take it. Folders and files need not be there.
 * @param line without `ext`
 */
export async function misunderstood(line: string): Promise<string | undefined> {
  try {
    await parse(wordsOf(line))
    return undefined
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string }
    if (code === 'commander.version') return undefined
    return code === 'commander.invalidArgument' && /no such (?:folder|file)/.test(message) ? undefined : message
  }
}
