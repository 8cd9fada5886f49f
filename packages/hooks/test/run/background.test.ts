import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  claudeSource,
  codes,
  extSource,
  fire,
  load,
  only,
  rule,
  type Scene,
  samples,
  scene,
  session,
  texts,
} from '../support.js'

const async = (event: string, command: string, more = {}) =>
  rule(event, command, { name: 'later', async: true, ...more })

/** Fires until something has arrived that began in the background. */
async function until(at: Pick<Scene, 'session'>, event: 'UserPromptSubmit' | 'Notification' | 'Stop') {
  for (let tries = 0; tries < 100; tries++) {
    const result = await at.session.fire(event, () => samples[event])
    if (result) return result
    await sleep(30)
  }
  throw new Error('nothing arrived')
}

describe('an async hook', () => {
  test('is waited for by nobody, and its context comes with the next event that takes context', async () => {
    const at = await scene([extSource(async('PostToolUse', 'sleep 2; echo looked at it', { stdout: 'context' }))])
    const started = performance.now()
    const result = await fire(at, 'PostToolUse')
    expect(performance.now() - started).toBeLessThan(1500)
    expect(result).toEqual({
      runs: [{ hook: 'later', outcome: 'noDecision', cause: 'async', ms: 0, source: expect.anything() }],
      context: [],
      notices: [],
    })
    await sleep(3000)
    // Nobody listens to these, and one of them takes no context.
    expect(at.session.fire('Notification', () => samples.Notification)).toBeUndefined()
    const told = await at.session.fire('UserPromptSubmit', () => samples.UserPromptSubmit)
    expect(told?.context).toEqual([{ by: 'later', text: 'looked at it' }])
    expect(at.session.fire('UserPromptSubmit', () => samples.UserPromptSubmit)).toBeUndefined()
  })

  test('decides nothing, which is said', async () => {
    const at = await scene([extSource(async('PostToolUse', 'echo no >&2; exit 2'))])
    expect((await fire(at, 'PostToolUse')).block).toBeUndefined()
    const told = await until(at, 'Notification')
    expect(told).toEqual({
      runs: [],
      context: [],
      notices: [{ by: 'later', text: 'ignored: its decision, since nobody waits for it' }],
    })
  })

  test('that fails is told to the user', async () => {
    const at = await scene([extSource(async('SessionStart', 'echo oops >&2; exit 1'))])
    await fire(at, 'SessionStart')
    expect(texts((await until(at, 'Notification')).notices)).toEqual(['failed (exit 1): oops'])
  })

  test('outlives the run that started it, but not its session', async () => {
    const at = await scene([extSource(async('PostToolUse', 'echo $$ > pid; sleep 30'))])
    const run = new AbortController()
    await at.session.fire('PostToolUse', () => samples.PostToolUse, { signal: run.signal })
    await expect.poll(() => readFile(`${at.root}/pid`, 'utf8').catch(() => '')).toMatch(/\d/)
    run.abort()
    const pid = Number(await readFile(`${at.root}/pid`, 'utf8'))
    await sleep(200)
    expect(() => process.kill(pid, 0)).not.toThrow()
    expect(at.session.fire('SessionEnd', () => samples.SessionEnd)).toBeUndefined()
    await expect.poll(() => isAlive(pid), { timeout: 6000 }).toBe(false)
  }, 15_000)

  test('ends with its session also when the last event of that is aborted', async () => {
    const at = await scene([extSource(async('PostToolUse', 'echo $$ > pid; sleep 30'), rule('SessionEnd', 'sleep 9'))])
    await fire(at, 'PostToolUse')
    await expect.poll(() => readFile(`${at.root}/pid`, 'utf8').catch(() => '')).toMatch(/\d/)
    const pid = Number(await readFile(`${at.root}/pid`, 'utf8'))
    const signal = AbortSignal.timeout(50)
    await expect(at.session.fire('SessionEnd', () => samples.SessionEnd, { signal })).rejects.toThrow()
    await expect.poll(() => isAlive(pid), { timeout: 6000 }).toBe(false)
  }, 15_000)

  test('is not started for a run that is aborted already', async () => {
    const at = await scene([extSource(async('PostToolUse', 'touch started'))])
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(at.session.fire('PostToolUse', () => samples.PostToolUse, { signal })).rejects.toThrow('too late')
    await at.hooks.close()
    await expect(readFile(`${at.root}/started`)).rejects.toThrow('ENOENT')
  })

  test('of a sub-agent ends with it', async () => {
    const at = await scene([extSource(async('PostToolUse', 'echo $$ > pid; sleep 30'))])
    const agent = at.hooks.session({ ...session(at.root), origin: 'agent', agent: { id: 'a', type: 'tester' } })
    await fire({ session: agent }, 'PostToolUse')
    await expect.poll(() => readFile(`${at.root}/pid`, 'utf8').catch(() => '')).toMatch(/\d/)
    const pid = Number(await readFile(`${at.root}/pid`, 'utf8'))
    agent.fire('AfterAgent', () => samples.AfterAgent)
    await expect.poll(() => isAlive(pid), { timeout: 6000 }).toBe(false)
  }, 15_000)

  test('of an agent that has the main conversation goes on after a run, until it is told that its part is over', async () => {
    const at = await scene([extSource(async('PostToolUse', 'echo $$ > pid; sleep 30'))])
    const agent = at.hooks.session({ ...session(at.root), agent: { type: 'tester' } })
    await fire({ session: agent }, 'PostToolUse')
    await expect.poll(() => readFile(`${at.root}/pid`, 'utf8').catch(() => '')).toMatch(/\d/)
    const pid = Number(await readFile(`${at.root}/pid`, 'utf8'))
    agent.fire('AfterAgent', () => samples.AfterAgent)
    await sleep(200)
    expect(await isAlive(pid)).toBe(true)
    agent.end()
    await expect.poll(() => isAlive(pid), { timeout: 6000 }).toBe(false)
  }, 15_000)

  test('has up to two seconds when the hooks are closed', async () => {
    const at = await scene([
      extSource(async('PostToolUse', 'sleep 0.5; touch quick'), async('PostToolUse', 'sleep 30; touch slow')),
    ])
    await fire(at, 'PostToolUse')
    const started = performance.now()
    await at.hooks.close()
    expect(performance.now() - started).toBeLessThan(2000 + 1500)
    await readFile(`${at.root}/quick`)
    await expect(readFile(`${at.root}/slow`)).rejects.toThrow('ENOENT')
  }, 15_000)

  test('is one of sixteen at most', async () => {
    const at = await scene([extSource(async('Notification', 'sleep 2'))])
    const fired = Array.from({ length: 17 }, () => fire(at, 'Notification'))
    const runs = (await Promise.all(fired)).flatMap((result) => result.runs)
    expect(runs.at(-1)).toMatchObject({ outcome: 'skipped', cause: '16 others are under way' })
    expect(runs.slice(0, 16).every(({ cause }) => cause === 'async')).toBe(true)
  })

  test('runs once if it says so, and again when it failed', async () => {
    const at = await scene([extSource(async('Notification', 'echo x >> log; exit 1', { once: true }))])
    await fire(at, 'Notification')
    expect(texts((await until(at, 'UserPromptSubmit')).notices)).toEqual(['failed (exit 1): x'.replace(': x', '')])
    expect((await fire(at, 'Notification')).runs).toHaveLength(1)
  })
})

