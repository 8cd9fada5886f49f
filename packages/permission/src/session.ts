import { ExtError, messageOf } from '@ext/kernel'
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
import { failureOf, guarded, timeOf } from './run/guard.js'
import { notLoaded, writeRules } from './run/remember.js'
import type { PermissionOptions, PermissionSession, RememberedRule } from './types.js'

const ASK_TIMEOUT_MS = 300_000
const AGENT_ASK_TIMEOUT_MS = 5000
const GRACE_MS = 200
const VISIBLE_FOCUSED_MS = 3000
const VISIBLE_UNFOCUSED_MS = 1000

export interface SessionHost extends PermissionOptions {
  state(): SessionState
  managedBroken(): boolean
  /** Hears of what the host has passed in and has failed, as a sentence. */
  failed(problem: string): void
  /** What the session has remembered in another object. */
  readonly rememberedBefore: readonly RememberedRule[]
  /** Whether configuration says that no session may be in the mode `bypassPermissions`. */
  bypassIsOff(): boolean
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
  let remembered = host.rememberedBefore
  let grants: { readonly of: Ruleset; readonly set: Ruleset } | undefined
  let compiled = new WeakMap<RunTerms, CompiledTerms>()
  let compiledFor: Ruleset | undefined
  // Configuration may change at any time.
  const modeNow = (): PermissionMode => (wanted === 'bypassPermissions' && host.bypassIsOff() ? 'default' : wanted)
  const current = (): SessionRef => ({ ...ref, permissionMode: modeNow() })
  /** Of a clock that fails nobody knows what has ended, so all that ends has. */
  const time = () => timeOf(ports.clock)
  const now = () => guarded('ports.clock.now', time, Number.POSITIVE_INFINITY, host.failed)

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
      now: now(),
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
    try {
      const read = readRequest(request, { rules, readCommand })
      return await findLinks(read, [...rules.roots, rules.host.home], ports.files)
    } catch (error) {
      const problem = failureOf('ports.files', error)
      host.failed(problem)
      throw new ExtError('permission.port.failed', problem, { cause: error })
    }
  }

  const withLinks = async (request: AuthorizeRequest, beside: Beside = {}) =>
    contextOf({ ...beside, links: await linksOf(request) })

  function grant(rules: readonly SuggestedRule[], how: Pick<RememberedRule, 'by' | 'call' | 'expiresAt'>): void {
    const at = guarded('ports.clock.now', time, Date.now(), host.failed)
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
      const by = now()
      return remembered.filter(({ expiresAt }) => expiresAt === undefined || by < expiresAt)
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
        visibleMs: (failed) => visibleMs(host, failed),
        managedBroken: host.managedBroken(),
        rule: async (asked, opinion) => decide(asked, await withLinks(asked, beside(opinion, options.terms))),
        suggest: async (asked, opinion) => suggestRules(asked, await withLinks(asked, beside(opinion, options.terms))),
        mayRemember: (contender) => host.mayRemember?.(contender) ?? false,
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
      if (written.file === undefined) return { rules, ...written }
      const problem = await host.reload().then(
        () => undefined,
        (error: unknown) => messageOf(error),
      )
      return problem === undefined
        ? { rules, ...written }
        : { rules, ...written, diagnostics: [notLoaded(written.file, scope, problem)] }
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

function visibleMs({ keepVisible }: SessionHost, failed: (problem: string) => void): number {
  if (!keepVisible) return 0
  const { focusedMs = VISIBLE_FOCUSED_MS, unfocusedMs = VISIBLE_UNFOCUSED_MS } = keepVisible
  const hasFocus = guarded('keepVisible.hasFocus', () => keepVisible.hasFocus(), false, failed)
  return hasFocus === true ? focusedMs : unfocusedMs
}
