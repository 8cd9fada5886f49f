import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ext, extAtTerminal, isAlive, temporaryFolder } from '../bin.js'

const BIN = fileURLToPath(new URL('../../bin/ext.js', import.meta.url))

/** More findings than a pipe holds. */
async function manyFindings(): Promise<string> {
  const project = await temporaryFolder()
  await mkdir(join(project, '.ext'))
  const wrong = Array.from({ length: 400 }, (_, at) => `  server-${at}: { command: 1, where: ${'x'.repeat(100)} }`)
  await writeFile(join(project, '.ext/config.yaml'), `mcpServers:\n${wrong.join('\n')}\n`)
  return project
}

describe('a reader that goes away', () => {
  it.each(['doctor', 'doctor --json', 'doctor --sarif', 'mcp list', '--help'])(
    'is no failure, and nothing is said: ext %s | head -1',
    async (line) => {
      const cwd = await manyFindings()
      const script = `node '${BIN}' ${line} | head -1; echo "\${PIPESTATUS[0]}"`
      const env = { PATH: process.env['PATH'], HOME: cwd }
      const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { cwd, env })
      expect(stderr).toBe('')
      expect(stdout.trimEnd().split('\n')).toEqual([expect.any(String), '0'])
    },
  )
})

describe.runIf(existsSync('/dev/full'))('a disk that is full', () => {
  it.each(['--version', '--help', 'help mcp', 'doctor', 'hooks events --json', 'skills list'])(
    'is a failure in one sentence: ext %s > file',
    async (line) => {
      const { code, stderr } = await ext(line.split(' '), { stdout: '/dev/full' })
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^ext: The results can't be written: ENOSPC.*\.\n$/),
      })
    },
  )
})

describe('an unexpected failure', () => {
  // The folder of the demo can't be made.
  const env = { TMPDIR: '/nowhere' }

  it('is a sentence and the way to more of it, without a stack trace', async () => {
    const { code, stdout, stderr } = await ext(['demo'], { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^ext: ENOENT: .*\/nowhere.*\nRun it again with --debug to see where this comes from\.\n$/)
  })

  it.each([[['--debug', 'demo']], [['demo', '--debug']]])('shows where it comes from: ext %j', async (args) => {
    const { code, stderr } = await ext(args, { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^ext: ENOENT: .*\n.*\n {4}at .*mkdtemp/)
  })

  it.each(['throw new Error', 'Promise.reject(new Error'])(
    'that nobody waits for ends the command and what it has started: %s',
    async (how) => {
      const project = await temporaryFolder()
      const silent = { command: 'sh', args: ['-c', 'echo $$ > pid; exec sleep 60'], timeout: { connect: '30s' } }
      await mkdir(join(project, '.ext'))
      await writeFile(join(project, '.ext/config.yaml'), JSON.stringify({ mcpServers: { silent } }))
      // Once the server runs, which says so in a file.
      const fault = `import { existsSync } from 'node:fs'
        if (process.argv[1]?.endsWith('ext.js')) {
          const timer = setInterval(() => {
            if (!existsSync('pid')) return
            clearInterval(timer)
            ${how}('Out of coffee.')${how.includes('(') ? ')' : ''}
          }, 20)
        }`
      const options = {
        env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` },
        cwd: project,
      }
      const { code, stderr } = await ext(['mcp', 'test', '--trust-project'], options)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'ext: Out of coffee.\nRun it again with --debug to see where this comes from.\n',
      })
      expect(existsSync(join(project, 'pid'))).toBe(true)
      expect(await isAlive(join(project, 'pid'))).toBe(false)
    },
  )
})

describe('colours', () => {
  const SGR = /\u001b\[[\d;]*m/

  it.each([
    ['of questions are left out with NO_COLOR', { NO_COLOR: '1' }, false],
    ['of questions are there at a terminal', {}, true],
  ])('%s', async (_, env, coloured) => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.claude'))
    const hook = { hooks: [{ type: 'command', command: 'echo hi' }] }
    await writeFile(join(project, '.claude/settings.json'), JSON.stringify({ hooks: { Stop: [hook] } }))
    const options = { cwd: project, env, after: /Approve this\?/, keys: 'n' }
    const { stdout, code } = await extAtTerminal(['trust', 'approve'], options)
    expect(SGR.test(stdout)).toBe(coloured)
    expect(code).toBe(1)
  })
})

it('an interruption ends the demo with 130, and nothing of it is left', async () => {
  const { code, stdout } = await ext(['demo'], { interrupt: { after: /The session\n/, by: 'SIGINT' } })
  expect(code).toBe(130)
  const folder = /real files: (.+)/.exec(stdout)?.[1] ?? ''
  expect([folder === '', existsSync(folder)]).toEqual([false, false])
})

it('a run does not wait for standard input that nobody closes', async () => {
  const project = await temporaryFolder()
  await writeFile(join(project, 'script.yaml'), 'turns:\n  - say: hello\n')
  const args = ['run', 'hi', '--model', 'scripted:script.yaml']
  const { code, stdout } = await ext(args, { cwd: project, openStdin: true })
  expect(stdout).toContain('hello')
  expect(code).toBe(0)
})
