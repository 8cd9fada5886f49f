/**
 * What needs this machine (`@ext/skills/node`): the trees of `@ext/skills/conformance`, on its disk.
 * @module
 */
export { diskTrees } from './trees.js'
