import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ext, extAtTerminal } from '../bin.js'
import { EVERYTHING, setup } from './setup.js'

const FILESYSTEM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'))

const overStdio = { command: process.execPath, args: [EVERYTHING, 'stdio'] }

/** A project of somebody with a server that has everything. */
async function project(entry: object = overStdio) {
  const made = await setup()
  await made.write('~/.ext/config.yaml', JSON.stringify({ mcpServers: { e: entry } }))
  return made
}

async function overHttp(): Promise<{ readonly url: string }> {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
  const server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => {
    server.kill('SIGKILL')
  })
  await new Promise<void>((resolve) => server.stderr.once('data', () => resolve()))
  return { url: `http://127.0.0.1:${port}/mcp` }
}

describe.each(['stdio', 'Streamable HTTP'])('what a server offers besides tools, over %s', (over) => {
  it('is listed and read', async () => {
    const { mcp } = await project(over === 'stdio' ? overStdio : await overHttp())
    const [resources, prompts, read, none, call] = await Promise.all([
      mcp(['resources', 'e', '--json']),
      mcp(['prompts', 'e']),
      mcp(['read', 'e', 'demo://resource/dynamic/text/3']),
      mcp(['read', 'e', 'demo://resource/none']),
      mcp(['call', 'e', 'get-tiny-image']),
    ])
    const { resources: items, templates, problems } = JSON.parse(resources.stdout)
    expect([resources.code, items.length, templates.length, problems]).toEqual([0, 7, 2, []])
    expect(prompts.stdout).toContain('/mcp__e__args-prompt city=… [state=…]  A prompt with two arguments')
    expect(prompts.stdout).toContain('4 prompts')
    expect([read.code, read.stdout]).toEqual([0, expect.stringContaining('Resource 3: This is a plaintext resource')])
    expect([none.code, none.stdout, none.stderr]).toEqual([1, '', expect.stringContaining('refused resources/read')])
    expect(call.stdout).toContain('[image image/png')
  })
})

/** A run with a model that plays a script. */
async function run(
  turns: readonly object[],
  prompt: string,
  more: readonly string[] = [],
  agents: readonly object[] = [],
) {
  const made = await project()
  const script = await made.write('script.json', JSON.stringify({ turns, agents }))
  const args = ['run', '--model', `scripted:${script}`, '--allow', 'mcp__e__*', ...more, prompt]
  return { ...made, args, go: () => ext(args, { cwd: made.project, home: made.home }) }
}

describe('a prompt of a server', () => {
  it('is started like a skill, and what it says goes to the model', async () => {
    const heard = [{ when: { contains: "What's weather in New Paris, Texas?" }, say: 'hot' }]
    const { go } = await run(heard, '/mcp__e__args-prompt "New Paris" state=Texas')
    const { code, stdout } = await go()
    expect([code, stdout]).toEqual([0, expect.stringContaining('prompt args-prompt of e')])
    expect(stdout).toContain('hot')
  })

  it('that lacks a value says which, and which there are; one that does not exist, what is meant', async () => {
    const { project: cwd, home } = await run([{ say: 'x' }], 'x')
    const ask = (prompt: string) => ext(['run', '--model', 'scripted:script.json', prompt], { cwd, home })
    const [department, name, unknown] = await Promise.all([
      ask('/mcp__e__completable-prompt'),
      ask('/mcp__e__completable-prompt department=Sales'),
      ask('/mcp__e__args-promt city=x'),
    ])
    expect([department.code, department.stderr]).toEqual([
      2,
      'ext: `department` is missing. It can be: Engineering, Sales, Marketing, Support. Write: /mcp__e__completable-prompt department=… name=…\n',
    ])
    expect(name.stderr).toContain('It can be: David, Eve, Frank.')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean `/mcp__e__args-prompt`?')])
  })
})

