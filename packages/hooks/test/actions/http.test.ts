import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodePorts } from '@ext/kernel/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { claudeSource, codes, extSource, fire, load, only, type Scene, scene, texts } from '../support.js'

interface Asked {
  readonly method: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Never answers. */
  readonly hangs?: true
}

/** A server on this machine that remembers what it was asked. */
async function serve(answer: Answer = {}): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    asked.push({ method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString() })
    if (answer.hangs) return
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, asked }
}

function http(action: object, more: object = {}) {
  return extSource({ name: 'guard', event: 'PreToolUse', action: { type: 'http', ...action }, ...more })
}

const env = { CANARY: 'canary-4711', TOKEN: 'token-4712', PATH: process.env['PATH'] }

async function at(action: object, more: object = {}): Promise<Scene> {
  return scene([http(action, more)], { ports: nodePorts(env) })
}

describe('a server gets', () => {
  test('the event as JSON by POST', async () => {
    const { url, asked } = await serve()
    const here = await at({ url })
    await fire(here, 'PreToolUse')
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({
      hook_event_name: 'PreToolUse',
      session_id: 'session-1',
      tool_input: { command: 'git push origin main' },
    })
  })

  test('what looks like a secret masked, unless raw is set', async () => {
    const input = { command: 'curl -H "Authorization: Bearer abcdefghijklmnop"', api_key: 'sk-12345678901234567890' }
    const { url, asked } = await serve()
    await fire(await at({ url }), 'PreToolUse', { tool_input: input })
    await fire(await at({ url, raw: true }), 'PreToolUse', { tool_input: input })
    await fire(await at({ url, body: '"${tool_input.command}"' }), 'PreToolUse', { tool_input: input })
    for (const index of [0, 2]) expect(asked[index]?.body).not.toMatch(/abcdefghijklmnop|sk-1234/)
    expect(JSON.parse(asked[1]?.body ?? '')).toMatchObject({ tool_input: input })
  })

  test('only the fields that it is to get', async () => {
    const { url, asked } = await serve()
    const fields = ['session_id', 'tool_input.command', 'tool_input.nothing']
    await fire(await at({ url, fields }), 'PreToolUse', { tool_input: { command: 'ls', other: 1 } })
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ session_id: 'session-1', tool_input: { command: 'ls' } })
  })

  test('a variable in a header only if it may', async () => {
    const { url, asked } = await serve()
    const headers = { Authorization: 'Bearer $TOKEN', 'X-Other': '[$CANARY|${CANARY}|${UNSET}]' }
    const here = await at({ url, headers, allowedEnvVars: ['TOKEN', 'UNSET'], method: 'PUT' })
    await fire(here, 'PreToolUse', { tool_input: { command: 'echo $CANARY ${CANARY}' } })
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer token-4712', 'x-other': '[||]' })
    expect(asked[0]?.method).toBe('PUT')
    expect(JSON.stringify(asked)).not.toContain('canary-4711')
    expect(codes(here.hooks)).toEqual(['hooks.http.env', 'hooks.http.env', 'hooks.env.unset'])
  })

  test('a value that would end a header never', async () => {
    const { url, asked } = await serve()
    const ports = nodePorts({ TOKEN: 'a\r\nX-Evil: 1' })
    const layer = http({ url, headers: { 'X-Token': '$TOKEN' }, allowedEnvVars: ['TOKEN'] })
    const result = await fire(await scene([layer], { ports }), 'PreToolUse')
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'refused (header)' }])
    expect(asked).toEqual([])
  })
})

describe('a body of its own', () => {
  const send = async (
    body: string,
    headers: Record<string, string> = {},
    input: object = { command: 'say "hi"\n&x' },
  ) => {
    const { url, asked } = await serve()
    const here = await at({ url, body, headers })
    const result = await fire(here, 'PreToolUse', { tool_input: input as never })
    return { sent: asked[0]?.body, result }
  }

  test('is filled in so that JSON stays JSON', async () => {
    const { sent } = await send('{"text": "ran ${tool_input.command} in ${session_id}", "all": ${tool_input}}')
    expect(JSON.parse(sent ?? '')).toEqual({
      text: 'ran say "hi"\n&x in session-1',
      all: { command: 'say "hi"\n&x' },
    })
  })

  test('is filled in as its content type has it', async () => {
    const form = await send('a=${tool_input.command}&b=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(form.sent).toBe('a=say%20%22hi%22%0A%26x&b=1')
    const text = await send('ran ${tool_input.command}', { 'Content-Type': 'text/plain; charset=utf-8' })
    expect(text.sent).toBe('ran say "hi"\n&x')
  })

  test('is never looked at again, holds no variables and calls nothing', async () => {
    const { sent } = await send('"${tool_input.command} $CANARY $(id)"', {}, { command: '${session_id} $CANARY' })
    expect(JSON.parse(sent ?? '')).toBe('${session_id} $CANARY $CANARY $(id)')
  })

  test('is not sent when a field is missing', async () => {
    const { sent, result } = await send('"${tool_input.nope}"')
    expect(sent).toBeUndefined()
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'no field tool_input.nope' }])
  })

  test('is an error when it can never be sent', async () => {
    expect(only(await load([http({ url: 'https://example.com', body: '"${CANARY}"' })]))).toMatchObject({
      code: 'hooks.http.field',
      severity: 'error',
    })
    const typed = {
      url: 'https://example.com',
      body: '1',
      headers: { 'Content-Type': '$TYPE' },
      allowedEnvVars: ['TYPE'],
    }
    expect((await load([http(typed)])).diagnostics).toMatchObject([
      { code: 'hooks.action.fields', severity: 'error' },
      { code: 'hooks.env.unset', severity: 'info' },
    ])
    expect(only(await load([http({ url: 'https://example.com', body: 'ran ${tool_name}' })]))).toMatchObject({
      code: 'hooks.action.fields',
      severity: 'error',
    })
  })
})

