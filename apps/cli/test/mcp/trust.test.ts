import { describe, expect, it } from 'vitest'
import { setup } from './setup.js'

const MCP_JSON = {
  mcpServers: {
    files: {
      command: '${CLAUDE_PROJECT_DIR}/server.sh',
      args: ['--root', '${ROOT:-.}'],
      env: { TOKEN: '${FILES_TOKEN}', MODE: 'fast' },
      inheritEnv: ['proxy'],
      excludeTools: ['rm'],
    },
    web: { type: 'http', url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${WEB_TOKEN}' } },
  },
}

async function waiting(servers: object, path = '.mcp.json') {
  const made = await setup()
  await made.write('server.sh', '#!/bin/sh\n')
  await made.write(path, JSON.stringify(servers))
  const list = async () => (await made.trust('list')).stdout.replaceAll(/[0-9a-f]{64}/g, '<sha>')
  return { ...made, list }
}

describe('what a person agrees to of a server', () => {
  it('is all that is started or reached, what it gets, and what is believed of it', async () => {
    const { list } = await waiting(MCP_JSON)
    expect(await list()).toMatchInlineSnapshot(`
      "waits
        kind: servers
        name: files
        folder: <project>
        runs: <project>/server.sh --root "\${ROOT:-.}"
        script ./server.sh: sha256 <sha>
        sets MODE: fast
        sets TOKEN: \${FILES_TOKEN}
        passes: proxy
        annotations: not believed
        with "tools left out": rm
        with "variables put in": FILES_TOKEN ROOT

      waits
        kind: servers
        name: web
        folder: <project>
        url: https://\${HOST}/mcp
        header Authorization: Bearer \${WEB_TOKEN}
        annotations: not believed
        with "variables put in": HOST WEB_TOKEN

      0 approved, 2 waiting
      Approve what you have read with ext trust approve.
      "
    `)
  })

  it('of our own files says what goes beyond', async () => {
    const servers = {
      open: {
        command: 'x',
        cwd: 'sub',
        inheritEnv: 'all',
        trust: true,
        tools: { allow: ['get_*'], perTool: { get_x: { readOnly: true } } },
      },
    }
    const { list } = await waiting({ mcpServers: servers }, '.ext/config.yaml')
    expect(await list()).toMatchInlineSnapshot(`
      "waits
        kind: servers
        name: open
        folder: <project>
        runs: x
        working folder: ./sub
        annotations: believed
        with "only tools": "get_*"
        with "tools that only read": get_x
        with "variables passed": "all of this machine, secrets included"

      0 approved, 1 waiting
      Approve what you have read with ext trust approve.
      "
    `)
  })

  it.each([
    ['argument', { command: 'x', args: ['y'] }],
    ['folder', { command: 'x', cwd: 'y' }],
    ['variable', { command: 'x', env: { A: '${B}' } }],
    ['variable that is handed on', { command: 'x', inheritEnv: ['B'] }],
    ['whole environment', { command: 'x', inheritEnv: 'all' }],
    ['rule about tools', { command: 'x', tools: { deny: ['y'] } }],
    ['address', { url: 'https://e.test' }],
  ])('is asked again with another %s', async (_what, entry) => {
    const { trust, write } = await waiting({ mcpServers: { a: { command: 'x' } } })
    expect((await trust('approve', '--yes')).stdout).toContain('1 approved')
    expect((await trust('list')).stdout).toContain('1 approved, 0 waiting')
    await write('.mcp.json', JSON.stringify({ mcpServers: { a: entry } }))
    expect((await trust('list')).stdout).toContain('waits: it has changed since it was approved')
  })

  it('is not asked again when a limit changes', async () => {
    const { trust, write } = await waiting({ mcpServers: { a: { command: 'x' } } })
    await trust('approve', '--yes')
    await write('.mcp.json', JSON.stringify({ mcpServers: { a: { command: 'x', timeout: 90_000 } } }))
    expect((await trust('list')).stdout).toContain('1 approved, 0 waiting')
  })
})
