import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { LifecycleEvent } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { defineHook, events } from '../../src/index.js'
import { EFFECTS, FAULTS } from '../faults.js'
import { extSource, fire, rule, runRule, samples, scene, texts } from '../support.js'

describe.each(FAULTS)('when $when', ({ command, outcome, cause, timeout }) => {
  const guard = async (event: LifecycleEvent, onFailure: 'continue' | 'block') => {
    const action = { type: 'command', command }
    return fire(
      await scene([extSource({ name: 'guard', event, action, onFailure, ...(timeout ? { timeout } : {}) })]),
      event,
    )
  }

  test('it is a failure at every event that is seen and blocks nothing', async () => {
    for (const event of Object.keys(events) as LifecycleEvent[]) {
      const result = await guard(event, 'continue')
      expect(result.runs, event).toMatchObject([{ hook: 'guard', outcome, cause }])
      expect(result.block ?? result.answer, event).toBeUndefined()
      expect(texts(result.notices).some((text) => text.startsWith('failed ('))).toBe(true)
    }
  })

  test('onFailure: block blocks where blocking means something, and never a stop', async () => {
    for (const event of Object.keys(events) as LifecycleEvent[]) {
      const { tier } = events[event]
      const { block, answer } = await guard(event, 'block')
      if (tier === 'hard' || tier === 'note')
        expect(block ?? answer, event).toMatchObject({
          by: 'guard',
          reason: expect.stringContaining('The hook failed ('),
        })
      else expect(block ?? answer, event).toBeUndefined()
    }
  })
})

test('the README shows the faults and what follows from each', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const rows = readme.split('\n').map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  )
  for (const { when, outcome, cause } of FAULTS) expect(rows).toContainEqual([when, outcome, `\`${cause}\``])
  for (const [tier, effect] of Object.entries(EFFECTS)) expect(rows).toContainEqual([`_${tier}_`, 'it goes on', effect])
})

test('a program that does not exist is a failure without a shell too', async () => {
  const action = { type: 'command', command: '/no/such/program', args: [] }
  const result = await fire(await scene([extSource({ event: 'PreToolUse', action })]), 'PreToolUse')
  expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'cannot start' }])
  expect(result.notices[0]?.text).toContain('/no/such/program')
})

test('a hook that never reads a large input is not at fault for it', async () => {
  const result = await fire(await scene([extSource(rule('UserPromptSubmit', 'exit 0'))]), 'UserPromptSubmit', {
    prompt: 'x'.repeat(8_000_000),
  })
  expect(result.runs).toMatchObject([{ outcome: 'noDecision', cause: 'input not read' }])
})

test('a large input arrives whole', async () => {
  const result = await fire(await scene([extSource(rule('UserPromptSubmit', 'wc -c'))]), 'UserPromptSubmit', {
    prompt: 'x'.repeat(8_000_000),
  })
  expect(Number(result.context[0]?.text)).toBeGreaterThan(8_000_000)
})

test('output beyond the limit is counted and said', async () => {
  const result = await runRule('PreToolUse', 'head -c 3000000 /dev/zero', { stdout: 'ignore' })
  expect(texts(result.notices)).toEqual(['only the first 1048576 of 3000000 bytes of its output were kept'])
})

// QwenLM/qwen-code#10099, anthropics/claude-code#77078, Yeachan-Heo/oh-my-claudecode#3920: the time-out passes, the turn hangs.
describe('a hook that hangs settles soon after its time-out and leaves no process behind', () => {
  test.each([
    ['in the foreground', 'echo $$ > pids; sleep 60'],
    ['in a child', 'sleep 60 & echo $! > pids; wait'],
    ['in a child of a child', 'sh -c "sleep 60 & echo \\$! > pids; wait"; true'],
    ['deaf to TERM', `trap '' TERM; echo $$ > pids; while :; do sleep 0.1; done`],
  ])('%s', async (_name, command) => {
    const at = await scene([extSource(rule('PreToolUse', command, { timeout: '300ms' }))])
    const started = performance.now()
    const result = await fire(at, 'PreToolUse')
    expect(performance.now() - started).toBeLessThan(300 + 1500)
    expect(result.runs).toMatchObject([{ outcome: 'timedOut', cause: 'no answer within 300ms' }])
    await expect.poll(() => isAlive(`${at.root}/pids`)).toBe(false)
  })

  test('a hook that ends at once does not wait for what it left in the background', async () => {
    const at = await scene([extSource(rule('UserPromptSubmit', 'sleep 60 & echo hello'))])
    const started = performance.now()
    expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual(['hello'])
    expect(performance.now() - started).toBeLessThan(1500)
  })
})

