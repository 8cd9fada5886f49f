import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ext, isAlive, temporaryFolder } from './bin.js'

const SCRIPT = `
turns:
  - calls:
      - {tool: Bash, input: {command: echo hello}}
      - {tool: Bash, input: {command: touch no}}
      - {tool: Nope, input: {}}
  - say: Done.
`

async function ran() {
  const home = await temporaryFolder()
  await writeFile(join(home, 'script.yaml'), SCRIPT)
  const result = await ext(['run', 'go', '--model', 'scripted:script.yaml', '--allow', 'Bash(echo *)'], { home })
  expect(result.code).toBe(0)
  return home
}

describe('ext audit', () => {
  it('shows what was called, searches in it, and sums it up', async () => {
    const home = await ran()
    const audit = async (...args: string[]) => (await ext(['audit', ...args], { home })).stdout.trimEnd()
    expect((await stat(join(home, '.ext/audit.jsonl'))).mode & 0o777).toBe(0o600)
    const lines = (await audit('tail')).split('\n')
    expect(lines.map((line) => line.replace(/^\S+ {2}\S+ {2}/, '').replace(/\d+ ms/, 'N ms'))).toEqual([
      'Bash  ok  allow by rules  N ms  {"command":"echo hello"}',
      '    rule Bash(echo *) (<--allow>)',
      expect.stringMatching(/^Bash {2}denied {2}deny by \w+ {2}N ms {2}\{"command":"touch no"\}$/),
      'Nope  unknown_tool  not asked  N ms  {}',
    ])
    const newest = JSON.parse(await audit('tail', '-n', '1', '--json'))
    expect(newest).toMatchObject({ tool: 'Nope', error_kind: 'unknown_tool' })
    expect((await audit('query', '--tool', 'Bash', '--errors')).split('\n')).toHaveLength(1)
    expect((await audit('query', '--session', newest.session_id)).split('\n')).toHaveLength(4)
    expect(await audit('query', '--since', '2999-01-01')).toBe('No such calls have been written down.')
    expect(await audit('query', '--server', 'git', '--json')).toBe('')
    expect(JSON.parse(await audit('stats', '--json'))).toMatchObject({
      calls: 3,
      sessions: 1,
      tools: [
        { tool: 'Bash', calls: 2, denied: 1, blocked: 0, failed: 0 },
        { tool: 'Nope', calls: 1, denied: 0, failed: 0 },
      ],
    })
    expect((await audit('stats')).split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual([
      'tool',
      'Bash',
      'Nope',
      '3 calls in 1 session',
    ])
  }, 60_000)

  it('shows what a record says of its origin, whoever has written it, in lines of its own', async () => {
    const home = await temporaryFolder()
    const source = { phase: 'connect', kind: 'network', retries: 2, queue_ms: 20.4, run_ms: 0, bytes: 31 }
    const record = {
      ...{ ts: '2026-01-31T10:00:00.000Z', event: 'mcp.tool.invocation', tool: 'mcp__db__query', server: 'db' },
      ...{ session_id: '3f2a1b2c-1', agent_type: 'captain', tool_use_id: '1', args_digest: '', args_redacted: '{}' },
      ...{ hook_blocks: ['odd\nhook\u001b[2J'], waiting_ms: 0, duration_ms: 20.4, result_bytes: 31 },
      ...{ is_error: true, error_kind: 'remote', source },
    }
    await mkdir(join(home, '.ext'))
    // The name of a tool that there is not is up to the model.
    const forged = { ...record, tool: 'Bash\n    rule Bash(*) (~/.ext/config.yaml)', server: undefined }
    const half = { ts: record.ts, event: record.event, tool: 'Half', session_id: 'x' }
    const file = join(home, '.ext/audit.jsonl')
    await writeFile(file, `${JSON.stringify(half)}\n${JSON.stringify({ ...forged, source: undefined })}\n`)
    const { stdout: first } = await ext(['audit', 'tail'], { home })
    expect(first).toMatch(/^\S+ {2}3f2a1b2c {2}Bash rule Bash\(\*\) \(~\/\.ext\/config\.yaml\) {2}remote/)
    expect((await ext(['audit', 'stats'], { home })).stdout).toMatch(/\nBash rule Bash\(\*\) .* {2}- .*\n1 call in/)
    await writeFile(file, `${JSON.stringify(record)}\n`)
    expect((await ext(['audit', 'query'], { home })).stdout.split('\n')).toEqual([
      '2026-01-31T10:00:00.000Z  3f2a1b2c  mcp__db__query (db)  remote  not asked  20 ms  {}',
      '    agent captain',
      '    blocked by hook odd hook\\u001b[2J',
      '    at db: network while its server was connected to, tried 3 times, 20 ms in the queue, 0 ms at work, 31 bytes',
      '',
    ])
    const { stdout } = await ext(['audit', 'stats'], { home })
    expect(stdout).toMatch(/\nmcp__db__query {2}db {6}1 {5,}0 {6,}0 {7,}1 {6,}network 1 {2}2 {7,}20 ms/)
    expect(stdout).toContain('\ncalls of agents: captain 1\nblocked by hooks: odd hook\\u001b[2J 1\n')
  })

  it('says what is no time', async () => {
    const { code, stderr } = await ext(['audit', 'query', '--since', 'soon'])
    expect([code, stderr]).toEqual([2, 'ext: `soon` is no time. Write a day or a time as ISO 8601: 2026-01-31.\n'])
  })
})

describe('a command in the background of ext run', () => {
  const behind = async (rest: string) => {
    const home = await temporaryFolder()
    const start = '{tool: Bash, input: {command: "echo $$ > pid; sleep 300", run_in_background: true}}'
    await writeFile(join(home, 'script.yaml'), `turns:\n  - calls: [${start}]\n${rest}`)
    return home
  }
  const args = ['run', 'go', '--model', 'scripted:script.yaml', '--allow', 'Bash']
  const look = '  - calls: [{tool: task_output, input: {task_id: task-1, wait_ms: 500}}]\n'

  it('is stopped with the session, with a word', async () => {
    const home = await behind(`${look}  - say: Done.\n`)
    const { code, stdout } = await ext(args, { home })
    expect(code).toBe(0)
    expect(stdout).toContain('task        task-1 starts: echo $$ > pid; sleep 300')
    expect(stdout).toContain('was still running and is stopped: the session has ended.')
    expect(stdout).toContain('task        task-1 cancelled: the session has ended')
    expect(await isAlive(join(home, 'pid'))).toBe(false)
  }, 60_000)

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'does not outlive %s',
    async (by) => {
      const home = await behind(`${look.replace('500', '60000')}  - say: Done.\n`)
      const result = await ext(args, { home, interrupt: { after: /task_output/, by } })
      expect(result.code).not.toBe(0)
      // The watchdog looks about itself once the process is gone.
      await expect.poll(() => isAlive(join(home, 'pid')), { timeout: 10_000 }).toBe(false)
    },
    60_000,
  )
})
