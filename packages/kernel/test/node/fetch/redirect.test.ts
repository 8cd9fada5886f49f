import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { nodeFetch } from '../../../src/node/index.js'
import type { FetchRequest } from '../../../src/types.js'
import { listener } from './support.js'

const pem = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')
const resolve = async () => ['127.0.0.1']
const to =
  (location: string, status = 302): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { location }).end('moved')
  }

/** A server at one.test and another at two.test, both allowed. */
async function twoHosts(second?: RequestListener) {
  const two = await listener(second)
  const there = `http://two.test:${two.port}/there`
  return {
    two,
    there,
    from: async (first: RequestListener, request: Partial<FetchRequest> = {}) => {
      const one = await listener(first)
      const fetch = nodeFetch({ resolve, allow: [`one.test:${one.port}`, `two.test:${two.port}`] })
      const result = await fetch({ url: `http://one.test:${one.port}/here`, maxRedirects: 5, ...request })
      return { one, result }
    },
  }
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'with status %i is refused unless asked for, and says where to',
    async (status) => {
      const { there, two, from } = await twoHosts()
      const { result } = await from(to(`${there}?code=pa55`, status), { maxRedirects: 0 })
      expect(result).toMatchObject({ outcome: 'refused', reason: 'redirect', status, location: `${there}?code=pa55` })
      expect(result.outcome === 'refused' && result.message).not.toContain('pa55')
      expect(two.connections).toBe(0)
    },
  )

  it('is followed when asked for, also to a relative place', async () => {
    const { from } = await twoHosts()
    const { result, one } = await from((request, response) => {
      if (request.url === '/here') to('./over?x=1')(request, response)
      else response.end('found')
    })
    expect(result).toMatchObject({ outcome: 'answered', url: `http://one.test:${one.port}/over?x=1` })
    expect(one.requests.map(({ url }) => url)).toEqual(['/here', '/over?x=1'])
  })

  it('is one too many after as many as were asked for', async () => {
    const { from } = await twoHosts()
    const { result, one } = await from((request, response) => to(`${request.url}x`)(request, response), {
      maxRedirects: 2,
    })
    expect(result).toMatchObject({ outcome: 'refused', reason: 'redirect' })
    expect(one.requests).toHaveLength(3)
  })

  it('without a place, or a 3xx that is none, is an answer', async () => {
    const { from } = await twoHosts()
    const none = await from((_request, response) => response.writeHead(302).end())
    expect(none.result).toMatchObject({ outcome: 'answered', status: 302 })
    const same = await from((_request, response) => response.writeHead(304, { location: '/x' }).end())
    expect(same.result).toMatchObject({ outcome: 'answered', status: 304 })
  })

  it.each([
    ['http://127.0.0.1:8080/', 'address'],
    ['http://0x7f.1/', 'address'],
    ['//169.254.169.254/latest/meta-data/', 'address'],
    ['http://[::ffff:10.0.0.1]/', 'address'],
    ['http://private.test/', 'address'],
    ['http://localhost/', 'address'],
    ['file:///etc/passwd', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['http://user:pw@8.8.8.8/', 'user-info'],
    ['http://8.8.8.8:25/', 'port'],
    ['http://[::1', 'url'],
  ])('to %s is checked like a request', async (location, reason) => {
    const { from } = await twoHosts()
    const { result } = await from(to(location))
    expect(result).toMatchObject({ outcome: 'refused', reason })
  })

  it('of a name that changes its answer meets a new check', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.1']]
    const one = await listener(to('http://name.test:8080/'))
    const fetch = nodeFetch({ allow: [`one.test:${one.port}`], resolve: async () => answers.shift() ?? [] })
    const result = await fetch({ url: `http://one.test:${one.port}`, maxRedirects: 1 })
    expect(result).toMatchObject({ outcome: 'refused', reason: 'address' })
    expect(answers).toEqual([])
  })

  it('takes no credentials and nothing secret to another origin, and brings none back', async () => {
    let back = ''
    const { there, two, from } = await twoHosts((request, response) => to(back)(request, response))
    const { one, result } = await from(
      (request, response) => {
        back = `http://${request.headers.host}/again`
        if (request.url === '/here') to(there)(request, response)
        else response.end()
      },
      {
        headers: { Authorization: 'a', COOKIE: 'c', 'proxy-authorization': 'p', 'X-Api-Key': 'k', 'X-Plain': 'y' },
        secretHeaders: ['x-API-key'],
      },
    )
    expect(result).toMatchObject({ outcome: 'answered' })
    const secrets = { authorization: 'a', cookie: 'c', 'proxy-authorization': 'p', 'x-api-key': 'k' }
    const plain = { 'x-plain': 'y' }
    expect(one.requests[0]?.headers).toMatchObject({ ...secrets, ...plain })
    for (const later of [two.requests[0], one.requests[1]]) {
      expect(later?.headers).toMatchObject(plain)
      for (const name of Object.keys(secrets)) expect(later?.headers).not.toHaveProperty(name)
    }
  })

  it('keeps credentials within an origin', async () => {
    const { from } = await twoHosts()
    const { one } = await from(
      (request, response) => (request.url === '/here' ? to('/there')(request, response) : response.end()),
      { headers: { authorization: 'a' } },
    )
    expect(one.requests[1]?.headers.authorization).toBe('a')
  })

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [301, 'PUT', 'PUT', 'text'],
    [307, 'POST', 'POST', 'text'],
    [308, 'POST', 'POST', 'text'],
    [302, 'GET', 'GET', ''],
  ])('with status %i turns %s into %s', async (status, method, method2, body) => {
    const { from } = await twoHosts()
    const { one } = await from(
      (request, response) => (request.url === '/here' ? to('/there', status)(request, response) : response.end()),
      { method, ...(method[0] === 'P' && { body: 'text', headers: { 'Content-Type': 'text/plain' } }) },
    )
    expect(one.requests[1]).toMatchObject({ method: method2, body })
    expect(one.requests[1]?.headers['content-type']).toBe(body ? 'text/plain' : undefined)
  })

  it('takes no body to another origin', async () => {
    const { there, two, from } = await twoHosts()
    const { result } = await from(to(there, 307), { method: 'POST', body: 'session' })
    expect(result).toMatchObject({ outcome: 'refused', reason: 'redirect', location: there })
    expect(two.connections).toBe(0)
  })

  it('from https to http is refused', async () => {
    const plain = await listener()
    const secure = await listener(to(`http://secure.test:${plain.port}/`), {
      key: pem('server.key'),
      cert: pem('server.pem'),
    })
    const allow = [`secure.test:${plain.port}`, `secure.test:${secure.port}`]
    const fetch = nodeFetch({ resolve, allow, ca: pem('ca.pem') })
    const result = await fetch({ url: `https://secure.test:${secure.port}`, maxRedirects: 5 })
    expect(result).toMatchObject({ outcome: 'refused', reason: 'redirect' })
    expect(plain.connections).toBe(0)
  })

  it('keeps the approval of a local host within its origin', async () => {
    const other = await listener()
    const local = await listener((request, response) => {
      if (request.url === '/in') to('/found')(request, response)
      else if (request.url === '/out') to(`http://127.0.0.1:${other.port}/`)(request, response)
      else response.end()
    })
    const fetch = nodeFetch()
    const ask = (path: string) =>
      fetch({ url: `http://127.0.0.1:${local.port}${path}`, allowLoopback: true, maxRedirects: 5 })
    expect(await ask('/in')).toMatchObject({ outcome: 'answered' })
    expect(await ask('/out')).toMatchObject({ outcome: 'refused', reason: 'address' })
    expect(other.connections).toBe(0)
  })

  it('does not get its approval back once it has left', async () => {
    let back = ''
    const { there, two, from } = await twoHosts((request, response) => to(back)(request, response))
    await from((_request, response) => response.end())
    const local = await listener((request, response) => to(there)(request, response))
    back = `http://127.0.0.1:${local.port}/admin`
    const fetch = nodeFetch({ resolve, allow: [`two.test:${two.port}`] })
    const result = await fetch({ url: `http://127.0.0.1:${local.port}/`, allowLoopback: true, maxRedirects: 5 })
    expect(result).toMatchObject({ outcome: 'refused', reason: 'address' })
    expect(local.requests).toHaveLength(1)
  })
})