describe('where hooks decide, an async one', () => {
  test('is an error in our own format', async () => {
    for (const event of ['PreToolUse', 'Stop', 'UserPromptSubmit', 'PermissionRequest']) {
      const hooks = await load([extSource(async(event, 'true'))])
      expect(only(hooks)).toMatchObject({ code: 'hooks.async.no-decision', severity: 'error' })
      expect(hooks.snapshot.records).toMatchObject([{ verdict: 'broken' }])
    }
    expect((await load([extSource(async('PreToolUse', 'true', { asyncRewake: true }))])).diagnostics).toEqual([])
    expect((await load([extSource(async('PostToolUse', 'true'))])).diagnostics).toEqual([])
  })

  test('loads from a Claude-format file, with a warning', async () => {
    const handler = { type: 'command', command: 'exit 2', async: true }
    const at = await scene([claudeSource({ PreToolUse: [{ hooks: [handler] }] })])
    expect(only(at.hooks)).toMatchObject({ code: 'hooks.async.no-decision', severity: 'warning' })
    expect((await fire(at, 'PreToolUse')).block).toBeUndefined()
  })

  test('can’t be sequential or block by failing, which is said', async () => {
    const hooks = await load([extSource(async('PostToolUse', 'true', { sequential: true, onFailure: 'block' }))])
    expect(codes(hooks)).toEqual(['hooks.on-failure.no-effect', 'hooks.sequential.no-effect'])
  })
})

