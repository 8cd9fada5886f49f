/**
 * The ports of the agent and what it hands out. Type-only entry (`@ext/agent-core/types`).
 * @module
 */
export type { Message, ModelRequest, ToolMessageResult, ToolSpec } from '@ext/kernel/contract'
export type { AgentDefinition } from './agents/definition.js'
export type { HandoffEvent, HandoffOptions } from './agents/handoff/options.js'
export type { AuditRecord, AuditSink } from './audit.js'
export type { AuditSource } from './audit-source.js'
export type { Durable } from './durable.js'
export type { AgentLimits } from './limits.js'
export type { TaskOptions } from './run-context.js'
export type { RunEvent, RunEventFields, RunEventType, RunReason, RunResult, Usage } from './run-events.js'
export type { CallUsage, ParentOfLog, SessionEvent, SessionEventFields, SessionHeader } from './sessions/log.js'
export type { SessionTotals } from './sessions/restored.js'
export type {
  KeptSession,
  SessionMatch,
  SessionQuery,
  SessionStore,
  SessionSummary,
  SessionWriter,
} from './sessions/store.js'
export type { TaskFile, TaskFiles } from './tasks/files.js'
export type { Span, SpanAttributes, Tracer } from './trace.js'
export type * from './types/agent.js'
export type * from './types/model.js'
export type * from './types/ports.js'
export type * from './types/sample.js'
export type * from './types/session.js'
export type * from './types/tasks.js'
