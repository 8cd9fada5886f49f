import { canonicalJson, isMap, messageOf } from '@ext/kernel'
import type { Authorization, ContentBlock, Decision, FailureCause, ToolKind } from '@ext/kernel/contract'
import { redact } from '@ext/kernel/env'
import type { AuditSource } from './audit-source.js'
import { sha256 } from './digest.js'
import type { RunContext } from './run-context.js'
import { createLimit } from './signals.js'

/** Keeps one record of each tool call. */
export interface AuditSink {
  /**
   * Waited for up to two seconds, and not at all once the run is aborted. A throw or rejection costs the record and those
   * after it in the run, and is said.
   */
  write(record: AuditRecord): void | Promise<void>
}

/** What is kept of a tool call. */
export interface AuditRecord {
  /** ISO 8601. */
  readonly ts: string
  readonly event: 'tool.invocation' | 'mcp.tool.invocation'
  readonly tool: string
  readonly server?: string
  readonly session_id: string
  readonly agent_id?: string
  /** Name of the sub-agent, or of the agent to which the conversation was handed over. */
  readonly agent_type?: string
  readonly user?: string
  readonly tool_use_id: string
  /** `sha256:` and the hash in hex of the input as it was in the end, in JSON with sorted keys. */
  readonly args_digest: string
  /** The same input with what looks like a secret masked, as JSON. */
  readonly args_redacted: string
  /** Absent for a tool that does not exist. */
  readonly kind?: ToolKind
  /** Absent where the call did not get to the gate. */
  readonly permission?: {
    readonly behavior: Authorization['behavior']
    readonly decided_by: Decision['decidedBy']
    readonly answered_by: Authorization['answeredBy']
  }
  /** The hooks that refused the call. */
  readonly hook_blocks: readonly string[]
  readonly waiting_ms: number
  readonly duration_ms: number
  /** Of what the model was given, in JSON. */
  readonly result_bytes: number
  readonly is_error: boolean
  /** `unknown_tool` and `invalid_input` end a call before its hooks. */
  readonly error_kind?: FailureCause | 'unknown_tool' | 'invalid_input' | 'not_run'
  readonly trace_id?: string
  /** What the source of the tool says about the call, such as the client of its MCP server. */
  readonly source?: AuditSource
}

/** Longest time that a call waits for its record to be kept. */
const WRITE_MS = 2000

/** What a call has to say about itself; the rest of its record follows from the run. */
export type AuditEntry = Omit<
  AuditRecord,
  'ts' | 'event' | 'session_id' | 'agent_id' | 'user' | 'args_digest' | 'args_redacted'
> & { readonly input: unknown }

/** Hands the record of a call to the sink, in a step of its own. Rejects only when the engine behind the steps fails. */
export async function keepRecord(run: RunContext, place: string, entry: AuditEntry): Promise<void> {
  const { audit, clock } = run.agent
  if (!audit || run.health.auditFailed) return
  const { problem } = await run.durable
    .step(`audit:${place}`, async (): Promise<{ readonly problem?: string }> => {
      try {
        const record = await recordOf(run, entry)
        const written = audit.write(record)
        // The time of an aborted run may be over. The sink has its record; nobody waits until it is kept.
        if (run.grace.aborted) Promise.resolve(written).catch(() => {})
        else await createLimit(clock, WRITE_MS, run.grace).hold(written)
        return {}
      } catch (error) {
        return run.grace.aborted ? {} : { problem: messageOf(error) }
      }
    })
    .catch((error): { readonly problem?: string } => {
      if (run.grace.aborted) return {}
      throw error
    })
  if (problem === undefined) return
  // Once is enough: the same fault would come with every call, and one that hangs would hold up every call.
  run.health.auditFailed = true
  run.emit('notice', {
    text: `The audit record of ${entry.tool} was not kept, and no more are tried: ${problem}`,
  })
}

async function recordOf(run: RunContext, { input, ...fields }: AuditEntry): Promise<AuditRecord> {
  const { ref } = run.session
  return {
    ts: new Date(run.agent.clock.now()).toISOString(),
    event: fields.server === undefined ? 'tool.invocation' : 'mcp.tool.invocation',
    session_id: ref.id,
    ...(ref.agent?.id === undefined ? {} : { agent_id: ref.agent.id }),
    ...(ref.agent ? { agent_type: ref.agent.type } : {}),
    ...(ref.user === undefined ? {} : { user: ref.user }),
    args_digest: `sha256:${await sha256(input)}`,
    args_redacted: redact(isMap(input) || Array.isArray(input) ? input : canonicalJson(input)),
    ...fields,
  }
}

/** Size of what the model is given, in bytes of its JSON. */
export function bytesOf(content: readonly ContentBlock[]): number {
  return new TextEncoder().encode(JSON.stringify(content)).length
}