describe('an asyncRewake hook', () => {
  const waking = (event: string, command: string) => rule(event, command, { name: 'waker', asyncRewake: true })

  test('keeps the model from stopping with what it blocks with', async () => {
    const at = await scene([extSource(waking('PostToolUse', 'sleep 0.2; echo tests are red >&2; exit 2'))])
    expect((await fire(at, 'PostToolUse')).block).toBeUndefined()
    const told = await until(at, 'Stop')
    expect(told.block).toEqual({ by: 'waker', reason: 'tests are red' })
    expect(at.session.fire('Stop', () => samples.Stop)).toBeUndefined()
  })

  test('tells it to a model that goes on anyway, once', async () => {
    const at = await scene([extSource(waking('SessionStart', 'echo tests are red >&2; exit 2'))])
    await fire(at, 'SessionStart')
    const told = await until(at, 'UserPromptSubmit')
    expect([told.block, told.context]).toEqual([undefined, [{ by: 'waker', text: 'tests are red' }]])
  })

  test('keeps a sub-agent from stopping too', async () => {
    const at = await scene([extSource(waking('PostToolUse', 'echo tests are red >&2; exit 2'))])
    const agent = at.hooks.session({ ...session(at.root), origin: 'agent', agent: { id: 'a', type: 'tester' } })
    await fire({ session: agent }, 'PostToolUse')
    await expect
      .poll(async () => (await agent.fire('SubagentStop', () => samples.SubagentStop))?.block)
      .toEqual({ by: 'waker', reason: 'tests are red' })
  })

  test('that fails refuses no stop, even where a failure blocks', async () => {
    const layer = extSource(waking('PostToolUse', 'sleep 0.1; exit 1'))
    const at = await scene([layer], { strict: true })
    await fire(at, 'PostToolUse')
    const told = await until(at, 'Stop')
    expect([told.block, texts(told.notices)]).toEqual([undefined, ['failed (exit 1)']])
  })

  test('that only a rewritten input concerns is started for it', async () => {
    const rewriter = `echo '{"hookSpecificOutput":{"updatedInput":{"command":"git push"}}}'`
    const audit = rule('PreToolUse', 'cat > seen', { name: 'audit', asyncRewake: true, if: 'Bash(git push *)' })
    const at = await scene([extSource(rule('PreToolUse', rewriter, { name: 'rewriter' }), audit)])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'ls' } })
    expect(result.runs).toMatchObject([{ hook: 'rewriter' }, { hook: 'audit', cause: 'async' }])
    await expect.poll(() => readFile(`${at.root}/seen`, 'utf8').catch(() => '')).toContain('git push')
  })

  test('says nothing to it otherwise', async () => {
    const at = await scene([extSource(waking('PreToolUse', 'echo fine'))])
    await fire(at, 'PreToolUse')
    const told = await until(at, 'Notification')
    expect([told.context, texts(told.notices)]).toEqual([[], ['fine']])
  })
})

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return state !== '' && !/\) [ZX] /.test(state)
}
