import { readFile } from 'node:fs/promises'
import type { EventResult, LifecycleEvent } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { events } from '../src/index.js'
import type { OutputField } from '../src/types.js'
import { extSource, fire, rule, runRule, samples, scene, session, texts } from './support.js'

interface Expected {
  /** A matcher that fits the sample. */
  readonly matcher?: string
  /** Variables besides those that every event has. */
  readonly variables: readonly string[]
}

const bash = ['HOOK_TOOL_INPUT={"command":"ls"}', 'HOOK_TOOL_NAME=Bash']

const EXPECTED: Readonly<Record<LifecycleEvent, Expected>> = {
  SessionStart: { matcher: 'startup', variables: ['HOOK_MODEL=some-model'] },
  SessionEnd: { matcher: 'logout', variables: ['HOOK_STOP_REASON=logout'] },
  InstructionsLoaded: { matcher: 'session_start', variables: [] },
  UserPromptSubmit: { variables: ['HOOK_USER_INPUT=Fix the tests'] },
  UserPromptExpansion: { matcher: 'release|deploy', variables: ['HOOK_USER_INPUT=/release 1.2.0'] },
  BeforeModel: { matcher: 'some-model', variables: ['HOOK_MODEL=some-model'] },
  AfterModel: { matcher: 'some-.*', variables: ['HOOK_MODEL=some-model'] },
  PreToolUse: {
    matcher: 'Bash',
    variables: ['HOOK_TOOL_INPUT={"command":"git push origin main"}', 'HOOK_TOOL_NAME=Bash'],
  },
  PermissionRequest: { matcher: 'Bash', variables: bash },
  PermissionDenied: { matcher: 'Ba.h', variables: bash },
  PostToolUse: { matcher: 'Bash|Edit', variables: [...bash, 'HOOK_TOOL_IS_ERROR=0', 'HOOK_TOOL_OUTPUT=a.txt'] },
  PostToolUseFailure: {
    matcher: 'Bash',
    variables: [...bash, 'HOOK_TOOL_IS_ERROR=1', 'HOOK_TOOL_OUTPUT=no such folder'],
  },
  PostToolBatch: { variables: [] },
  PreCompact: { matcher: 'auto', variables: [] },
  PostCompact: { matcher: 'manual', variables: [] },
  SubagentStart: { matcher: 'reviewer', variables: ['HOOK_AGENT_TYPE=reviewer'] },
  SubagentStop: { matcher: 'reviewer', variables: ['HOOK_AGENT_TYPE=reviewer'] },
  Stop: { variables: [] },
  // The error is none of a tool.
  StopFailure: { matcher: 'rate_limit', variables: ['HOOK_STOP_REASON=rate_limit'] },
  AfterAgent: { variables: [] },
  TaskCreated: { variables: [] },
  TaskCompleted: { variables: [] },
  Notification: { matcher: 'permission_prompt', variables: [] },
  Elicitation: { matcher: 'github', variables: [] },
  ElicitationResult: { matcher: 'git.*', variables: [] },
  ConfigChange: { matcher: 'user_settings|project_settings', variables: [] },
  FileChanged: { matcher: '.envrc|.env', variables: [] },
}

/** A value of each field of `hookSpecificOutput`, and what it does where it counts. */
const OUTPUTS: Readonly<Record<OutputField, { readonly value: unknown; readonly effect: Partial<EventResult> }>> = {
  permissionDecision: { value: 'ask', effect: { opinion: { behavior: 'ask', by: 'guard' } } },
  permissionDecisionReason: {
    value: 'explains nothing alone',
    effect: {
      notices: [
        {
          by: 'guard',
          text: 'ignored: `permissionDecisionReason`, since there is no `permissionDecision` that it could explain',
        },
      ],
    },
  },
  updatedInput: { value: { command: 'pwd' }, effect: { updatedInput: { by: 'guard', input: { command: 'pwd' } } } },
  additionalContext: { value: 'on main', effect: { context: [{ by: 'guard', text: 'on main' }] } },
  decision: { value: { behavior: 'allow' }, effect: { answer: { behavior: 'allow', by: 'guard' } } },
  retry: { value: true, effect: { retry: { by: 'guard' } } },
  updatedToolOutput: { value: ['b.txt'], effect: { updatedOutput: { by: 'guard', output: ['b.txt'] } } },
  updatedMCPToolOutput: { value: 'b.txt', effect: { updatedOutput: { by: 'guard', output: 'b.txt' } } },
  updatedRequest: {
    value: { system: 'Be long.' },
    effect: { updatedRequest: { by: 'guard', request: { system: 'Be long.' } } },
  },
  updatedResponse: {
    value: { calls: [] },
    effect: { updatedResponse: { by: 'guard', response: { calls: [] } } },
  },
  action: { value: 'decline', effect: { elicitation: { by: 'guard', action: 'decline' } } },
  content: {
    value: { account: 'home' },
    effect: {
      notices: [{ by: 'guard', text: 'ignored: `content`, since there is no `action` that it could go with' }],
    },
  },
}

const print = (reply: unknown) => `cat > /dev/null; printf '%s' '${JSON.stringify(reply)}'`

/** The sample, with a tool of an MCP server where there is a tool. */
const onServer = (event: LifecycleEvent) => ('tool_name' in samples[event] ? { server: 'fs' } : {})

