import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatPlace, type LayerName } from '@ext/kernel'
import { nodePorts } from '@ext/kernel/node'
import { describe, expect, test } from 'vitest'
import type { McpClient } from '../src/index.js'
import { client, codes, hostile, inMemory, names, only, PATIENCE, settled, textOf } from './helpers.js'

/** A client of one file with this text; nothing is approved, so nothing is started unless the layer is the user's. */
async function ofFile(name: string, text: string, layer: LayerName = 'user', env: Record<string, string> = {}) {
  const file = join(await mkdtemp(join(tmpdir(), 'mcp-')), name)
  await writeFile(file, text)
  const dialect = name === '.mcp.json' ? 'claude-mcp' : 'ext'
  return client({ layers: [{ kind: 'file', layer, dialect, path: file }], ports: nodePorts(env), cwd: '/work-here' })
}

/** What is started for a server. */
function launch(made: McpClient, name: string) {
  const found = made.snapshot.entries.find((entry) => entry.name === name)
  if (!found) throw new Error(`no ${name}: ${codes(made.diagnostics)}`)
  return found.value.launch()
}

function places(made: McpClient): readonly string[] {
  return made.snapshot.diagnostics.map(
    ({ code, source }) => `${code} ${formatPlace({ ...source, file: source.file?.split('/').at(-1) ?? '' })}`,
  )
}

test.each(['config.yaml', '.mcp.json'])(
  'a server that is disabled in the words of other programs stays off in %s',
  async (name) => {
    const servers = {
      off: { command: 'true', disabled: true },
      on: { command: 'true', disabled: false },
      unclear: { command: 'true', disabled: 'yes' },
    }
    const made = await ofFile(name, JSON.stringify({ mcpServers: servers }))
    expect(made.snapshot.records.map((record) => [record.name, record.verdict])).toEqual([
      ['unclear', 'broken'],
      ['off', 'disabled'],
      ['on', 'loaded'],
    ])
    expect(codes(made.snapshot.diagnostics)).toEqual(['mcp.field.refused', 'mcp.field.foreign', 'mcp.field.foreign'])
  },
)

describe('a server that is configured wrongly is named with its place, and its siblings are loaded', () => {
  test('in YAML', async () => {
    const made = await ofFile(
      'config.yaml',
      `
mcpServers:
  good: { command: "true" }
  typo:
    comand: npx
  "bad name": { command: a }
  remote: { type: http, url: "https://e.test" }
  inferred: { url: "https://e.test" }
  wrong: { command: a, args: [1], trust: perhaps }
  empty: { type: "", command: a }
  slow: { command: a, timeout: { connect: 0s } }
  bare: { command: a, timeout: { call: 30 } }
`,
    )
    expect(made.snapshot.entries.map(({ name }) => name)).toEqual(['good'])
    expect(places(made)).toMatchInlineSnapshot(`
      [
        "schema.required config.yaml:5:5",
        "mcp.name.invalid config.yaml:6:3",
        "mcp.transport.unsupported config.yaml:7:19",
        "mcp.transport.unsupported config.yaml:8:20",
        "schema.type config.yaml:9:31",
        "schema.type config.yaml:9:42",
        "schema.value config.yaml:10:18",
        "mcp.timeout.invalid config.yaml:11:43",
        "schema.type config.yaml:12:40",
        "schema.unknown-key config.yaml:5:5",
      ]
    `)
  })

  test('with a suggestion for a misspelt field', async () => {
    const made = await ofFile('config.yaml', 'mcpServers: { a: { comand: npx } }')
    expect(only(made, 'schema.required').hint).toContain('`comand`')
    expect(only(made, 'schema.unknown-key').hint).toBe('Did you mean `command`?')
  })

  test('in JSON as Claude writes it', async () => {
    const made = await ofFile('.mcp.json', '{ "mcpServers": {\n "web": { "type": "sse", "url": "https://e.test" } } }')
    const found = only(made, 'mcp.transport.unsupported')
    expect(found.message).toBe('`web` is a server over HTTP; this version speaks stdio only.')
    expect(found.source).toMatchObject({ line: 2, column: 19 })
  })
})

