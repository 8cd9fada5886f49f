import type { UserPort } from '@ext/permission'
import type { Io } from './io.js'
import { printable } from './render/words.js'

/** Asks the person at the terminal; `undefined` when there is none, and then a question is a no. */
export function terminalUser(io: Io): UserPort | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return {
    async ask({ call, decision }, { signal }) {
      const { isCancel, select } = await import('@clack/prompts')
      // All of it, however long: nobody can consent to what is not shown.
      io.err(printable(`${call.name} ${JSON.stringify(call.input)}`))
      const answer = await select({
        message: printable(decision.reason),
        options: [
          { value: 'allow', label: 'Allow once' },
          { value: 'deny', label: 'Deny' },
        ],
        initialValue: 'deny',
        output: process.stderr,
        signal,
      })
      // The prompt has the terminal, so Ctrl+C comes as a key, not as a signal.
      if (isCancel(answer)) io.interrupt()
      return answer === 'allow' ? { behavior: 'allow' } : { behavior: 'deny' }
    },
  }
}
