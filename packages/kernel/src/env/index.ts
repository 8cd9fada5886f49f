/**
 * Environment of children and `${NAME}` in configuration values (`@ext/kernel/env`).
 * @module
 */
export { type Expansion, expandVariables } from './expand.js'
export { minimalEnv } from './minimal.js'
