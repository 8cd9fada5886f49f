import type { RunOptions } from '@ext/agent-core/types'
import { skillCommand } from '@ext/skills'
import type { Extensions } from '../compose.js'
import { expandPrompt, findPrompt, isPromptName } from './command.js'

/** What a prompt starts that begins with `/name`. */
export type PromptStart =
  | {
      readonly problem?: undefined
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
    return { expandFor: () => (each) => expandPrompt(found, mcp, each) }
  }
  const found = skills.lookUp(command.name, 'user')
  if (found.problem !== undefined) return { problem: `${found.problem} ${found.hint}` }
  return {
    expandFor(id) {
      const session = extensions.skillSession(id)
      return session && ((each) => session.expand(command, each))
    },
  }
}
