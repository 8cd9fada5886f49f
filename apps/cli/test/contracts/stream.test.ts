import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunEvent, RunEventFields, RunEventType } from '@ext/agent-core/types'
import { describe, expect, it } from 'vitest'
import { createTranscript } from '../../src/render/transcript.js'
import { type ExtOptions, ext, extAtTerminal, temporaryFolder } from '../bin.js'
import { richProject } from './rich.js'
import { departures, knownEvents } from './schemas.js'

const DRAW = fileURLToPath(new URL('../fixtures/draw.mjs', import.meta.url))

/** What another program makes of the stream alone. */
function draw(stream: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [DRAW], { input: stream, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

function eventsOf(stream: string): readonly RunEvent[] {
  const lines = stream.split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line) as RunEvent)
}

/** The events of a stream, each of which fits the published schema. */
function validEvents(stream: string): readonly RunEvent[] {
  const events = eventsOf(stream)
  expect(events.flatMap((event) => departures('run-event', event).map((what) => `${event.type}: ${what}`))).toEqual([])
  return events
}

/** The same session, once for programs and once for people. */
async function bothForms(options: ExtOptions = {}, turns?: readonly object[]) {
  const play = async (form: string) => {
    const { project, home } = await richProject(turns)
    const args = ['run', '--project', project, '--trust-project', '--output', form, 'Go on,\nplease']
    const { stdout, ...ran } = await ext(args, { home, cwd: project, ...options })
    return { ...ran, project, home, stdout }
  }
  const [stream, text] = await Promise.all([play('stream-json'), play('text')])
  return { stream, text, types: new Set(validEvents(stream.stdout).map(({ type }) => type)) }
}

