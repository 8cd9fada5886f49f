import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeFetch } from '../../../src/node/index.js'
import { dotted, groups, SPECIAL_V4 } from './ranges.js'
import { connectProxy, listener, socketsOpened } from './support.js'

/** The host names here are asked of this one resolver, so that no test asks the machine's. */
const resolve = async () => ['127.0.0.1']

const LITERALS = [
  // Notations of 127.0.0.1.
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.000.000.001',
  '2130706433',
  '0x7f000001',
  '0X7F.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.0x1',
  '127.0.0.1.',
  '127.0.0.0x1',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.0.0.①',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '0x0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:7F00:0001]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  // The metadata services of clouds.
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '192.0.0.192',
  // Private networks.
  '10.0.0.1',
  '10.1',
  '167772161',
  '[::ffff:10.0.0.1]',
  '[::ffff:a00:1]',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[2001:20::1]',
  '[2620:4f:8000::1]',
  '[3fff::1]',
  '[5f00::1]',
]

const NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'LocalHost.',
  'app.localhost',
  'loopback.test',
  'metadata.google.internal',
  '127.0.0.1.nip.test',
  '0x7f.0.0.1.test',
  'ｌｏｃａｌｈｏｓｔ',
]

const UNPARSABLE = [
  '[fe80::1%25eth0]',
  '[fe80::1%eth0]',
  '[::1%25lo]',
  '256.0.0.1',
  '127.0.0.1.1',
  '0x100000000',
  '4294967296',
  '127.0.0.09',
  '[127.0.0.1]',
  '[::1',
  '127.0.0.1%00',
  '127.0.0.1 .test',
  '',
]

describe('the corpus of addresses that are not public', () => {
  it('opens no connection, in no notation', async () => {
    const local = await listener()
    const fetch = nodeFetch({ resolve })
    const opened = await socketsOpened(async () => {
      for (const scheme of ['http', 'https']) {
        for (const host of [...LITERALS, ...NAMES]) {
          const url = `${scheme}://${host}:${local.port}/`
          expect(await fetch({ url }), url).toMatchObject({ outcome: 'refused', reason: 'address' })
        }
        for (const host of UNPARSABLE) {
          const url = `${scheme}://${host}:${local.port}/`
          expect(await fetch({ url }), url).toMatchObject({ outcome: 'refused', reason: 'url' })
        }
      }
    })
    expect({ opened, connections: local.connections }).toEqual({ opened: 0, connections: 0 })
  })

  it('opens no connection through a proxy either, and the proxy is not even asked', async () => {
    const local = await listener()
    const proxy = await connectProxy(local.port)
    const fetch = nodeFetch({ resolve, env: { http_proxy: proxy.url, https_proxy: proxy.url } })
    const opened = await socketsOpened(async () => {
      for (const host of [...LITERALS, ...NAMES]) {
        expect(await fetch({ url: `http://${host}:${local.port}/` }), host).toMatchObject({ reason: 'address' })
      }
    })
    expect({ opened, asked: proxy.asked.length }).toEqual({ opened: 0, asked: 0 })
  })

  it('holds for URLs that browsers would repair', async () => {
    const local = await listener()
    const fetch = nodeFetch({ resolve })
    const opened = await socketsOpened(async () => {
      for (const url of [
        `http:127.0.0.1:${local.port}`,
        `http:\\\\127.0.0.1:${local.port}`,
        `  http://127.0.0.1:${local.port}\n`,
        `ht\ttp://127.0.\n0.1:${local.port}`,
        `http:///127.0.0.1:${local.port}`,
        `HTTP://127.0.0.1:${local.port}`,
        `http://127.0.0.1:${local.port}#@public.test`,
        `http://127.0.0.1:${local.port}\\@public.test`,
      ]) {
        expect(await fetch({ url }), url).toMatchObject({ outcome: 'refused', reason: 'address' })
      }
    })
    expect(opened).toBe(0)
  })

  it('holds for any address of any special range of IPv4, in any notation', async () => {
    const local = await listener()
    const fetch = nodeFetch({ resolve })
    const address = fc
      .tuple(fc.constantFrom(...SPECIAL_V4), fc.bigInt(0n, 0xffffffffn))
      .map(([{ base, bits }, random]) => base | (random & ((1n << BigInt(32 - bits)) - 1n)))
    const number = (value: bigint, radix: number) =>
      radix === 16 ? `0x${value.toString(16)}` : radix === 8 ? `0${value.toString(8)}` : `${value}`
    const notation = fc
      .record({
        address,
        parts: fc.integer({ min: 1, max: 4 }),
        radixes: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
        end: fc.constantFrom('', '.'),
        form: fc.constantFrom('v4', 'mapped', 'mapped, dotted', 'NAT64', '6to4'),
      })
      .map(({ address, parts, radixes, end, form }) => {
        if (form === 'mapped') return `[${groups((0xffffn << 32n) | address)}]`
        if (form === 'mapped, dotted') return `[::ffff:${dotted(address)}]`
        if (form === 'NAT64') return `[64:ff9b::${dotted(address)}]`
        if (form === '6to4') return `[${groups((0x2002n << 112n) | (address << 80n))}]`
        // The last part of a short form holds all the bits that are left.
        const leading = Array.from({ length: parts - 1 }, (_, at) => (address >> BigInt(24 - 8 * at)) & 0xffn)
        const last = address & ((1n << BigInt(8 * (5 - parts))) - 1n)
        return [...leading, last].map((part, at) => number(part, radixes[at] ?? 10)).join('.') + end
      })
    const opened = await socketsOpened(() =>
      fc.assert(
        fc.asyncProperty(notation, async (host) => {
          const result = await fetch({ url: `http://${host}:${local.port}/` })
          expect(result, host).toMatchObject({ outcome: 'refused', reason: 'address' })
        }),
        { numRuns: 2000 },
      ),
    )
    expect({ opened, connections: local.connections }).toEqual({ opened: 0, connections: 0 })
  })

  it('does not hold back a public address: a proxy of this machine is asked for each', async () => {
    const local = await listener()
    const proxy = await connectProxy(local.port)
    const fetch = nodeFetch({
      resolve: async () => ['93.184.215.14', '2606:4700::1111'],
      env: { HTTP_PROXY: proxy.url },
    })
    const hosts = ['8.8.8.8', '134744072', '[2606:4700::1111]', '[::ffff:8.8.8.8]', '[64:ff9b::808:808]', 'public.test']
    for (const host of hosts) {
      expect(await fetch({ url: `http://${host}/` }), host).toMatchObject({ outcome: 'answered', status: 200 })
    }
    expect(proxy.asked.map(({ authority }) => authority)).toEqual([
      '8.8.8.8:80',
      '8.8.8.8:80',
      '[2606:4700::1111]:80',
      '[::ffff:808:808]:80',
      '[64:ff9b::808:808]:80',
      'public.test:80',
    ])
  })
})
