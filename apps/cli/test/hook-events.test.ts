import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { events } from '@ext/hooks'
import { isMap } from '@ext/kernel'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from './bin.js'
import { runEvents } from './events.js'

/** A session in which everything happens that hooks can hear of, but for the end that goes wrong. */
const SCRIPT = `
turns:
  - say: Let me see.
    calls:
      - {tool: Bash, input: {command: echo ${'hello '.repeat(100)}}}
      - {tool: Bash, input: {command: touch asked}}
  - calls:
      - {tool: Bash, input: {command: exit 3}}
      - {tool: agent, input: {type: helper, prompt: help me}}
  - fail: {kind: context_length, message: too long}
agents:
  - when: {contains: <conversation>}
    turns: [{say: What was said so far.}]
  - when: {contains: What was said so far.}
    turns:
      - say: Stays from before.
      - say: Done.
  - when: {contains: help me}
    turns:
      - calls:
          - {tool: Bash, input: {command: echo from the sub-agent}}
          - {tool: Bash, input: {command: touch asked}}
          - {tool: Bash, input: {command: exit 3}}
      - say: I helped.
`
const BROKEN = 'turns: [{fail: {kind: overloaded, message: busy, retryAfterMs: 1}}]'

async function project(script: string): Promise<string> {
  const folder = await temporaryFolder()
  await Promise.all(['.ext/agents', 'seen'].map((path) => mkdir(join(folder, path), { recursive: true })))
  const hooks = Object.keys(events).map(
    (event) =>
      `  - {name: see-${event}, event: ${event}, action: {type: command, command: "cat >> seen/${event}.jsonl; echo >> seen/${event}.jsonl; exit 0"}}`,
  )
  const config = `model: scripted:.ext/script.yaml
permissions:
  allow: ['Bash(echo *)', 'Bash(exit 3)']
hooks:
${hooks.join('\n')}
`
  const files = {
    '.ext/config.yaml': config,
    '.ext/script.yaml': script,
    'AGENTS.md': 'Be brief.',
    '.ext/agents/helper.md': '---\nname: helper\ndescription: Helps.\ntools: Bash\n---\nYou help.\n',
  }
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(folder, path), text)))
  return folder
}

/** What each event's hook was given, by event. */
async function seen(folder: string): Promise<ReadonlyMap<string, readonly Record<string, unknown>[]>> {
  const names = await readdir(join(folder, 'seen'))
  const entries = names.map(async (name) => {
    const lines = (await readFile(join(folder, 'seen', name), 'utf8')).split('\n').filter((line) => line !== '')
    return [name.replace('.jsonl', ''), lines.map((line) => JSON.parse(line) as Record<string, unknown>)] as const
  })
  return new Map(await Promise.all(entries))
}

describe('ext run', () => {
  it('fires every event of the table to real hooks, with the session in each payload', async () => {
    const folder = await project(SCRIPT)
    const ran = await runEvents(folder)
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const heard = await seen(folder)
    const failing = await project(BROKEN)
    const failed = await runEvents(failing)
    expect(failed.of('result')).toMatchObject([
      { reason: 'error', error: { kind: 'overloaded', message: expect.stringContaining('busy') } },
    ])
    const heardThen = await seen(failing)

    const all = new Set([...heard.keys(), ...heardThen.keys()])
    expect([...all].sort()).toEqual(Object.keys(events).sort())
    expect([...heardThen.keys()].filter((event) => !heard.has(event))).toEqual(['Notification', 'StopFailure'])

    const [session] = ran.of('session_start')
    for (const [event, payloads] of heard) {
      for (const payload of payloads) {
        expect([event, payload['hook_event_name'], payload['session_id'], payload['cwd']]).toEqual([
          event,
          event,
          session?.session_id,
          folder,
        ])
      }
    }
    // Complete: every field of the table but those that not each payload of the event has, and nothing else.
    const optional = ['from_session_id', 'ttft_ms', 'cost_usd', 'server', 'server_tool', 'title']
    for (const [event, payloads] of [...heard, ...heardThen]) {
      const fields = Object.keys(events[event as keyof typeof events].fields)
      const common = [
        ...['session_id', 'cwd', 'hook_event_name', 'timestamp', 'permission_mode', 'schema_version'],
        'transcript_path',
      ]
      const allowed = new Set([...fields, ...common, 'agent_id', 'agent_type'])
      for (const payload of payloads) {
        const missing = [...fields, ...common].filter((name) => !(name in payload) && !optional.includes(name))
        const unknown = Object.keys(payload).filter((name) => !allowed.has(name))
        expect([event, missing, unknown]).toEqual([event, [], []])
        expect(payload['session_id']).toMatch(/./)
      }
    }
    const inAgent = [...heard].filter(([, payloads]) => payloads.some((each) => each['agent_type'] === 'helper'))
    expect(inAgent.map(([event]) => event).sort()).toEqual([
      'AfterAgent',
      'AfterModel',
      'BeforeModel',
      'PermissionDenied',
      'PermissionRequest',
      'PostToolBatch',
      'PostToolUse',
      'PostToolUseFailure',
      'PreToolUse',
      'SubagentStart',
      'SubagentStop',
    ])
    const calls = (heard.get('PostToolBatch') ?? []).map(({ tool_calls }) =>
      Array.isArray(tool_calls) ? tool_calls.filter(isMap).map(({ is_error }) => is_error) : [],
    )
    expect(calls).toEqual([
      [false, true],
      [false, true, true],
      [true, false],
    ])
    expect(ran.events.at(-1)).toMatchObject({ type: 'session_end', reason: 'other' })
  }, 60_000)
})
