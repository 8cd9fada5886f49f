import { isCancel, select } from '@clack/prompts'
import type { AskedBy, SamplingContent, SamplingRequest } from '@ext/mcp-client/types'
import type { Io } from '../io.js'
import { indent, printable } from '../render/words.js'
import { atTerminal } from './at-terminal.js'

/** Asks whether the model may be sent this for a server. */
export async function askConsent(request: SamplingRequest, by: AskedBy, io: Io): Promise<'once' | 'run' | 'deny'> {
  const { server, signal } = by
  const { systemPrompt, messages, maxTokens } = request
  io.err(
    printable(`The server \`${server}\` wants to send this to your model, for at most ${maxTokens} tokens of answer:`),
  )
  // All of it, however long: nobody can consent to what is not shown.
  if (systemPrompt !== undefined) io.err(printable(`system:\n${indent(systemPrompt)}`))
  for (const { role, content } of messages) {
    io.err(printable(`${role}:\n${indent(content.map(describe).join('\n'))}`))
  }
  const answer = await select<'once' | 'run' | 'deny'>({
    message: 'The server gets the answer, and you pay for it. Send it?',
    options: [
      { value: 'run', label: printable(`Whatever \`${server}\` asks in this run`) },
      { value: 'once', label: 'Send it' },
      { value: 'deny', label: 'Deny' },
    ],
    initialValue: 'deny',
    ...atTerminal(),
    signal,
  })
  if (!isCancel(answer)) return answer
  if (!signal.aborted) io.interrupt()
  return 'deny'
}

function describe(content: SamplingContent): string {
  if (content.type === 'text') return content.text
  if (content.type === 'image' || content.type === 'audio') return `[${content.type} ${content.mimeType}]`
  return `[${content.type}]`
}
