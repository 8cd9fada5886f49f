import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { events, unfiredEvents } from '@ext/hooks'
import { isMap } from '@ext/kernel'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'
import { runEvents } from './events.js'
import { EVERYTHING } from './mcp/setup.js'

/** A session in which everything happens that hooks can hear of, but for the end that goes wrong. */
const SCRIPT = `
turns:
  - say: Let me see.
    calls:
      - {tool: Bash, input: {command: echo ${'hello '.repeat(100)}}}
      - {tool: Bash, input: {command: touch asked}}
  - calls:
      - {tool: mcp__e__trigger-elicitation-request, input: {}}
      - {tool: Bash, input: {command: exit 3}}
      - {tool: agent, input: {type: helper, prompt: help me}}
      - {tool: Bash, input: {command: echo behind, run_in_background: true}}
      - {tool: task_output, input: {task_id: task-1, wait_ms: 20000}}
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

/** Somebody edits files while the agent is at work, once. */
const EDITS = `[ -f .env ] || echo 'permissions: {deny: [WebSearch]}' > .ext/config.local.yaml; [ -f .env ] || echo A=1 > .env`

async function project(script: string): Promise<string> {
  const folder = await temporaryFolder()
  await Promise.all(
    ['.ext/agents', '.ext/skills/release', 'seen'].map((path) => mkdir(join(folder, path), { recursive: true })),
  )
  const hooks = Object.keys(events).map(
    (event) =>
      `  - {name: see-${event}, event: ${event}, ${event === 'FileChanged' ? 'matcher: .env, ' : ''}action: {type: command, command: "cat >> seen/${event}.jsonl; echo >> seen/${event}.jsonl; exit 0"}}`,
  )
  const config = `model: scripted:.ext/script.yaml
permissions:
  allow: ['Bash(echo *)', 'Bash(exit 3)', mcp__e]
mcpServers:
  e: ${JSON.stringify({ command: process.execPath, args: [EVERYTHING, 'stdio'] })}
hooks:
  - {name: edits, event: PostToolBatch, action: {type: command, command: "${EDITS}"}}
${hooks.join('\n')}
`
  const files = {
    '.ext/config.yaml': config,
    '.ext/script.yaml': script,
    'AGENTS.md': 'Be brief.',
    '.ext/skills/release/SKILL.md': '---\nname: release\ndescription: Releases.\n---\nRelease $ARGUMENTS.\n',
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
    const ran = await runEvents(folder, ['--trust-project'], undefined, '/release 1.2')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining('`e` asks for input, and nobody is at a terminal'),
    ])
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
    const optional = [
      'requested_schema',
      'url',
      'content',
      'from_session_id',
      'ttft_ms',
      'cost_usd',
      'server',
      'server_tool',
      'title',
    ]
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
      [false, true, false, false, false],
    ])
    expect(heard.get('UserPromptExpansion')).toMatchObject([
      {
        expansion_type: 'slash_command',
        command_name: 'release',
        command_args: '1.2',
        command_source: 'project',
        prompt: '/release 1.2',
      },
    ])
    expect(heard.get('Elicitation')).toMatchObject([
      { mcp_server_name: 'e', mode: 'form', requested_schema: { type: 'object' } },
    ])
    expect(heard.get('ElicitationResult')).toMatchObject([{ mcp_server_name: 'e', action: 'decline' }])
    expect(heard.get('ConfigChange')).toMatchObject([
      { source: 'local_settings', file_path: join(folder, '.ext/config.local.yaml') },
    ])
    expect(heard.get('FileChanged')).toMatchObject([{ file_path: join(folder, '.env'), change: 'add', event: 'add' }])
    expect(ran.of('notice').map(({ text }) => text)).toContain(
      `${join(folder, '.ext/config.local.yaml')} is there now (permissions); this counts from now on.`,
    )
    expect(ran.events.at(-1)).toMatchObject({ type: 'result', reason: 'done' })
    expect(ran.events.at(-2)).toMatchObject({ type: 'session_end', reason: 'other' })
  }, 60_000)
})

describe('ext hooks doctor', () => {
  it('says of every other event that hooks know elsewhere that nothing fires it here', async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, '.ext'))
    const hooks = unfiredEvents.map((event) => ({ name: event, event, action: { type: 'command', command: 'true' } }))
    await writeFile(join(folder, '.ext/config.yaml'), JSON.stringify({ hooks }))
    const { stdout } = await ext(['hooks', 'doctor', '--project', folder, '--trust-project', '--json'])
    const report = JSON.parse(stdout) as { hooks: { name: string; verdict: string; reasons: string[] }[] }
    expect(report.hooks.map(({ name, verdict, reasons }) => [name, verdict, reasons])).toEqual(
      unfiredEvents.map((event) => [event, 'unsupported', ['hooks.event.not-fired']]),
    )
  })
})
