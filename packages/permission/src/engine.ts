import { createReloader } from '@ext/kernel'
import type { AuthorizeRequest, Opinion, SessionRef } from '@ext/kernel/contract'
import { samenessOfNames } from '@ext/kernel/match'
import { permissionPipeline, type RuleHost } from './config/pipeline.js'
import { PROTECTED_PATHS } from './config/protected.js'
import { type DecideContext, decide } from './decide/decide.js'
import { compileRuleset, type Ruleset } from './decide/ruleset.js'
import { settle } from './run/authorize.js'
import { findRealPaths } from './run/facts.js'
import type { Permission, PermissionOptions, PermissionSession } from './types.js'

const ASK_TIMEOUT_MS = 300_000

export async function openPermission(options: PermissionOptions): Promise<Permission> {
  const { cwd, ports, tools = {}, approved, user, askTimeoutMs = ASK_TIMEOUT_MS } = options
  const { files, clock, home, platform } = ports
  const host: RuleHost = {
    cwd: withoutSlash(cwd),
    home: withoutSlash(home),
    ...samenessOfNames(platform),
    tools,
  }
  const withProtected = (layers: PermissionOptions['layers']) => [PROTECTED_PATHS, ...layers]
  const { store, reload } = await createReloader({
    pipeline: permissionPipeline,
    sources: withProtected(options.layers),
    context: () => host,
    host: { files, ...(approved ? { approved } : {}) },
  })

  /** Compiled on the first question after every swap. */
  const rulesFor = (folder: string): (() => Ruleset) => {
    let rules: Ruleset | undefined
    let of = store.current
    return () => {
      if (!rules || of !== store.current) {
        of = store.current
        rules = compileRuleset(of, { ...host, cwd: folder })
      }
      return rules
    }
  }
  const shared = rulesFor(host.cwd)

  function session(ref: SessionRef): PermissionSession {
    const folder = withoutSlash(ref.cwd)
    const rules = folder === host.cwd ? shared : rulesFor(folder)
    const context = (opinion: Opinion | undefined): DecideContext => ({
      rules: rules(),
      mode: ref.permissionMode,
      ...(opinion ? { opinion } : {}),
    })
    return {
      decide: (request, opinion) => decide(request, context(opinion)).decision,
      async authorize(request: AuthorizeRequest, { opinion, signal } = {}) {
        signal?.throwIfAborted()
        const { tool, call } = request
        const anchors = { ...host, cwd: folder }
        const realPaths = await findRealPaths({ tool, input: call.input }, { anchors, tools }, files)
        signal?.throwIfAborted()
        const ruling = decide(request, { ...context(opinion), realPaths })
        const { managedBroken } = store.current
        return settle(request, ruling, opinion, {
          session: ref,
          user,
          clock,
          timeoutMs: askTimeoutMs,
          managedBroken,
          ...(signal ? { signal } : {}),
        })
      },
    }
  }

  return {
    session,
    get snapshot() {
      return store.current
    },
    get diagnostics() {
      return store.current.diagnostics
    },
    get defaultMode() {
      const mode = store.current.entries.findLast(({ value }) => value.kind === 'mode')?.value
      return mode?.kind === 'mode' ? mode.mode : 'default'
    },
    replace: (layers) => reload(withProtected(layers)),
  }
}

function withoutSlash(folder: string): string {
  return folder.replace(/(?<=.)\/+$/, '')
}
