/** What became of one item. */
export type Settled<R> =
  | { readonly status: 'done'; readonly value: R }
  | { readonly status: 'failed'; readonly error: unknown }

/**
 * Runs `fn` for every item, at most `limit` at a time. Outcomes keep the order of the items, none can fail the others,
 * and the promise never rejects. Items not yet started when `signal` aborts fail with its reason.
 */
export async function settleAll<T, R>(
  items: readonly T[],
  fn: (item: T, index: number) => Promise<R>,
  options: { readonly limit: number; readonly signal?: AbortSignal },
): Promise<readonly Settled<R>[]> {
  const { default: pLimit } = await import('p-limit')
  const limit = pLimit(options.limit)
  return Promise.all(
    items.map((item, index) =>
      limit(async (): Promise<Settled<R>> => {
        try {
          options.signal?.throwIfAborted()
          return { status: 'done', value: await fn(item, index) }
        } catch (error) {
          return { status: 'failed', error }
        }
      }),
    ),
  )
}
