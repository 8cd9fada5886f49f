/**
 * Types of the MCP client. Type-only entry (`@ext/mcp-client/types`); importing it costs nothing at run time.
 * @module
 */
export type { ElicitationHooks, HookedElicitation } from './answer/hooked.js'
export type {
  AskedBy,
  AskingLimits,
  ElicitationAnswer,
  ElicitationPort,
  FormAnswer,
  FormField,
  FormFieldBase,
  FormOption,
  FormRequest,
  FormValue,
  LogLevel,
  PageRequest,
  SamplingAnswer,
  SamplingContent,
  SamplingMessage,
  SamplingPort,
  SamplingRefusal,
  SamplingRequest,
} from './asked.js'
export type { Caller } from './caller.js'
export type { CompiledServer, Endpoint, Launch, Remote, ServerLimits } from './compiled.js'
export type {
  Breaker,
  EntryLimits,
  EntryTimeouts,
  HttpEntry,
  KeepAlive,
  PerTool,
  Protocol,
  Rate,
  Reconnect,
  ServerEntry,
  StdioEntry,
  ToolRules,
} from './config/entry.js'
export type {
  Completion,
  Offered,
  OfferOptions,
  PromptArgument,
  PromptInfo,
  PromptResult,
  Prompts,
  ResourceInfo,
  ResourceSubscription,
  Resources,
  ResourceTemplateInfo,
} from './offered.js'
export type { Provider } from './profiles/adapted.js'
export type * from './types/calls.js'
export type * from './types/client.js'
export type * from './types/options.js'
export type * from './types/ports.js'
export type * from './types/status.js'
export type * from './types/tools.js'
export type * from './types/trace.js'
