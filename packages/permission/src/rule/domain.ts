import { compileNameGlob } from '@ext/kernel/match'
import type { RuleProblem } from './parse.js'

/** A domain pattern, compiled. */
export interface DomainTest {
  /** @param host as {@link readHosts} gives it */
  readonly test: (host: string) => boolean
  /** The only host that it matches. */
  readonly host?: string
}

const PREFIX = 'domain:'

/** The pattern of `WebFetch(domain:…)`; `undefined` when the specifier is about something else. */
export function domainOf(specifier: string): string | undefined {
  return specifier.startsWith(PREFIX) ? specifier.slice(PREFIX.length).trim() : undefined
}

/**
 * `example.com` is this host alone, `*.example.com` its subdomains at any depth and not itself. A `*` that does not stand
 * at the beginning stays within its label, so that `example.*` is no way to `example.evil.test`.
 */
export function compileDomain(written: string): DomainTest | RuleProblem {
  const pattern = written.replace(/\.$/, '')
  if (pattern === '*') return { test: () => true }
  if (/[/@\\?#\s]/.test(pattern) || /:\d*$/.test(pattern.replace(/^\[.*\]/, ''))) return NO_DOMAIN
  if (!pattern.includes('*')) {
    const host = hostOf(`http://${pattern}/`)
    return host === undefined ? NO_DOMAIN : { test: (other) => other === host, host }
  }
  const [first = '', ...rest] = pattern.split('.').map(plainLabel)
  if (rest.includes('') || first === '') return NO_DOMAIN
  const tail = rest.map((label) => compileNameGlob(label))
  const head = compileNameGlob(first)
  const anyDepth = first.startsWith('*')
  return {
    test(host) {
      const labels = host.split('.')
      const at = labels.length - tail.length
      if (at < 1 || (at > 1 && !anyDepth)) return false
      return (
        tail.every((label, index) => label.test(labels[at + index] ?? '')) && head.test(labels.slice(0, at).join('.'))
      )
    },
  }
}

const NO_DOMAIN: RuleProblem = {
  problem: 'what stands behind `domain:` is no host name',
  hint: 'Write the host alone, without scheme, port and path: `domain:example.com` or `domain:*.example.com`.',
}

/** Letters of other scripts stand in a URL in their ASCII form, and so they do here; a label with a `*` stays as it is. */
function plainLabel(label: string): string {
  return label.includes('*') ? label.toLowerCase() : (hostOf(`http://${label}.x/`)?.slice(0, -2) ?? label)
}

/** What a URL says about where it leads. */
export interface Destination {
  /** Every host that some program may take it for; none when nobody can say. */
  readonly hosts: readonly string[]
  /** It is written so that every program takes it for the same place. */
  readonly plain: boolean
}

/** Reads the URL of a call. Never throws. */
export function readDestination(url: string): Destination {
  const written = hostOf(url)
  const guessed = /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? undefined : hostOf(`https://${url}`)
  const hosts = [written, guessed].flatMap((host) => (host === undefined ? [] : [host, ...embedded(host)]))
  const plain = written !== undefined && /^https?:\/\/[^/?#\\@]+(?:[/?#][^\\]*)?$/i.test(url) && !UNPRINTED.test(url)
  return { hosts: [...new Set(hosts)], plain }
}

/** Blanks and control characters: programs drop them at different places. */
const UNPRINTED = /[\0-\x20\x7f-\xa0\p{Cf}\p{Z}]/u

/** In lower case and ASCII, without the dot at its end; `undefined` for what is no URL with a host. */
function hostOf(url: string): string | undefined {
  try {
    const { hostname } = new URL(url)
    return hostname.replace(/\.$/, '').toLowerCase() || undefined
  } catch {
    return undefined
  }
}

/** The IPv4 address within an IPv6 one that stands for it. */
function embedded(host: string): readonly string[] {
  const [, high, low] = /^\[::(?:ffff:)?([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host) ?? []
  if (high === undefined || low === undefined) return []
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [[a >> 8, a & 255, b >> 8, b & 255].join('.')]
}