describe.each(Object.keys(events) as LifecycleEvent[])('%s', (event) => {
  const { tier, plainStdout, outputs, matcherField } = events[event]
  const { matcher, variables } = EXPECTED[event]

  test('sends its payload with the common fields', async () => {
    const at = await scene([extSource(rule(event, 'cat > in.json'))])
    await fire(at, event)
    expect(JSON.parse(await readFile(`${at.root}/in.json`, 'utf8'))).toEqual({
      ...samples[event],
      session_id: 'session-1',
      cwd: at.root,
      hook_event_name: event,
      timestamp: expect.any(String),
      permission_mode: 'default',
      schema_version: 1,
    })
  })

  test('sends the variables that apply', async () => {
    const at = await scene([extSource(rule(event, 'env | grep ^HOOK_ | sort > env'))])
    await fire(at, event)
    const lines = (await readFile(`${at.root}/env`, 'utf8')).trim().split('\n')
    expect(lines).toEqual(
      [
        ...variables,
        `HOOK_CWD=${at.root}`,
        `HOOK_EVENT=${event}`,
        `HOOK_PROJECT_DIR=${at.root}`,
        'HOOK_SESSION_ID=session-1',
      ].sort(),
    )
  })

  test('runs the hooks whose matcher fits', async () => {
    expect(matcher === undefined).toBe(matcherField === 'none')
    if (matcher === undefined) return
    const fits = await scene([extSource(rule(event, 'true', { matcher }))], { knownTools: () => ['Bash', 'Edit'] })
    expect(fits.hooks.diagnostics).toEqual([])
    expect((await fire(fits, event)).runs).toHaveLength(1)
    const other = await scene([extSource(rule(event, 'true', { matcher: 'something-else' }))])
    expect(other.session.fire(event, () => samples[event])).toBeUndefined()
  })

  test('takes a block by exit code and by JSON as its tier says', async () => {
    for (const command of ['echo not now >&2; exit 2', print({ decision: 'block', reason: 'not now' })]) {
      const { block, answer, notices } = await runRule(event, command)
      const reason = { by: 'guard', reason: 'not now' }
      if (tier === 'degrade') {
        expect([block, answer, texts(notices)]).toEqual([undefined, undefined, ['block ignored: not now']])
      } else if (event === 'PermissionRequest') {
        expect([block, answer, notices]).toEqual([undefined, { behavior: 'deny', ...reason }, []])
      } else {
        expect([block, answer, notices]).toEqual([reason, undefined, []])
      }
    }
  })

  test('sends plain text where the table says', async () => {
    const { context, notices } = await runRule(event, 'echo looked at it')
    const text = { by: 'guard', text: 'looked at it' }
    expect([context, notices]).toEqual(plainStdout === 'context' ? [[text], []] : [[], [text]])
  })

  test.each(Object.keys(OUTPUTS) as OutputField[])('honours %s, or says that it does not', async (field) => {
    const { value, effect } = OUTPUTS[field]
    const reply = { hookSpecificOutput: { hookEventName: event, [field]: value } }
    const at = await scene([extSource(rule(event, print(reply), { name: 'guard' }))])
    const { runs: _, ...result } = await fire(at, event, onServer(event))
    // A decision that is misplaced where something can be decided is a failure.
    const isFault = tier !== 'degrade' && (field === 'decision' || field === 'permissionDecision')
    const text = isFault
      ? expect.stringContaining(`failed (${field} in the wrong place): write {`)
      : `ignored: \`${field}\`, which ${event} does not honour`
    expect(result).toEqual(
      outputs.includes(field)
        ? { context: [], notices: [], ...effect }
        : { context: [], notices: [{ by: 'guard', text }] },
    )
  })

  test('ends the run with continue: false', async () => {
    expect((await runRule(event, print({ continue: false, stopReason: 'enough' }))).stop).toEqual({
      by: 'guard',
      reason: 'enough',
    })
  })

  test('names the sub-agent that it comes from', async () => {
    const at = await scene([extSource(rule(event, 'cat > in.json; echo "$HOOK_AGENT_TYPE" > type'))])
    const agent = { id: 'agent-7', type: 'tester' }
    await fire({ session: at.hooks.session({ ...session(at.root), origin: 'agent', agent }) }, event)
    // An event about a sub-agent is about that one, not about the one that started it.
    const own = matcherField === 'agent_type' ? samples.SubagentStart : { agent_id: 'agent-7', agent_type: 'tester' }
    expect(JSON.parse(await readFile(`${at.root}/in.json`, 'utf8'))).toMatchObject(own)
    expect((await readFile(`${at.root}/type`, 'utf8')).trim()).toBe(own.agent_type)
  })
})

test('a whole conversation arrives, whatever its size, and no variable holds it', async () => {
  const at = await scene([extSource(rule('BeforeModel', 'wc -c > size; env | wc -c > env'))])
  const text = 'x'.repeat(4_000_000)
  const { request } = samples.BeforeModel
  const result = await fire(at, 'BeforeModel', {
    request: { ...request, messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
  })
  expect(result.runs).toMatchObject([{ outcome: 'noDecision' }])
  expect(Number(await readFile(`${at.root}/size`, 'utf8'))).toBeGreaterThan(4_000_000)
  expect(Number(await readFile(`${at.root}/env`, 'utf8'))).toBeLessThan(10_000)
})
