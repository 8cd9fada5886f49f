/**
 * Records what a model streams and plays it again (`@ext/agent-core/replay`).
 * @module
 */
export { loadRecording } from './load.js'
export { type RecordedModel, type RecordingOptions, recordedModel } from './record.js'
export type { RecordedCall, RecordedEnd, RecordedEvent, Recording } from './recording.js'
export { type ReplayOptions, replayedModel } from './replay.js'
