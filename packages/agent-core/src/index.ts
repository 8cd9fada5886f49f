/**
 * `@ext/agent-core`: the loop in which tools, hooks, permission and skills meet. Every name here is public.
 * @module
 */
export { createAgent } from './agent.js'
export { diagnosticCodes } from './codes.js'
export { defineTool, type InputOf, type ToolDefinition } from './define-tool.js'
export { ModelError, type ModelErrorKind } from './model-error.js'
export type * from './types.js'
