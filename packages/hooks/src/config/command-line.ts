import type { Command } from '@ext/kernel'
import type { CommandAction } from './actions.js'

/**
 * What is started for a command. Without a shell, folders are put in as whole strings, so nothing in their names can be
 * misread. A shell gets them as variables: pasted into a script, a name could be run.
 */
export function commandLine(
  { command, args, shell }: CommandAction,
  folders: Readonly<Record<string, string>>,
): Command {
  if (!args) return { shell, script: command }
  // In one pass: what is put in is not looked at again.
  const fill = (text: string) => text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => folders[name] ?? whole)
  return { file: fill(command), args: args.map(fill) }
}
