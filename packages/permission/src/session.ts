import type { AuthorizeRequest, Contender, Opinion, PermissionMode, RunTerms, SessionRef } from '@ext/kernel/contract'
import { type DecideContext, decide, readRequest } from './decide/decide.js'
import { explain } from './decide/explain.js'
import type { Ruleset } from './decide/ruleset.js'
import { grantsOf, type SuggestedRule, suggestRules } from './decide/suggest.js'
import { type CompiledTerms, compileTerms } from './decide/terms.js'
import type { SessionState } from './engine.js'
import type { Links } from './rule/reading.js'
import { authorize } from './run/authorize.js'
import { findLinks } from './run/facts.js'
import { writeRules } from './run/remember.js'
import type { PermissionOptions, PermissionSession, RememberedRule } from './types.js'

const ASK_TIMEOUT_MS = 300_000
const AGENT_ASK_TIMEOUT_MS = 5000
const GRACE_MS = 200
const VISIBLE_FOCUSED_MS = 3000
const VISIBLE_UNFOCUSED_MS = 1000

export interface SessionHost extends PermissionOptions {
  state(): SessionState
  managedBroken(): boolean
  /** Something where configuration says that no session may be in the mode `bypassPermissions`. */
  bypassOff(): unknown
  reload(): Promise<void>
}

/** What counts in a decision besides rules and mode. */
interface Beside {
  readonly opinion?: Opinion
  readonly terms?: readonly RunTerms[]
  readonly links?: Links
}

function beside(opinion: Opinion | undefined, terms?: readonly RunTerms[]): Beside {
  return { ...(opinion ? { opinion } : {}), ...(terms ? { terms } : {}) }
}

export function createSession(ref: SessionRef, host: SessionHost): PermissionSession {
  const { ports } = host
  let wanted = ref.permissionMode
  let remembered: readonly RememberedRule[] = []
  let grants: { readonly of: Ruleset; readonly set: Ruleset } | undefined
  let compiled = new WeakMap<RunTerms, CompiledTerms>()
  let compiledFor: Ruleset | undefined
  // Configuration may change at any time.
  const modeNow = (): PermissionMode =>
    wanted === 'bypassPermissions' && host.bypassOff() !== undefined ? 'default' : wanted
  const current = (): SessionRef => ({ ...ref, permissionMode: modeNow() })

  function grantsFor(rules: Ruleset): Ruleset | undefined {
    if (remembered.length === 0) return undefined
    if (grants?.of !== rules) {
      grants = { of: rules, set: grantsOf(remembered, rules) }
    }
    return grants.set
  }

  /** Who is active in a run gives the same value with each call. */
  function termsFor(rules: Ruleset, terms: readonly RunTerms[]): readonly CompiledTerms[] {
    if (compiledFor !== rules) {
      compiledFor = rules
      compiled = new WeakMap()
    }
    return terms.map((each) => {
      const known = compiled.get(each) ?? compileTerms(each, rules)
      compiled.set(each, known)
      return known
    })
  }

  function contextOf({ opinion, terms = [], links }: Beside = {}): DecideContext {
    const { rules, readOnlyCommands, readCommand } = host.state()
    const own = rules.managedOnly ? undefined : grantsFor(rules)
    return {
      rules,
      mode: modeNow(),
      origin: ref.origin,
      now: ports.clock.now(),
      readOnlyCommands,
      readCommand,
      ...(own ? { grants: own } : {}),
      ...(terms.length > 0 ? { terms: termsFor(rules, terms) } : {}),
      ...(links ? { links } : {}),
      ...(opinion ? { opinion } : {}),
    }
  }

  async function linksOf(request: AuthorizeRequest): Promise<Links> {
    const { rules, readCommand } = host.state()
    return findLinks(readRequest(request, { rules, readCommand }), [...rules.roots, rules.host.home], ports.files)
  }

  const withLinks = async (request: AuthorizeRequest, beside: Beside = {}) =>
    contextOf({ ...beside, links: await linksOf(request) })

  function grant(rules: readonly SuggestedRule[], how: Pick<RememberedRule, 'by' | 'call' | 'expiresAt'>): void {
    const at = ports.clock.now()
    remembered = [...remembered, ...rules.map((rule) => ({ ...rule, at, ...how }))]
    grants = undefined
  }

  const contenders = contendersOf(host)
  return {
    get mode() {
      return modeNow()
    },
    setMode(next: PermissionMode) {
      wanted = next
    },
    get remembered() {
      if (host.state().rules.managedOnly) return []
      const now = ports.clock.now()
      return remembered.filter(({ expiresAt }) => expiresAt === undefined || now < expiresAt)
    },
    decide: (request, opinion) => decide(request, contextOf(beside(opinion))).decision,
    explain: async (request, opinion) => explain(request, await withLinks(request, beside(opinion))),
    authorize: (request, options = {}) =>
      authorize(request, options, {
        session: current(),
        contenders,
        clock: ports.clock,
        timeoutMs: timeoutOf(ref, host),
        graceMs: host.graceMs ?? GRACE_MS,
        visibleMs: () => visibleMs(host),
        managedBroken: host.managedBroken(),
        rule: async (asked, opinion) => decide(asked, await withLinks(asked, beside(opinion, options.terms))),
        suggest: async (asked, opinion) => suggestRules(asked, await withLinks(asked, beside(opinion, options.terms))),
        mayRemember: (contender) => host.mayRemember?.(contender) === true,
        grant,
      }),
    async remember(request, { scope, expiresAt }) {
      if (scope === 'once') return { rules: [], diagnostics: [] }
      const found = suggestRules(request, await withLinks(request))
      const rules = found.map(({ rule }) => rule)
      if (rules.length === 0) return { rules, diagnostics: [] }
      grant(found, { by: 'user', call: request.call, ...(expiresAt === undefined ? {} : { expiresAt }) })
      if (scope === 'session') return { rules, diagnostics: [] }
      const written = await writeRules(rules, { scope, expiresAt, where: host.rememberIn })
      if (written.file !== undefined) await host.reload()
      return { rules, ...written }
    },
  }
}

function contendersOf({ user, classifier }: SessionHost): readonly Contender[] {
  const found: Contender[] = []
  if (classifier) {
    found.push({ name: 'classifier', kind: 'automation', answer: (...asked) => classifier.classify(...asked) })
  }
  if (user) found.push({ name: 'user', kind: 'person', answer: (...asked) => user.ask(...asked) })
  return found
}

function timeoutOf({ origin }: SessionRef, { askTimeoutMs, agentAskTimeoutMs }: SessionHost): number {
  return origin === 'agent' ? (agentAskTimeoutMs ?? AGENT_ASK_TIMEOUT_MS) : (askTimeoutMs ?? ASK_TIMEOUT_MS)
}

function visibleMs({ keepVisible }: SessionHost): number {
  if (!keepVisible) return 0
  const { focusedMs = VISIBLE_FOCUSED_MS, unfocusedMs = VISIBLE_UNFOCUSED_MS } = keepVisible
  return keepVisible.hasFocus() ? focusedMs : unfocusedMs
}
