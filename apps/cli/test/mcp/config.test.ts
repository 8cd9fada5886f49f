import { describe, expect, it } from 'vitest'
import { setup } from './setup.js'

describe('ext mcp list', () => {
  it('shows every server with its verdict and its place, and starts none', async () => {
    const { mcp, write } = await setup()
    await write(
      '~/.ext/config.yaml',
      'mcpServers:\n  mine: { command: touch, args: [started] }\n  off: { enabled: false }\n',
    )
    await write(
      '.mcp.json',
      '{"mcpServers": {\n"theirs": {"type": "http", "url": "https://e.test/mcp"},\n"mine": {"command": "touch"}}}',
    )
    await write('.ext/config.yaml', 'mcpServers:\n  broken: { type: "" }\n')
    const { code, stdout } = await mcp(['list'])
    expect(code).toBe(1)
    expect(
      stdout
        .split('\n')
        .slice(0, 5)
        .map((line) => line.replace(/ +/g, ' ').trim()),
    ).toEqual([
      'broken broken ? .ext/config.yaml:2:11',
      'untrusted theirs http https://e.test/mcp .mcp.json:2:11',
      'untrusted mine stdio touch .mcp.json:3:9',
      'loaded mine stdio touch started <home>/.ext/config.yaml:2:9',
      'disabled off ? <home>/.ext/config.yaml:3:8',
    ])
    expect(stdout).toContain('mcp.type.empty')
    expect(stdout).toContain('read them with ext trust list')
    expect(stdout).toContain('5 servers, 1 error')
  })

  it('as json tells programs the same', async () => {
    const { mcp, write } = await setup()
    await write('~/.ext/config.yaml', 'mcpServers: { mine: { url: "https://e.test/?token=hidden-1" } }\n')
    const { code, stdout } = await mcp(['list', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      servers: [{ name: 'mine', verdict: 'loaded', type: 'http', source: { layer: 'user', line: 1 } }],
      diagnostics: [],
    })
    expect(stdout).not.toContain('hidden-1')
  })
})

