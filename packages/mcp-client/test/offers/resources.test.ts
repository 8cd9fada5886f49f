import { describe, expect, test } from 'vitest'
import { codes, hostile, names, PATIENCE, settled, textOf } from '../helpers.js'

const patience = { timeout: PATIENCE }

describe('resources', () => {
  test('are listed over all pages and servers, with the templates, when somebody asks', async () => {
    const made = await settled({
      b: hostile('library', '3', '2'),
      a: hostile('library', '1', '1'),
      plain: hostile('echo'),
    })
    const { items, problems } = await made.resources.list()
    expect(problems).toEqual([])
    expect(items.map(({ server, name }) => `${server} ${name}`)).toEqual([
      'a page-1-1',
      ...[1, 2, 3].flatMap((page) => [`b page-${page}-1`, `b page-${page}-2`]),
    ])
    expect(items[0]).toEqual({
      server: 'a',
      uri: 'file:///page-1-1',
      name: 'page-1-1',
      description: 'Call 0.',
      mimeType: 'text/plain',
      size: 5,
    })
    const templates = await made.resources.templates({ server: 'b' })
    expect(templates.items).toEqual([
      { server: 'b', uriTemplate: 'big:///{bytes}', name: 'big', mimeType: 'text/plain' },
    ])
  })

  test('are asked for once, and again when the server says that they are others', async () => {
    const made = await settled({ s: hostile('library', '1') })
    const log = () => made.status()[0]?.stderrTail ?? ''
    await made.resources.list()
    const [first] = (await made.resources.list()).items
    // What it writes to stderr may come after its answer.
    await expect.poll(() => log().match(/listed page 1/g)?.length, patience).toBe(1)
    await made.call('mcp__s__echo', { times: 50 })
    await expect.poll(async () => (await made.resources.list()).items[0]?.description, patience).toBe('Call 1.')
    expect(first?.description).toBe('Call 0.')
    expect((log().match(/listed page 1/g) ?? []).length).toBeLessThan(4)
  })

  test('that never end, and entries that are none, cost themselves only, and are said', async () => {
    const made = await settled({ endless: hostile('endlessresources'), good: hostile('library', '1', '1') })
    const { items, problems } = await made.resources.list()
    expect(items).toHaveLength(101)
    expect(problems).toEqual([
      { server: 'endless', message: expect.stringContaining('has 100 entries without an address or name, or double') },
      { server: 'endless', message: 'The list of resources of `endless` was cut off: it has more than 100 pages.' },
    ])
    expect(items.at(-1)).toMatchObject({ server: 'good' })
  })

  test('are read as content, one block for each part; what is none becomes a word about it', async () => {
    const made = await settled({ s: hostile('library') })
    expect(await made.resources.read('s', 'file:///a')).toEqual({
      content: [
        { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'This is file:///a.' } },
      ],
      isError: false,
    })
    expect((await made.resources.read('s', 'odd:///')).content).toEqual([
      { type: 'text', text: '[left out: a map instead of a part of a resource]' },
      { type: 'text', text: '[left out: the number 7 instead of a part of a resource]' },
      { type: 'resource', resource: { uri: 'odd:///', blob: 'AAAA' } },
    ])
  })

  test('that are too large are kept elsewhere, and the beginning is shown', async () => {
    const kept: number[] = []
    const spill = {
      async keep({ data, tool }: { readonly data: string | Uint8Array; readonly tool: string }) {
        kept.push(data.length)
        return { uri: `file:///kept/${tool}` }
      },
    }
    const made = await settled({ s: hostile('library') }, { spill })
    const result = await made.resources.read('s', 'big:///3000000')
    expect(kept).toEqual([3_000_000])
    expect(textOf(result)).toContain('this text has 3000000 bytes')
    expect(result.content.at(-1)).toMatchObject({ type: 'resource_link', uri: 'file:///kept/resource' })
    expect(textOf(await made.resources.read('s', 'big:///67108864'))).toContain('gave an answer of more than 64 MiB')
    expect((await made.resources.read('s', 'file:///a')).isError).toBe(false)
  })

  test('that can not be read are results that say why', async () => {
    const made = await settled({ s: hostile('library'), plain: hostile('echo'), down: { command: 'no-such-program' } })
    const read = async (server: string, uri = 'file:///a') => textOf(await made.resources.read(server, uri))
    expect(await read('s', 'nowhere:///')).toBe(
      'The server `s` refused resources/read: MCP error -32002: Resource not found. Check the address of the resource against the list of resources.',
    )
    expect(await read('s', 'none:///')).toContain('sent the text "none" where the contents of a resource belong')
    expect(await read('plain')).toContain('The server `plain` has no resources.')
    expect(await read('down')).toContain('The server `down` is down')
    expect(await read('nobody')).toBe('There is no server `nobody`. There are: down, plain, s.')
    expect((await made.resources.list({ server: 'down' })).problems[0]?.message).toContain('`down` is down')
    await expect(
      made.resources.read('s', 'file:///a', { signal: AbortSignal.abort(new Error('mine')) }),
    ).rejects.toThrow('mine')
  })

  test('wait for their turn like calls', async () => {
    const made = await settled({
      s: { ...hostile('library'), limits: { rate: { perSecond: 1, burst: 2 } }, timeout: { call: '300ms' } },
    })
    const results = await Promise.all([1, 2, 3].map(() => made.resources.read('s', 'file:///a')))
    expect(results.map(({ meta }) => meta?.['kind'])).toEqual([undefined, undefined, 'limited'])
  })
})

