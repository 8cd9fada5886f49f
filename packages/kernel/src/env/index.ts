/**
 * Environment of children, `${NAME}` in configuration values, and secrets in what is logged (`@ext/kernel/env`).
 * @module
 */
export { type ChildEnv, type ChildEnvOptions, childEnv } from './child.js'
export { type Expansion, expandVariables } from './expand.js'
export { type ExpandedValues, expandAll, type UndefinedName } from './expand-all.js'
export { minimalEnv } from './minimal.js'
export { ENV_PRESETS, type EnvPreset } from './presets.js'
export { isSecretName } from './redact/by-name.js'
export { redact } from './redact/redact.js'
