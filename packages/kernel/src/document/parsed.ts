import type { Locator, Span } from './locate.js'

export type Problem =
  | { readonly kind: 'syntax'; readonly message: string; readonly span: Span }
  | { readonly kind: 'comments' }

/** A parsed text: a value unless there is a syntax problem, and a way to find where things stand. */
export interface Parsed {
  readonly value?: unknown
  readonly locate: Locator
  readonly problems: readonly Problem[]
}
