import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Command, ProcessRequest, RunningProcess } from '../../src/index.js'
import { nodeProcess } from '../../src/node/index.js'
import { bundlePort, hostArguments } from './hosts.js'
import { markedEnv as env, leavesNothing, linux, nextMark, settles, until } from './survivors.js'

const { run, start } = nodeProcess()
let cwd = ''

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ext-process-'))
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

const sh = (script: string) => ({ shell: 'sh', script }) as const

const settle = (command: Command, request: Partial<ProcessRequest> = {}) => settles({ command, cwd, ...request }, run)

describe('a command', () => {
  it('runs to its end, with input, output, errors and exit code', async () => {
    const result = await settle(sh('cat; echo problem >&2; exit 3'), { stdin: 'Käse\n' })
    expect(result).toMatchObject({
      outcome: 'ended',
      exitCode: 3,
      signal: null,
      stdout: 'Käse\n',
      stderr: 'problem\n',
      stdoutBytes: 6,
      stderrBytes: 8,
      inputNotRead: false,
    })
    expect(result.message).toBeUndefined()
  })

  it('keeps beginning and end of what it prints, if asked to', async () => {
    const limits = { maxOutputBytes: 4, maxTailBytes: 5 }
    const { stdout, stdoutTail, stdoutBytes, stderr, stderrTail } = await settle(
      sh('printf "begin, middle, ä€end"; printf short >&2'),
      limits,
    )
    expect([stdout, stdoutTail, stdoutBytes]).toEqual(['begi', 'end', 23])
    expect([stderr, stderrTail]).toEqual(['shor', 't'])
    const whole = await settle(sh('printf "123ä€😀"'), { maxOutputBytes: 4, maxTailBytes: 100 })
    expect([whole.stdout, whole.stdoutTail]).toEqual(['123', 'ä€😀'])
    const large = await settle(sh('head -c 3000000 /dev/zero | tr "\\0" x; printf END'), {
      ...limits,
      maxTailBytes: 1000,
    })
    expect([large.stdoutTail?.length, large.stdoutTail?.endsWith('xEND')]).toEqual([1000, true])
    expect(await settle(sh('echo long'), { maxOutputBytes: 1 })).not.toHaveProperty('stdoutTail')
  })

  it('sees its arguments as they are, its folder, and no environment but its own', async () => {
    const script = 'console.log(JSON.stringify([process.argv.slice(1), process.cwd(), Object.keys(process.env)]))'
    const args = ['$HOME', 'a b', '"', '*', '; ls', '']
    const result = await settle({ file: process.execPath, args: ['-e', script, '--', ...args] })
    expect(JSON.parse(result.stdout)).toEqual([args, cwd, ['PATH', 'EXT_TEST_MARK', ...(linux ? ['EXT_RUN_ID'] : [])]])
  })

  it.each(['sh', 'bash'] as const)('runs a script in %s, which reads no start-up files', async (shell) => {
    await writeFile(join(cwd, '.profile'), 'echo profile')
    await writeFile(join(cwd, '.bashrc'), 'echo bashrc')
    const mark = nextMark()
    const request = { cwd, env: { ...env(mark), HOME: cwd }, timeoutMs: 1000 }
    const result = await run({ ...request, command: { shell, script: 'echo "$-"; echo done' } })
    expect(result.stdout).toMatch(/^[a-zA-Z]*\ndone\n$/)
    expect(result.stdout).not.toMatch(/^[^\n]*i/)
  })

  it('that is ended by a signal says which', async () => {
    expect(await settle(sh('kill -9 $$'))).toMatchObject({ outcome: 'ended', exitCode: null, signal: 'SIGKILL' })
  })

  it('has no input to wait for when none is given', async () => {
    expect(await settle(sh('cat'))).toMatchObject({ outcome: 'ended', exitCode: 0, inputNotRead: false })
  })

  it('may have a time-out longer than any timer', async () => {
    expect(await settle(sh('sleep 0.1; echo x'), { timeoutMs: Number.POSITIVE_INFINITY })).toMatchObject({
      outcome: 'ended',
      stdout: 'x\n',
    })
  })
})

describe('a command that can not start says why', () => {
  it.each([
    ['there is no such program', { file: 'no-such-program-here', args: [] }, /`no-such-program-here` was not found/],
    ['there is no such file', { file: '/no/such/file', args: [] }, /`\/no\/such\/file` was not found/],
    ['it is a folder', { file: '/tmp', args: [] }, /`\/tmp` may not be executed/],
    ['an argument holds a NUL', { file: 'echo', args: ['a\0b'] }, /null bytes/],
    ['its name is empty', { file: '', args: [] }, /\S/],
    ['its arguments are too long', { file: 'echo', args: ['x'.repeat(4_000_000)] }, /E2BIG/],
  ])('because %s', async (_why, command, message) => {
    const result = await settle(command, { stdin: 'x'.repeat(1_000_000) })
    expect(result).toMatchObject({ outcome: 'cannot-start', exitCode: null, inputNotRead: false })
    expect(result.message).toMatch(message)
  })

  it('because it is not executable', async () => {
    const file = join(cwd, 'data.txt')
    await writeFile(file, 'x', { mode: 0o644 })
    expect((await settle({ file, args: [] })).message).toBe(`\`${file}\` may not be executed`)
  })

  it('because its folder is missing, or no folder', async () => {
    const missing = await settle(sh('true'), { cwd: join(cwd, 'missing') })
    expect(missing.message).toContain(join(cwd, 'missing'))
    await writeFile(join(cwd, 'file'), '')
    const wrong = await settle(sh('true'), { cwd: join(cwd, 'file') })
    expect([missing.outcome, wrong.outcome, wrong.message]).toEqual([
      'cannot-start',
      'cannot-start',
      `${join(cwd, 'file')} is not a folder`,
    ])
  })

  // Run as a program of its own, since it breaks its host.
  it.skipIf(!linux)('because the host has no file handles left', async () => {
    const program = `
      const { openSync } = await import('node:fs')
      const isTrue = () => run({ command: { file: 'true', args: [] }, cwd: '/', env: {}, timeoutMs: 1000 })
      await isTrue()
      try { for (;;) openSync('/dev/null') } catch {}
      const { outcome, message } = await isTrue()
      console.log(JSON.stringify([outcome, message]))`
    const args = hostArguments(await bundlePort(cwd), program)
    const shell = `ulimit -n 64; exec "$0" "$@"`
    const output = execFileSync('sh', ['-c', shell, process.execPath, ...args], { encoding: 'utf8' })
    expect(JSON.parse(output)).toEqual(['cannot-start', 'the host has no file handles left'])
  })
})

