/**
 * Makes any language model of the AI SDK a model of this package (`@ext/agent-core/ai-sdk`).
 * @module
 */
export { aiSdkModel } from './model.js'
export type { AiSdkOptions, AiSdkSettings, PromptCache } from './options.js'
