import { isMap } from '@ext/kernel'
import type { TraceContext } from '@ext/kernel/contract'
import type { Endpoint } from '../compiled.js'
import { Fault, type Greeting } from '../connect/session.js'
import type { SpanAttributes } from '../types.js'

/** A span of a tracer that is allowed to fail. */
export interface LiveSpan {
  readonly trace: TraceContext | undefined
  set(attributes: SpanAttributes): void
  /** @param error what kind of error ended it */
  end(error?: string): void
}

/** Begins a span. */
export type Draw = (name: string, attributes: SpanAttributes, within: TraceContext | undefined) => LiveSpan

/** What is asked of a server. */
export interface Asked {
  /** Of the request. */
  readonly method: string
  readonly tool?: string
  readonly prompt?: string
}

/** What is known of a server that is asked. */
export interface AskedServer {
  readonly name: string
  readonly kind: Endpoint['kind']
  readonly greeting: Greeting | undefined
}

/**
 * Begins the span of one request, as OpenTelemetry's conventions for MCP have it, copied, since they are not stable. They
 * want none of its own where the agent draws the call; that one lasts from its hooks to its end, with the wait for a
 * person and for the server in it, and this one as long as the server takes. So it is no `execute_tool`, which would count
 * twice. Addresses, of servers and of resources, are left out: they can hold secrets.
 */
export function startRequest(
  draw: Draw,
  { method, tool, prompt }: Asked,
  { name, kind, greeting }: AskedServer,
  within: TraceContext | undefined,
): LiveSpan {
  const target = tool ?? prompt
  const attributes: SpanAttributes = {
    'mcp.method.name': method,
    ...(tool === undefined ? {} : { 'gen_ai.tool.name': tool }),
    ...(prompt === undefined ? {} : { 'gen_ai.prompt.name': prompt }),
    ...(greeting ? { 'mcp.protocol.version': greeting.protocolVersion } : {}),
    'network.transport': kind === 'stdio' ? 'pipe' : 'tcp',
    'ext.mcp.server': name,
  }
  return draw(target === undefined ? method : `${method} ${target}`, attributes, within)
}

/** Ends it as what the server has sent is meant. A tool that has failed has answered all the same. */
export function endAnswered(span: LiveSpan, { tool }: Asked, sent: unknown): void {
  span.end(tool !== undefined && isMap(sent) && sent['isError'] === true ? 'tool_error' : undefined)
}

/** @param gaveUp why nobody has waited for the answer, if that is so */
export function endFailed(span: LiveSpan, error: unknown, gaveUp: 'timeout' | 'aborted' | undefined): void {
  const { refusal, kind } = error instanceof Fault ? error : { refusal: undefined, kind: undefined }
  if (gaveUp === undefined && refusal) {
    span.set({ 'rpc.response.status_code': String(refusal.code) })
    span.end(String(refusal.code))
  } else span.end(gaveUp ?? kind ?? '_OTHER')
}