describe('a signal', () => {
  it('that has aborted already lets nothing start', async () => {
    const result = await settle(sh('echo x'), { signal: AbortSignal.abort() })
    expect(result).toMatchObject({ outcome: 'aborted', stdout: '', exitCode: null })
    expect(result.ms).toBeLessThan(100)
  })

  it('ends a stubborn child and its group', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 200)
    const script = 'trap "" TERM; echo up; (trap "" TERM; while :; do sleep 1; done) & while :; do sleep 1; done'
    const result = await settle(sh(script), { signal: controller.signal, timeoutMs: 60_000 })
    expect(result).toMatchObject({ outcome: 'aborted', stdout: 'up\n', exitCode: null })
  })

  it('that comes after the end changes nothing, and no listener stays behind', async () => {
    const controller = new AbortController()
    const added: string[] = []
    const removed: string[] = []
    const signal = new Proxy(controller.signal, {
      get(target, key) {
        if (key === 'addEventListener') added.push('one')
        if (key === 'removeEventListener') removed.push('one')
        const value = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const result = await settle(sh('echo x'), { signal })
    controller.abort()
    expect(result.outcome).toBe('ended')
    expect(removed).toEqual(added)
  })
})

describe('a child that is talked to', () => {
  const launch = (script: string) => {
    const mark = nextMark()
    const child = start({ command: sh(script), cwd, env: env(mark) })
    const output: string[] = []
    child.onStdout((chunk) => output.push(Buffer.from(chunk).toString()))
    return { child, mark, output }
  }
  /** Stops within the time that its waits allow. */
  const stop = async (child: RunningProcess, mark: string) => {
    const began = performance.now()
    await child.stop({ waitMs: 200, graceMs: 500 })
    expect(performance.now() - began).toBeLessThan(1500)
    await leavesNothing(mark)
  }

  it('answers over its pipes and ends when its input closes', async () => {
    const { child, mark, output } = launch('while read line; do echo "got $line"; done; exit 7')
    expect(child.pid).toBeGreaterThan(0)
    expect(await child.write('one\n')).toBe(true)
    expect(await child.write('two\n')).toBe(true)
    await until(() => output.join('') === 'got one\ngot two\n')
    await stop(child, mark)
    expect(await child.exited).toEqual({ exitCode: 7, signal: null })
    expect(await child.write('late\n')).toBe(false)
  })

  it('that ends at TERM is not killed', async () => {
    const { child, mark, output } = launch('trap "exit 0" TERM; echo up; sleep 30 & wait; exit 1')
    await until(() => output.length > 0)
    await stop(child, mark)
    expect(await child.exited).toEqual({ exitCode: 0, signal: null })
  })

  it('that is stubborn is killed with its whole group', async () => {
    const script = 'trap "" TERM; (trap "" TERM; while :; do sleep 1; done) & echo up; while :; do sleep 1; done'
    const { child, mark, output } = launch(script)
    await until(() => output.length > 0)
    await stop(child, mark)
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' })
  })

  it('that has stopped itself is killed', async () => {
    const { child, mark } = launch('kill -STOP $$')
    await stop(child, mark)
  })

  it('that dies takes its own children along', async () => {
    const { child, mark } = launch('sleep 300 & exit 5')
    expect(await child.exited).toMatchObject({ exitCode: 5 })
    await leavesNothing(mark)
    await stop(child, mark)
  })

  it('that never reads lets a write wait until it is stopped', async () => {
    const { child, mark } = launch('sleep 300')
    const written = child.write('x'.repeat(8 * 1024 * 1024))
    await stop(child, mark)
    expect(await written).toBe(false)
  })

  it('is not blocked by errors that nobody listens to', async () => {
    const { child, mark, output } = launch('head -c 5000000 /dev/zero >&2; echo done')
    await until(() => output.join('') === 'done\n')
    await stop(child, mark)
  })

  it('can be stopped twice, and at the same time', async () => {
    const { child, mark } = launch('sleep 300')
    await Promise.all([stop(child, mark), stop(child, mark)])
    await stop(child, mark)
  })

  it.each([
    ['no-such-program-here', /was not found/],
    ['nul\0byte', /null bytes/],
  ])('and can not start says why: %j', async (file, message) => {
    const child = start({ command: { file, args: [] }, cwd, env: {} })
    child.onStdout(() => {})
    child.onStderr(() => {})
    expect(await child.exited).toEqual({ exitCode: null, signal: null, message: expect.stringMatching(message) })
    expect(child.pid).toBeUndefined()
    expect(await child.write('x')).toBe(false)
    await child.stop()
  })

  it('has errors to listen to', async () => {
    const { child, mark } = launch('echo oops >&2; sleep 30')
    const errors: string[] = []
    child.onStderr((chunk) => errors.push(Buffer.from(chunk).toString()))
    await until(() => errors.join('') === 'oops\n')
    await stop(child, mark)
  })
})
