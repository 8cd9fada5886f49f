import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject, ToolResult } from '@ext/kernel/contract'
import { minimalEnv } from '@ext/kernel/env'
import { nodeClock, nodePorts, nodeProcess } from '@ext/kernel/node'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../../src/index.js'
import { shellTool } from '../../src/tools/index.js'
import { gate, modelOf, resultTexts } from '../kit.js'

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'shell-')))
const env = { ...minimalEnv(nodePorts().env, 'linux'), COLOUR: 'blue' }

async function shell(
  input: JsonObject,
  options: { timeoutMs?: number; signal?: AbortSignal; cwd?: string } = {},
): Promise<ToolResult> {
  const { timeoutMs, signal = new AbortController().signal } = options
  const tool = shellTool({ process: nodeProcess(), env, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  return tool.run(input, {
    signal,
    session: { id: 's', cwd: options.cwd ?? cwd, origin: 'main', permissionMode: 'default' },
    callId: 'c',
    idempotencyKey: 'k',
    progress: () => {},
    report: () => {},
  })
}

const text = (text: string, isError = false): ToolResult => ({ content: [{ type: 'text', text }], isError })

describe('the shell tool', () => {
  it('gives output and exit code of a command in the folder of the session', async () => {
    expect(await shell({ command: 'pwd' })).toEqual(text(`${cwd}\n[exit code 0]`))
  })

  it('keeps the two outputs apart, and an exit code other than 0 is an error', async () => {
    expect(await shell({ command: 'echo out; echo err >&2; exit 3' })).toEqual(
      text('out\n[standard error]\nerr\n[exit code 3]', true),
    )
  })

  it('says so when a command prints nothing', async () => {
    expect(await shell({ command: 'true' })).toEqual(text('[exit code 0]'))
  })

  it('hands on the environment that it was given and nothing else', async () => {
    process.env['SHELL_TOOL_SECRET'] = 'x'
    const result = await shell({ command: 'echo "$COLOUR $SHELL_TOOL_SECRET."' })
    delete process.env['SHELL_TOOL_SECRET']
    expect(result).toEqual(text('blue .\n[exit code 0]'))
  })

  it('ends a command that takes too long, and shows what it printed', async () => {
    const result = await shell({ command: 'echo begun; sleep 30', timeout_ms: 300 })
    expect(result).toEqual(text('begun\n[ended after 300 ms: it took too long]', true))
  }, 10_000)

  it('says so when a command is ended by a signal', async () => {
    expect(await shell({ command: 'kill -9 $$' })).toEqual(text('[ended by SIGKILL]', true))
  })

  it('ends a command when the run is aborted', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 100)
    const result = await shell({ command: 'sleep 30' }, { signal: controller.signal })
    expect(result).toEqual(text('[ended: the run was aborted]', true))
  }, 10_000)

  it('is a result too when the command can not be started', async () => {
    const result = await shell({ command: 'true' }, { cwd: join(cwd, 'gone') })
    expect(result.isError).toBe(true)
    expect(result.content).toMatchObject([{ text: expect.stringMatching(/^\[could not start: .*gone/) }])
  })

  it('says how much of a large output is missing', async () => {
    const result = await shell({ command: 'head -c 1500000 /dev/zero | tr "\\0" x' })
    expect(result.content).toMatchObject([
      {
        text: expect.stringMatching(
          /x\n\[standard output: 1500000 bytes came, the first 1048576 are shown\]\n\[exit code 0\]$/,
        ),
      },
    ])
  })

  it('works in an agent under another name, and its schema keeps wrong inputs away', async () => {
    const model = modelOf(
      [
        { type: 'tool_call', id: 'c1', name: 'sh', input: { command: 'echo hi' } },
        { type: 'tool_call', id: 'c2', name: 'sh', input: { command: '' } },
        { type: 'tool_call', id: 'c3', name: 'sh', input: { command: 'true', timeout_ms: 5000 } },
      ],
      [],
    )
    const tools = [shellTool({ process: nodeProcess(), env, name: 'sh', timeoutMs: 1000 })]
    const agent = await createAgent({ model, gate: gate(), tools, ports: { clock: nodeClock() } })
    const session = agent.session({ cwd })
    await session.run('go').result
    expect(resultTexts(session)).toEqual([
      'hi\n[exit code 0]',
      'The input does not fit the schema of sh:\n- /command must NOT have fewer than 1 characters',
      'The input does not fit the schema of sh:\n- /timeout_ms must be <= 1000',
    ])
  })
})