test('a field that later versions act on is named, and the server is used without it', async () => {
  const made = await ofFile(
    'config.yaml',
    'mcpServers: { a: { command: "true", lazy: true, reconnect: { attempts: 3 } } }',
  )
  expect(made.diagnostics.filter(({ code }) => code === 'mcp.field.unsupported')).toHaveLength(2)
  expect(made.snapshot.entries).toHaveLength(1)
})

test('a field that restricts and can not be enforced keeps the server off', async () => {
  const made = await ofFile('config.yaml', 'mcpServers: { a: { command: "true", tools: { deny: [rm] } } }')
  expect(only(made, 'mcp.field.refused')).toMatchObject({ severity: 'error', source: { line: 1 } })
  expect(made.snapshot.entries).toHaveLength(0)
})

test('an .mcp.json without the section, or that is a list, is not empty without a word', async () => {
  expect(codes((await ofFile('.mcp.json', '{ "servers": {} }')).snapshot.diagnostics)).toEqual(['mcp.file.no-servers'])
  expect(codes((await ofFile('.mcp.json', '[]')).snapshot.diagnostics)).toEqual(['config.shape'])
})

test('an .mcp.json can neither raise trust nor set timeouts', async () => {
  const made = await ofFile('.mcp.json', '{"mcpServers":{"a":{"command":"true","trust":true,"timeout":5000}}}')
  expect(codes(made.snapshot.diagnostics)).toEqual(['mcp.field.unsupported', 'mcp.field.unsupported'])
  expect(made.snapshot.entries[0]?.value).toMatchObject({ trusted: false, callMs: 60_000 })
})

describe('what is started', () => {
  test('gets the minimal environment, what is declared, and nothing else of the host', async () => {
    const env = { PATH: '/bin', SECRET: 's', TOKEN: 't', HOME: '/home/x' }
    const made = await ofFile(
      'config.yaml',
      'mcpServers: { a: { command: a, env: { KEY: "${TOKEN}-1" } } }',
      'user',
      env,
    )
    expect(launch(made, 'a').env).toEqual({ PATH: '/bin', HOME: '/home/x', KEY: 't-1' })
    expect(JSON.stringify(made.snapshot)).not.toContain('t-1')
  })

  test('runs in the working folder, where relative paths start too', async () => {
    const made = await ofFile(
      'config.yaml',
      'mcpServers: { a: { command: ./bin/a, cwd: sub }, b: { command: b }, c: { command: /c, cwd: /d } }',
    )
    expect(launch(made, 'a')).toMatchObject({ command: { file: '/work-here/./bin/a' }, cwd: '/work-here/sub' })
    expect(launch(made, 'b')).toMatchObject({ command: { file: 'b' }, cwd: '/work-here' })
    expect(launch(made, 'c')).toMatchObject({ command: { file: '/c' }, cwd: '/d' })
  })

  test('has variables expanded in `env` only, and any other ${…} is named', async () => {
    const made = await ofFile(
      'config.yaml',
      'mcpServers: { a: { command: "${HOME}/a", args: ["${X}"], env: { A: "${X:-d}", B: "${X}", C: "${Y} ${Y}" } } }',
      'user',
      { X: '${HOME}', HOME: '/h' },
    )
    const { command, env } = launch(made, 'a')
    expect(command).toEqual({ file: '/work-here/${HOME}/a', args: ['${X}'] })
    // What a variable holds is never expanded again.
    expect(env).toEqual({ HOME: '/h', A: '${X:-d}', B: '${HOME}', C: ' ' })
    expect(made.diagnostics.filter(({ code }) => code === 'mcp.env.not-expanded').map((each) => each.pointer)).toEqual([
      '/mcpServers/a/command',
      '/mcpServers/a/args/0',
      '/mcpServers/a/env/A',
    ])
    expect(only(made, 'mcp.env.undefined').message).toContain('`Y`')
  })

  test('has variables with defaults expanded in `env` and `args` of an .mcp.json', async () => {
    const entry = { command: '${CLAUDE_PLUGIN_ROOT}/a', args: ['${X:-d}', '${Z}'], env: { A: '${X}', B: '${Z}' } }
    const made = await ofFile('.mcp.json', JSON.stringify({ mcpServers: { a: entry } }), 'user', { X: 'x' })
    expect(launch(made, 'a')).toMatchObject({ command: { args: ['x', ''] }, env: { A: 'x', B: '' } })
    expect(only(made, 'mcp.env.not-expanded').pointer).toBe('/mcpServers/a/command')
    expect(only(made, 'mcp.env.undefined').message).toContain('`Z`')
  })
})

