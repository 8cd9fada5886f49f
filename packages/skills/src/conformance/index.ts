/**
 * What a loader of skills has to do, as cases that another loader can be run against (`@ext/skills/conformance`). The
 * cases are the files of the package's folder `conformance/`.
 * @module
 */
export { type ConformanceCase, type Expected, type Need, readCases, type TreeItem } from './cases.js'
export { type CaseResult, type ConformanceResult, type Loader, runConformance, type TreeWriter } from './run.js'
export { type Fault, type LoaderOutcome, scoreCase } from './score.js'
export { caseOfShape, readShapes, type Shape } from './shapes.js'
