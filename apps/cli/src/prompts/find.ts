import type { RunOptions } from '@ext/agent-core/types'
import type { ExpansionPayload } from '@ext/kernel/contract'
import { skillCommand } from '@ext/skills'
import type { Extensions } from '../compose.js'
import { expandPrompt, findPrompt, isPromptName } from './command.js'

/** What a prompt starts that begins with `/name`. */
export type PromptStart =
  | {
      readonly problem?: undefined
      /** What hooks of UserPromptExpansion are told: the `command` of a run. */
      readonly command: ExpansionPayload
      expandFor(session: string): NonNullable<RunOptions['expand']> | undefined
    }
  | { readonly problem: string }

/** A skill, or a prompt of an MCP server; `undefined` for any other text. */
export async function findCommand(
  prompt: string,
  extensions: Pick<Extensions, 'mcp' | 'skills' | 'skillSession'>,
  signal: AbortSignal,
): Promise<PromptStart | undefined> {
  const command = skillCommand(prompt)
  if (!command) return undefined
  const { mcp, skills } = extensions
  if (mcp && isPromptName(command.name)) {
    const found = await findPrompt(command, mcp, signal)
    if ('problem' in found) return found
    return {
      command: { ...expansionOf(command), expansion_type: 'mcp_prompt', command_source: found.prompt.server },
      expandFor: () => (each) => expandPrompt(found, mcp, each),
    }
  }
  const found = skills.lookUp(command.name, 'user')
  if (found.problem !== undefined) return { problem: `${found.problem} ${found.hint}` }
  const layer = skills.snapshot.entries.find(({ value }) => value === found.skill)?.source.layer
  return {
    command: { ...expansionOf(command), expansion_type: 'slash_command', command_source: layer ?? 'user' },
    expandFor(id) {
      const session = extensions.skillSession(id)
      return session && ((each) => session.expand(command, each))
    },
  }
}

function expansionOf({ name, args }: { readonly name: string; readonly args: string }) {
  return { command_name: name, command_args: args }
}
