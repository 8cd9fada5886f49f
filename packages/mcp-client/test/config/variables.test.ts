import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodePorts } from '@ext/kernel/node'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadServers } from '../../src/load.js'
import { claude, ofFile, one } from './helpers.js'

describe('variables of the host', () => {
  test('reach a server only as far as they are minimal, declared or handed on', async () => {
    const env = { PATH: '/bin', HOME: '/h', SECRET: 's', TOKEN: 't', HTTPS_PROXY: 'p', GOPATH: '/g', REGION: 'eu' }
    const declared = await one('{ command: a, env: { KEY: "${TOKEN}-1" } }', { env })
    expect(declared.server('a').endpoint()).toMatchObject({ env: { PATH: '/bin', HOME: '/h', KEY: 't-1' } })
    expect(Object.keys((declared.server('a').endpoint() as { env: object }).env)).not.toContain('SECRET')
    expect(JSON.stringify(declared.snapshot)).not.toContain('t-1')

    const handed = await one('{ command: a, inheritEnv: [proxy, REGION, MISSING] }', { env })
    expect(handed.server('a').endpoint()).toMatchObject({ env: { HTTPS_PROXY: 'p', REGION: 'eu', PATH: '/bin' } })
    expect(handed.only('mcp.env.undefined')).toMatchObject({
      pointer: '/mcpServers/a/inheritEnv/2',
      message: '`MISSING` is not set, so there is nothing to pass on.',
    })
    expect((await one('{ command: a, inheritEnv: toolchain }', { env })).server('a').endpoint()).toMatchObject({
      env: { PATH: '/bin', HOME: '/h', GOPATH: '/g' },
    })
    expect((await one('{ command: a, inheritEnv: all }', { env })).server('a').endpoint()).toMatchObject({ env })
  })

  test.each([
    ['{ command: a, inheritEnv: [all] }', 'Write `inheritEnv: all`'],
    ['{ command: a, inheritEnv: al }', 'Did you mean `all`?'],
    ['{ command: a, inheritEnv: GITHUB_TOKEN }', 'or a list of names'],
    ['{ command: a, inheritEnv: ["${A}"] }', 'Write the name only'],
    ['{ command: a, required: ["$A"] }', 'Write the name only'],
    ['{ command: a, env: { "A=B": c } }', 'has no `=`'],
  ])('are handed on by their names: %s', async (entry, hint) => {
    expect((await one(entry)).only('mcp.env.name').hint).toContain(hint)
  })
})

describe('`${NAME}`', () => {
  test('is expanded in `env` and `headers` only, and any other ${…} is named', async () => {
    const env = { X: '${HOME}', HOME: '/h' }
    const loaded = await ofFile(
      'config.yaml',
      `mcpServers:
  a: { command: "\${HOME}/a", args: ["\${X}"], cwd: "\${X}", env: { A: "\${X:-d}", B: "\${X}", C: "\${Y} \${Y}" } }
  b: { url: "https://e.test/\${X}", headers: { H: "\${X}\${env:X}", I: "$X" } }
`,
      { env },
    )
    // What a variable holds is never expanded again.
    expect(loaded.server('a').endpoint()).toEqual({
      kind: 'stdio',
      command: { file: '/work-here/${HOME}/a', args: ['${X}'] },
      protocol: '2025',
      cwd: '/work-here/${X}',
      env: { HOME: '/h', A: '${X:-d}', B: '${HOME}', C: ' ' },
    })
    expect(loaded.server('b').endpoint()).toMatchObject({
      url: 'https://e.test/${X}',
      headers: { H: '${HOME}${env:X}', I: '$X' },
    })
    expect(
      loaded.diagnostics
        .filter(({ code }) => code === 'mcp.env.not-expanded')
        .map(({ pointer, hint }) => `${pointer} ${hint}`),
    ).toMatchInlineSnapshot(`
      [
        "/mcpServers/a/command Write the value itself. \`\${NAME}\` works in values of \`env\` and \`headers\`.",
        "/mcpServers/a/args/0 Write the value itself. \`\${NAME}\` works in values of \`env\` and \`headers\`.",
        "/mcpServers/a/cwd Write the value itself. \`\${NAME}\` works in values of \`env\` and \`headers\`.",
        "/mcpServers/a/env/A Write the value itself. \`\${NAME}\` works in values of \`env\` and \`headers\`.",
        "/mcpServers/b/url Write the value itself, or add \`expandUrl: true\`, and \`\${NAME}\` works in \`url\` too.",
        "/mcpServers/b/headers/H Write \`\${X}\`.",
        "/mcpServers/b/headers/I Write \`\${X}\`.",
      ]
    `)
    expect(loaded.only('mcp.env.undefined').message).toBe('`Y` is not set, so `a` gets nothing in its place.')
  })

  test('is expanded in `url` where the entry says so', async () => {
    const loaded = await one('{ url: "https://${HOST}/${Y}", expandUrl: true }', { env: { HOST: 'e.test' } })
    expect(loaded.server('a').endpoint()).toMatchObject({ url: 'https://e.test/' })
    expect(loaded.only('mcp.env.undefined').message).toContain('`Y`')
  })

  test('is checked after it was filled in, and what came out is not shown', async () => {
    const env = { HOST: 'me:hunter2@e.test', BAD: 'hunter2\nX: y' }
    const url = await one('{ url: "https://${HOST}/", expandUrl: true }', { env })
    expect(url.only('mcp.url.invalid').message).toBe(
      '`url`, with its variables filled in, holds a user name or a password.',
    )
    const header = await one('{ url: "https://e.test", headers: { A: "Bearer ${BAD}" } }', { env })
    expect(header.only('mcp.header.invalid')).toMatchObject({ pointer: '/mcpServers/a/headers/A' })
    expect(JSON.stringify([url.snapshot, header.snapshot])).not.toContain('hunter2')
  })

  test('of editors is named, with what to write instead', async () => {
    const loaded = await claude({ a: { command: 'a', args: ['${workspaceFolder}/x', '${input:key}', '${env:HOME}'] } })
    expect(loaded.only('mcp.env.undefined').hint).toContain('relative path')
    expect(loaded.diagnostics.filter(({ code }) => code === 'mcp.env.not-expanded').map(({ hint }) => hint)).toEqual([
      'Nobody is asked for it here; set a variable and write `${NAME}`.',
      'Write `${HOME}`.',
    ])
  })
})

