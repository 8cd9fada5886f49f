import { describe, expect, test } from 'vitest'
import { extSource, fire, rule, samples, scene, session, texts } from '../support.js'

/** Another reason each time. */
const COUNTS = 'echo x >> count; wc -l < count >&2; exit 2'

describe('a hook that refuses the end', () => {
  test('does so eight times in a row at most, and the end is said', async () => {
    const at = await scene([extSource(rule('Stop', COUNTS, { name: 'nag' }))])
    for (let round = 1; round <= 8; round++) {
      expect((await fire(at, 'Stop')).block).toEqual({ by: 'nag', reason: String(round) })
    }
    const last = await fire(at, 'Stop')
    expect(last.block).toBeUndefined()
    expect(last.notices).toEqual([{ by: 'nag', text: 'refused the end 8 times in a row, so the run ends: 9' }])
    // A new row begins.
    expect((await fire(at, 'Stop')).block).toBeDefined()
  })

  // openai/codex#37937, pbakaus/impeccable#400: the hook always exits 2.
  test('with the same reason again, and nothing was done in between, lets the run end', async () => {
    const at = await scene([extSource(rule('Stop', 'echo tests are red >&2; exit 2', { name: 'nag' }))])
    expect((await fire(at, 'Stop')).block).toBeDefined()
    const second = await fire(at, 'Stop')
    expect(second.block).toBeUndefined()
    expect(texts(second.notices)).toEqual([
      'refused the end again for the same reason, and nothing was done in between, so the run ends: tests are red',
    ])
  })

  test('may repeat itself after a tool call, also one that nobody listens to', async () => {
    const at = await scene([extSource(rule('Stop', 'echo tests are red >&2; exit 2', { name: 'nag' }))])
    for (let round = 0; round < 3; round++) {
      expect((await fire(at, 'Stop')).block).toBeDefined()
      expect(at.session.fire('PreToolUse', () => samples.PreToolUse)).toBeUndefined()
    }
  })

  test('starts anew with each prompt and each reset', async () => {
    const at = await scene([extSource(rule('Stop', 'echo tests are red >&2; exit 2', { name: 'nag' }))])
    expect((await fire(at, 'Stop')).block).toBeDefined()
    at.session.fire('UserPromptSubmit', () => samples.UserPromptSubmit)
    expect((await fire(at, 'Stop')).block).toBeDefined()
    at.session.reset()
    expect((await fire(at, 'Stop')).block).toBeDefined()
    expect((await fire(at, 'Stop')).block).toBeUndefined()
  })

  test('counts for each sub-agent by itself', async () => {
    const at = await scene([extSource(rule('SubagentStop', 'echo again >&2; exit 2', { name: 'nag' }))])
    const agent = (id: string) =>
      at.hooks.session({ ...session(at.root), origin: 'agent', agent: { id, type: 'tester' } })
    const [a, b] = [agent('a'), agent('b')]
    expect((await fire({ session: a }, 'SubagentStop')).block).toBeDefined()
    expect((await fire({ session: b }, 'SubagentStop')).block).toBeDefined()
    expect((await fire({ session: a }, 'SubagentStop')).block).toBeUndefined()
  })

  // anthropics/claude-code#43906: a Stop hook without an answer kept the run going.
  test('is none that says nothing, or fails', async () => {
    for (const command of ['exit 0', 'exit 1', 'sleep 9', 'no-such-program']) {
      const at = await scene([extSource(rule('Stop', command, { timeout: '200ms', onFailure: 'block' }))])
      expect((await fire(at, 'Stop')).block, command).toBeUndefined()
    }
  })
})

describe('the end of a session', () => {
  test('waits 1.5 s for all of its hooks together', async () => {
    const at = await scene([
      extSource(...Array.from({ length: 20 }, (_, at) => rule('SessionEnd', `sleep 20 # ${at}`))),
    ])
    const started = performance.now()
    const { runs } = await fire(at, 'SessionEnd')
    // Nowhere near the 20 s that each of them would take; starting so many takes its time on a busy machine.
    expect(performance.now() - started).toBeLessThan(10_000)
    // Sixteen at a time; for the others there is no time left.
    expect(runs.filter(({ outcome }) => outcome === 'timedOut')).toHaveLength(16)
    expect(runs.filter(({ cause }) => cause === 'out of time')).toHaveLength(4)
  })

  test('waits as long as one of them asks for', async () => {
    const at = await scene([
      extSource(
        rule('SessionEnd', 'sleep 1', { sequential: true }),
        rule('SessionEnd', 'sleep 1.1', { sequential: true, timeout: '3s' }),
        rule('SessionEnd', 'touch done', { sequential: true }),
      ),
    ])
    expect((await fire(at, 'SessionEnd')).runs.map(({ outcome }) => outcome)).toEqual(Array(3).fill('noDecision'))
  })
})
