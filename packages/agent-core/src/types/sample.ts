import type { ModelRequest, SessionRef } from '@ext/kernel/contract'
import type { CutBy, Model } from './model.js'

/** What a model is to think about for somebody. */
export interface SampleOrder {
  /** The run that it is for. Default: the only one that is under way. */
  readonly session?: SessionRef
  /** Who asks, for people: `server files`. */
  readonly by: string
  /**
   * What the model is asked. Called only if the run may still spend something, so this is the place to ask a person.
   * `undefined`: nothing is.
   */
  request(model: Pick<Model, 'id' | 'limits'>): ModelRequest | undefined | Promise<ModelRequest | undefined>
}

/** What came of it. `problem` is a sentence. */
export type SampleOutcome =
  | {
      readonly status: 'done'
      readonly text: string
      /** Which model it was. */
      readonly model: string
      readonly cut?: CutBy
    }
  /** There was no request. */
  | { readonly status: 'declined' }
  /** There is no such run, or it may spend nothing more. */
  | { readonly status: 'refused'; readonly problem: string }
  /** The model has failed. */
  | { readonly status: 'failed'; readonly problem: string }
