import type { Approval } from '@ext/kernel/trust'
import type { Io } from '../../io.js'
import { printable } from '../../render/words.js'
import { projectTrust } from './waiting.js'

export interface RevokeOptions {
  readonly project: string
  readonly all?: boolean
  readonly json?: boolean
}

/** Exits with 1 if approvals could not be taken back, with 2 if it is not said which. */
export async function revoke(names: readonly string[], { project, all, json }: RevokeOptions, io: Io): Promise<number> {
  const { trust, approved } = await projectTrust(project, io)
  const unknown = names.find((name) => !approved.some((each) => each.name === name))
  if (unknown !== undefined || (names.length === 0 && !all)) {
    const what =
      unknown === undefined ? 'Say which approvals, or --all' : `Nothing of the name \`${unknown}\` is approved`
    io.err(printable(`ext: ${what}. Run ext trust list to see what is.`))
    return 2
  }
  const revoked: Approval[] = []
  for (const { hash } of approved.filter(({ name }) => all || names.includes(name))) {
    const result = await trust.revoke({ hash })
    if (result.failure !== undefined) {
      io.err(printable(`ext: ${result.failure}`))
      return 1
    }
    revoked.push(...result.revoked)
  }
  if (json) io.out(JSON.stringify({ revoked }, null, 2))
  else {
    for (const { kind, name } of revoked) io.out(printable(`revoked   ${kind}  ${name}`))
    io.out(`${revoked.length} revoked`)
  }
  return 0
}
