import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nodeFetch } from '../../../src/node/index.js'
import { connectProxy, listener, rawListener } from './support.js'

const pem = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')
const resolve = async () => ['8.8.8.8']

describe('a proxy', () => {
  it('is asked for a public host, by its name, for http and for https', async () => {
    const plain = await listener()
    const secure = await listener(undefined, { key: pem('server.key'), cert: pem('server.pem') })
    const httpProxy = await connectProxy(plain.port)
    const httpsProxy = await connectProxy(secure.port)
    const fetch = nodeFetch({
      resolve,
      ca: [pem('ca.pem')],
      env: { HTTP_PROXY: httpProxy.url, HTTPS_PROXY: httpsProxy.url },
    })
    expect(await fetch({ url: 'http://public.test/a' })).toMatchObject({ outcome: 'answered', status: 200 })
    expect(await fetch({ url: 'https://secure.test:8443/b' })).toMatchObject({ outcome: 'answered', status: 200 })
    expect(httpProxy.asked.map(({ authority }) => authority)).toEqual(['public.test:80'])
    expect(httpsProxy.asked.map(({ authority }) => authority)).toEqual(['secure.test:8443'])
    expect(plain.requests[0]).toMatchObject({ url: '/a', headers: { host: 'public.test' } })
  })

  it('does not weaken TLS', async () => {
    const secure = await listener(undefined, { key: pem('server.key'), cert: pem('server.pem') })
    const { url } = await connectProxy(secure.port)
    const fetch = nodeFetch({ resolve, ca: pem('ca.pem'), env: { https_proxy: url } })
    expect(await fetch({ url: 'https://other.test/' })).toMatchObject({ outcome: 'failed', reason: 'tls' })
  })

  it.each([
    ['a name with a private address', 'http://name.test/', ['10.0.0.1'], 'refused'],
    ['a name with a private address among others', 'http://name.test/', ['8.8.8.8', '::1'], 'refused'],
    ['a name without address', 'http://name.test/', [], 'failed'],
    ['a private address', 'https://169.254.169.254/', [], 'refused'],
  ])('is not asked for %s', async (_what, url, addresses, outcome) => {
    const target = await listener()
    const proxy = await connectProxy(target.port)
    const env = { http_proxy: proxy.url, https_proxy: proxy.url }
    expect(await nodeFetch({ resolve: async () => addresses, env })({ url })).toMatchObject({ outcome })
    expect({ asked: proxy.asked, connections: target.connections }).toEqual({ asked: [], connections: 0 })
  })

  it('is asked for an allowed host without a look-up: only the proxy may know it', async () => {
    const target = await listener()
    const proxy = await connectProxy(target.port)
    let lookUps = 0
    const fetch = nodeFetch({
      allow: ['wiki.corp:80'],
      env: { http_proxy: proxy.url },
      resolve: async () => {
        lookUps++
        return []
      },
    })
    expect(await fetch({ url: 'http://wiki.corp' })).toMatchObject({ outcome: 'answered' })
    expect(lookUps).toBe(0)
  })

  it('gets its own credentials, and the server does not', async () => {
    const target = await listener()
    const proxy = await connectProxy(target.port)
    const env = { http_proxy: proxy.url.replace('//', '//us%40er:p%3Ass@') }
    await nodeFetch({ resolve, env })({ url: 'http://public.test', headers: { authorization: 'mine' } })
    const basic = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`
    expect(proxy.asked[0]?.headers).toMatchObject({ 'proxy-authorization': basic, host: 'public.test:80' })
    expect(proxy.asked[0]?.headers).not.toHaveProperty('authorization')
    expect(target.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  it('may be written without scheme, in capitals or not, and the small letters win', async () => {
    const target = await listener()
    const [wanted, other] = [await connectProxy(target.port), await connectProxy(target.port)]
    const env = { http_proxy: ` ${wanted.url.replace('http://', '')} `, HTTP_PROXY: other.url }
    expect(await nodeFetch({ resolve, env })({ url: 'http://public.test' })).toMatchObject({ outcome: 'answered' })
    expect([wanted.asked.length, other.asked.length]).toEqual([1, 0])
  })

  it.each([['socks5://127.0.0.1:1080'], ['http://'], ['ftp://a']])('of %s refuses the request', async (http_proxy) => {
    const result = await nodeFetch({ resolve, env: { http_proxy } })({ url: 'http://public.test' })
    expect(result).toMatchObject({ outcome: 'refused', reason: 'proxy' })
  })

  it('is for the other scheme, or empty: then nobody is asked', async () => {
    const target = await listener()
    const proxy = await connectProxy(target.port)
    const fetch = nodeFetch({
      allow: [`name.test:${target.port}`],
      resolve: async () => ['127.0.0.1'],
      env: { https_proxy: proxy.url, http_proxy: '' },
    })
    expect(await fetch({ url: `http://name.test:${target.port}` })).toMatchObject({ outcome: 'answered' })
    expect(proxy.asked).toEqual([])
  })

  it.each([
    ['*', true],
    ['name.test', true],
    ['NAME.test', true],
    ['.test', true],
    ['*.test', true],
    ['other.test, test', true],
    ['other.test name.test:PORT', true],
    ['name.test:1', false],
    ['ame.test', false],
    ['sub.name.test', false],
    ['', false],
  ])('is left out by no_proxy=%s: %s', async (list, direct) => {
    const target = await listener()
    const proxy = await connectProxy(target.port)
    const fetch = nodeFetch({
      allow: [`name.test:${target.port}`],
      resolve: async () => ['127.0.0.1'],
      env: { http_proxy: proxy.url, NO_PROXY: list.replace('PORT', `${target.port}`) },
    })
    expect(await fetch({ url: `http://name.test:${target.port}` })).toMatchObject({ outcome: 'answered' })
    expect(proxy.asked.length === 0).toBe(direct)
  })

  it.each([
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.0.0.0/8', true],
    ['10.1.2.3', '10.0.0.0/16', false],
    ['10.1.2.3', '2.3', false],
    ['10.1.2.3', '10.1.2.0/99', false],
    ['[fd00::1]', 'fd00::1', true],
    ['[fd00::1]', '[fd00::1]:80', true],
    ['[fd00::1]', 'fd00::/8', true],
    ['[fd00::1]', '10.0.0.0/8', false],
  ])('is left out for %s by no_proxy=%s: %s', async (host, list, direct) => {
    const target = await listener()
    const proxy = await connectProxy(target.port)
    const fetch = nodeFetch({ env: { http_proxy: proxy.url, no_proxy: list } })
    // Without the proxy nothing is allowed, so that nothing is dialled.
    const result = await fetch({ url: `http://${host}` })
    expect(result).toMatchObject({ reason: 'address' })
    const allowing = nodeFetch({ allow: [`${host}:80`], env: { http_proxy: proxy.url, no_proxy: list } })
    if (!direct) await allowing({ url: `http://${host}` })
    expect(proxy.asked.length === 0).toBe(direct)
  })

  it('that says no is a failure', async () => {
    const proxy = await connectProxy(1, 403)
    const result = await nodeFetch({ resolve, env: { http_proxy: proxy.url } })({ url: 'http://public.test' })
    expect(result).toMatchObject({ outcome: 'failed', reason: 'proxy', message: expect.stringContaining('403') })
  })

  it('that is not there, or hangs up, is a failure', async () => {
    const port = await rawListener((socket) => socket.once('data', () => socket.destroy()))
    for (const http_proxy of [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1']) {
      const result = await nodeFetch({ resolve, env: { http_proxy } })({ url: 'http://public.test', timeoutMs: 3000 })
      expect(result).toMatchObject({ outcome: 'failed', reason: 'proxy' })
    }
  })

  it('that never answers ends at the time cap, with its connection', async () => {
    let closed: Promise<unknown> | undefined
    const port = await rawListener((socket) => {
      closed = once(socket.resume(), 'close')
    })
    const fetch = nodeFetch({ resolve, env: { http_proxy: `http://127.0.0.1:${port}` } })
    expect(await fetch({ url: 'http://public.test', timeoutMs: 200 })).toMatchObject({ outcome: 'timed-out' })
    await closed
  })

  it('may speak TLS itself', async () => {
    // No proxy of this kind runs here; that its certificate is checked shows that TLS is spoken with it.
    const secure = await listener(undefined, { key: pem('server.key'), cert: pem('server.pem') })
    const env = { http_proxy: `https://127.0.0.1:${secure.port}` }
    const result = await nodeFetch({ resolve, env })({ url: 'http://public.test' })
    expect(result).toMatchObject({ outcome: 'failed', reason: 'proxy' })
    expect(secure.requests).toEqual([])
  })
})
