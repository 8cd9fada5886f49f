import type { Extension, Interceptor } from '@ext/agent-core/types'
import type { Hooks } from '@ext/hooks'
import type { SessionRef } from '@ext/kernel/contract'
import type { Skills } from '@ext/skills'
import type { SkillSession } from '@ext/skills/types'

/** The skills of the agent's sessions, and hooks that know which of them are active. */
export interface SkillSessions {
  readonly extension: Extension
  readonly interceptor: Interceptor
  /** Of the main conversation of a session. */
  of(id: string): SkillSession | undefined
}

/**
 * The hooks of a skill count while it is active, which the session of the skills knows. They count in its sub-agents too:
 * what a skill holds back is not to be had by a detour.
 */
export function skillSessions(hooks: Hooks, skills: Skills): SkillSessions {
  const own = new WeakMap<SessionRef, SkillSession>()
  const main = new Map<string, SkillSession>()
  return {
    extension: {
      session(ref) {
        const session = skills.session(ref)
        own.set(ref, session)
        if (ref.origin === 'main') main.set(ref.id, session)
        return session
      },
    },
    interceptor: {
      session(ref) {
        const activeSkills = () =>
          [own.get(ref), main.get(ref.id)].flatMap((session) => session?.inForce() ?? []).map(({ file }) => file)
        return hooks.session(ref, { activeSkills })
      },
    },
    of: (id) => main.get(id),
  }
}
