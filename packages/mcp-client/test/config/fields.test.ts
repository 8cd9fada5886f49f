import { describe, expect, test } from 'vitest'
import { ofFile, one } from './helpers.js'

describe('a server that is configured wrongly is named with its place, and its siblings are loaded', () => {
  test('in YAML', async () => {
    const loaded = await ofFile(
      'config.yaml',
      `
mcpServers:
  good: { command: "true" }
  remote: { type: http, url: "https://e.test" }
  inferred: { url: "https://e.test" }
  typo:
    comand: npx
  "bad name": { command: a }
  ${'n'.repeat(70)}: { command: a }
  wrong: { command: a, args: [1], trust: perhaps }
  nothing:
  text: npx server
  slow: { command: a, timeout: { connect: 0s } }
  bare: { command: a, timeout: { call: 30 } }
  huge: { command: a, limits: { maxResult: 10 } }
  list: { command: [npx, -y, server] }
`,
    )
    expect(loaded.names).toEqual(['good', 'remote', 'inferred'])
    expect(loaded.places).toMatchInlineSnapshot(`
      [
        "mcp.transport.missing config.yaml:7:5",
        "mcp.name.invalid config.yaml:8:3",
        "mcp.name.invalid config.yaml:9:3",
        "schema.type config.yaml:10:31",
        "schema.type config.yaml:10:42",
        "schema.type config.yaml:11:3",
        "schema.type config.yaml:12:9",
        "mcp.timeout.invalid config.yaml:13:43",
        "mcp.timeout.invalid config.yaml:14:40",
        "mcp.size.invalid config.yaml:15:44",
        "mcp.command.invalid config.yaml:16:20",
        "schema.unknown-key config.yaml:7:5",
      ]
    `)
    expect(loaded.said('error')).toMatchInlineSnapshot(`
      [
        "mcp.transport.missing: \`typo\` has neither a \`command\` nor a \`url\`. Did you mean \`command\` where it says \`comand\`?",
        "mcp.name.invalid: The server name "bad name" can't become part of a tool's name. Use 1 to 64 letters, digits, _ and -, such as \`bad-name\`.",
        "mcp.name.invalid: The server name "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" can't become part of a tool's name. Use 1 to 64 letters, digits, _ and -, such as \`nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\`.",
        "schema.type: \`args.0\` is the number 1, not a text. Write a text.",
        "schema.type: \`trust\` is the text "perhaps", not true or false. Write true or false.",
        "schema.type: The entry is null, not a map. Write a map.",
        "schema.type: The entry is the text "npx server", not a map. Write a map.",
        "mcp.timeout.invalid: \`timeout.connect\` is the text "0s": zero would be over before it starts. Write a number with a unit, such as 500ms, 30s, 5m or 1h30m.",
        "mcp.timeout.invalid: \`timeout.call\` is the number 30: 30 has no unit; write "30s" for seconds or "30ms" for milliseconds. Write a number with a unit, such as 500ms, 30s, 5m or 1h30m.",
        "mcp.size.invalid: \`limits.maxResult\` is the number 10: 10 has no unit; write "10B" for bytes. Write a number with a unit, such as 512KiB or 10MiB.",
        "mcp.command.invalid: \`command\` is a list, not a text. Write the program into \`command\`, and the rest of the list into \`args\`.",
      ]
    `)
  })

  test('with a suggestion for a misspelt field', async () => {
    const loaded = await one('{ comand: npx }')
    expect(loaded.only('mcp.transport.missing').hint).toBe('Did you mean `command` where it says `comand`?')
    expect(loaded.only('schema.unknown-key').hint).toBe('Did you mean `command`?')
    expect((await one('{ urll: "https://e.test" }')).only('mcp.transport.missing').hint).toContain('`url`')
  })

  test('in JSON', async () => {
    const loaded = await ofFile('.mcp.json', '{ "mcpServers": {\n "web": { "type": "sse", "url": "e.test" } } }')
    expect(loaded.only('mcp.url.invalid').source).toMatchObject({ line: 2, column: 33 })
  })
})

