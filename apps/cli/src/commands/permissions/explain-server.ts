import { type EntryRecord, formatPlace, type Snapshot } from '@ext/kernel'
import type { ToolInfo } from '@ext/kernel/contract'
import type { Source } from '@ext/kernel/types'
import type { CompiledServer, ServerLimits } from '@ext/mcp-client/types'
import { serversOf, whyNotStarted } from '../mcp/records.js'

/** What configuration says about a call of a server's tool. Nothing is started, so nobody knows whether it would answer. */
export interface ExplainedServer {
  readonly name: string
  /** `missing`: none of this name is configured. */
  readonly verdict: EntryRecord['verdict'] | 'missing'
  readonly source?: Source
  /** Why it would not be started. */
  readonly cause?: string
  readonly hint?: string
  /** What the server calls the tool; absent where the name does not say. */
  readonly tool?: string
  /** Whether what the server says about its tools is believed. */
  readonly trusted?: boolean
  /** Whether rules of the entry let the tool be offered, if the server has it. */
  readonly offered?: boolean
  readonly why?: string
  /** The word of the entry on whether the tool only reads. */
  readonly readOnly?: boolean
  /** Without a sign of life, in milliseconds. */
  readonly callMs?: number
  /** In all, in milliseconds. */
  readonly totalMs?: number
  readonly limits?: ServerLimits
}

/** The server that a tool of this full name belongs to; `undefined` for a tool of no server. */
export function explainServer(
  fullName: string,
  { source }: Pick<ToolInfo, 'source'>,
  snapshot: Snapshot<CompiledServer>,
  toolName: (server: string, tool: string) => string,
): ExplainedServer | undefined {
  if (source.server === undefined) return undefined
  const record = serversOf(snapshot)
    .filter(({ name }) => fullName.startsWith(`mcp__${name}__`))
    .sort((a, b) => b.name.length - a.name.length)[0]
  if (!record) return { name: source.server, verdict: 'missing' }
  const { name, verdict, source: place } = record
  const own = fullName.slice(`mcp__${name}__`.length)
  // A name that ends with a hash does not say what the server calls the tool.
  const tool = toolName(name, own) === fullName ? own : undefined
  const server = snapshot.entries.find(({ id }) => id === record.id)?.value
  const known = { name, verdict, source: place, ...(tool === undefined ? {} : { tool }) }
  return server ? { ...known, ...settings(server, tool) } : { ...known, ...whyNotStarted(record, snapshot) }
}

function settings(server: CompiledServer, tool: string | undefined): Partial<ExplainedServer> {
  const { trusted, totalMs, limits } = server
  const common = { trusted, totalMs, limits }
  if (tool === undefined) return common
  const verdict = server.offers(tool)
  return {
    ...common,
    offered: verdict.offered,
    ...(verdict.offered ? {} : { why: verdict.why }),
    ...server.tool(tool),
  }
}

/** What the entry of the server settles about the tool itself: rules about what only reads look at it. */
export function settledTool(tool: ToolInfo, server: ExplainedServer | undefined): ToolInfo {
  if (!server) return tool
  const { name, trusted = false, readOnly } = server
  const source = { ...tool.source, server: name, tool: server.tool ?? tool.source.tool, trusted }
  if (readOnly !== true) return { ...tool, source }
  return { ...tool, kind: 'read', annotations: { ...tool.annotations, readOnly }, source }
}

/** For people. */
export function describeServer(server: ExplainedServer | undefined): readonly string[] {
  if (!server) return []
  const { name, verdict, source } = server
  const place = source ? ` (${formatPlace(source)})` : ''
  return ['', `Server ${name}: ${verdict}${place}`, ...lines(server).map((line) => `  ${line}`)]
}

function lines({ name, verdict, cause, hint, ...rest }: ExplainedServer): readonly string[] {
  if (verdict === 'missing') return ['no server of this name is configured, so the call would fail']
  const { limits, totalMs, callMs } = rest
  if (!limits || totalMs === undefined)
    return [...(cause ? [`it is not started: ${cause}`] : []), ...(hint ? [hint] : [])]
  const { rate, concurrency, breaker, maxResultBytes } = limits
  const seconds = (ms: number) => `${ms / 1000} s`
  return [
    rest.offered === false ? `the tool is not offered: ${rest.why}` : 'rules of its entry let the tool be offered',
    rest.trusted ? 'what it says about its tools is believed' : 'what it says about its tools is not believed',
    ...(rest.readOnly === undefined ? [] : [`its entry says that the tool ${rest.readOnly ? 'only reads' : 'writes'}`]),
    `a call may take ${callMs === undefined ? '' : `${seconds(callMs)} without progress, `}${seconds(totalMs)} in all`,
    `${concurrency} calls at a time${rate ? `, ${rate.perSecond} a second after ${rate.burst} at once` : ''}`,
    breaker
      ? `after ${breaker.failures} failures in a row none for ${seconds(breaker.cooldownMs)}`
      : 'failures keep no calls back',
    `${maxResultBytes} bytes of a result are shown`,
    `nothing was started; ext mcp test ${name} says whether it answers`,
  ]
}
