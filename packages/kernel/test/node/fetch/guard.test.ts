import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rangeOf } from '../../../src/node/fetch/guard.js'
import { CARRIERS, dotted, groups, isPublicV4, isPublicV6, type Range, SPECIAL_V4, SPECIAL_V6 } from './ranges.js'

/** Addresses inside ranges, at their edges, right outside them, and anywhere. */
const addresses = (ranges: readonly Range[], width: number) => {
  const whole = (1n << BigInt(width)) - 1n
  const near = fc
    .record({
      range: fc.constantFrom(...ranges),
      place: fc.constantFrom('inside', 'first', 'last', 'before', 'after'),
      random: fc.bigInt(0n, whole),
    })
    .map(({ range: { base, bits }, place, random }) => {
      const hosts = (1n << BigInt(width - bits)) - 1n
      const offset = { inside: random & hosts, first: 0n, last: hosts, before: -1n, after: hosts + 1n }[place] ?? 0n
      return (base + offset) & whole
    })
  return fc.oneof({ weight: 3, arbitrary: near }, { weight: 1, arbitrary: fc.bigInt(0n, whole) })
}
const v4 = addresses(SPECIAL_V4, 32)
const v6 = fc.oneof(
  addresses([...SPECIAL_V6, ...CARRIERS], 128),
  fc.tuple(fc.constantFrom(...CARRIERS), v4, fc.bigInt(0n, (1n << 80n) - 1n)).map(([carrier, inner, rest]) =>
    // 6to4 carries the address right behind its prefix, the others at the end.
    carrier.bits === 16 ? carrier.base | (inner << 80n) | rest : carrier.base | inner,
  ),
)

describe('an address', () => {
  it('of IPv4 passes exactly if no special-purpose range holds it', () => {
    fc.assert(
      fc.property(v4, (address) => {
        expect(rangeOf(dotted(address)) === 'global', dotted(address)).toBe(isPublicV4(address))
      }),
      { numRuns: 20_000 },
    )
  })

  it('of IPv6 passes exactly if it is global unicast in no special-purpose range, or carries such an IPv4 address', () => {
    fc.assert(
      fc.property(v6, (address) => {
        const dottedTail = groups(address).replace(/:[^:]+:[^:]+$/, `:${dotted(address & 0xffffffffn)}`)
        const short = new URL(`http://[${groups(address)}]`).hostname.slice(1, -1)
        for (const text of [groups(address), dottedTail, short, groups(address).toUpperCase()]) {
          expect(rangeOf(text) === 'global', text).toBe(isPublicV6(address))
        }
      }),
      { numRuns: 20_000 },
    )
  })

  it.each([
    ['8.8.8.8', 'global'],
    ['2606:4700::1111', 'global'],
    ['::ffff:8.8.8.8', 'global'],
    ['64:ff9b::8.8.8.8', 'global'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['169.254.169.254', 'link local'],
    ['100.100.100.200', 'carrier grade nat'],
    ['64:ff9b::169.254.169.254', 'NAT64 to link local'],
    ['2002:7f00:1::', '6to4 to loopback'],
    ['2001:0:808:808::', 'teredo'],
    ['fe80::1%eth0', 'link local'],
    ['2606:4700::1111%eth0', 'link local'],
    ['::127.0.0.1', 'reserved'],
    ['::8.8.8.8', 'reserved'],
    ['4000::1', 'reserved'],
  ])('%s is %s', (address, range) => {
    expect(rangeOf(address)).toBe(range)
  })

  it.each(['', 'localhost', '0x7f.1', '127.1', '2130706433', '010.0.0.1', '127.0.0.1 ', '[::1]', '1.2.3.4:80', '::g'])(
    'is not %j',
    (text) => {
      expect(rangeOf(text)).toBe('not an address')
    },
  )
})