describe('consent', () => {
  test('a server of the project is not started before it is approved, and hides nothing of the user', async () => {
    const layers = [
      inMemory({ a: hostile('named', 'one') }),
      inMemory({ a: hostile('named', 'two') }, { layer: 'project' }),
    ]
    const refused = await client({ layers: [...layers, inMemory({ b: hostile('echo') }, { layer: 'local' })] })
    await refused.ready({ within: PATIENCE })
    expect(names(refused)).toEqual(['mcp__a__one'])
    expect(refused.status().map(({ name, state }) => `${name} ${state}`)).toEqual(['a ready', 'b untrusted'])
    expect(refused.diagnostics.filter(({ code }) => code === 'config.entry.untrusted')).toHaveLength(2)

    const approved = await client({ layers, approved: (entry) => entry.value.args.includes('two') })
    await approved.ready({ within: PATIENCE })
    expect(names(approved)).toEqual(['mcp__a__two'])
  })

  test('approval sees variables by name, not their values', async () => {
    const seen: unknown[] = []
    await client({
      layers: [inMemory({ a: { command: 'a', env: { KEY: '${HOME}' } } }, { layer: 'project' })],
      approved: (entry) => seen.push(entry.value.env) < 0,
    })
    expect(seen).toEqual([{ KEY: '${HOME}' }])
  })
})

test('a nearer layer can switch a server off', async () => {
  const made = await client({
    layers: [inMemory({ a: hostile('echo') }), inMemory({ a: { enabled: false } }, { layer: 'session' })],
  })
  expect(await made.ready()).toEqual({ ready: [], late: [], failed: [] })
  expect(made.status()).toMatchObject([{ name: 'a', state: 'disabled', tools: 0 }])
  expect(made.snapshot.records.map(({ verdict }) => verdict)).toEqual(['shadowed', 'disabled'])
})

test('a program that does not exist is named with the place of its entry', async () => {
  const made = await ofFile('config.yaml', 'mcpServers:\n  a:\n    command: no-such-program\n')
  expect(await made.ready({ within: PATIENCE })).toEqual({ ready: [], late: [], failed: ['a'] })
  const found = only(made, 'mcp.server.failed')
  expect(found).toMatchObject({ source: { line: 3, column: 5 }, hint: expect.stringContaining('PATH') })
  expect(found.message).toContain('`a` could not be started: `no-such-program` was not found')
})

test('time limits of an entry go before those of the client', async () => {
  const entry = { ...hostile('slow'), timeout: { call: '100ms', connect: '1m30s' } }
  const made = await settled({ a: entry }, { timeouts: { connectMs: 7000, callMs: 50_000 } })
  expect(made.snapshot.entries[0]?.value).toMatchObject({ callMs: 100, connectMs: 90_000 })
  expect(textOf(await made.call('mcp__a__echo', {}))).toContain('did not answer within 0.1 s')
})

test('a dialect that is not read here is a mistake of the program', async () => {
  await expect(client({ layers: [inMemory({}, { dialect: 'toml' })] })).rejects.toThrow('No reader for the dialect')
})