describe('ext run --output stream-json', () => {
  it('tells all that another program needs to draw the session as ext does', async () => {
    const { stream, text, types } = await bothForms()
    expect([stream.code, text.code]).toEqual([0, 0])
    const drawn = draw(stream.stdout)
    expect(drawn.split('\n')).toEqual(text.stdout.split('\n'))
    expect(drawn.split('\n').length).toBeGreaterThan(80)
    // What only a person or a slow reader brings about is below.
    const missing = knownEvents().filter((type) => !types.has(type as RunEventType))
    expect(missing).toEqual(['question', 'dropped'])
  }, 60_000)

  it('is the same session however the text is cut into pieces', async () => {
    const { project, home } = await richProject()
    const args = ['run', '--project', project, '--trust-project', '--output', 'stream-json', 'Go']
    const { stdout } = await ext(args, { home, cwd: project })
    const pieces = eventsOf(stdout).flatMap((event): readonly RunEvent[] =>
      event.type === 'text' ? [...event.text].map((text) => ({ ...event, text })) : [event],
    )
    expect(draw(`${pieces.map((event) => JSON.stringify(event)).join('\n')}\n`)).toBe(draw(stdout))
  }, 60_000)

  it('tells of a run that is interrupted', async () => {
    const turns = [{ say: 'Wait.', calls: [{ tool: 'mcp__one__hang', input: {} }] }]
    // By then the call is surely under way.
    const interrupt = { after: /nearly all/, by: 'SIGINT' } as const
    const { stream, text } = await bothForms({ interrupt }, turns)
    expect([stream.code, text.code]).toEqual([130, 130])
    expect(draw(stream.stdout)).toBe(text.stdout)
    expect(text.stdout).toContain('result      aborted')
  }, 60_000)

  it('tells of a run that fails', async () => {
    const turns = [{ say: 'Now', fail: { kind: 'authentication', message: 'the key is wrong' } }]
    const { stream, text } = await bothForms({}, turns)
    expect([stream.code, text.code]).toEqual([1, 1])
    expect(draw(stream.stdout)).toBe(text.stdout)
    expect(validEvents(stream.stdout).at(-1)).toMatchObject({
      type: 'result',
      reason: 'error',
      error: { kind: 'authentication' },
    })
  }, 60_000)

  it('ends with the result, whatever the end of the session brings', async () => {
    const { stream } = await bothForms({}, [{ say: 'Done.' }])
    const types = validEvents(stream.stdout).map(({ type }) => type)
    expect(types.slice(-3)).toEqual(['hook', 'session_end', 'result'])
  }, 60_000)

  // Other systems have another `script`.
  it.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))(
    'tells of a question and of the answer',
    async () => {
      const turns = [{ calls: [{ tool: 'Bash', input: { command: 'make' } }] }, { say: 'Then not.' }]
      const play = async (form: string) => {
        const { project, home } = await richProject(turns)
        const stdout = join(home, 'out')
        const args = ['run', '--project', project, '--trust-project', '--output', form, 'Go']
        await extAtTerminal(args, { cwd: project, home, after: /Deny/, keys: '\r', stdout })
        return readFile(stdout, 'utf8')
      }
      const [stream, text] = await Promise.all([play('stream-json'), play('text')])
      expect(validEvents(stream).map(({ type }) => type)).toContain('question')
      expect(draw(stream)).toBe(text)
      expect(text).toContain('deny, answered by user')
    },
    60_000,
  )

  it.each<[string, readonly string[], number, RegExp]>([
    ['no model', ['Go'], 2, /No model is given/],
    ['a script that is broken', ['--model', 'scripted:odd.yaml', 'Go'], 2, /odd\.yaml/],
    ['a model that there is not', ['--model', 'nobody/x', 'Go'], 2, /nobody/],
    ['no prompt', [], 2, /Give a prompt/],
    ['a skill that there is not', ['--model', 'scripted:fine.yaml', '/nothing'], 2, /There is no skill/],
    ['a session that there is not', ['--resume', 'x', 'Go', '--model', 'scripted:fine.yaml'], 2, /There is no session/],
    ['a broken hook under --strict', ['--model', 'scripted:fine.yaml', '--strict', 'Go'], 1, /can’t be loaded/],
  ])('has a result although nothing was run: %s', async (_what, args, code, message) => {
    const project = await temporaryFolder()
    await writeFile(join(project, 'odd.yaml'), 'turns: 5\n')
    await writeFile(join(project, 'fine.yaml'), 'turns: [{say: hi}]\n')
    const home = await temporaryFolder()
    if (args.includes('--strict')) {
      await mkdir(join(home, '.ext'))
      await writeFile(join(home, '.ext/config.yaml'), 'hooks: [{event: Stopp, action: {type: command, command: x}}]\n')
    }
    const run = (form: string) => ext(['run', ...args, '--output', form], { cwd: project, home })
    const stream = await run('stream-json')
    const events = validEvents(stream.stdout)
    expect(events).toMatchObject([
      {
        type: 'result',
        reason: 'error',
        turns: 0,
        error: { kind: 'not_started', message: expect.stringMatching(message) },
      },
    ])
    expect([stream.code, stream.stderr]).toEqual([code, expect.stringMatching(message)])
    expect(stream.stderr).not.toMatch(/\n\s+at /)
    const json = await run('json')
    const { ts: _, v: _v, type: _t, session_id: _id, ...result } = events[0] as RunEvent & { type: 'result' }
    expect(JSON.parse(json.stdout)).toEqual({ ...result, session_id: expect.stringMatching(/./) })
    expect((await run('text')).stdout).toBe('')
  })
})

