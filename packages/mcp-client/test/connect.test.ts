import { describe, expect, test } from 'vitest'
import { client, codes, everything, hostile, inMemory, names, only, PATIENCE, settled, textOf } from './helpers.js'

describe('a real server', () => {
  test('is listed, called and gives text and images', async () => {
    const made = await settled({ all: everything() })
    expect(names(made)).toEqual(names(made).toSorted())
    expect(names(made)).toContain('mcp__all__echo')
    expect(textOf(await made.call('mcp__all__echo', { message: 'hi' }))).toBe('Echo: hi')
    expect(textOf(await made.call('mcp__all__get-sum', { a: 2, b: 3 }))).toContain('5')
    const image = await made.call('mcp__all__get-tiny-image', {})
    expect(image.content).toContainEqual({ type: 'image', data: expect.any(String), mimeType: 'image/png' })
    expect(made.diagnostics).toEqual([])
  })

  test('says what it refuses', async () => {
    const made = await settled({ all: everything() })
    const result = await made.call('mcp__all__get-sum', { a: 'two' })
    expect(result).toMatchObject({ isError: true, meta: { server: 'all', phase: 'call', kind: 'remote' } })
  })

  test('sees no variable of the host that was not declared for it', async () => {
    const made = await settled({ all: { ...everything(), env: { DECLARED: 'yes' } } })
    const env = JSON.parse(textOf(await made.call('mcp__all__get-env', {}))) as Record<string, string>
    expect(env['DECLARED']).toBe('yes')
    expect(Object.keys(env).filter((name) => /^(npm_|VITEST|NODE_)/.test(name))).toEqual([])
  })
})

describe('a server that never becomes ready costs itself only', () => {
  test.each([
    [
      'exits',
      'exit',
      'exited with code 3 before it answered initialize. Its last words on stderr: "no database at db.sqlite"',
    ],
    ['answers initialize with no result', 'badinit', 'gave an answer to initialize that is not MCP'],
    ['leaves out its capabilities', 'badcapabilities', 'failed at initialize: the answer lacks what MCP asks for'],
    ['speaks another version', 'oldversion', 'protocol version is not supported: 1999-01-01'],
    ['has a list of tools that is none', 'badlist', 'gave an answer to tools/list that has no list of tools'],
  ])('when it %s', async (_what, mode, message) => {
    const made = await settled({ bad: hostile(mode), good: hostile('echo') })
    expect(await made.ready()).toEqual({ ready: ['good'], late: [], failed: ['bad'] })
    expect(textOf(await made.call('mcp__good__echo', { text: 'hi' }))).toBe('hi')
    expect(only(made, 'mcp.server.failed').message).toContain(message)
    expect(await made.call('mcp__bad__echo', {})).toMatchObject({
      isError: true,
      meta: { server: 'bad', phase: 'connect', kind: 'network' },
    })
  })

  test.each(['silent', 'mute'])('when it is %s: `ready` is back at its budget and names it', async (mode) => {
    const made = await client({
      layers: [inMemory({ bad: hostile(mode), good: hostile('echo'), fine: hostile('echo') })],
      defaults: { connectMs: 4000 },
    })
    const started = performance.now()
    expect(await made.ready({ within: 2000 })).toMatchObject({ late: ['bad'], failed: [] })
    expect(performance.now() - started).toBeLessThan(3500)
    expect(textOf(await made.call('mcp__good__echo', { text: 'hi' }))).toBe('hi')
    expect(textOf(await made.call('mcp__bad__echo', {}))).toContain('still connecting')

    expect(await made.ready({ within: PATIENCE })).toEqual({ ready: ['good', 'fine'], late: [], failed: ['bad'] })
    expect(only(made, 'mcp.server.failed').message).toBe('`bad` gave no answer to initialize within 4 s.')
  })
})

