/**
 * What may be reached, by plain arithmetic over the IANA special-purpose address registries
 * (iana.org/assignments/iana-ipv4-special-registry and -ipv6-special-registry, 2025), with multicast and the deprecated
 * site-local range, which have registries of their own.
 */
const V4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24',
  '192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4',
  '240.0.0.0/4 255.255.255.255/32',
]
const V6 = [
  '::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:2::/48 2001:db8::/32 2620:4f:8000::/48',
  '3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
]

export interface Range {
  readonly text: string
  readonly base: bigint
  readonly bits: number
}

export const SPECIAL_V4: readonly Range[] = V4.join(' ')
  .split(' ')
  .map((text) => toRange(text, 32))
export const SPECIAL_V6: readonly Range[] = V6.join(' ')
  .split(' ')
  .map((text) => toRange(text, 128))
const [MAPPED, NAT64, SIX_TO_FOUR, UNICAST] = ['::ffff:0:0/96', '64:ff9b::/96', '2002::/16', '2000::/3'].map((text) =>
  toRange(text, 128),
) as [Range, Range, Range, Range]
/** Ranges whose addresses are what an IPv4 address in them is. */
export const CARRIERS: readonly Range[] = [MAPPED, NAT64, SIX_TO_FOUR]

export function isPublicV4(address: bigint): boolean {
  return !SPECIAL_V4.some((range) => contains(range, address, 32))
}

export function isPublicV6(address: bigint): boolean {
  if (contains(MAPPED, address, 128) || contains(NAT64, address, 128)) return isPublicV4(address & 0xffffffffn)
  if (contains(SIX_TO_FOUR, address, 128)) return isPublicV4((address >> 80n) & 0xffffffffn)
  return contains(UNICAST, address, 128) && !SPECIAL_V6.some((range) => contains(range, address, 128))
}

export function dotted(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.')
}

export function groups(address: bigint): string {
  return Array.from({ length: 8 }, (_, at) => ((address >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(':')
}

function contains({ base, bits }: Range, address: bigint, width: number): boolean {
  const shift = BigInt(width - bits)
  return address >> shift === base >> shift
}

function toRange(text: string, width: number): Range {
  const [address = '', bits] = text.split('/')
  return { text, base: width === 32 ? fromDotted(address) : fromGroups(address), bits: Number(bits) }
}

function fromDotted(text: string): bigint {
  return text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
}

function fromGroups(text: string): bigint {
  const [head = '', tail = ''] = text.split('::')
  const words = (part: string) => (part === '' ? [] : part.split(':'))
  const zeros = Array<string>(8 - words(head).length - words(tail).length).fill('0')
  return [...words(head), ...zeros, ...words(tail)].reduce((sum, word) => (sum << 16n) | BigInt(`0x${word}`), 0n)
}