describe('how a server is spoken to', () => {
  test.each([
    ['{ command: a }', { kind: 'stdio' }],
    ['{ type: stdio, command: a }', { kind: 'stdio' }],
    ['{ url: "https://e.test" }', { kind: 'http', form: 'http', listen: 'auto' }],
    ['{ type: http, url: "https://e.test", listen: off }', { kind: 'http', form: 'http', listen: 'off' }],
    ['{ type: sse, url: "https://e.test" }', { kind: 'http', form: 'sse' }],
  ])('is clear of %s', async (entry, endpoint) => {
    const loaded = await one(entry)
    expect(loaded.diagnostics).toEqual([])
    expect(loaded.server('a').endpoint()).toMatchObject(endpoint)
  })

  test.each(['streamable-http', 'streamableHttp'])('may be called %s', async (type) => {
    const loaded = await one(`{ type: ${type}, url: "https://e.test" }`)
    expect(loaded.server('a').endpoint()).toMatchObject({ kind: 'http', form: 'http' })
    expect(loaded.said('info')).toEqual([
      `mcp.field.foreign: \`type: ${type}\` is read as \`http\`. Write \`type: http\`.`,
    ])
  })

  test.each([
    ['{ type: "", command: a }', 'mcp.type.empty', '`type` of `a` is empty.', 'Remove it'],
    ['{ type: htpp, url: "https://e.test" }', 'mcp.type.invalid', 'the text "htpp"', 'Did you mean `http`?'],
    ['{ type: streamble-http, url: "https://e.test" }', 'mcp.type.invalid', 'not known', 'Did you mean `http`?'],
    ['{ type: 1, command: a }', 'mcp.type.invalid', 'the number 1, not a text', 'stdio, http, sse'],
    ['{ type: carrier-pigeon, command: a }', 'mcp.type.invalid', 'not known', 'stdio, http, sse'],
    ['{ type: ws, url: "wss://e.test" }', 'mcp.transport.unsupported', 'of type ws', 'stdio or http form'],
    ['{ command: a, url: "https://e.test" }', 'mcp.transport.unclear', 'a `command` and a `url`', 'Remove one'],
    ['{ type: http, command: a }', 'mcp.transport.missing', 'has no `url`', 'write `type: stdio`'],
    ['{ type: stdio, url: "https://e.test" }', 'mcp.transport.missing', 'has no `command`', 'write `type: http`'],
    ['{ type: sse }', 'mcp.transport.missing', 'has no `url`', 'Add `url`'],
    ['{ env: {} }', 'mcp.transport.missing', 'neither a `command` nor a `url`', 'Add `command`'],
  ])('has a message of its own in %s', async (entry, code, message, hint) => {
    const loaded = await one(entry)
    expect(loaded.names).toEqual([])
    expect(loaded.said('error')).toHaveLength(1)
    expect(loaded.only(code)).toMatchObject({
      severity: 'error',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
      source: { line: 2 },
    })
  })

  test('fields of the other kind do nothing, and it is said', async () => {
    const loaded = await one('{ type: stdio, command: a, url: "https://e.test", headers: { A: b } }')
    expect(loaded.names).toEqual(['a'])
    expect(loaded.said('warning').map((text) => text.slice(0, 40))).toEqual([
      'mcp.field.no-effect: `url` has no effect',
      'mcp.field.no-effect: `headers` has no ef',
    ])
  })
})

describe('what is started', () => {
  test('runs in the working folder, where relative paths start too', async () => {
    const loaded = await ofFile(
      'config.yaml',
      'mcpServers: { a: { command: ./bin/a, cwd: sub }, b: { command: b }, c: { command: /c, cwd: /d } }',
    )
    expect(loaded.server('a').endpoint()).toMatchObject({
      command: { file: '/work-here/./bin/a' },
      cwd: '/work-here/sub',
    })
    expect(loaded.server('b').endpoint()).toMatchObject({ command: { file: 'b' }, cwd: '/work-here' })
    expect(loaded.server('c').endpoint()).toMatchObject({ command: { file: '/c' }, cwd: '/d' })
  })

  test.each([
    ['{ command: "npx -y server" }', '`command: npx` and `args: ["-y","server"]`'],
    ['{ command: ~/bin/server }', 'Write the whole path.'],
    ['{ command: a, cwd: ~/work }', 'Write the whole path.'],
  ])('is questioned where it is hardly meant: %s', async (entry, hint) => {
    const loaded = await one(entry)
    expect(loaded.only('mcp.command.unlikely')).toMatchObject({
      severity: 'warning',
      hint: expect.stringContaining(hint),
    })
    expect(loaded.names).toEqual(['a'])
  })

  test('a path with blanks is a path', async () => {
    expect((await one('{ command: "/Program Files/node" }')).diagnostics).toEqual([])
  })

  test.each(['{ command: a, args: ["x\\0"] }', '{ command: a, env: { A: "\\0" } }', '{ command: "a\\0" }'])(
    'can not have a NUL: %s',
    async (entry) => {
      expect((await one(entry)).only('mcp.command.invalid').severity).toBe('error')
    },
  )
})

