/**
 * Writes the cases of `@ext/skills/conformance` to the disk of this machine (`@ext/skills/conformance/node`).
 * @module
 */
export { diskTrees } from './trees.js'
