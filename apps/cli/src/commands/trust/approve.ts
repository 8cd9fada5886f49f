import { atTerminal } from '../../asked/at-terminal.js'
import type { Io } from '../../io.js'
import { printable } from '../../render/words.js'
import { describePending, projectTrust, toJson } from './waiting.js'

export interface ApproveOptions {
  readonly project: string
  readonly yes?: boolean
  readonly json?: boolean
}

/** Exits with 1 if something could not be approved, with 2 if nobody could be asked. */
export async function approve(
  names: readonly string[],
  { project, yes, json }: ApproveOptions,
  io: Io,
): Promise<number> {
  const { trust, pending } = await projectTrust(project, io)
  const unknown = names.find((name) => !pending.some((each) => each.name === name))
  if (unknown !== undefined) {
    io.err(
      printable(`ext: Nothing of the name \`${unknown}\` waits for approval. Run ext trust list to see what does.`),
    )
    return 2
  }
  const wanted = names.length === 0 ? pending : pending.filter(({ name }) => names.includes(name))
  // Messages, so that a program that reads the results has them alone.
  for (const each of wanted) for (const line of [...describePending(each), '']) io.err(line)
  if (wanted.length > 0 && !yes) {
    const answer = await ask(wanted.length, io)
    if (answer !== true) {
      io.err(answer ?? 'ext: Nothing was approved.')
      return answer === undefined ? 1 : 2
    }
  }
  // The consents are those that were shown: what has changed meanwhile is refused.
  const { approved, refused } = await trust.approve(wanted)
  if (json) {
    const refusals = refused.map(({ consent: { kind, name }, reason, message }) => ({ kind, name, reason, message }))
    io.out(JSON.stringify({ shown: wanted.map(toJson), approved, refused: refusals }, null, 2))
  } else {
    for (const { kind, name } of approved) io.out(printable(`approved  ${kind}  ${name}`))
    for (const { consent, message } of refused) {
      io.out(printable(`refused   ${consent.kind}  ${consent.name}: ${message}`))
    }
    io.out(
      wanted.length === 0 ? 'Nothing waits for approval.' : `${approved.length} approved, ${refused.length} refused`,
    )
  }
  return refused.length > 0 ? 1 : 0
}

/** True for a yes, `undefined` for a no, a text where nobody can be asked. */
async function ask(number: number, io: Io): Promise<true | undefined | string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    return 'ext: Nobody can be asked here, so nothing was approved. Read it, then say --yes.'
  }
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({
    message: number === 1 ? 'Approve this?' : `Approve these ${number}?`,
    initialValue: false,
    ...atTerminal(),
    signal: io.signal,
  })
  if (isCancel(answer)) io.interrupt()
  return answer === true ? true : undefined
}
