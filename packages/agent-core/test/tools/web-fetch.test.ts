import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodeClock, nodeFetch } from '@ext/kernel/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WebFetchToolOptions, webFetchTool } from '../../src/tools/index.js'
import { type Called, contextOf, sessionIn, textOf } from './tool-kit.js'

type Page = (request: IncomingMessage, response: ServerResponse) => void

const pages = new Map<string, Page>()
let server: Server
let origin = ''
let port = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    if (page) page(request, response)
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  port = (server.address() as AddressInfo).port
  origin = `http://127.0.0.1:${port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Puts a page on the server. */
function serve(path: string, type: string, body: string | Uint8Array): string {
  pages.set(path, (_request, response) =>
    response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body),
  )
  return `${origin}${path}`
}

function redirect(path: string, location: string): string {
  pages.set(path, (_request, response) => response.writeHead(302, { location }).end())
  return `${origin}${path}`
}

async function get(url: string, options: Partial<WebFetchToolOptions> = {}, signal?: AbortSignal): Promise<Called> {
  const fetch = nodeFetch({ allow: [`127.0.0.1:${port}`, `localhost:${port}`] })
  const tool = webFetchTool({ ports: { fetch, clock: nodeClock() }, ...options })
  return textOf(await tool.run({ url }, contextOf(sessionIn('/'), signal)))
}

/** The text behind the line that says what came. */
async function pageText(body: string, type = 'text/html; charset=utf-8', options = {}): Promise<string> {
  const { text } = await get(serve('/page', type, body), options)
  return text.slice(text.indexOf('\n') + 1)
}

describe('WebFetch gives a page as text', () => {
  it.each<[what: string, html: string, text: string]>([
    [
      'the title, headings and paragraphs',
      '<title>Boats\n &amp; more</title><h1>Paper</h1><p>One\n  two.</p><p>Three.</p>',
      'Boats & more\n\n# Paper\n\nOne two.\n\nThree.',
    ],
    [
      'links, with the address that they lead to',
      '<p>See <a href="/x?a=1&amp;b=2">this</a>, <a href="#top">up</a>, <a href="javascript:alert(1)">run</a>.',
      'See [this](ORIGIN/x?a=1&b=2), up, run.',
    ],
    ['lists', '<ul><li>a<li>b<ol><li>c</li><li>d</li></ol></li></ul><p>end', '- a\n- b\n  1. c\n  2. d\n\nend'],
    ['tables', '<table><tr><th>Name<th>Size<tr><td>boat<td>2</table>', 'Name | Size\nboat | 2'],
    ['code as it is', '<p>Run:<pre><code>a  b\n  c\n</code></pre><p>end', 'Run:\n\n```\na  b\n  c\n```\n\nend'],
    [
      'quotes, lines and images',
      '<blockquote>a<br>b</blockquote><hr><img src="x.png" alt="a boat"><img src="y.png">',
      '  a\n  b\n\n* * *\n\n[image: a boat]',
    ],
    [
      'nothing of what is not shown',
      '<style>p{}</style><script>alert("<p>x</p>")</script><noscript>no</noscript><svg><title>s</title><text>t</text></svg><template>u</template><p>text',
      'text',
    ],
    ['broken markup', '<p>a</b></p></div><b>c<p>d</b>&nope; &lt;x&gt; <', 'a\n\nc\n\nd\n\n&nope; <x> <'],
    ['nothing', '<body></body>', '[it holds no text]'],
  ])('with %s', async (_what, html, text) => {
    expect(await pageText(html)).toBe(text.replaceAll('ORIGIN', origin))
  })

  it('says what came', async () => {
    const { text, isError } = await get(serve('/hi', 'text/html; charset=utf-8', '<p>hi'))
    expect(text).toBe(`[${origin}/hi, 200, text/html, 5 bytes]\nhi`)
    expect(isError).toBe(false)
  })

  it('in the encoding that header, mark or page name, and else in UTF-8', async () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1')
    const text = async (path: string, type: string, body: Uint8Array) =>
      (await get(serve(path, type, body))).text.split('\n')[1]
    expect(await text('/a', 'text/html; charset="ISO-8859-1"', latin1('K\xe4se'))).toBe('Käse')
    expect(
      await text('/b', 'text/html', latin1('<meta http-equiv=x content="text/html; charset=iso-8859-1"><p>K\xe4se')),
    ).toBe('Käse')
    expect(await text('/c', 'text/html; charset=iso-8859-1', Buffer.from('\uFEFFKäse'))).toBe('Käse')
    expect(await text('/d', 'text/html; charset=nonsense', Buffer.from('Käse'))).toBe('Käse')
    expect(await text('/e', 'text/plain', Buffer.from('\uFEFFKäse', 'utf16le'))).toBe('Käse')
  })

  it('up to the limit of characters', async () => {
    expect(await pageText(`<p>${'x '.repeat(100_000)}`, 'text/html', { maxCharacters: 20 })).toBe(
      `${'x '.repeat(10)}\n[cut at 20 characters]`,
    )
    expect(await pageText('y'.repeat(30), 'text/plain', { maxCharacters: 20 })).toBe(
      `${'y'.repeat(20)}\n[cut at 20 characters]`,
    )
  })

  it.each<[what: string, html: string]>([
    ['nests without end', '<div>'.repeat(200_000)],
    ['nests lists without end', '<ul><li>'.repeat(100_000)],
    ['opens quotes without end', '<blockquote>'.repeat(100_000)],
    ['opens what never closes', '<a href='.repeat(100_000)],
    ['is made of brackets', '<'.repeat(1_000_000)],
    ['is made of blanks', ' '.repeat(1_000_000)],
  ])('soon, though it %s', async (_what, html) => {
    // Else it takes minutes.
    expect(await pageText(`<p>before${html}after`)).toMatch(/^before/)
  })

  it('says so when it nests too deep', async () => {
    expect(await pageText(`<p>before</p>${'<div>'.repeat(1000)}after`)).toBe(
      'before\n[the page nests its parts more than 500 deep; the rest is left out]',
    )
  })
})

describe('WebFetch of other content', () => {
  it.each([
    ['text/plain', 'a  b\n<p>c', 'a  b\n<p>c'],
    ['application/json', '{"a": 1}', '{"a": 1}'],
    ['application/problem+json; charset=utf-8', '{}', '{}'],
    ['image/svg+xml', '<svg/>', '<svg/>'],
    ['application/octet-stream', '#!/bin/sh\n', '#!/bin/sh\n'],
    ['', '<!DOCTYPE html><p>a', 'a'],
    ['', 'a', 'a'],
  ])('shows %s as it is', async (type, body, text) => {
    expect(await pageText(body, type)).toBe(text)
  })

  it('shows an image, and says how large it may be', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100)])
    const { result } = await get(serve('/dot.png', 'image/png', png))
    expect(result.content[1]).toEqual({ type: 'image', data: png.toString('base64'), mimeType: 'image/png' })
    const large = await get(serve('/large.png', 'image/png', Buffer.concat([png, Buffer.alloc(4_000_000)])))
    expect(large).toMatchObject({
      isError: true,
      text: expect.stringContaining('the image is larger than 3,932,160 bytes'),
    })
  })

  it.each([
    ['application/pdf', '%PDF-1.7', 'it is no text (a PDF document).'],
    ['application/zip', 'PK\x03\x04', 'it is no text (a ZIP archive'],
    ['audio/mpeg', 'ID3', 'it is no text (audio/mpeg).'],
    ['text/html', 'a\0b', 'it is no text (binary data).'],
  ])('names %s', async (type, body, says) => {
    const { text, isError } = await get(serve('/file', type, body))
    expect(text).toContain(says)
    expect(isError).toBe(true)
  })

  it('is an error with the text of the page when the server says so', async () => {
    expect(await get(`${origin}/gone`)).toMatchObject({
      isError: true,
      text: `[${origin}/gone, 404, text/plain, 12 bytes]\nnothing here`,
    })
  })
})

describe('WebFetch goes where it was sent and nowhere else', () => {
  it('follows a redirect within the host', async () => {
    serve('/there', 'text/plain', 'arrived')
    redirect('/step', '/there')
    expect((await get(redirect('/start', `${origin}/step`))).text).toBe(
      `[${origin}/there, 200, text/plain, 7 bytes]\narrived`,
    )
  })

  it.each([
    ['another host', () => `http://localhost:${port}/there`],
    ['another port', () => 'http://127.0.0.1:1/there'],
    ['a user name', () => `http://me@127.0.0.1:${port}/there`],
  ])('reports one to %s', async (_what, to) => {
    let asked = 0
    pages.set('/there', (_request, response) => {
      asked++
      response.end()
    })
    const { text, isError } = await get(redirect('/away', to()))
    expect(text).toBe(
      `${origin}/away redirects to another host, which is not followed: ${to()}\nIf that is what you want, call WebFetch with that URL.`,
    )
    expect(isError).toBe(true)
    expect(asked).toBe(0)
  })

  it('goes in no circles', async () => {
    expect((await get(redirect('/circle', '/circle'))).text).toBe(`${origin}/circle redirects more than 5 times.`)
  })

  it.each([
    ['http://127.0.0.1:8080/', 'not public'],
    ['http://169.254.169.254/latest/meta-data', 'not public'],
    ['http://[::ffff:10.0.0.1]/', 'not public'],
    ['file:///etc/passwd', 'http'],
    ['https://user:pass@example.com/', 'user name'],
    ['https://example.com@evil.test/', 'user name'],
    ['example.com', 'not valid'],
  ])('refuses %s', async (url, says) => {
    const { text, isError } = await get(url)
    expect(text).toContain(says)
    expect(isError).toBe(true)
  })

  it('takes no more than the limit of bytes and of time', async () => {
    const large = await get(serve('/large', 'text/plain', 'x'.repeat(2000)), { maxBytes: 1000 })
    expect(large).toMatchObject({ isError: true, text: expect.stringContaining('1000') })
    pages.set('/slow', () => {})
    expect(await get(`${origin}/slow`, { timeoutMs: 100 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('100 ms'),
    })
  })

  it('stops when the run is aborted', async () => {
    pages.set('/slow', () => {})
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('enough')), 50)
    await expect(get(`${origin}/slow`, {}, controller.signal)).rejects.toThrow('enough')
  })

  it('sends no cookies and nothing else that tells who asks', async () => {
    let headers: IncomingMessage['headers'] = {}
    pages.set('/who', (request, response) => {
      headers = request.headers
      response.writeHead(200, { 'set-cookie': 'a=b' }).end()
    })
    await get(`${origin}/who`)
    await get(`${origin}/who`)
    expect(Object.keys(headers).filter((name) => /cookie|referer|authorization/.test(name))).toEqual([])
  })
})