describe('a server that misbehaves is used as far as it works', () => {
  test('junk on its stdout is skipped, counted, and said once', async () => {
    const made = await settled({ junk: hostile('junk') })
    expect(textOf(await made.call('mcp__junk__echo', { text: 'hi' }))).toBe('hi')
    expect(only(made, 'mcp.output.junk').message).toBe(
      '`junk` wrote 3 lines that are not MCP to stdout, first "Welcome to the server!".',
    )
    const once = await settled({
      once: { command: 'sh', args: ['-c', 'echo hello; exec sleep 9'], timeout: { connect: '2s' } },
    })
    expect(only(once, 'mcp.output.junk').message).toBe('`once` wrote a line that is not MCP to stdout, first "hello".')
  })

  test('a broken tool is left out with a reason, the others live', async () => {
    const made = await settled({ s: hostile('badschema') })
    expect(names(made)).toEqual(['mcp__s__bare', 'mcp__s__blank', 'mcp__s__good'])
    expect(made.diagnostics.map(({ message }) => message)).toMatchInlineSnapshot(`
      [
        "The tool "no-type" of \`s\` is left out: the \`type\` of its input schema is nothing, not the text "object".",
        "The tool "list" of \`s\` is left out: its input schema is a list, not a map.",
        "The tool "null-type" of \`s\` is left out: the \`type\` of its input schema is the text "null", not the text "object".",
        "Tool number 6 of \`s\` is left out: it has no name.",
        "Tool number 7 of \`s\` is left out: it has no name.",
        "The tool "bare" of \`s\` has no input schema; any object is accepted.",
      ]
    `)
    const [bare, blank] = made.tools()
    expect(bare).toMatchObject({ inputSchema: { type: 'object' }, description: 'Tool bare of server s' })
    expect(blank).toMatchObject({ title: 'Blank', description: 'Tool blank of server s' })
  })

  test('a reference that leads nowhere costs the tool whose input it describes', async () => {
    const made = await settled({ s: hostile('badref') })
    expect(names(made)).toEqual(['mcp__s__good', 'mcp__s__output'])
    expect(codes(made.diagnostics)).toEqual(['mcp.tool.quarantined', 'mcp.tool.quarantined'])
  })

  test('the second tool of the same name is left out', async () => {
    const made = await settled({ s: hostile('twins') })
    expect(names(made)).toEqual(['mcp__s__other', 'mcp__s__twin'])
    expect(made.tools()[1]?.description).toBe('first')
    expect(only(made, 'mcp.tool.quarantined').message).toContain('A second tool "twin"')
  })

  test('a server without tools is ready with none', async () => {
    const made = await settled({ s: hostile('notools') })
    expect(made.status()).toMatchObject([{ state: 'ready', tools: 0 }])
  })
})

describe('the list of tools', () => {
  test('is read to its last page', async () => {
    expect(names(await settled({ s: hostile('pages') }))).toEqual([
      'mcp__s__page-1',
      'mcp__s__page-2',
      'mcp__s__page-3',
    ])
  })

  test.each([
    ['repeats its cursor', 'loop', 1, 'it sent the cursor "x" a second time'],
    ['never ends', 'endless', 100, 'it has more than 100 pages'],
  ])('is cut off when it %s', async (_what, mode, count, why) => {
    const made = await settled({ s: hostile(mode) })
    expect(made.tools()).toHaveLength(count)
    expect(only(made, 'mcp.tools.incomplete').message).toContain(why)
  })

  test('names are the same whatever else is connected, and in whatever order', async () => {
    const servers = { b: hostile('named', 'x.y', 'x/y', 'x_y'), a: hostile('named', 'z') }
    const both = names(await settled(servers))
    expect(both).toHaveLength(4)
    expect(names(await settled({ a: servers.a, b: servers.b }))).toEqual(both)
    expect(names(await settled({ b: servers.b }))).toEqual(both.filter((name) => name.includes('__b__')))
  })

  // The pair was found by trying four million.
  test('two tools whose hashed names are equal by bad luck cost one of them', async () => {
    const made = await settled({ s: hostile('named', '..../.......////./.../', './....././/....../....') })
    expect(made.tools()).toHaveLength(1)
    expect(only(made, 'mcp.tool.quarantined').message).toContain('has the same full name')
  })

  test('annotations are believed only of a server that is marked trusted, and only if they are clear', async () => {
    const made = await settled({ no: hostile('annotated'), yes: { ...hostile('annotated'), trust: true } })
    expect(made.tools().map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'mcp__no__look exec',
      'mcp__no__truthy exec',
      'mcp__yes__look read',
      'mcp__yes__truthy exec',
    ])
    expect(made.tools()[0]).toMatchObject({
      annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
      source: { server: 'no', tool: 'look', trusted: false },
    })
    expect(made.tools()[2]).toMatchObject({
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      source: { server: 'yes', tool: 'look', trusted: true },
    })
  })

  test('is the same array until it changes, and a change is told', async () => {
    const made = await client({ layers: [inMemory({ a: hostile('echo'), b: hostile('exit') })] })
    const before = made.tools()
    expect(before).toEqual([])
    let changes = 0
    const stop = made.onChange(() => changes++)
    await made.ready({ within: PATIENCE })
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(changes).toBe(2)
    expect(made.tools()).toBe(made.session({ ...SESSION, id: '1' }).tools())
    expect(made.tools()).toBe(made.session({ ...SESSION, id: '2' }).tools())
    expect(made.tools()).toHaveLength(1)
    expect(before).toEqual([])
    stop()
    await made.close()
    expect(changes).toBe(2)
  })
})

const SESSION = { cwd: '/', origin: 'main', permissionMode: 'default' } as const
