/**
 * `@ext/kernel`: configuration is read, validated, merged and compiled the same way for every axis.
 * Every name here is public.
 * @module
 */
export { canonicalJson } from './canonical-json.js'
export { diagnosticCodes, type KernelCode } from './codes.js'
export { createReporter, hasErrors, type Report, type Reporter, sortDiagnostics } from './diagnostic.js'
export {
  type ConfigDocument,
  openDocument,
  type ParsedDocument,
  parseDocument,
  readFailure,
  sourceOf,
  type TextFormat,
} from './document/document.js'
export { appendToYaml, removeFromYaml, setInYaml, type YamlEdit } from './document/edit-yaml.js'
export { ExtError, messageOf } from './errors.js'
export { type FileEntry, joinFileEntries } from './file-entries.js'
export { isForeignLayer, LAYERS, layerRank } from './layers.js'
export { lookAtFolders, lookAtHeads } from './look.js'
export { type MayReplace, type Mergeable, type Merged, type MergeStrategy, mergeEntries } from './merge.js'
export { createPace, inTurns, type Pace } from './pace.js'
export type { LoadHost, LoadOptions, Pipeline, PipelineDefinition, Remake } from './pipeline/definition.js'
export { definePipeline } from './pipeline/pipeline.js'
export { joinPointer, parsePointer } from './pointer.js'
export {
  describe,
  documentReader,
  type FoundEntries,
  isMap,
  listEntries,
  mapEntries,
  valueAt,
  wrongShape,
} from './reader.js'
export { createReloader, type Reloader, type ReloaderOptions } from './reload.js'
export { formatDiagnostic, formatPlace } from './render.js'
export { checkSchema, type SchemaFunction, type SchemaIssue } from './schema.js'
export { type Settled, settleAll } from './settle.js'
export { createSnapshotStore, type SnapshotStore } from './snapshot.js'
export { suggest } from './suggest.js'
export { compareText, SourceText } from './text.js'
export { type TrackedFiles, type TrackOptions, trackFiles } from './track/files.js'
export { type Stamps, trackStamps } from './track/stamps.js'
export type { FileDifference, Tracked } from './track/types.js'
export type * from './types.js'
