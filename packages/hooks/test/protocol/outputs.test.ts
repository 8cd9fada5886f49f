import type { EventResult, LifecycleEvent } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { extSource, fire, rule, runRule, samples, scene, texts } from '../support.js'

const print = (reply: unknown) => `cat > /dev/null; printf '%s' '${JSON.stringify(reply)}'`
const specific = (event: LifecycleEvent, fields: object) => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
})
const saying = (event: LifecycleEvent, fields: object, more = '') => print(specific(event, fields)) + more

describe('PermissionDenied', () => {
  const reply = (retry: unknown, more = '') => runRule('PermissionDenied', saying('PermissionDenied', { retry }, more))

  test('retry lets the model try again, false and null do not', async () => {
    expect((await reply(true)).retry).toEqual({ by: 'guard' })
    for (const value of [false, null]) {
      expect(await reply(value)).toMatchObject({ runs: [{ outcome: 'noDecision' }], notices: [] })
    }
  })

  test('of several hooks the first one that says it gives its name', async () => {
    const hook = (name: string, fields: object) =>
      rule('PermissionDenied', saying('PermissionDenied', fields), { name })
    const at = await scene([extSource(hook('a', {}), hook('b', { retry: true }), hook('c', { retry: true }))])
    expect((await fire(at, 'PermissionDenied')).retry).toEqual({ by: 'b' })
  })

  // The changelog of Claude Code 2.1.88 shows `{retry: true}` without its place.
  test('retry at the top is in the wrong place, and the right one is named', async () => {
    const { retry, runs, notices } = await runRule('PermissionDenied', print({ retry: true }))
    expect(retry).toBeUndefined()
    expect(runs).toMatchObject([{ outcome: 'failed', cause: 'retry in the wrong place' }])
    expect(texts(notices)[0]).toContain('{"hookSpecificOutput": {"hookEventName": "PermissionDenied", "retry": …}}')
  })

  test('retry needs exit 0', async () => {
    expect(texts((await reply(true, '; exit 1')).notices)).toEqual(['failed (exit 1)', 'ignored: retry (exit 1)'])
    const blocked = await reply(true, '; exit 2')
    expect([blocked.retry, texts(blocked.notices)]).toEqual([
      undefined,
      ['block ignored: It gave no reason.', 'ignored: retry (exit 2)'],
    ])
  })

  test('a log line with a retry on stderr is no reply', async () => {
    const { runs } = await runRule('PermissionDenied', `echo '{"level":"info","retry":3}' >&2`)
    expect(runs).toMatchObject([{ outcome: 'noDecision' }])
  })
})

describe('PostToolUse', () => {
  const output = async (fields: object, payload = {}) =>
    fire(
      await scene([extSource(rule('PostToolUse', saying('PostToolUse', fields), { name: 'guard' }))]),
      'PostToolUse',
      payload,
    )

  test.each(['redacted', '', [{ type: 'text', text: 'redacted' }], { stdout: 'redacted' }, 5, false])(
    'updatedToolOutput replaces the output with any JSON: %j',
    async (value) => {
      expect((await output({ updatedToolOutput: value })).updatedOutput).toEqual({ by: 'guard', output: value })
    },
  )

  test('the same output is no change', async () => {
    expect((await output({ updatedToolOutput: 'a.txt' })).updatedOutput).toBeUndefined()
    const response = { content: [{ type: 'text', text: 'x' }], structured: { b: 1, a: 2 } }
    const same = { content: [{ text: 'x', type: 'text' }], structured: { a: 2, b: 1 } }
    expect((await output({ updatedToolOutput: same }, { tool_response: response })).updatedOutput).toBeUndefined()
  })

  test('updatedMCPToolOutput is the same for the tools of MCP servers, and for them only', async () => {
    const ofServer = await output({ updatedMCPToolOutput: 'redacted' }, { server: 'fs', server_tool: 'read' })
    expect(ofServer.updatedOutput).toEqual({ by: 'guard', output: 'redacted' })
    const other = await output({ updatedMCPToolOutput: 'redacted' })
    expect(other.updatedOutput).toBeUndefined()
    expect(texts(other.notices)).toEqual(['ignored: `updatedMCPToolOutput`, since the tool is not of an MCP server'])
    const both = await output({ updatedToolOutput: 'new', updatedMCPToolOutput: 'old' }, { server: 'fs' })
    expect(both.updatedOutput?.output).toBe('new')
    expect(texts(both.notices)).toEqual(['ignored: `updatedMCPToolOutput`, since there is `updatedToolOutput`'])
  })

  test('a block, also of another hook, does not bring back what was cut out', async () => {
    const redact = rule('PostToolUse', saying('PostToolUse', { updatedToolOutput: '***' }), { name: 'redact' })
    const at = await scene([extSource(redact, rule('PostToolUse', 'echo look again >&2; exit 2', { name: 'guard' }))])
    expect(await fire(at, 'PostToolUse')).toMatchObject({
      block: { by: 'guard', reason: 'look again' },
      updatedOutput: { by: 'redact', output: '***' },
    })
    const both = await runRule('PostToolUse', saying('PostToolUse', { updatedToolOutput: '***' }, '; exit 2'))
    expect(both).toMatchObject({ block: { by: 'guard' }, updatedOutput: { output: '***' }, notices: [] })
  })

  test('a hook that failed replaces nothing, which is said', async () => {
    const { updatedOutput, notices } = await runRule(
      'PostToolUse',
      saying('PostToolUse', { updatedToolOutput: '***' }, '; exit 1'),
    )
    expect(updatedOutput).toBeUndefined()
    expect(texts(notices)).toEqual(['failed (exit 1)', 'ignored: updatedToolOutput (exit 1)'])
  })
})

