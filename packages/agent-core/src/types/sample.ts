import type { ModelRequest, SessionRef } from '@ext/kernel/contract'
import type { CallUsage } from '../sessions/log.js'
import type { CutBy, Model } from './model.js'

/** What a model is to think about for somebody. */
export interface SampleOrder {
  /** The run that it is for. Default: the only one that is under way. */
  readonly session?: SessionRef
  /** Who asks, for people: `server files`. */
  readonly by: string
  /** Who thinks. Default: the model that the run works with. */
  readonly model?: Model
  /**
   * Whoever asks may keep something from happening, as a hook does. So it is answered also when the budget is used up, and
   * ends with `signal` alone: what it uses after the end of the run is in no result. Default false.
   */
  readonly guards?: boolean
  /**
   * What the model is asked. Called only if it will be, so this is the place to ask a person.
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
      /** Failed tries count. */
      readonly usage: CallUsage
      readonly cut?: CutBy
    }
  /** There was no request. */
  | { readonly status: 'declined' }
  /** There is no such run, or it may spend nothing more. */
  | { readonly status: 'refused'; readonly problem: string }
  /** The model has failed. */
  | { readonly status: 'failed'; readonly problem: string }
