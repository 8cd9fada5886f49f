/** Addresses that a policy allows. */
export type UrlPattern = (url: string) => boolean

/**
 * Reads a pattern. `*` as the first label of the host stands for one or more labels; in the path it stands for anything.
 * Scheme and port are exact, and so is a path without `*`. User names, queries and fragments fit nothing.
 * @returns `undefined` for what is no pattern
 */
export function parseUrlPattern(text: string): UrlPattern | undefined {
  const [, scheme = '', host = '', path = '/'] = /^(https?):\/\/([^/?#@\s]+)(\/[^?#\s]*)?$/i.exec(text) ?? []
  const anyLabel = host.startsWith('*.')
  if (scheme === '' || host.replace(/^\*\./, '').includes('*')) return undefined
  const origin = originOf(`${scheme}://${anyLabel ? host.slice(2) : host}`)
  if (origin === undefined) return undefined
  const parts = path.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const fitsPath = new RegExp(`^${parts.join('.*')}$`, 's')
  return (url) => {
    const { protocol, host: asked, pathname, username, password, search, hash } = new URL(url)
    if (username !== '' || password !== '' || search !== '' || hash !== '') return false
    const fitsHost = anyLabel ? asked.endsWith(`.${origin.host}`) : asked === origin.host
    return protocol === origin.protocol && fitsHost && fitsPath.test(pathname)
  }
}

/** The address as requests have it: without the port that the scheme has anyway. */
function originOf(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
