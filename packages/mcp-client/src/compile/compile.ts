import { canonicalJson, type Located, type Outcome } from '@ext/kernel'
import type { CompiledServer, Endpoint } from '../compiled.js'
import type { ServerEntry } from '../config/entry.js'
import { notesOn } from '../config/notes.js'
import type { ServerDefaults } from '../types.js'
import { DEFAULTS, settle, settleReconnect } from './defaults.js'
import { launch } from './launch.js'
import { remote } from './remote.js'
import { offersOf, toolOf } from './rules.js'
import { Variables } from './variables.js'

export interface CompileContext {
  /** Where relative commands and folders start. */
  readonly cwd: string
  /** The host's variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly defaults: ServerDefaults
}

/** Says what an entry means: what is started or reached, which of its tools are offered, within which limits. */
export function compile(entry: Located<ServerEntry>, context: CompileContext): Outcome<CompiledServer> {
  const { name, transport, trust, tools, timeouts, limits } = entry.value
  const { defaults } = context
  const notes = notesOn(entry)
  const { diagnostics } = notes
  const variables = new Variables(entry, context, notes)
  if (transport === undefined) throw new Error(`The server ${name} is switched off, so there is nothing to compile.`)
  const endpoint: Endpoint =
    transport.kind === 'stdio' ? launch(transport, context, variables, notes) : remote(transport, variables, notes)
  if (notes.failed) return { diagnostics }
  const callMs = timeouts.callMs ?? defaults.callMs ?? DEFAULTS.callMs
  const keepAlive = settle(entry.value.keepAlive, defaults.keepAlive, DEFAULTS.keepAlive)
  const rate = limits.rate ?? defaults.rate
  const breaker = settle(limits.breaker, defaults.breaker, DEFAULTS.breaker)
  const plain = {
    name,
    trusted: trust,
    connectMs: timeouts.connectMs ?? defaults.connectMs ?? DEFAULTS.connectMs,
    listMs: timeouts.listMs ?? defaults.listMs ?? DEFAULTS.listMs,
    totalMs: timeouts.totalMs ?? defaults.totalMs ?? DEFAULTS.totalMs,
    ...(keepAlive ? { keepAlive } : {}),
    reconnect: settleReconnect(entry.value.reconnect, defaults.reconnect),
    limits: {
      ...(rate ? { rate } : {}),
      concurrency: limits.concurrency ?? defaults.concurrency ?? DEFAULTS.concurrency,
      ...(breaker ? { breaker } : {}),
      maxResultBytes: limits.maxResultBytes ?? defaults.maxResultBytes ?? DEFAULTS.maxResultBytes,
    },
  }
  const endpointKey = canonicalJson(endpoint)
  const rules = [tools.allow?.text, tools.deny?.text, tools.perTool.map(({ tool, ...rest }) => [tool.text, rest])]
  const entryKey = canonicalJson([plain, callMs, rules, endpoint])
  const secrets = [...variables.used.values()]
  return {
    value: {
      ...plain,
      offers: offersOf(tools),
      tool: toolOf(tools, callMs, trust),
      endpoint: () => endpoint,
      endpointKey: () => endpointKey,
      entryKey: () => entryKey,
      secrets: () => secrets,
    },
    diagnostics,
  }
}
