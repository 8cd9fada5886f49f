import type { Activated, ExpandOptions, Forked, PromptExpansion, SkillCommand, SkillSession } from './types.js'

/** `/name` or `/name arguments` at the start of a prompt; `undefined` for any other text, such as a path. */
export function skillCommand(prompt: string): SkillCommand | undefined {
  const [, name, args = ''] = /^\s*\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(prompt) ?? []
  return name === undefined ? undefined : { name, args: args.trimEnd() }
}

/** Starts a skill for a prompt, and says what goes behind it. */
export async function expandCommand(
  session: Pick<SkillSession, 'activate'>,
  { name, args }: SkillCommand,
  options: ExpandOptions,
): Promise<PromptExpansion> {
  const activation = await session.activate(name, { via: 'user', args, ...options })
  const by = `skill ${activation.skill?.name ?? name}`
  if (!activation.skill) return { problem: { by, text: `${activation.problem} ${activation.hint}` } }
  const text = activation.mode === 'fork' ? describeResult(activation) : describeLoaded(activation)
  return { context: [{ by, text }] }
}

/** The instructions themselves are in the session's context from now on; here they would be sent twice. */
export function describeLoaded({ skill, unchanged, stale, resources, moreResources }: Activated): string {
  const lines = [
    unchanged
      ? `The skill \`${skill.name}\` is loaded already, with the same instructions; follow them.`
      : `The skill \`${skill.name}\` is loaded. Follow its instructions, which go with each turn as \`# Skill ${skill.name}\`.`,
    ...broken(stale),
  ]
  if (resources.length > 0) {
    lines.push(`Other files in it, not read yet: ${resources.join(', ')}${moreResources ? ' and more' : ''}.`)
  }
  return lines.join('\n')
}

export function describeResult({ skill, text, cut, stale }: Forked): string {
  const lines = [`The skill \`${skill.name}\` was run by a sub-agent. Its result:`, ...broken(stale)]
  const end = cut ? '\n\n[The rest of the result is left out: it was too long.]' : ''
  return `${lines.join('\n')}\n\n${text}${end}`
}

function broken(stale: string | undefined): readonly string[] {
  return stale === undefined ? [] : [`The version that was read before is used, since the file is broken now: ${stale}`]
}
