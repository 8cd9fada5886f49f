/**
 * `@ext/skills`: finds SKILL.md folders, lists them to the model and loads them when they are needed.
 * Every name here is public.
 * @module
 */
export { type Catalog, renderCatalog } from './catalog.js'
export { diagnosticCodes } from './codes.js'
export { skillCommand } from './command.js'
export { loadSkills } from './load.js'
export type * from './types.js'
