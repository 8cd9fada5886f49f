import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigSource, canonicalJson, formatPlace, type LayerName } from '@ext/kernel'
import { nodeHash, nodePorts } from '@ext/kernel/node'
import { POLICY_KEYS } from '@ext/kernel/policy'
import { expect, test } from 'vitest'
import { loadServers } from '../../src/load.js'
import { client, codes, hostile, inMemory } from '../helpers.js'

interface Files {
  readonly managed?: string
  readonly managed2?: string
  readonly user?: string
  readonly project?: string
}

/** What real files of these texts come to. All is approved, nothing is started. */
async function load(files: Files, hash = true) {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-policy-'))
  const layers: ConfigSource[] = []
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, `${name}.yaml`)
    await writeFile(path, text)
    layers.push({ kind: 'file', layer: name.replace(/\d/, '') as LayerName, dialect: 'ext', path })
  }
  const snapshot = await loadServers({
    layers,
    cwd: '/work-here',
    ports: { ...nodePorts({}), platform: 'linux' },
    approved: () => true,
    ...(hash ? { hash: nodeHash() } : {}),
  })
  const at = (source: Parameters<typeof formatPlace>[0]) =>
    formatPlace({ ...source, ...(source.file === undefined ? {} : { file: source.file.split('/').at(-1) ?? '' }) })
  return {
    names: snapshot.entries.map(({ name }) => name),
    codes: codes(snapshot.diagnostics),
    refused: snapshot.diagnostics
      .filter(({ code }) => code === 'mcp.policy.refused')
      .map(
        ({ source, message, related = [] }) => `${at(source)} ${message} [${related.map((each) => at(each.source))}]`,
      ),
    verdicts: Object.fromEntries(snapshot.records.map(({ name, verdict }) => [name, verdict])),
    diagnostics: snapshot.diagnostics,
  }
}

const MANAGED = `
allowedMcpCommands: [npx, /opt/acme/mcp-server]
denyMcpInheritAll: true
`

test('keeps off a package without an exact version, a program that is not listed and a full environment', async () => {
  const { names, refused, verdicts } = await load({
    managed: MANAGED,
    project: `mcpServers:
  good: { command: npx, args: [-y, server@1.2.3] }
  own: { command: /opt/acme/mcp-server, inheritEnv: [REGION] }
  loose: { command: npx, args: [-y, server] }
  other: { command: ./node_modules/.bin/server }
  open: { command: npx, args: [server@1.2.3], inheritEnv: all }
  web: { url: https://e.test/mcp }
`,
  })
  expect(names).toEqual(['good', 'own', 'web'])
  const hash = (...words: readonly string[]) => `sha256:${nodeHash().sha256(canonicalJson(words))}`
  expect(refused).toEqual([
    `project.yaml:4:32 \`loose\` stays off: it does not say exactly which package it runs ("server"); write \`name@1.2.3\`; as it is, its command has the hash ${hash('npx', '-y', 'server')}. [managed.yaml:2:21]`,
    `project.yaml:5:21 \`other\` stays off: it would start \`/work-here/./node_modules/.bin/server\`, which is not listed; as it is, its command has the hash ${hash('/work-here/./node_modules/.bin/server')}. [managed.yaml:2:21]`,
    'project.yaml:6:59 `open` stays off: it may not get all variables of the host. [managed.yaml:3:20]',
  ])
  expect(verdicts).toMatchObject({ good: 'loaded', loose: 'disabled', other: 'disabled', open: 'disabled' })
})

test('lists servers by their address, and programs by the hash that the refusal names', async () => {
  const user = `mcpServers:
  web: { url: "https://mcp.acme.test/files" }
  elsewhere: { url: "https://mcp.acme.test.evil.test/files" }
  older: { url: "http://mcp.acme.test/files" }
  program: { command: server, args: [a] }
  changed: { command: server, args: [b] }
`
  const hash = `sha256:${nodeHash().sha256(canonicalJson(['server', 'a']))}`
  const managed = `allowedMcpServers: ["https://mcp.acme.test/*", "${hash}"]`
  const { names, refused } = await load({ managed, user })
  expect(names).toEqual(['web', 'program'])
  expect(refused[0]).toBe(
    'user.yaml:3:21 `elsewhere` stays off: it would reach mcp.acme.test.evil.test, which is not listed for it. [managed.yaml:1:20]',
  )
  expect(refused[2]).toContain('`changed` stays off: it is not listed; as it is, its command has the hash sha256:')
  // Who hashes nothing lists nothing.
  expect((await load({ managed, user }, false)).names).toEqual(['web'])
  // Either list is a way in.
  const both = `allowedMcpCommands: [other]\n${managed}`
  expect((await load({ managed: both, user })).names).toEqual(['web', 'program'])
})

