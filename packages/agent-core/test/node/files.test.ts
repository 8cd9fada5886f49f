import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { auditFile, taskFiles } from '../../src/node/index.js'
import { echoTool, ofType, play, scripted } from '../kit.js'

const folder = () => realpathSync(mkdtempSync(join(tmpdir(), 'audit-')))
const END = { say: 'done' }
const echo = (text: string) => ({ tool: 'Echo', input: { text } })

describe('the file of calls', () => {
  it('gets every call with all that there is to say, and no secret', async () => {
    const audit = auditFile(join(folder(), 'audit.jsonl'))
    const tracer = { start: () => ({ traceId: 'trace-1', set() {}, end() {} }) }
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
    await play({
      model: scripted({ calls: [echo(secret), { tool: 'Nope', input: {} }, echo('c')] }, END),
      tools: [echoTool()],
      audit,
      tracer,
    })
    const records = await audit.read()
    const digest = createHash('sha256').update(`{"text":"${secret}"}`).digest('hex')
    expect(records).toMatchObject([
      {
        ts: '2026-01-01T00:00:00.000Z',
        event: 'tool.invocation',
        tool: 'Echo',
        session_id: 'id-1',
        tool_use_id: 'call_1_1',
        args_digest: `sha256:${digest}`,
        kind: 'exec',
        permission: { behavior: 'allow', decided_by: { layer: 'rules' }, answered_by: 'rules' },
        hook_blocks: [],
        waiting_ms: 0,
        duration_ms: 0,
        is_error: false,
        trace_id: 'trace-1',
      },
      { tool: 'Nope', is_error: true, error_kind: 'unknown_tool', trace_id: 'trace-1' },
      { tool: 'Echo', is_error: false },
    ])
    expect(JSON.stringify(records)).not.toContain(secret)
  })

  it('is the person’s own also where it was there before, for everybody to read', async () => {
    const path = join(folder(), 'audit.jsonl')
    writeFileSync(path, '')
    chmodSync(path, 0o644)
    await play({ model: scripted({ calls: [echo('a')] }, END), tools: [echoTool()], audit: auditFile(path) })
    expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8').split('\n').length]).toEqual([0o600, 2])
  })

  it('costs no run when the disk is full: that is said once', async () => {
    const { events, result } = await play({
      model: scripted({ calls: [echo('a'), echo('b')] }, { calls: [echo('c')] }, END),
      tools: [echoTool()],
      audit: auditFile('/dev/full'),
    })
    expect(result.reason).toBe('done')
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^The audit record of Echo was not kept, and no more are tried: ENOSPC/),
    ])
  })

  it('is read as far as it can be', async () => {
    const path = join(folder(), 'audit.jsonl')
    const audit = auditFile(path)
    await play({ model: scripted({ calls: [echo('a')] }, END), tools: [echoTool()], audit })
    const some = { ts: '2026-01-01T00:00:00.000Z', event: 'tool.invocation', tool: 'Echo', session_id: 'id-1' }
    appendFileSync(path, `[]\n{"ts": 1}\n${JSON.stringify(some)}\nnonsense\n{"half":`)
    await play({ model: scripted({ calls: [echo('b')] }, END), tools: [echoTool()], audit: auditFile(path) })
    expect((await audit.read()).map(({ args_redacted }) => args_redacted)).toEqual(['{"text":"a"}', '{"text":"b"}'])
  })
})

describe('the files of tasks', () => {
  const ref = { id: 'a/b', cwd: '/', origin: 'main', permissionMode: 'default' } as const

  it('keep what was written, for the person alone, and never in a file that is there', () => {
    const files = taskFiles(join(folder(), 'tasks'))
    const file = files.open(ref, 'task-1')
    file.write('one ')
    file.write('two')
    file.close()
    expect(readFileSync(file.path, 'utf8')).toBe('one two')
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    expect(file.path).toMatch(/a%2Fb-task-1\.log$/)
    expect(() => files.open(ref, 'task-1')).toThrow(/EEXIST/)
  })

  it('are removed after a week, and nothing else is', () => {
    const place = join(folder(), 'tasks')
    mkdirSync(place)
    for (const name of ['s-task-1.log', 's-task-2.log', 'notes.txt']) writeFileSync(join(place, name), '')
    const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000)
    for (const name of ['s-task-1.log', 'notes.txt']) utimesSync(join(place, name), old, old)
    taskFiles(place).open(ref, 'task-3').close()
    expect(readdirSync(place).sort()).toEqual(['a%2Fb-task-3.log', 'notes.txt', 's-task-2.log'])
  })

  it('may have a pipe among them: what is imported next is found', () => {
    const place = folder()
    execFileSync('mkfifo', [join(place, 'zz-task-1.log')])
    // Without the NODE_PATH of a package manager, which would hide it.
    const fixture = fileURLToPath(new URL('../fixtures/pipe-among-files.mjs', import.meta.url))
    expect(execFileSync(process.execPath, [fixture, place, 'task'], { encoding: 'utf8', env: {} })).toBe(
      's-task-1.log Here.\n',
    )
  })
})
