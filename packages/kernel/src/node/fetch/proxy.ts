import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { refused } from './stop.js'
import { portOf } from './url.js'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The proxy that the environment names for a URL, as curl reads it: `https_proxy` or `http_proxy` by the scheme, also
 * in capitals, unless `no_proxy` lists the host. This machine itself is never asked for through a proxy.
 * @throws FetchStop for a proxy that can't be used: going without it could be what the proxy is there to prevent
 */
export function proxyFor(url: URL, env: Env): URL | undefined {
  if (isLoopback(url.hostname)) return undefined
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const value = read(env, name)
  if (value === '' || isListed(url, read(env, 'no_proxy'))) return undefined
  const text = value.includes('://') ? value : `http://${value}`
  const proxy = URL.canParse(text) ? new URL(text) : undefined
  if (proxy?.protocol !== 'http:' && proxy?.protocol !== 'https:') {
    throw refused('proxy', `${name} must be the URL of an http or https proxy.`)
  }
  return proxy
}

function read(env: Env, name: string): string {
  return (env[name] ?? env[name.toUpperCase()] ?? '').trim()
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}

/** Entries are `*`, a name (which covers its subdomains), an address or a range of them, each with or without a port. */
function isListed(url: URL, list: string): boolean {
  const host = bare(url.hostname)
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '') return false
      if (entry === '*') return true
      const [, name = entry, port] = /^(\[[^\]]*\]|[^:]+):(\d+)$/.exec(entry) ?? []
      if (port !== undefined && Number(port) !== portOf(url)) return false
      const wanted = bare(name).replace(/^\*?\./, '')
      return host === wanted || (isIP(host) === 0 ? host.endsWith(`.${wanted}`) : inRange(host, wanted))
    })
}

function inRange(host: string, range: string): boolean {
  if (!ipaddr.isValidCIDR(range)) return false
  const [base, bits] = ipaddr.parseCIDR(range)
  const address = ipaddr.parse(host)
  return address.kind() === base.kind() && address.match(base, bits)
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}