describe.each([
  {
    event: 'BeforeModel',
    field: 'updatedRequest',
    part: { system: 'Be long.' },
    other: { tools: [] },
    what: 'request',
  },
  { event: 'AfterModel', field: 'updatedResponse', part: { text: 'Yes.' }, other: { calls: [] }, what: 'response' },
] as const)('$event', ({ event, field, part, other, what }) => {
  const updated = async (fields: object): Promise<EventResult> => runRule(event, saying(event, fields))
  const hook = (name: string, value: object) => rule(event, saying(event, { [field]: value }), { name })

  test('replaces the parts that are named', async () => {
    expect((await updated({ [field]: { ...part, ...other } }))[field]).toEqual({
      by: 'guard',
      [what]: { ...part, ...other },
    })
  })

  test('parts that are as they were are no change', async () => {
    const same: object = event === 'BeforeModel' ? samples.BeforeModel.request : samples.AfterModel.response
    for (const value of [{}, same, Object.fromEntries(Object.entries(same).slice(0, 1))]) {
      expect((await updated({ [field]: value }))[field]).toBeUndefined()
    }
  })

  test('a part that nobody knows is said, and costs only itself', async () => {
    const result = await updated({ [field]: { ...part, temperature: 2, absent: null } })
    expect(result[field]).toEqual({ by: 'guard', [what]: part })
    expect(texts(result.notices)).toEqual([`ignored: \`${field}.temperature\`, which is no part that can be replaced`])
  })

  test('a part of the wrong type makes the hook fail, and nothing is replaced', async () => {
    const [name] = Object.keys(part)
    for (const [value, cause] of [
      [[], `wrong type of ${field}`],
      [{ ...other, [String(name)]: 5 }, `wrong type of ${field}.${name}`],
      [{ [String(Object.keys(other)[0])]: 'none' }, `wrong type of ${field}.${Object.keys(other)[0]}`],
    ] as const) {
      const result = await updated({ [field]: value })
      expect(result.runs).toMatchObject([{ outcome: 'failed', cause }])
      expect(result[field]).toBeUndefined()
    }
  })

  test('of two hooks the last one counts, and the conflict is said', async () => {
    const result = await fire(await scene([extSource(hook('first', part), hook('last', other))]), event)
    expect(result[field]).toEqual({ by: 'last', [what]: other })
    expect(result.notices).toEqual([
      { by: 'last', text: `its rewrite of the ${what} is used; that of first is dropped` },
    ])
    const agreed = await fire(await scene([extSource(hook('first', part), hook('last', part))]), event)
    expect(agreed.notices).toEqual([])
  })

  test('after a block there is nothing to replace', async () => {
    const at = await scene([extSource(hook('changer', part), rule(event, 'exit 2', { name: 'guard' }))])
    const result = await fire(at, event)
    expect([result.block?.by, result[field]]).toEqual(['guard', undefined])
  })
})

test('BeforeModel adds context beside a change', async () => {
  const fields = { additionalContext: 'It is Monday.', updatedRequest: { system: 'Be long.' } }
  expect(await runRule('BeforeModel', saying('BeforeModel', fields))).toMatchObject({
    context: [{ by: 'guard', text: 'It is Monday.' }],
    updatedRequest: { by: 'guard', request: { system: 'Be long.' } },
  })
})
