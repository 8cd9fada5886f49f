/**
 * A model that plays a script, for tests and demos (`@ext/agent-core/scripted`).
 * @module
 */
export { loadScript } from './load.js'
export { scriptedModel } from './model.js'
export type { AgentScript, Script, ScriptTurn } from './script.js'
