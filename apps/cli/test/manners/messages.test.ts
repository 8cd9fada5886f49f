import { execFile } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from '../bin.js'

/** A script that says hello, and a skill, a hook and a server whose names can be mistyped. */
async function project(): Promise<string> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, '.claude/skills/deploy'), { recursive: true })
  const hook = { hooks: [{ type: 'command', command: './guard.sh' }] }
  const files = {
    'script.yaml': 'turns:\n  - say: hello\n',
    '.claude/skills/deploy/SKILL.md': '---\nname: deploy\ndescription: How we deploy.\n---\nx\n',
    '.claude/settings.json': JSON.stringify({ hooks: { Stop: [hook] } }),
    '.mcp.json': JSON.stringify({ mcpServers: { github: { command: 'no-such-program' } } }),
  }
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(folder, path), text)))
  return folder
}

const isSuperuser = process.getuid?.() === 0

const RUN = ['run', 'hi', '--model', 'scripted:script.yaml'] as const

describe('what is not there is named, with the way out', () => {
  it.each([
    [
      'a key',
      'run hi --model anthropic/claude-sonnet-4-5',
      /needs a key.*ANTHROPIC_API_KEY.*export ANTHROPIC_API_KEY=/,
    ],
    [
      'a model',
      'run hi --model claude-sonnet-9',
      /no model of the name `claude-sonnet-9`.*`anthropic\/claude-sonnet-9`/,
    ],
    ['a script', 'run hi --model scripted:nope.yaml', /script .*nope\.yaml can't be read: The file does not exist/],
    ['any model', 'run hi', /No model is given.*--model/],
    ['a prompt', 'run', /Give a prompt/],
    ['a skill to start', 'run /deplyo --model scripted:script.yaml', /no skill `deplyo`.*`deploy`/],
    ['a server', 'mcp test gihtub', /no server `gihtub`.*`github`/],
    ['a server to call', 'mcp call gihtub look', /no server `gihtub`.*`github`/],
    ['a server to remove', 'mcp remove gihtub', /no server `gihtub`.*`github`/],
    ['a skill', 'skills show deplyo', /no skill `deplyo`.*`deploy`/],
    ['a hook', 'hooks test gaurd.sh', /no hook `gaurd\.sh`.*`guard\.sh`/],
    ['an event', 'hooks list --event Stpo', /no event `Stpo`.*`Stop`/],
    ['a session', 'sessions show 3f2a', /no session `3f2a`.*ext sessions list --all/],
    ['a session to go on with', 'run --resume 3f2a --model scripted:script.yaml', /no session `3f2a`/],
    ['an entry to approve', 'trust approve nope', /name `nope` waits.*ext trust list/],
    ['a tool', 'explain Bsh --input {}', /`Bsh`.*Bash/],
    ['a file of settings', 'permissions import nope.json', /nope\.json can't be read: The file does not exist/],
    ['a command', 'doctr', /no command `doctr`.*Did you mean `ext doctor`.*ext --help/s],
    ['a command of a group', 'mcp lits', /unknown command 'lits'.*Did you mean list\?.*ext mcp --help/s],
    ['a command whose help is wanted', 'help mcp lits', /no command `mcp lits`.*Did you mean `ext mcp list`/],
    ['a command before --help', 'doctr --help', /unknown command 'doctr'.*ext --help/s],
    ['a terminal', 'chat', /no terminal.*ext run/],
    ['a command of a group before --help', 'mcp lits --help', /unknown command 'lits'.*ext mcp --help/s],
    ['an option', 'mcp list --jsno', /unknown option '--jsno'.*Did you mean --json\?.*ext mcp list --help/s],
    ['a folder', 'doctor --project nope', /'nope' is invalid\. There is no such folder/],
    ['a person who reads what is approved', 'trust approve', /Nobody can be asked here.*--yes/],
  ])('%s', async (_, line, message) => {
    const { code, stdout, stderr } = await ext(line.split(' '), { cwd: await project() })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('an endpoint that is down: its address and why, in each form of output, and no success', async () => {
    const down = await closedPort()
    const args = ['run', 'hi', '--model', `openai-compatible:http://127.0.0.1:${down}/v1/m`]
    const cwd = await project()
    const [text, json] = await Promise.all([ext(args, { cwd }), ext([...args, '--output', 'json'], { cwd })])
    expect([text.code, json.code]).toEqual([1, 1])
    const why = `http://127.0.0.1:${down} can't be reached: `
    expect(text.stdout).toContain(`The model failed: ${why}`)
    expect(JSON.parse(json.stdout)).toMatchObject({ reason: 'error', error: { message: expect.stringContaining(why) } })
  }, 30_000)
})

/** Nobody listens there: somebody just has. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

describe('a configuration file that can’t be read', () => {
  const make: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
    'is a folder': (file) => mkdir(file),
    'is a pipe': (file) => promisify(execFile)('mkfifo', [file]),
    'leads in a circle': (file) => symlink('config.yaml', file),
    'is not UTF-8': (file) => writeFile(file, Buffer.from([0x61, 0x3a, 0xff, 0xfe])),
    'is no map': (file) => writeFile(file, '\0\0'),
    'is too large': (file) => writeFile(file, 'a'.repeat(2 ** 21)),
    // The superuser may read everything.
    ...(isSuperuser
      ? {}
      : {
          'is not theirs to read': async (file) => {
            await writeFile(file, 'model: x\n')
            await chmod(file, 0)
          },
        }),
  }

  it.each(Object.keys(make))(
    'because it %s is named with the way out, and costs no run and nothing in it',
    async (kind) => {
      const cwd = await project()
      await mkdir(join(cwd, '.ext'))
      await make[kind]?.(join(cwd, '.ext/config.yaml'))
      // The superuser may read everything.
      if (kind === 'is not theirs to read' && process.getuid?.() === 0) return
      const [doctor, run, add] = await Promise.all([
        ext(['doctor'], { cwd }),
        ext(RUN, { cwd }),
        ext(['mcp', 'add', 'x', '--scope', 'project', '--', 'y'], { cwd }),
      ])
      expect([doctor.code, run.code, add.code]).toEqual([1, 0, 1])
      for (const text of [doctor.stdout, run.stderr])
        expect(text).toMatch(/\.ext\/config\.yaml.* error .*\n {2}.*fix: /s)
      expect(run.stdout).toContain('hello')
      expect(add.stderr).toMatch(/^ext: Nothing was written to .*config\.yaml: .*[^.]\. Check /)
    },
  )
})

describe('a home that nothing can be written to', () => {
  it('costs a run nothing but what would be kept, and is said', async () => {
    const [cwd, home] = [await project(), await readOnlyHome()]
    const { code, stdout, stderr } = await ext(RUN, { cwd, home })
    expect(code).toBe(0)
    expect(stdout).toMatch(/notice +The session is not kept from here on: E/)
    expect(stdout).toContain('hello')
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it.each([
    ['mcp add a -- b', 1, /^ext: Nothing was written to .*config\.yaml: E.*\. Check /],
    ['trust approve --yes', 1, /can't be (?:read|written)|could not be|trust\.store/],
  ])('is told to who says: ext %s', async (line, expected, message) => {
    const [cwd, home] = [await project(), await readOnlyHome()]
    const { code, stdout, stderr } = await ext(line.split(' '), { cwd, home })
    expect({ code, said: stdout + stderr }).toMatchObject({ code: expected, said: expect.stringMatching(message) })
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it.each(['doctor', 'mcp list', 'trust list', 'audit tail', 'sessions list', 'hooks stats'])(
    'is no crash of ext %s',
    async (line) => {
      const { code, stderr } = await ext(line.split(' '), { cwd: await project(), home: await readOnlyHome() })
      expect({ code, stderr }).toEqual({ code: expect.toBeOneOf([0, 1]), stderr: '' })
    },
  )
})

/** The superuser may write everywhere, but not below a file. */
async function readOnlyHome(): Promise<string> {
  const folder = await temporaryFolder()
  if (!isSuperuser) {
    await chmod(folder, 0o500)
    return folder
  }
  await writeFile(join(folder, 'home'), '')
  return join(folder, 'home')
}

it('needs no variable for the home folder', async () => {
  const bin = new URL('../../bin/ext.js', import.meta.url).pathname
  const env = { PATH: process.env['PATH'], EXT_HOME: await temporaryFolder() }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [bin, ...RUN], { cwd: await project(), env })
  expect(stdout).toContain('hello')
  expect(stderr).not.toMatch(/\n\s+at /)
})
