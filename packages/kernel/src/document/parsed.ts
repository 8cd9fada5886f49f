import type { Locator, Span } from './locate.js'

/** Something to say about a text, at offsets of it. */
export type Problem =
  | { readonly kind: 'syntax'; readonly message: string; readonly span: Span }
  | { readonly kind: 'comments'; readonly span: Span }
  | { readonly kind: 'duplicate-key'; readonly key: string; readonly first: Span; readonly span: Span }

/** A parsed text: a value unless there is a syntax problem, and a way to find where things stand. */
export interface Parsed {
  readonly value?: unknown
  readonly locate: Locator
  readonly problems: readonly Problem[]
}

/**
 * How deep maps and lists may be nested. Far more than any configuration needs, and far less than what makes
 * recursive code (parsers, validators, `JSON.stringify`) run out of stack.
 */
export const MAX_DEPTH = 100

export const TOO_DEEP: string = `maps and lists are nested more than ${MAX_DEPTH} deep`
