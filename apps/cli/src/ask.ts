import type { PermissionQuestion } from '@ext/kernel/contract'
import type { Explanation, UserPort } from '@ext/permission'
import { atTerminal } from './asked/at-terminal.js'
import { hasTerminal, type Turns } from './asked/turns.js'
import type { Extensions } from './compose.js'
import type { Io } from './io.js'
import { shorten } from './render/diagnostics.js'
import { printable } from './render/words.js'

/** What a person can say to a question. */
type Choice = 'once' | 'session' | 'local' | 'deny' | 'reason'

/** What knows the rules that would allow a call, and which of them the person has agreed to. */
type Rules = Pick<Extensions, 'permission' | 'trust' | 'unapproved' | 'locations'>

/**
 * Asks the person at the terminal; `undefined` when there is none, and then a question is a no.
 * @param turns questions of others at the terminal
 * @param loaded the rules, once they are loaded
 */
export function terminalUser(io: Io, turns: Turns, loaded: () => Rules | undefined): UserPort | undefined {
  if (!hasTerminal()) return undefined
  return {
    ask: (question, { signal }) =>
      turns.take(async () => {
        const { isCancel, select, text } = await import('@clack/prompts')
        const extensions = loaded()
        const session = extensions?.permission.session(question.session)
        const narrowest = (await session?.explain(question))?.narrowest ?? []
        const rules = narrowest.map(({ rule }) => rule)
        const short = shorten(extensions?.locations.project ?? '')
        // All of it, however long: nobody can consent to what is not shown.
        io.err(printable(`${question.call.name} ${JSON.stringify(question.call.input)}`))
        for (const line of describeRules(narrowest)) io.err(printable(line))
        const answer = await select<Choice>({
          message: printable(short(question.decision.reason)),
          options: choices(question, rules.length > 0),
          initialValue: 'deny',
          ...atTerminal(),
          signal,
        })
        // The prompt has the terminal, so Ctrl+C comes as a key, not as a signal.
        if (isCancel(answer)) {
          io.interrupt()
          return { behavior: 'deny' }
        }
        if (answer === 'deny') return { behavior: 'deny' }
        if (answer === 'reason') {
          const reason = await text({ message: 'What shall the model know?', ...atTerminal(), signal })
          return { behavior: 'deny', ...(isCancel(reason) || !reason ? {} : { reason }) }
        }
        if (answer === 'local') {
          const written = await session?.remember(question, { scope: 'local' })
          for (const { message } of written?.diagnostics ?? []) io.err(`ext: ${message}`)
          if (written?.file !== undefined) io.err(`ext: Written to ${written.file}.`)
          if (extensions) await approveRules(extensions, rules, io)
        }
        return { behavior: 'allow', ...(answer === 'once' ? {} : { rules }) }
      }),
  }
}

/** The person has just read these rules and said yes to them, so nobody asks about them again. */
async function approveRules({ trust, unapproved }: Rules, rules: readonly string[], io: Io): Promise<void> {
  const waiting = trust
    .pending(await unapproved())
    .filter(({ kind, name }) => kind === 'permissions' && rules.includes(name))
  const { refused } = await trust.approve(waiting)
  for (const { message } of refused) io.err(printable(`ext: ${message}`))
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
  return [
    ...lasting,
    { value: 'once', label: 'Allow once' } as const,
    { value: 'deny', label: 'Deny' } as const,
    { value: 'reason', label: 'Deny, and say why' } as const,
  ]
}

function describeRules(narrowest: Explanation['narrowest']): readonly string[] {
  if (narrowest.length === 0) return []
  return ['Rules that would allow it:', ...narrowest.map(({ rule, alsoAllows }) => `  ${rule}  ${alsoAllows}`)]
}
