import type { UserPort } from '@ext/permission'
import { oneLine, printable } from './render/words.js'

/** Asks the person at the terminal; `undefined` when there is none, and then a question is a no. */
export function terminalUser(): UserPort | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return {
    async ask({ call, decision }, { signal }) {
      const { isCancel, select } = await import('@clack/prompts')
      const answer = await select({
        message: printable(`${call.name} ${oneLine(JSON.stringify(call.input), 300)}\n${decision.reason}`),
        options: [
          { value: 'allow', label: 'Allow once' },
          { value: 'deny', label: 'Deny' },
        ],
        initialValue: 'deny',
        output: process.stderr,
        signal,
      })
      return answer === 'allow' && !isCancel(answer) ? { behavior: 'allow' } : { behavior: 'deny' }
    },
  }
}
