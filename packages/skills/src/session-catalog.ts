import { isDenied } from './activate/admit.js'
import type { Loaded, SessionHost } from './activate/host.js'
import type { OfferedSkills } from './active/offered.js'
import type { Catalog } from './catalog.js'
import type { Skill, SkillGateSession } from './types.js'

/** What one session lists: some skills are denied to it, or wait for a path that nobody has touched yet. */
export interface SessionCatalog {
  /** Made once of what is loaded: the start of a prompt is to stay as it is, whatever happens in the session. */
  always(): Catalog
  /** What has come since. The same until {@link SessionCatalog.changed}. */
  offered(seen: OfferedSkills): Catalog
  changed(): void
  /** Whether one of them leaves skills out, or may once paths are touched. The same for all of what is loaded. */
  leavesOut(): boolean
  /** Whether a search is to leave a skill out. */
  hides(skill: Skill, seen: OfferedSkills): boolean
}

export function sessionCatalog(host: SessionHost, gateOf: () => SkillGateSession | undefined): SessionCatalog {
  let of: Loaded | undefined
  let always: Catalog | undefined
  let offered: Catalog | undefined
  let leavesOut: boolean | undefined
  const isShut = (skill: Skill) => !skill.modelInvocable || isDenied(skill, gateOf())
  const refresh = (): Loaded => {
    const loaded = host.loaded()
    if (of !== loaded) {
      of = loaded
      always = undefined
      offered = undefined
      leavesOut = undefined
    }
    return loaded
  }
  const alwaysOf = (): Catalog => {
    const loaded = refresh()
    if (!always) {
      // Without either of them all sessions list the same.
      const mayHide = host.gate !== undefined || loaded.conditional.length > 0
      always = mayHide ? host.catalogOf((skill) => skill.paths !== undefined || isShut(skill)) : loaded.catalog
    }
    return always
  }
  return {
    always: alwaysOf,
    offered(seen) {
      refresh()
      offered ??= seen.isEmpty()
        ? NOTHING
        : host.catalogOf((skill) => !skill.paths || !seen.has(skill) || isShut(skill))
      return offered
    },
    changed() {
      offered = undefined
    },
    leavesOut() {
      const { conditional } = refresh()
      // Tools go before all else of a prompt, so they are not to change with the first path that is touched.
      leavesOut ??=
        alwaysOf().leavesOut ||
        (conditional.length > 0 && host.catalogOf((skill) => !skill.paths || isShut(skill)).leavesOut)
      return leavesOut
    },
    hides: (skill, seen) => isShut(skill) || (skill.paths !== undefined && !seen.has(skill)),
  }
}

const NOTHING: Catalog = Object.freeze({ text: '', leavesOut: false, diagnostics: Object.freeze([]) })