/** One of each, so that a new type of event fails to compile here until the schema and the drawing know it. */
const SAMPLES: { readonly [T in RunEventType]: RunEventFields[T] } = {
  session_start: {
    source: 'fork',
    cwd: '/srv/app',
    model: 'm',
    tools: ['a'],
    agent: 'b',
    diagnostics: { errors: 0, warnings: 1 },
  },
  session_end: { reason: 'other' },
  agent_start: { model: 'm', tools: [] },
  handoff: { from: 'main', to: 'billing', reason: 'a bill' },
  agent_end: { reason: 'max_turns', text: '', usage: { inputTokens: 1, outputTokens: 2 }, turns: 1, tool_use_id: 'c' },
  task_start: { task_id: 'task-1', kind: 'command', subject: 'x\ny', tool_use_id: 'c' },
  task_end: { task_id: 'task-1', kind: 'command', subject: 'x', state: 'failed', how: 'exit code 1', duration_ms: 1.5 },
  model_start: { turn: 1, model: 'm', effort: 'high', by: 'server s' },
  model_end: { turn: 1, duration_ms: 2, ttft_ms: 1, input_tokens: 1, output_tokens: 1, cost_usd: 0.1, cut: 'length' },
  changed: { by: 'h', what: 'response', original: null },
  user: { text: 'a\u001b[2J\r\nb' },
  text: { text: 'so far' },
  reasoning: { text: 'hm' },
  tool_call: { tool_use_id: 'c', tool: 'mcp__s__t', input: null, source: { server: 's', tool: 't' } },
  hook: { event: 'Stop', hook: 'h', outcome: 'timedOut', cause: 'timeout', reason: '/srv/app/x', ms: 0 },
  question: { tool_use_id: 'c', reason: 'why', suggestions: ['Bash(x)'], topic: 't' },
  permission: {
    tool_use_id: 'c',
    behavior: 'allow',
    decidedBy: { layer: 'rules', rule: 'Bash(x)', source: { layer: 'user', file: '/f', line: 1, column: 1 } },
    reason: 'r',
    answeredBy: 'automation',
    by: 'h',
    wait_ms: 0,
  },
  progress: { tool_use_id: 'c', progress: 1, total: 2, message: 'half' },
  tool_result: {
    tool_use_id: 'c',
    tool: 'mcp__s__t',
    is_error: false,
    content: [{ type: 'image', data: '', mimeType: 'image/png' }],
    executed: true,
    duration_ms: 1,
  },
  tool_rejected: { tool_use_id: 'c', tool: 't', reason: 'r' },
  context: { by: 'AGENTS.md', place: 'turn', text: 't' },
  compacted: { trigger: 'manual', before_tokens: 2, after_tokens: 1, summary: 's' },
  dropped: { count: 2 },
  notice: { text: 'n', by: 'h' },
  result: {
    reason: 'budget',
    text: '',
    usage: { inputTokens: 0, outputTokens: 0 },
    costUsd: 1,
    turns: 2,
    error: { kind: 'budget', message: 'm' },
  },
}

describe('the published schema of the stream', () => {
  const events = Object.entries(SAMPLES).map(
    ([type, fields], at) =>
      ({
        v: 1,
        type,
        session_id: 's',
        ts: '2026-01-01T00:00:00.000Z',
        ...(at % 2 === 0 ? {} : { agent_id: 'a', agent_type: 'helper' }),
        ...fields,
      }) as RunEvent,
  )

  it('knows every type of event and no other, and each is drawn alike', () => {
    expect(knownEvents().toSorted()).toEqual(Object.keys(SAMPLES).toSorted())
    const stream = `${events.map((event) => JSON.stringify(event)).join('\n')}\n`
    validEvents(stream)
    const transcript = createTranscript('/srv/app')
    expect(draw(stream).trimEnd().split('\n')).toEqual(
      events
        .flatMap((event) => transcript.add(event))
        .join('\n')
        .split('\n'),
    )
  })

  it('finds each field that a line lacks', () => {
    for (const event of events) {
      for (const field of ['v', 'session_id', 'ts', 'type']) {
        expect(departures('run-event', { ...event, [field]: undefined }), field).not.toEqual([])
      }
    }
    expect(departures('run-event', { ...events[0], v: 2 })).not.toEqual([])
    expect(departures('run-event', { ...events[0], tools: 'x' })).not.toEqual([])
    // A type of a later version is for a later reader.
    expect(departures('run-event', { ...events[0], type: 'later' })).toEqual([])
  })
})
