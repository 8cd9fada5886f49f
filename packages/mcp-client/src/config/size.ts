/** A number of bytes, or why the text is none. */
export type Size =
  | { readonly bytes: number; readonly problem?: undefined }
  | { readonly bytes?: undefined; readonly problem: string }

const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
}

/**
 * Reads `512KiB`, `10MiB`, `1.5MB`; the units are in any case, a blank may stand before them. A number without a unit is a
 * problem, as are zero and more than `maxBytes`. The problem is the end of a sentence, without its full stop.
 */
export function parseSize(value: unknown, maxBytes: number): Size {
  if (typeof value === 'number') return { problem: `${value} has no unit; write "${value}B" for bytes` }
  const parts = typeof value === 'string' ? /^(\d+(?:\.\d+)?) ?([A-Za-z]+)$/.exec(value) : null
  const unit = UNITS[parts?.[2]?.toLowerCase() ?? '']
  if (!parts || unit === undefined) return { problem: 'a size looks like "512KiB", "10MiB" or "1.5MB"' }
  const bytes = Math.floor(Number(parts[1]) * unit)
  if (bytes === 0) return { problem: 'nothing would be left of it' }
  if (bytes > maxBytes) return { problem: `the largest possible size is ${maxBytes / 1024 ** 2}MiB` }
  return { bytes }
}