describe('a subscription', () => {
  test('tells of a change soon, once for many, and is ended at the server with the last listener', async () => {
    const made = await settled({ s: hostile('library') })
    const heard: string[] = []
    const first = await made.resources.subscribe('s', 'file:///a', (uri) => heard.push(`first ${uri}`))
    const second = await made.resources.subscribe('s', 'file:///a', (uri) => heard.push(`second ${uri}`))
    await made.call('mcp__s__echo', { times: 1000 })
    await expect.poll(() => heard, patience).toEqual(['first file:///a', 'second file:///a'])
    const log = () => made.status()[0]?.stderrTail ?? ''
    if (!first.failed) first.end()
    await made.call('mcp__s__echo', {})
    await expect.poll(() => heard, patience).toHaveLength(3)
    expect(log()).not.toContain('unsubscribed')
    if (!second.failed) second.end()
    if (!second.failed) second.end()
    await expect.poll(log, patience).toContain('unsubscribed file:///a')
    await made.call('mcp__s__echo', {})
    expect(heard).toHaveLength(3)
  })

  test('holds while the server is started again, and tells that something may have been missed', async () => {
    const made = await settled({ s: hostile('library') })
    const heard: string[] = []
    await made.resources.subscribe('s', 'file:///a', (uri) => heard.push(uri))
    await made.call('mcp__s__echo', { die: true })
    await expect.poll(() => heard, patience).toEqual(['file:///a'])
    await expect.poll(() => made.status()[0]?.stderrTail, patience).toContain('subscribed file:///a')
    await made.call('mcp__s__echo', {})
    await expect.poll(() => heard, patience).toHaveLength(2)
  })

  test('of a server that does not tell fails with what to do instead', async () => {
    const made = await settled({ s: hostile('endlessresources') })
    const { failed } = await made.resources.subscribe('s', 'file:///1', () => {})
    expect(failed && textOf(failed)).toContain('does not tell when resources change. Read the resource again')
  })
})

describe('what a model gets of resources', () => {
  test('are two tools that only read, while a server that has some is up', async () => {
    const made = await settled({ s: hostile('library') })
    expect(names(made)).toEqual(['list_mcp_resources', 'mcp__s__echo', 'read_mcp_resource'])
    const [list] = made.tools()
    expect(list).toMatchObject({ kind: 'read', annotations: { readOnly: true }, source: { trusted: true } })
    expect(list?.system).toBeUndefined()
    expect(JSON.parse(textOf(await made.call('list_mcp_resources', { server: 's' })))).toMatchObject({
      resources: [{ server: 's', uri: 'file:///page-1-1' }, {}, {}, {}],
      templates: [{ server: 's', uriTemplate: 'big:///{bytes}' }],
    })
    const read = await made.call('read_mcp_resource', { server: 's', uri: 'file:///a' })
    expect(read.content).toMatchObject([{ resource: { text: 'This is file:///a.' } }])
    expect(await made.call('read_mcp_resource', { server: 's' })).toMatchObject({ isError: true })
    expect(await made.call('list_mcp_resources', { server: 'x' })).toMatchObject({ isError: true })
    const tools = made.tools()
    await made.apply()
    expect(made.tools()).toBe(tools)
  })

  test('are not there without such a server, or if the program does not want them', async () => {
    expect(names(await settled({ s: hostile('echo') }))).toEqual(['mcp__s__echo'])
    const made = await settled({ s: hostile('library') }, { resourceTools: false })
    expect(names(made)).toEqual(['mcp__s__echo'])
    expect(await made.call('list_mcp_resources', {})).toMatchObject({ isError: true, meta: { phase: 'find' } })
    expect(codes(made.diagnostics)).toEqual([])
  })
})