async function isAlive(file: string): Promise<boolean> {
  const pid = Number(await readFile(file, 'utf8'))
  expect(pid).toBeGreaterThan(0)
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // Without an init that collects it, a dead orphan stays as a zombie.
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return state !== '' && !/\) [ZX] /.test(state)
}

describe('JSON that is nested too deep', () => {
  const nested = (before: string, depth: number, after: string) => {
    const script = `const d = ${depth}; process.stdout.write(${JSON.stringify(before)} + '['.repeat(d) + ']'.repeat(d) + ${JSON.stringify(after)})`
    return { type: 'command', command: process.execPath, args: ['-e', script] }
  }
  const deep = (depth: number): never => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as never

  test.each([
    ['PreToolUse', '{"hookSpecificOutput":{"updatedInput":{"a":'],
    ['PostToolUse', '{"hookSpecificOutput":{"updatedToolOutput":{"a":'],
    ['PreToolUse', 'hello\n{"hookSpecificOutput":{"tool_input":{"a":'],
  ] as const)('in a reply at %s is a failure of the hook', async (event, before) => {
    for (const depth of [250, 5000, 20_000]) {
      const layer = extSource({ name: 'guard', event, action: nested(before, depth, '}}}'), onFailure: 'block' })
      const result = await fire(await scene([layer]), event)
      expect(result.runs).toMatchObject([
        { outcome: 'failed', cause: 'more than 200 lists and maps within each other' },
      ])
      expect(result.block?.by).toBe('guard')
    }
  })

  test('in a reply that nobody waits for costs nobody anything', async () => {
    const action = nested('{"hookSpecificOutput":{"updatedToolOutput":', 20_000, '}}')
    const at = await scene([extSource({ name: 'later', event: 'PostToolUse', action, async: true })])
    await fire(at, 'PostToolUse')
    await expect
      .poll(async () => texts((await at.session.fire('Notification', () => samples.Notification))?.notices ?? []))
      .toEqual(['failed (more than 200 lists and maps within each other): print one JSON object that is not as deep'])
  })

  test('in an event has a person asked where a command can not be', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'exit 2', { name: 'guard' }))])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'rm', x: deep(5000) } })
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'an event that is nested too deep' }])
    expect(result.opinion).toMatchObject({ behavior: 'ask', by: 'guard' })
  })

  test('in an event keeps no guard from being asked', async () => {
    const input = { command: 'rm', x: deep(5000) }
    const fields = { all_of: [{ field: 'tool_input', match: { type: 'regex', value: 'never' } }] }
    const note = defineHook('PreToolUse', (_, { reply }) => reply.rewrite({ command: 'ls' }), { name: 'rewrites' })
    const guard = rule('PreToolUse', 'exit 1', { name: 'guard', if: fields, onFailure: 'block' })
    const result = await fire(await scene([extSource(guard)], { functions: [note] }), 'PreToolUse', {
      tool_input: input,
    })
    expect(result.runs.map(({ hook }) => hook)).toContain('guard')
    expect(result.block?.by).toBe('guard')
  })
})

describe('a reply that stands in other text', () => {
  const answers = async (command: string) => runRule('PreToolUse', command, { onFailure: 'block' })

  test('counts behind any number of braces', async () => {
    const log = 'for i in $(seq 200); do echo "log { a: $i }"; done'
    const result = await answers(`${log}; echo '{"decision":"block","reason":"no"}'`)
    expect(result.block).toEqual({ by: 'guard', reason: 'no' })
  })

  test.each([
    [
      'between braces',
      `for i in $(seq 50); do echo "log { a: $i }"; done; echo ' {"continue": false}'; for i in $(seq 50); do echo "log { a: $i }"; done`,
    ],
    ['in a list', `echo '[{"decision":"block"}]'`],
    ['behind a NUL', `printf '\\0{"decision":"block"}'`],
    ['as a word of a log line', `echo 'answer={"hookSpecificOutput":{"permissionDecision": "deny"}}'`],
    ['in single quotes', `echo "log: {'decision': 'block'}"`],
  ])('%s is a failure, and never plain text', async (_where, command) => {
    const result = await answers(command)
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'a reply that is no JSON object of its own' }])
    expect(result.block?.by).toBe('guard')
  })

  test('is no matter for a text with many braces', async () => {
    const result = await runRule('SessionStart', 'for i in $(seq 200); do echo "if (a) { b }"; done')
    expect(result.context).toHaveLength(1)
  })
})