describe('ext mcp add', () => {
  it('writes a command into the file of the person, with all that was said', async () => {
    const { mcp, read } = await setup()
    const ran = await mcp([
      'add',
      'gh',
      '--env',
      'GITHUB_TOKEN=${GITHUB_TOKEN}',
      '--trust',
      '--',
      'gh-mcp',
      '--read-only',
      'a b',
    ])
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('mcp.env.undefined') })
    expect(ran.stdout).toBe('Added `gh` in <home>/.ext/config.yaml.\nTry it with ext mcp test gh.\n')
    expect(await read('~/.ext/config.yaml')).toBe(
      'mcpServers:\n  gh:\n    command: gh-mcp\n    args:\n      - --read-only\n      - a b\n    env:\n      GITHUB_TOKEN: ${GITHUB_TOKEN}\n    trust: true\n',
    )
  })

  it('writes an address into a file of the project, keeps its comments, and has the consent of who wrote it', async () => {
    const { mcp, read, write, trust } = await setup()
    const before = '# ours\nmcpServers:\n  # for notes\n  notes: { command: notes } # slow\npermissions: {}\n'
    await write('.ext/config.yaml', before)
    const args = ['add', 'docs', '--scope', 'project', '--url', 'https://e.test/mcp', '--header', 'X-Team: a=b']
    expect(await mcp(args)).toMatchObject({ code: 0, stderr: '' })
    expect(await read('.ext/config.yaml')).toBe(
      '# ours\nmcpServers:\n  # for notes\n  notes: { command: notes } # slow\n  docs:\n    url: https://e.test/mcp\n    headers:\n      X-Team: a=b\npermissions: {}\n',
    )
    const { servers } = JSON.parse((await mcp(['list', '--json'])).stdout)
    expect(servers.map(({ name, verdict }: { name: string; verdict: string }) => `${name} ${verdict}`)).toEqual([
      'notes untrusted',
      'docs loaded',
    ])
    expect((await trust('list')).stdout).toContain('1 approved, 1 waiting')
  })

  it('replaces nothing without being told to', async () => {
    const { mcp, read } = await setup()
    await mcp(['add', 'a', '--', 'one'])
    const again = await mcp(['add', 'a', '--', 'two'])
    expect(again.code).toBe(2)
    expect(again.stderr).toBe('ext: `a` is there already, at <home>/.ext/config.yaml:3:5. Use --force to replace it.\n')
    expect(await mcp(['add', 'a', '--force', '--', 'two'])).toMatchObject({ code: 0 })
    expect(await read('~/.ext/config.yaml')).toBe('mcpServers:\n  a:\n    command: two\n')
  })

  it('says when another entry hides what was written', async () => {
    const { mcp } = await setup()
    await mcp(['add', 'a', '--scope', 'local', '--', 'one'])
    expect((await mcp(['add', 'a', '--', 'two'])).stderr).toBe(
      'ext: It has no effect here: the entry at .ext/config.local.yaml:3:5 is nearer.\n',
    )
  })

  it.each([
    [['--env', 'API_KEY=abc123', '--', 'x'], "write --env 'API_KEY=${API_KEY}' instead"],
    [['--env', `KEY=ghp_${'a1B2'.repeat(9)}`, '--', 'x'], "write --env 'KEY=${KEY}' instead"],
    [['--url', 'https://e.test', '--header', 'Authorization=Bearer abc123'], "'Authorization=Bearer ${AUTHORIZATION}'"],
    [['--', 'x', '--token', 'abc123'], 'One of the arguments looks like a secret'],
    [['--url', 'https://e.test/?api_key=abc123'], 'The address looks like it holds a secret'],
  ])('writes no secret without a word: %j', async (args, hint) => {
    const { mcp, read } = await setup()
    const { code, stderr } = await mcp(['add', 'a', ...args])
    expect(code).toBe(0)
    expect(stderr).toContain(hint)
    expect(stderr).not.toContain('abc123')
    expect(await read('~/.ext/config.yaml')).toContain('  a:\n')
  })

  it.each([
    [['add', 'a'], 'Say what to start'],
    [['add', 'a', '--url', 'https://e.test', '--', 'x'], 'not both'],
    [['add', 'a', '--url', 'nowhere'], '`url` is not a URL'],
    [['add', 'a b', '--', 'x'], 'Use 1 to 64 letters, digits, _ and -, such as `a-b`'],
    [['add', 'a', '--header', 'A=b', '--', 'x'], '--header is for servers that are reached'],
    [['add', 'a', '--env', 'TOKEN', '--', 'x'], '--env TOKEN is not of the form NAME=VALUE'],
    [['add', 'a', '--type', 'ws', '--url', 'wss://e.test'], 'Allowed choices are stdio, http, sse'],
    [['add', 'a', '--type', 'http', '--', 'x'], 'It has a `command`: write `type: stdio`'],
  ])('%j is a mistake that is explained, and nothing is written', async (args, message) => {
    const { mcp, read } = await setup()
    const { code, stderr } = await mcp(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    await expect(read('~/.ext/config.yaml')).rejects.toThrow('ENOENT')
  })

  it('leaves a file alone that it does not understand', async () => {
    const { mcp, read, write } = await setup()
    await write('~/.ext/config.yaml', 'mcpServers: [\n')
    const { code, stderr } = await mcp(['add', 'a', '--', 'x'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was written to <home>/.ext/config.yaml')])
    expect(await read('~/.ext/config.yaml')).toBe('mcpServers: [\n')
  })
})

describe('ext mcp remove', () => {
  it('takes out one server and leaves the rest of the file as it is', async () => {
    const { mcp, read, write } = await setup()
    await write(
      '~/.ext/config.yaml',
      '# mine\nmcpServers:\n  a: { command: x } # one\n  # about b\n  b: { command: y }\n',
    )
    expect((await mcp(['remove', 'a'])).stdout).toBe('Removed `a` from <home>/.ext/config.yaml.\n')
    expect(await read('~/.ext/config.yaml')).toBe('# mine\nmcpServers:\n  # about b\n  b: { command: y }\n')
  })

  it('asks which one is meant, and says what is left', async () => {
    const { mcp } = await setup()
    await mcp(['add', 'a', '--', 'x'])
    await mcp(['add', 'a', '--scope', 'local', '--', 'y'])
    const { code, stderr } = await mcp(['remove', 'a'])
    expect(code).toBe(2)
    expect(stderr).toContain('--scope user  <home>/.ext/config.yaml:3:5')
    expect((await mcp(['remove', 'a', '--scope', 'local'])).stdout).toContain(
      'Another entry of this name stands at <home>',
    )
    expect((await mcp(['remove', 'a', '--scope', 'project'])).stderr).toContain('Use --scope user.')
  })

  it('touches no file of another program, and says where the entry stands', async () => {
    const { mcp, read, write } = await setup()
    const theirs = '{"mcpServers": {"files": {"command": "x"}}}'
    await write('.mcp.json', theirs)
    const { code, stderr } = await mcp(['remove', 'files'])
    expect(code).toBe(1)
    expect(stderr).toContain('`files` stands at .mcp.json:1:26. That file is not ours')
    expect(await read('.mcp.json')).toBe(theirs)
    expect(await mcp(['remove', 'file'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean `files`?'),
    })
  })
})
