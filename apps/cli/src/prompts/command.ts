import type { PromptExpansion } from '@ext/agent-core/types'
import { suggest } from '@ext/kernel'
import type { ContentBlock } from '@ext/kernel/contract'
import type { McpClient } from '@ext/mcp-client'
import type { PromptInfo } from '@ext/mcp-client/types'
import { oneLine } from '../render/words.js'
import { readValues } from './values.js'

/** A prompt of a server that the person starts with `/mcp__server__prompt`, with the values for its arguments. */
export interface PromptCommand {
  readonly prompt: PromptInfo
  readonly values: Readonly<Record<string, string>>
}

/** Completions are an aid: a server that is slow to give them is not waited for. */
const COMPLETE_MS = 3000
const MAX_SHOWN = 10

/** Names of prompts begin so, as those of tools do. */
export function isPromptName(name: string): boolean {
  return name.startsWith('mcp__')
}

/** Finds the prompt of a full name and reads the values, or says what is wrong with the command. */
export async function findPrompt(
  { name, args }: { readonly name: string; readonly args: string },
  client: Pick<McpClient, 'prompts' | 'status'>,
  signal: AbortSignal,
): Promise<PromptCommand | { readonly problem: string }> {
  const { prompts } = client
  // A server that is still starting is waited for, as a call to it would.
  const owners = client.status().filter((row) => name.startsWith(`mcp__${row.name}__`))
  const listed = await Promise.all(
    owners.length > 0 ? owners.map((row) => prompts.list({ server: row.name, signal })) : [prompts.list({ signal })],
  )
  const items = listed.flatMap((each) => each.items)
  const prompt = items.find(({ fullName }) => fullName === name)
  if (!prompt) {
    const meant = suggest(
      name,
      items.map(({ fullName }) => fullName),
    )
    const problems = listed.flatMap((each) => each.problems.map(({ message }) => message))
    const rest = meant ? `Did you mean \`/${meant}\`?` : 'Run ext mcp prompts to see them.'
    return { problem: [`There is no prompt \`/${name}\`.`, rest, ...problems].join(' ') }
  }
  const read = readValues(args, prompt.arguments)
  if (read.problem !== undefined) return { problem: `${read.problem} ${usage(prompt)}` }
  const missing = prompt.arguments.find((each) => each.required && read.values[each.name] === undefined)
  if (!missing) return { prompt, values: read.values }
  const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(COMPLETE_MS)]), filled: read.values }
  const completion = await prompts
    .complete(prompt.server, prompt.name, { name: missing.name, value: '' }, options)
    .catch(() => undefined)
  const shown = completion?.values.slice(0, MAX_SHOWN).join(', ') ?? ''
  const may = shown === '' ? '' : ` It can be: ${oneLine(shown, 300)}.`
  return { problem: `\`${missing.name}\` is missing.${may} ${usage(prompt)}` }
}

function usage({ fullName, arguments: list }: PromptInfo): string {
  const words = list.map(({ name, required }) => (required ? `${name}=…` : `[${name}=…]`))
  return `Write: ${[`/${fullName}`, ...words].join(' ')}`
}

/** Has the server fill the prompt in. What it gives goes behind the prompt of the person, as text. */
export async function expandPrompt(
  { prompt, values }: PromptCommand,
  { prompts }: Pick<McpClient, 'prompts'>,
  options: { readonly signal: AbortSignal },
): Promise<PromptExpansion> {
  const by = `prompt ${prompt.name} of ${prompt.server}`
  const filled = await prompts.get(prompt.server, prompt.name, values, options)
  if (filled.failed) return { problem: { by, text: filled.failed.content.map(textOf).join(' ') } }
  const messages = filled.messages.map(({ role, content }) => {
    const text = content.map(textOf).join('\n')
    return role === 'user' ? text : `[as the assistant]\n${text}`
  })
  return { context: [{ by, text: messages.join('\n\n') }] }
}

/** A run takes texts along with a prompt; the rest is said. */
function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[left out: ${block.type} ${block.mimeType}]`
    case 'resource_link':
      return `[resource ${block.uri}: ${block.name}]`
    case 'resource':
      return block.resource.text === undefined
        ? `[left out: resource ${block.resource.uri}, which is no text]`
        : `Resource ${block.resource.uri}:\n${block.resource.text}`
  }
}
