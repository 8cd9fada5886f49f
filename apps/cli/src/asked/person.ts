import type { AskedBy, ElicitationPort, SamplingRequest } from '@ext/mcp-client/types'
import type { Io } from '../io.js'
import { oneLine, printable } from '../render/words.js'
import { hasTerminal, type Turns } from './turns.js'

/** The person, for MCP servers that ask. */
export interface ServerPerson {
  readonly elicitation: Required<ElicitationPort>
  /** Whether there is somebody: else every answer is a no. */
  readonly attended: boolean
  /** Whether a model may be sent this for a server. */
  consents(request: SamplingRequest, by: AskedBy): Promise<boolean>
}

/** Asks at the terminal. Without one every answer is a no, and that is said. */
export function serverPerson(io: Io, turns: Turns): ServerPerson {
  if (!hasTerminal()) return nobody(io)
  /** Servers that may have the model think without being asked about, in this run. */
  const trusted = new Set<string>()
  return {
    attended: true,
    elicitation: {
      form: (request, by) =>
        turns.take(async () => {
          const { askForm } = await import('./form.js')
          return askForm(request, by, io)
        }),
      url: (request, by) =>
        turns.take(async () => {
          const { askPage } = await import('./page.js')
          return askPage(request, by, io)
        }),
    },
    async consents(request, by) {
      if (trusted.has(by.server)) return true
      return turns.take(async () => {
        const { askConsent } = await import('./consent.js')
        const answer = await askConsent(request, by, io)
        if (answer === 'run') trusted.add(by.server)
        return answer !== 'deny'
      })
    },
  }
}

function nobody(io: Io): ServerPerson {
  const say = (server: string, what: string, message: string) =>
    io.err(
      printable(
        `ext: The server \`${server}\` ${what}, and nobody is at a terminal to answer; it was declined. ${message}`,
      ),
    )
  return {
    attended: false,
    elicitation: {
      async form({ message }, { server }) {
        say(server, 'asks for input', `It says: ${oneLine(message)}`)
        return { action: 'decline' }
      },
      async url({ host, message }, { server }) {
        say(server, `wants you to go to a page of ${host}`, `It says: ${oneLine(message)}`)
        return { action: 'decline' }
      },
    },
    async consents(_request, { server }) {
      say(server, 'wants to use the model', '')
      return false
    },
  }
}
