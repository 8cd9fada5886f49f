import type { FileChange } from '../contract/lifecycle.js'

/** What stands on the disk is not any more what was taken over. */
export interface FileDifference {
  /** Absolute, as it was given. */
  readonly path: string
  readonly change: FileChange
  /** Differs with what stands there. For comparing with that of another look, and nothing else. */
  readonly version: string
}

/** Files of which it is known what was taken over of them. */
export interface Tracked {
  /** What differs now. Nothing is taken over by looking. */
  changes(): Promise<readonly FileDifference[]>
  /** From now on this is what was taken over. */
  take(difference: FileDifference): void
}