describe('a variable that is required', () => {
  test('and not set keeps the server off, and is said once', async () => {
    const loaded = await one('{ command: a, env: { A: "${TOKEN}" }, required: [TOKEN, OTHER] }', { env: { OTHER: '' } })
    expect(loaded.names).toEqual([])
    expect(loaded.said('warning')).toEqual([])
    expect(loaded.only('mcp.env.required')).toMatchObject({
      severity: 'error',
      message: '`TOKEN` is required and not set, so `a` stays off.',
      pointer: '/mcpServers/a/required/0',
    })
  })

  test('and set is no matter, also where it stands in no value', async () => {
    expect((await one('{ command: a, required: [TOKEN] }', { env: { TOKEN: 't' } })).names).toEqual(['a'])
  })
})

describe('an .mcp.json', () => {
  test('has variables with defaults in `args`, `env`, `headers` and `url`', async () => {
    const env = { X: 'x', EMPTY: '' }
    const loaded = await claude(
      {
        a: { command: '${X}/a', args: ['${X:-d}', '${Z}', '${EMPTY:-e}'], env: { A: '${X}', B: '${Z}' } },
        b: { url: '${BASE:-https://e.test}/${X}', headers: { H: 'Bearer ${X:-none}' } },
      },
      { env },
    )
    expect(loaded.server('a').endpoint()).toMatchObject({
      command: { file: '/work-here/${X}/a', args: ['x', '', 'e'] },
      env: { A: 'x', B: '' },
    })
    expect(loaded.server('b').endpoint()).toMatchObject({ url: 'https://e.test/x', headers: { H: 'Bearer x' } })
    expect(loaded.only('mcp.env.not-expanded').pointer).toBe('/mcpServers/a/command')
    expect(loaded.only('mcp.env.undefined').message).toContain('`Z`')
  })

  test('has the placeholders of Claude in `command` too, as whole texts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp plugin '))
    const path = join(folder, '.mcp.json')
    const a = { command: '${CLAUDE_PLUGIN_ROOT}/bin/a', args: ['${CLAUDE_PLUGIN_ROOT}/x y', '${CLAUDE_PROJECT_DIR}'] }
    await writeFile(path, JSON.stringify({ mcpServers: { a } }))
    const snapshot = await loadServers({
      layers: [{ kind: 'file', layer: 'plugin', dialect: 'claude-mcp', path }],
      cwd: '/work-here',
      // A variable of the host can't move a plugin.
      ports: nodePorts({ CLAUDE_PLUGIN_ROOT: '/elsewhere' }),
      approved: () => true,
    })
    expect(snapshot.diagnostics).toEqual([])
    expect(snapshot.entries[0]?.value.endpoint()).toMatchObject({
      command: { file: `${folder}/bin/a`, args: [`${folder}/x y`, '/work-here'] },
    })
    expect(snapshot.entries[0]?.value.secrets()).toEqual([])
  })

  test('of a project has no plugin to point to', async () => {
    const loaded = await claude({ a: { command: '${CLAUDE_PLUGIN_ROOT}/a' } })
    expect(loaded.only('mcp.env.not-expanded').pointer).toBe('/mcpServers/a/command')
  })
})

test('whatever a variable holds, it is put in as it is and stands in no diagnostic', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 8 }).filter((text) => !text.includes('\0')),
      async (value) => {
        const loaded = await one('{ command: a, env: { A: "x${V}y" } }', { env: { V: value } })
        const { env } = loaded.server('a').endpoint() as { env: Record<string, string> }
        expect(env['A']).toBe(`x${value}y`)
        expect(loaded.diagnostics).toEqual([])
      },
    ),
    { seed: 8, numRuns: 60 },
  )
})

test('a text of many unclosed references takes no longer than a plain one', async () => {
  const long = '${A:-'.repeat(50_000)
  const loaded = await claude({ a: { command: 'a', args: [long, `${long}}`], env: { A: long } } })
  expect(loaded.names).toEqual(['a'])
})
