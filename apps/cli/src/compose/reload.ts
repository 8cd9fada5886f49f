import type { ConfigDifference } from '@ext/hooks/follow'
import type { Trust } from '@ext/kernel/trust'
import type { Skills } from '@ext/skills'

/** What loads again what it reads. Each keeps what it had of what can't be used now. */
export interface ReloadParts {
  readonly trust: Pick<Trust, 'reload'>
  readonly skills: Pick<Skills, 'reload'>
  permission(): Promise<void>
  hooks(): Promise<void>
  servers(): Promise<void>
  /** Which sections nobody reads. */
  sections(): Promise<void>
}

/** Why something is loaded again. */
export type ReloadCause = 'approvals' | readonly Pick<ConfigDifference, 'source'>[]

/**
 * Loads again what changes of these files concern, with the approvals as they are now. Servers come before the rules about
 * them, and skills before the hooks in their headers.
 */
export function reloader(parts: ReloadParts): (cause: ReloadCause) => Promise<void> {
  return async (cause) => {
    const all = cause === 'approvals'
    const ofSkills = all || cause.some(({ source }) => source === 'skills')
    const ofFiles = all || cause.some(({ source }) => source !== 'skills' && source !== 'agents')
    await parts.trust.reload()
    if (ofSkills) await parts.skills.reload()
    if (ofFiles) await Promise.all([parts.servers(), parts.sections()])
    if (ofFiles) await parts.permission()
    if (ofFiles || ofSkills) await parts.hooks()
  }
}