describe('the address of a server', () => {
  test.each([
    ['e.test/mcp', 'is not a URL', 'Begin it with https://'],
    ['localhost:3000/mcp', 'is not a URL', 'Begin it with https://'],
    ['not a url', 'is not a URL', 'such as https://example.com/mcp'],
    ['/mcp', 'is not a URL', 'such as https://example.com/mcp'],
    ['ws://e.test', 'begins with ws://', 'such as https://example.com/mcp'],
    ['file:///etc/passwd', 'begins with file://', 'such as https://example.com/mcp'],
    ['https://me:pw@e.test/', 'holds a user name or a password', 'Write them into `headers`'],
    ['https://token@e.test/', 'holds a user name or a password', 'Write them into `headers`'],
    ['https://e.test/#part', 'has a fragment', 'Remove it.'],
  ])('%s is refused', async (url, message, hint) => {
    const loaded = await one(`{ url: "${url}" }`)
    const found = loaded.only('mcp.url.invalid')
    expect(found).toMatchObject({ severity: 'error', source: { line: 2, column: 13 } })
    expect(found.message).toContain(message)
    expect(found.hint).toContain(hint)
    expect(found.message).not.toContain('pw')
  })

  test('is kept as it is written', async () => {
    const loaded = await one('{ url: "HTTP://E.test:80/a?b=%20" }')
    expect(loaded.server('a').endpoint()).toMatchObject({ url: 'HTTP://E.test:80/a?b=%20' })
  })
})

describe('headers', () => {
  test.each([
    ['"X Y": z', '"X Y" can\'t be the name'],
    ['"": z', '"" can\'t be the name'],
    ['Host: other.test', 'belongs to the connection'],
    ['content-length: "3"', 'belongs to the connection'],
    ['Authorization: a, authorization: b', '`authorization` and `Authorization` are the same header'],
    ['X: "a\\r\\nY: b"', 'has a line break or a NUL'],
    ['X: "snow \u2603"', 'no header can carry'],
  ])('{ %s } is refused', async (headers, message) => {
    const loaded = await one(`{ url: "https://e.test", headers: { ${headers} } }`)
    expect(loaded.names).toEqual([])
    expect(loaded.only('mcp.header.invalid').message).toContain(message)
  })

  test('that the client sets itself are left out, and it is said', async () => {
    const headers = 'Accept: "*/*", content-type: text/plain, X-Key: k'
    const loaded = await one(`{ url: "https://e.test", headers: { ${headers} } }`)
    expect(loaded.server('a').endpoint()).toMatchObject({ headers: { 'X-Key': 'k' } })
    expect(loaded.said('warning')).toHaveLength(2)
  })
})

test('a name that makes full names of tools unclear is questioned', async () => {
  const loaded = await ofFile('config.yaml', 'mcpServers: { a__b: { command: a }, "io.x/y z": { command: a } }')
  expect(loaded.only('mcp.name.unclear').severity).toBe('warning')
  expect(loaded.only('mcp.name.invalid').hint).toBe('Use 1 to 64 letters, digits, _ and -, such as `io-x-y-z`.')
  expect(loaded.names).toEqual(['a__b'])
})

test('fields that restrict and can not be enforced keep the server off; others are named', async () => {
  const loaded = await ofFile(
    'config.yaml',
    `mcpServers:
  boxed: { command: a, sandbox: {} }
  able: { command: a, capabilities: { read: [.] } }
  signed: { url: "https://e.test", auth: { scopes: [x] } }
  lazy: { command: a, lazy: true }
  old: { command: a, lazy: false }
`,
  )
  expect(loaded.names).toEqual(['signed', 'lazy', 'old'])
  expect(loaded.places).toEqual([
    'mcp.field.refused config.yaml:2:24',
    'mcp.field.refused config.yaml:3:23',
    'mcp.field.unsupported config.yaml:4:36',
  ])
  expect([loaded.server('lazy').lazy, loaded.server('old').lazy]).toEqual([true, false])
})

test('the revision is what the entry says, or over HTTP what the server knows', async () => {
  const loaded = await ofFile(
    'config.yaml',
    `mcpServers:
  a: { command: a }
  b: { command: a, protocol: auto }
  c: { command: a, protocol: 2026 }
  d: { url: "https://e.test" }
  e: { url: "https://e.test", protocol: 2025 }
  f: { url: "https://e.test", protocol: "2026" }
  g: { url: "https://e.test", protocol: 2024 }
  h: { url: "https://e.test", type: sse, protocol: 2026 }
  i: { url: "https://e.test", type: sse, protocol: 2025 }
`,
  )
  const spoken = loaded.names.map((name) => [name, loaded.server(name).endpoint().protocol])
  expect(Object.fromEntries(spoken)).toEqual({
    a: '2025',
    b: '2025',
    c: '2026',
    d: 'auto',
    e: '2025',
    f: '2026',
    i: '2025',
  })
  expect(loaded.places).toEqual(['schema.value config.yaml:8:41', 'mcp.protocol.conflict config.yaml:9:52'])
})

test('what is switched off may be as it likes', async () => {
  const loaded = await ofFile('config.yaml', 'mcpServers: { a: { enabled: false }, b: { type: ws, enabled: false } }')
  expect(loaded.diagnostics).toEqual([])
  expect(loaded.snapshot.records.map(({ verdict }) => verdict)).toEqual(['disabled', 'disabled'])
})
