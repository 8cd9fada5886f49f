import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All that IANA has given out for global unicast. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const SIX_TO_FOUR = ipaddr.IPv6.parseCIDR('2002::/16')

/**
 * `global` for an address of the public internet, else the special range that it is in, for example `loopback` or
 * `link local`. Pure. An address that carries an IPv4 address (mapped, NAT64, 6to4) is what the carried one is; Teredo
 * carries two, obfuscated, and is refused with the rest of 2001::/23.
 * @param text an address as resolvers and URLs write it; anything else is `not an address`
 */
export function rangeOf(text: string): string {
  // ipaddr.js reads more notations than the functions that dial.
  const version = isIP(text)
  if (version === 0) return 'not an address'
  if (version === 4) return rangeOfV4(ipaddr.IPv4.parse(text))
  // A zone names an interface of this machine.
  if (text.includes('%')) return 'link local'
  // It takes ::8.8.8.8 for ::ffff:8.8.8.8; in the spelling of URLs, nothing is dotted.
  return rangeOfV6(ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1)))
}

function rangeOfV4(address: ipaddr.IPv4): string {
  const range = address.range()
  return range === 'unicast' ? 'global' : inWords(range)
}

function rangeOfV6(address: ipaddr.IPv6): string {
  if (address.isIPv4MappedAddress()) return rangeOfV4(address.toIPv4Address())
  const bytes = address.toByteArray()
  if (address.match(NAT64)) return carrierOf('NAT64', bytes.slice(12))
  if (address.match(SIX_TO_FOUR)) return carrierOf('6to4', bytes.slice(2, 6))
  const range = address.range()
  if (range !== 'unicast') return inWords(range)
  return address.match(GLOBAL_UNICAST) ? 'global' : 'reserved'
}

function carrierOf(carrier: string, bytes: number[]): string {
  const range = rangeOfV4(new ipaddr.IPv4(bytes))
  return range === 'global' ? range : `${carrier} to ${range}`
}

function inWords(range: string): string {
  return range.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
