/**
 * A corpus of calls with the verdicts that are right (`@ext/permission/conformance`): reads one, and scores the engine
 * against it. The corpora of this package are the files of its folder `conformance/`.
 * @module
 */
export { type ConformanceContext, type ConformanceRow, type CorpusRead, readCorpus } from './rows.js'
export { type ConformanceScore, runConformance, type WrongRow } from './score.js'
export { KNOWN_TOOLS, wellKnownTool } from './tool.js'
