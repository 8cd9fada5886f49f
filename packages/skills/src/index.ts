/**
 * `@ext/skills`: finds SKILL.md folders, lists them to the model and loads them when they are needed.
 * Every name here is public.
 * @module
 */
export { type Catalog, type CatalogOptions, renderCatalog } from './catalog.js'
export type { CatalogFormat } from './catalog-format.js'
export { diagnosticCodes } from './codes.js'
export { skillCommand } from './command.js'
export { loadSkills } from './load.js'
export type * from './types.js'