describe('a run', () => {
  it('shows progress of servers, and reads resources only as far as permission lets it', async () => {
    const calls = [
      { tool: 'mcp__e__trigger-long-running-operation', input: { duration: 0.3, steps: 3 } },
      { tool: 'read_mcp_resource', input: { server: 'e', uri: 'demo://resource/dynamic/text/3' } },
    ]
    const flags = ['--output', 'stream-json', '--allow', 'ReadMcpResourceTool']
    const ran = await (await run([{ calls }, { say: 'bye' }], 'go', flags)).go()
    const events = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const progress = events.filter(({ type }) => type === 'progress')
    expect(progress.map((event) => [event.progress, event.total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ])
    expect(new Set(progress.map((event) => event.tool_use_id)).size).toBe(1)
    expect(ran.stdout).toContain('Resource 3: This is a plaintext resource')
    const denied = await (
      await run([{ calls: calls.slice(1) }, { say: 'bye' }], 'go', ['--deny', 'ReadMcpResourceTool'])
    ).go()
    expect(denied.stdout).toContain('read_mcp_resource not run')
  })

  it('tells servers what it works on, and keeps what they log', async () => {
    const calls = [{ tool: 'mcp__e__get-roots-list', input: {} }]
    const { go, mcp, write, home } = await run([{ calls }, { say: 'bye' }], 'go')
    expect((await go()).stdout).toContain('get-roots-list done: Current MCP Roots (1 total)')
    const files = { command: process.execPath, args: [FILESYSTEM, home] }
    await write('~/.ext/config.yaml', JSON.stringify({ mcpServers: { files } }))
    expect((await mcp(['call', 'files', 'list_allowed_directories'])).stdout).toContain('<home>')
    const log = await readFile(join(home, '.ext/logs/mcp/e.log'), 'utf8')
    expect(log).toMatch(/\[info\] everything-server: Roots updated: 1 root/)
  })

  it('without a terminal answers no to whatever a server asks, and says so', async () => {
    const calls = [
      { tool: 'mcp__e__trigger-sampling-request', input: { prompt: 'cheese' } },
      { tool: 'mcp__e__trigger-elicitation-request', input: {} },
      { tool: 'mcp__e__trigger-url-elicitation', input: { url: 'https://pages.example/a' } },
    ]
    const { stdout, stderr } = await (await run([{ calls }, { say: 'bye' }], 'go')).go()
    expect(stdout).toContain('trigger-sampling-request failed: MCP error -1: The request was rejected.')
    expect(stdout).toContain('trigger-elicitation-request done: ❌ User declined')
    expect(stdout).toContain('trigger-url-elicitation done: ❌ User declined to open the URL')
    expect(stderr).toContain('ext: The server `e` wants to use the model, and nobody is at a terminal')
    expect(stderr).toContain(
      'ext: The server `e` asks for input, and nobody is at a terminal to answer; it was declined.',
    )
    expect(stderr).toContain('ext: The server `e` wants you to go to a page of pages.example')
  })
})

describe('at a terminal', () => {
  const DOWN = '\u001b[B'
  const UP = '\u001b[A'

  it('a form is asked field by field, after a yes, and what is wrong is said before it is sent', async () => {
    const {
      args,
      project: cwd,
      home,
    } = await run([{ calls: [{ tool: 'mcp__e__trigger-elicitation-request', input: {} }] }, { say: 'bye' }], 'go', [
      '--output',
      'stream-json',
    ])
    const enter = (after: RegExp) => ({ after, keys: '\r' })
    const { stdout, code } = await extAtTerminal(args, {
      cwd,
      home,
      after: /Decline/,
      keys: `${UP}\r`,
      next: [
        { after: /full, legal name/, keys: 'Ada\r' },
        { after: /Agree to the terms/, keys: '\r' },
        enter(/first line of a story/),
        { after: /email address/, keys: 'nowhere\r' },
        { after: /must be an address/, keys: '\u0015ada@example.com\r' },
        enter(/Portfolio/),
        enter(/date of birth/),
        { after: /favorite integer/, keys: '\u00157\r' },
        enter(/there are no wrong answers/),
        { after: /favorite friend/, keys: `${DOWN}\r` },
        enter(/favorite instruments/),
        enter(/favorite hero/),
        enter(/types of fish/),
        enter(/type of pet/),
      ],
    })
    expect(code).toBe(0)
    const plain = stdout.replaceAll('\\\\n', '')
    for (const part of ['Ada', 'ada@example.com', '7', 'Rachel', 'Guitar', 'It was a dark'])
      expect(plain).toContain(part)
    expect(stdout).toContain('User provided the requested information')
  })

  it('a page is shown with its host, and is not opened; a model thinks for a server after a yes', async () => {
    const calls = [
      { tool: 'mcp__e__trigger-url-elicitation', input: { url: 'https://pages.example/a?b=c' } },
      { tool: 'mcp__e__trigger-sampling-request', input: { prompt: 'cheese' } },
    ]
    const agents = [{ when: { contains: 'context: cheese' }, turns: [{ say: 'a deep thought' }] }]
    const {
      args,
      project: cwd,
      home,
    } = await run([{ calls: calls.slice(0, 1) }, { calls: calls.slice(1) }, { say: 'bye' }], 'go', [], agents)
    const { stdout, code } = await extAtTerminal(args, {
      cwd,
      home,
      after: /Decline/,
      keys: `${UP}\r`,
      next: [{ after: /Deny/, keys: `${UP}\r` }],
    })
    expect(code).toBe(0)
    expect(stdout).toContain('Host:    pages.example')
    expect(stdout).toContain('Address: https://pages.example/a?b=c')
    expect(stdout).toContain('User completed the URL elicitation flow')
    expect(stdout).toContain('You are a helpful test server.')
    expect(stdout).toContain('Resource trigger-sampling-request context: cheese')
    expect(stdout).toContain('trigger-sampling-request done')
  })
})
