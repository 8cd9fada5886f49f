/** The keys and indexes of a JSON pointer (RFC 6901). */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** `base` with keys and indexes added to it. */
export function joinPointer(base: string, ...segments: readonly (string | number)[]): string {
  return base + segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** A pointer as people write paths: `hooks.0.matcher`. For messages. */
export function dottedPath(pointer: string): string {
  return parsePointer(pointer).join('.')
}
