/**
 * `@ext/kernel/policy`: what an administrator's files say about the configuration of everybody else. Every name here is
 * public.
 * @module
 */
export { isExemptFromPolicies, PolicyFiles } from './files.js'
export { isPolicyKey, POLICY_KEYS, type PolicyAxis } from './keys.js'
export { type MisspeltPolicy, misspeltPolicies, PolicyReader, policiesIn } from './reader.js'
export { parseUrlPattern, type UrlPattern } from './urls.js'
