import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject, ToolResult } from '@ext/kernel/contract'
import { minimalEnv } from '@ext/kernel/env'
import { nodeClock, nodePorts, nodeProcess } from '@ext/kernel/node'
import type { ProcessPort } from '@ext/kernel/types'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../../src/index.js'
import { type ShellToolOptions, shellTool } from '../../src/tools/index.js'
import { gate, modelOf, resultTexts } from '../kit.js'

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'shell-')))
const process = nodeProcess()
const env = { ...minimalEnv(nodePorts().env, 'linux'), COLOUR: 'blue' }

async function shell(
  input: JsonObject,
  options: Partial<ShellToolOptions> & { signal?: AbortSignal; cwd?: string } = {},
): Promise<ToolResult> {
  const { signal = new AbortController().signal, cwd: folder = cwd, ...own } = options
  const tool = shellTool({ process, env, ...own })
  return tool.run(input, {
    signal,
    session: { id: 's', cwd: folder, origin: 'main', permissionMode: 'default' },
    callId: 'c',
    idempotencyKey: 'k',
    progress: () => {},
    report: () => {},
  })
}

const text = (text: string, isError = false): ToolResult => ({ content: [{ type: 'text', text }], isError })

const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')

/** Without an init that collects it, a dead orphan stays as a zombie. */
function isGone(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

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
    globalThis.process.env['SHELL_TOOL_SECRET'] = 'x'
    const result = await shell({ command: 'echo "$COLOUR $SHELL_TOOL_SECRET."' })
    delete globalThis.process.env['SHELL_TOOL_SECRET']
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

  it('gives beginning and end of a long output, and says how much is missing', async () => {
    const result = await shell(
      { command: 'echo begin; head -c 100000 /dev/zero | tr "\\0" x; echo; echo end; seq 5 >&2' },
      { maxOutputBytes: 20 },
    )
    expect(result).toEqual(
      text(
        `begin\nxxxx\n[99991 of 100011 bytes are left out here]\nxxxxx\nend\n[standard error]\n1\n2\n3\n4\n5\n[exit code 0]`,
      ),
    )
  })

  it('begins the end of a long output with a whole character', async () => {
    const result = await shell({ command: 'printf "12345äöü€"' }, { maxOutputBytes: 10 })
    expect(result).toEqual(text('12345\n[4 of 14 bytes are left out here]\nü€\n[exit code 0]'))
  })

  it('says what is missing also where the port keeps no end', async () => {
    const run: ProcessPort['run'] = ({ maxTailBytes: _, ...request }) => process.run(request)
    const result = await shell({ command: 'seq 100' }, { maxOutputBytes: 8, process: { ...process, run } })
    expect(result).toEqual(text('1\n2\n[288 of 292 bytes are left out here]\n[exit code 0]'))
  })

  it('gives a command nothing to read and no start-up file', async () => {
    const home = mkdtempSync(join(tmpdir(), 'shell-home-'))
    writeFileSync(join(home, '.profile'), 'echo started')
    const options = { env: { ...env, HOME: home, ENV: join(home, '.profile'), BASH_ENV: join(home, '.profile') } }
    expect(await shell({ command: 'cat; bash -c "echo in bash"' }, options)).toEqual(text('in bash\n[exit code 0]'))
  })

  it('starts every command in the folder of the session', async () => {
    await shell({ command: 'cd /' })
    expect(await shell({ command: 'pwd' })).toEqual(text(`${cwd}\n[exit code 0]`))
  })

  it('leaves nothing behind that was started in the background', async () => {
    const result = await shell({ command: 'sleep 60 & echo $!' })
    const [pid] = textOf(result).split('\n')
    await expect.poll(() => isGone(Number(pid))).toBe(true)
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
    const tools = [shellTool({ process, env, name: 'sh', timeoutMs: 1000 })]
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
