/**
 * Agents that are described in files (`@ext/agent-core/agents`).
 * @module
 */
export { type Agents, type LoadAgentsOptions, loadAgents } from './config/load.js'
export type { AgentDefinition } from './definition.js'
export type { NamedTool } from './tool-list.js'
