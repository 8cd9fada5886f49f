import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { client, hostile, inMemory, names, only, PATIENCE } from './helpers.js'

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

    const approved = await client({
      layers,
      approved: ({ value: { transport } }) => transport?.kind === 'stdio' && transport.args.includes('two'),
    })
    await approved.ready({ within: PATIENCE })
    expect(names(approved)).toEqual(['mcp__a__two'])
  })

  test('approval sees variables by name, not their values', async () => {
    const seen: unknown[] = []
    await client({
      layers: [
        inMemory(
          { a: { command: 'a', env: { KEY: '${HOME}' } }, b: { url: 'https://${HOME}', headers: { K: '${HOME}' } } },
          { layer: 'project' },
        ),
      ],
      approved: (entry) => seen.push(entry.value.transport) < 0,
    })
    expect(seen).toMatchObject([{ env: { KEY: '${HOME}' } }, { url: 'https://${HOME}', headers: { K: '${HOME}' } }])
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
  const file = join(await mkdtemp(join(tmpdir(), 'mcp-')), 'config.yaml')
  await writeFile(file, 'mcpServers:\n  a:\n    command: no-such-program\n')
  const made = await client({ layers: [{ kind: 'file', layer: 'user', dialect: 'ext', path: file }] })
  expect(await made.ready({ within: PATIENCE })).toEqual({ ready: [], late: [], failed: ['a'] })
  const found = only(made, 'mcp.server.failed')
  expect(found).toMatchObject({ source: { line: 3, column: 5 }, hint: expect.stringContaining('PATH') })
  expect(found.message).toContain('`a` could not be started: `no-such-program` was not found')
})

test('a dialect that is not read here is a mistake of the program', async () => {
  await expect(client({ layers: [inMemory({}, { dialect: 'toml' })] })).rejects.toThrow('No reader for the dialect')
})
