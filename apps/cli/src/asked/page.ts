import { isCancel, select } from '@clack/prompts'
import type { AskedBy, ElicitationAnswer, PageRequest } from '@ext/mcp-client/types'
import type { Io } from '../io.js'
import { printable } from '../render/words.js'
import { atTerminal } from './at-terminal.js'

/** Shows where a server wants the person to go. It is they who open it; nothing here does. */
export async function askPage(page: PageRequest, by: AskedBy, io: Io): Promise<ElicitationAnswer> {
  const { message, url, host, required, completed } = page
  io.err(printable(`The server \`${by.server}\` wants you to go to a page. It says:\n${message}`))
  io.err(printable(`Host:    ${host}`))
  io.err(printable(`Address: ${url}`))
  if (host.split('.').some((part) => part.startsWith('xn--'))) {
    io.err('The host has letters that look like others; its real name is the one that is shown.')
  }
  if (url.startsWith('http:')) io.err('The way there is not encrypted: others can read and change what you send.')
  const done = new AbortController()
  let isDone = false
  void completed.then(() => {
    isDone = true
    done.abort()
  })
  const answer = await select<'accept' | 'decline'>({
    message: required ? 'Open it yourself, and go on once you are done there' : 'Open it yourself if you trust it',
    options: [
      { value: 'accept', label: required ? 'I am done there' : 'I open it' },
      { value: 'decline', label: 'Decline' },
    ],
    initialValue: 'decline',
    ...atTerminal(),
    signal: AbortSignal.any([by.signal, done.signal]),
  })
  if (isDone) {
    io.err(printable(`ext: The server \`${by.server}\` says that you are done there.`))
    return { action: 'accept' }
  }
  if (!isCancel(answer)) return { action: answer }
  if (!by.signal.aborted) io.interrupt()
  return { action: 'cancel' }
}
