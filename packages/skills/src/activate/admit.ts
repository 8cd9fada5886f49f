import { messageOf } from '@ext/kernel'
import type { AuthorizeRequest, JsonObject, RunTerms, ToolInfo } from '@ext/kernel/contract'
import type { ActivatedBy, Refused, Skill, SkillGateSession } from '../types.js'

/** What rules about skills speak of: `Skill(name)` and `Skill(name arguments)`. */
const SKILL: ToolInfo = Object.freeze({
  name: 'Skill',
  description: 'Starts a skill.',
  inputSchema: { type: 'object' },
  kind: 'meta',
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  source: { tool: 'Skill', trusted: true },
  system: true,
} satisfies ToolInfo)

export interface AdmitOptions {
  readonly via: ActivatedBy
  readonly args: string
  readonly terms: readonly RunTerms[]
  readonly signal: AbortSignal | undefined
  /** The name under which the call of the model's tool was permitted, where rules about skills speak of that tool. */
  readonly permittedAs: string | undefined
}

/**
 * Whether permission lets a skill be started, through whatever door. The question is put with the name as its author wrote
 * it: another spelling of it opens nothing. Rejects only when `signal` aborts.
 */
export async function admit(
  skill: Skill,
  gate: SkillGateSession | undefined,
  { via, args, terms, signal, permittedAs }: AdmitOptions,
): Promise<Refused | undefined> {
  if (!gate) return undefined
  const request = requestFor(skill, args, via)
  try {
    // The model's tool has been asked about already; only what speaks about another spelling is new.
    if (permittedAs === skill.name && gate.decide(request).behavior !== 'deny') return undefined
    const { behavior, reason } = await gate.authorize(request, { terms, ...(signal ? { signal } : {}) })
    return behavior === 'allow' ? undefined : denied(skill, reason)
  } catch (error) {
    signal?.throwIfAborted()
    return denied(skill, `The permission check failed: ${messageOf(error)}`)
  }
}

/** What decides where the host can't say who does: it fails, and so denies, with the reason of the host. */
export function refusingGate(error: unknown): SkillGateSession {
  const fail = (): never => {
    throw error
  }
  return { decide: fail, authorize: async () => fail() }
}

/** Whether it is of any use to show a skill. */
export function isDenied(skill: Skill, gate: SkillGateSession | undefined): boolean {
  try {
    return gate?.decide(requestFor(skill, '', 'model')).behavior === 'deny'
  } catch {
    return true
  }
}

function requestFor({ name }: Skill, args: string, via: ActivatedBy): AuthorizeRequest {
  const input: JsonObject = { skill: name.normalize('NFC'), ...(args.trim() === '' ? {} : { args }) }
  return { call: { id: `skill:${via}:${name}`, name: SKILL.name, input }, tool: SKILL }
}

function denied({ name }: Skill, reason: string): Refused {
  return {
    code: 'skills.denied',
    problem: `The skill \`${name}\` was not permitted. ${reason}`,
    hint: `A rule \`Skill(${name})\` decides about it.`,
  }
}
