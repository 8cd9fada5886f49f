import type { ConfigSource, Snapshot } from '@ext/kernel'

/** The files whose headers may hold hooks: of the skills or agents that are in use. */
export function headers(
  dialect: 'skill' | 'agent',
  { entries }: Pick<Snapshot<unknown>, 'entries'>,
): readonly ConfigSource[] {
  return entries.flatMap(({ source: { layer, file } }) =>
    file === undefined ? [] : [{ kind: 'file', layer, dialect, path: file } as const],
  )
}
