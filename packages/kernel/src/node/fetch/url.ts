import { ExtError } from '../../errors.js'
import { refused } from './stop.js'

/**
 * The blocked ports of the fetch standard, whose services would take a request for their own protocol, with those of
 * Redis and memcached, which do the same.
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211,
])
const LITERAL_LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?#]|$)/i
const HOST_AND_PORT = /^(\[[^\]]+\]|[^\s:/?#@[\]]+):(\d{1,5})$/

/** Why a host may be one that is not public: configuration names its host and port, or a person approved the entry. */
export type Exemption = 'allowed' | 'loopback'

/** A URL that may be asked for, as far as its text tells. Addresses are checked when they are dialled. */
export interface Target {
  readonly url: URL
  readonly exempt: Exemption | undefined
}

/**
 * Reads a URL and refuses what no request may have.
 * @param rules.allow canonical `host:port` pairs, see {@link parseAllowed}
 * @param rules.loopback whether a host that is literally a loopback one was approved
 * @param base for a redirect: the URL that it came from, whose approval goes no further than its origin
 * @throws FetchStop
 */
export function readTarget(
  text: string,
  rules: { readonly allow: ReadonlySet<string>; readonly loopback: boolean },
  base?: URL,
): Target {
  // One parser decides what is checked and what is dialled: it turns every notation of an IPv4 address into the usual.
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (!url) throw refused('url', 'The URL is not valid.')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused('scheme', `Only http: and https: are fetched, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('user-info', 'The URL holds a user name or password. Use an Authorization header.')
  }
  const allowed = rules.allow.has(hostAndPort(url))
  if (!allowed && BAD_PORTS.has(portOf(url))) {
    throw refused('port', `Port ${portOf(url)} belongs to another protocol than HTTP.`)
  }
  const loopback = rules.loopback && (base ? url.origin === base.origin : LITERAL_LOOPBACK.test(text))
  return { url, exempt: allowed ? 'allowed' : loopback ? 'loopback' : undefined }
}

/** Host and port of a URL, with the port that its scheme implies. An IPv6 host keeps its brackets. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${portOf(url)}`
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

/**
 * `host:port` of configuration in the form that URLs have.
 * @throws ExtError `kernel.fetch.allow` for anything else
 */
export function parseAllowed(entry: string): string {
  const [, host, port] = HOST_AND_PORT.exec(entry) ?? []
  if (host === undefined || Number(port) > 65_535 || !URL.canParse(`http://${host}`)) {
    throw new ExtError('kernel.fetch.allow', `\`${entry}\` is no host with a port, such as \`10.0.0.5:8080\`.`)
  }
  return `${new URL(`http://${host}`).hostname}:${Number(port)}`
}
