/**
 * The one splitter for files that start with a YAML header: skills, agents, instruction files (`@ext/kernel/frontmatter`).
 * @module
 */
export { type FrontmatterProblem, type FrontmatterSplit, headerEnd, splitFrontmatter } from './fences.js'
export { type Frontmatter, parseFrontmatter } from './frontmatter.js'
export { type FilesPlace, readSimpleHeader, SimpleHeader } from './simple-header.js'