describe('an answer is', () => {
  const reply = async (answer: Answer, more: object = {}) => {
    const { url } = await serve(answer)
    return fire(await at({ url }, more), 'PreToolUse')
  }

  test('no decision when it is empty', async () => {
    expect((await reply({ status: 204 })).runs).toMatchObject([{ outcome: 'noDecision' }])
    expect((await reply({ body: ' \n' })).runs).toMatchObject([{ outcome: 'noDecision' }])
  })

  test('a reply when it is one JSON object', async () => {
    const denied = await reply({ body: '{"decision": "block", "reason": "not today"}' })
    expect(denied.block).toEqual({ by: 'guard', reason: 'not today' })
    const output = { permissionDecision: 'allow', updatedInput: { command: 'ls' }, nonsense: 1 }
    const allowed = await reply({ status: 201, body: JSON.stringify({ hookSpecificOutput: output }) })
    expect(allowed).toMatchObject({ opinion: { behavior: 'allow' }, updatedInput: { input: { command: 'ls' } } })
    expect(texts(allowed.notices)).toEqual(['ignored: `nonsense`, which PreToolUse does not honour'])
  })

  test.each<[string, Answer, string]>([
    ['other text', { body: 'ok' }, 'an answer that is no JSON object'],
    ['a list', { body: '[]' }, 'an answer that is no JSON object'],
    ['broken JSON', { body: '{"decision": ' }, 'bad JSON'],
    ['two objects', { body: '{}{}' }, '2 JSON documents'],
    ['a text and an object', { body: 'hello {"decision": "block"}' }, 'text before the JSON object'],
    ['a status of failure', { status: 500, body: '{"decision": "block"}' }, 'status 500'],
    ['a status of refusal', { status: 403 }, 'status 403'],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'redirect'],
    ['too much', { body: `{"reason": "${'x'.repeat(1_100_000)}"}` }, 'too-large'],
    ['a wrong type', { body: '{"reason": 1}' }, 'wrong type of reason'],
  ])('a failure when it is %s', async (_name, answer, cause) => {
    const failed = await reply(answer)
    expect(failed.runs).toMatchObject([{ outcome: 'failed', cause }])
    expect(failed.block).toBeUndefined()
    expect((await reply(answer, { onFailure: 'block' })).block?.reason).toContain(`The hook failed (${cause})`)
  })

  test('late when there is none in time', async () => {
    const late = await reply({ hangs: true }, { timeout: '150ms' })
    expect(late.runs).toMatchObject([{ outcome: 'timedOut', cause: 'no answer within 150ms' }])
  })
})

describe('no connection is made', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fe80::1]/',
    'http://0.0.0.0/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[64:ff9b::a00:1]/',
  ])('to %s', async (url) => {
    const result = await fire(await at({ url }), 'PreToolUse')
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'refused (address)' }])
  })

  test('to where a server sends the request', async () => {
    const inner = await serve({ body: '{"decision": "block"}' })
    const outer = await serve({ status: 302, headers: { location: inner.url } })
    await fire(await at({ url: outer.url }), 'PreToolUse')
    expect(outer.asked).toHaveLength(1)
    expect(inner.asked).toEqual([])
  })

  test('when nobody listens', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    await new Promise((done) => server.close(done))
    const result = await fire(await at({ url: `http://127.0.0.1:${port}/` }), 'PreToolUse')
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'no answer (connection)' }])
  })
})

test('an abort ends the request', async () => {
  const { url } = await serve({ hangs: true })
  const { session } = await at({ url })
  const ending = new AbortController()
  const running = session.fire('PreToolUse', () => ({ tool_name: 'Bash', tool_input: {}, tool_use_id: '1' }), {
    signal: ending.signal,
  })
  setTimeout(() => ending.abort(new Error('enough')), 50)
  await expect(running).rejects.toThrow('enough')
})

test('what can never be sent is named when it is loaded', async () => {
  const problem = async (action: object) => only(await load([http(action)])).message
  expect(await problem({})).toBe('`action` lacks the field `url`.')
  expect(await problem({ url: 'example.com' })).toBe('`url` is no address.')
  expect(await problem({ url: 'ftp://example.com' })).toBe('`url` is of ftp: and not of https:.')
  expect(await problem({ url: 'https://a:b@example.com' })).toContain('which belong into a header')
  expect(await problem({ url: 'https://example.com', method: 'GET' })).toContain('`action.method` is the text "GET"')
  expect(await problem({ url: 'https://example.com', headers: { A: 'a\nb' } })).toContain('`action.headers.A`')
  expect(await problem({ url: 'https://example.com', body: '1', fields: ['cwd'] })).toContain('no effect beside')
})

test('a Claude-format file has the same action', async () => {
  const { url, asked } = await serve({ body: '{"systemMessage": "seen"}' })
  const here = await scene([claudeSource({ PreToolUse: [{ hooks: [{ type: 'http', url, timeout: 5 }] }] })])
  expect(here.hooks.diagnostics).toEqual([])
  expect(here.hooks.snapshot.entries[0]).toMatchObject({ name: new URL(url).host, value: { timeoutMs: 5000 } })
  expect(texts((await fire(here, 'PreToolUse')).notices)).toEqual(['seen'])
  expect(asked).toHaveLength(1)
})
