import { spawn } from 'node:child_process'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunEvent } from '@ext/agent-core/types'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from './bin.js'

const BIN = fileURLToPath(new URL('../bin/ext.js', import.meta.url))
const LOW = 'turns: [{ when: { contains: the tide is low }, say: Low. }]\n'
const ANY = 'turns: [{ say: More. }]\n'

interface Given {
  readonly args?: readonly string[]
  /** What is written into a pipe, after so many milliseconds. It stays open if nothing is. */
  readonly pipe?: { readonly text?: string; readonly afterMs?: number }
  readonly file?: string
}

async function run({ args = ['Look.'], pipe, file }: Given, script = LOW) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'script.yaml'), script)
  const input = file === undefined ? undefined : join(folder, 'input.txt')
  if (input !== undefined) await writeFile(input, file ?? '')
  const handle = input === undefined ? undefined : await open(input)
  const flags = ['run', ...args, '--model', 'scripted:script.yaml', '--output', 'stream-json']
  const child = spawn(process.execPath, [BIN, ...flags], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: [handle?.fd ?? 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', () => {})
  if (pipe?.text !== undefined) setTimeout(() => child.stdin?.end(pipe.text), pipe.afterMs ?? 0)
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    stdout += part
  })
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    stderr += part
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  await handle?.close()
  const lines = stdout.split('\n').filter((line) => line !== '')
  const events = lines.map((line) => JSON.parse(line) as RunEvent)
  const text = (type: RunEvent['type']) =>
    events.flatMap((each) => (each.type === type && 'text' in each ? each.text : []))
  return { code, stderr, text }
}

describe('what comes on standard input', () => {
  test.each<[string, Given]>([
    ['through a pipe', { pipe: { text: 'the tide is low' } }],
    ['from a file', { file: 'the tide is low\n' }],
    ['late, when it is waited for', { args: ['Look.', '--stdin'], pipe: { text: 'the tide is low', afterMs: 800 } }],
  ])('goes behind the prompt: %s', async (_how, given) => {
    const { code, stderr, text } = await run(given)
    expect([code, stderr]).toEqual([0, ''])
    expect(text('user')).toEqual(['Look.'])
    expect(text('context')).toEqual([expect.stringContaining('the tide is low')])
    expect(text('text').join('')).toBe('Low.')
  })

  test('is the prompt where there is no other', async () => {
    const { code, text } = await run({ args: [], pipe: { text: 'Is it so that the tide is low?\n' } })
    expect([code, text('user')]).toEqual([0, ['Is it so that the tide is low?']])
  })

  test('is not waited for where a pipe is only left open, which is said', async () => {
    const { code, stderr, text } = await run({ pipe: {} }, ANY)
    expect([code, text('text').join('')]).toEqual([0, 'More.'])
    expect(stderr).toContain('Nothing came on standard input within 300 ms')
    expect(stderr).toContain('--stdin')
  })

  test('may be nothing', async () => {
    const { code, stderr, text } = await run({ pipe: { text: '' } }, ANY)
    expect([code, stderr, text('context')]).toEqual([0, '', []])
  })

  test('of more than a model could ever take is refused', async () => {
    const { code, stderr } = await run({ file: 'x'.repeat(10 * 1024 * 1024 + 1) })
    expect(code).toBe(2)
    expect(stderr).toContain('Standard input has more than')
  })

  test('is missed where it was to be waited for', async () => {
    const folder = await temporaryFolder()
    const { ext } = await import('./bin.js')
    const { code, stderr } = await ext(['run', 'Look.', '--stdin'], { cwd: folder })
    expect(code).toBe(2)
    expect(stderr).toMatch(/Nothing is at standard input|No model is given/)
  })
})
