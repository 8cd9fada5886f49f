import type { PermissionQuestion } from '@ext/kernel/contract'
import type { Explanation, Permission, UserPort } from '@ext/permission'
import type { Io } from './io.js'
import { printable } from './render/words.js'

/** What a person can say to a question. */
type Choice = 'once' | 'session' | 'local' | 'deny'

/**
 * Asks the person at the terminal; `undefined` when there is none, and then a question is a no.
 * @param permission what knows the rules that would allow the call, once it is loaded
 */
export function terminalUser(io: Io, permission: () => Permission | undefined): UserPort | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  return {
    async ask(question, { signal }) {
      const { isCancel, select } = await import('@clack/prompts')
      const engine = permission()
      const session = engine?.session(question.session)
      const narrowest = (await session?.explain(question))?.narrowest ?? []
      const rules = narrowest.map(({ rule }) => rule)
      // All of it, however long: nobody can consent to what is not shown.
      io.err(printable(`${question.call.name} ${JSON.stringify(question.call.input)}`))
      for (const line of describeRules(narrowest)) io.err(printable(line))
      const answer = await select<Choice>({
        message: printable(question.decision.reason),
        options: choices(question, rules.length > 0),
        initialValue: 'deny',
        output: process.stderr,
        signal,
      })
      // The prompt has the terminal, so Ctrl+C comes as a key, not as a signal.
      if (isCancel(answer)) {
        io.interrupt()
        return { behavior: 'deny' }
      }
      if (answer === 'deny') return { behavior: 'deny' }
      if (answer === 'local') {
        const written = await session?.remember(question, { scope: 'local' })
        for (const { message } of written?.diagnostics ?? []) io.err(`ext: ${message}`)
        if (written?.file !== undefined) io.err(`ext: Written to ${written.file}.`)
      }
      return { behavior: 'allow', ...(answer === 'once' ? {} : { rules }) }
    },
  }
}

/** Consent that lasts is offered only where a rule could give it. */
function choices({ decision }: PermissionQuestion, hasRules: boolean) {
  const lasting =
    hasRules && decision.personOnly !== true
      ? ([
          { value: 'local', label: 'Always allow in this project what these rules allow (.ext/config.local.yaml)' },
          { value: 'session', label: 'Allow that in this session' },
        ] as const)
      : []
  // From the answer that is marked, the next one is the smallest yes.
  return [...lasting, { value: 'once', label: 'Allow once' } as const, { value: 'deny', label: 'Deny' } as const]
}

function describeRules(narrowest: Explanation['narrowest']): readonly string[] {
  if (narrowest.length === 0) return []
  return ['Rules that would allow it:', ...narrowest.map(({ rule, alsoAllows }) => `  ${rule}  ${alsoAllows}`)]
}