test('wants a sandbox, which there is none of: no program starts', async () => {
  const user = 'mcpServers: { a: { command: server }, b: { url: "https://e.test/mcp" } }'
  const { names, refused } = await load({ managed: 'requireMcpSandbox: true', user })
  expect(names).toEqual(['b'])
  expect(refused[0]).toContain(
    '`a` stays off: it has to run in a sandbox, and this version has none. [managed.yaml:1:20]',
  )
})

test('a program of the same name by another PATH is not the one that is listed', async () => {
  const user =
    'mcpServers: { a: { command: server, env: { PATH: ./bin } }, b: { command: /opt/acme/server, env: { PATH: ./bin } } }'
  const { names, refused } = await load({ managed: 'allowedMcpCommands: [server, /opt/acme/server]', user })
  expect(names).toEqual(['b'])
  expect(refused[0]).toContain('sets `PATH`, by which `server` could be another program')
})

test('does not judge servers of the administrator, and can not be loosened: each managed file has to allow', async () => {
  const managed =
    'allowedMcpCommands: [a, b]\nmcpServers: { mine: { command: any, inheritEnv: all } }\ndenyMcpInheritAll: true'
  const user =
    'allowedMcpCommands: [c]\ndenyMcpInheritAll: false\nmcpServers: { a: { command: a }, b: { command: b }, c: { command: c } }'
  const one = await load({ managed, user })
  expect(one.names.sort()).toEqual(['a', 'b', 'mine'])
  expect(one.codes.filter((code) => code === 'mcp.policy.misplaced')).toHaveLength(2)
  const two = await load({ managed, managed2: 'allowedMcpCommands: [b, c]', user })
  expect(two.names.sort()).toEqual(['b', 'mine'])
})

test.each([
  ['is no YAML', 'allowedMcpCommands: [npx'],
  ['has a policy of the wrong shape', 'allowedMcpCommands: npx'],
  ['has an item that means nothing', 'allowedMcpServers: ["sha256:1"]'],
  ['misspells a policy', 'allowedMcpComands: [npx]'],
  ['says neither yes nor no', 'denyMcpInheritAll: yes please'],
])('a managed file that %s closes', async (_what, managed) => {
  const user = 'mcpServers: { a: { command: npx, args: [server@1.2.3] } }'
  const project = 'mcpServers: { b: { url: "https://e.test/mcp" } }'
  const { names, diagnostics } = await load({ managed, user, project })
  expect(names).toEqual([])
  expect(diagnostics.some(({ severity, source }) => severity === 'error' && source.layer === 'managed')).toBe(true)
  expect(codes(diagnostics)).toContain('config.managed.broken')
})

test('the README has every policy, and an example that is read without a complaint', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const [, section = ''] = /^## Policies\n(.*?)^## /ms.exec(readme) ?? []
  for (const key of POLICY_KEYS.servers) expect(section).toContain(`| \`${key}\``)
  const [, managed = ''] = /```yaml\n(.*?)```/s.exec(section) ?? []
  const user = 'mcpServers: { a: { url: "https://mcp.example.com/x" }, b: { command: uvx, args: [acme-tools==1.2.3] } }'
  const { names, codes: found } = await load({ managed, user })
  expect(found).toEqual([])
  expect(names).toEqual(['a', 'b'])
})

test('policies of hooks are no misspelt ones of servers', async () => {
  const { names, codes: found } = await load({
    managed: 'allowedHookCommands: [a]\nallowedHttpHookUrls: []',
    user: 'mcpServers: { a: { command: b } }',
  })
  expect(names).toEqual(['a'])
  expect(found).toEqual([])
})

test('a policy that comes later ends the server that it forbids, and names itself in its status', async () => {
  const servers = inMemory({ a: hostile('echo') })
  const policy = (value: object) =>
    ({ kind: 'value', layer: 'managed', dialect: 'ext', name: 'policy', value }) as const
  const made = await client({ layers: [servers] })
  await made.ready({ within: 15_000 })
  expect(made.tools()).toHaveLength(1)

  const applied = await made.apply([servers, policy({ allowedMcpCommands: ['other'] })])
  expect(applied.removed).toEqual(['a'])
  expect(made.tools()).toEqual([])
  expect(made.status()[0]).toMatchObject({
    name: 'a',
    state: 'disabled',
    hint: 'That is the policy `allowedMcpCommands` of this machine; its administrator can change it.',
  })
  expect(codes(made.diagnostics)).toEqual(['mcp.policy.refused'])

  const again = await made.apply([servers, policy({ allowedMcpCommands: [process.execPath] })])
  expect(again.added).toEqual(['a'])
  expect(made.diagnostics).toEqual([])
})
