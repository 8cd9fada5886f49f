import { readFile, writeFile } from 'node:fs/promises'
import { ExtError } from '@ext/kernel'
import { describe, expect, test, vi } from 'vitest'
import { defineHook, type Hooks } from '../src/index.js'
import { claudeSource, extSource, fire, load, project, rule, samples, scene, session, texts } from './support.js'

describe('an event that no hook listens to', () => {
  test('is answered at once, without its payload', async () => {
    const at = await scene([extSource(rule('Stop', 'true'))])
    const payload = vi.fn(() => samples.PreToolUse)
    expect(at.session.fire('PreToolUse', payload)).toBeUndefined()
    expect(payload).not.toHaveBeenCalled()
  })

  test('or only hooks for other tools, is answered at once', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'exit 2', { matcher: 'Edit' }))])
    for (let round = 0; round < 3; round++) {
      expect(at.session.fire('PreToolUse', () => samples.PreToolUse)).toBeUndefined()
    }
    expect((await fire(at, 'PreToolUse', { tool_name: 'Edit' })).block).toBeDefined()
  })

  test('stays cheap and bounded whatever tools are called', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'exit 2', { matcher: 'Edit' }))])
    for (let round = 0; round < 5000; round++) {
      const payload = { ...samples.PreToolUse, tool_name: `tool_${round}` }
      expect(at.session.fire('PreToolUse', () => payload)).toBeUndefined()
    }
    expect((await fire(at, 'PreToolUse', { tool_name: 'Edit' })).block).toBeDefined()
  })
})

describe('sessions', () => {
  test('need an id, since hooks tell them apart by it', async () => {
    const hooks = await load([])
    expect(() => hooks.session(session('/', ''))).toThrow('A session needs an id')
  })

  test('do not mix: id, folder, mode and once-marks are their own', async () => {
    const root = await project({ 'a/x': '', 'b/x': '' })
    const command = 'cat > in.json; pwd; sleep 0.1; echo "$HOOK_SESSION_ID"'
    const hooks = await load([extSource(rule('UserPromptSubmit', command, { once: true }))], { root })
    const open = (id: 'a' | 'b') =>
      hooks.session({ ...session(root, id), cwd: `${root}/${id}`, permissionMode: id === 'a' ? 'plan' : 'default' })
    const results = await Promise.all([
      fire({ session: open('a') }, 'UserPromptSubmit'),
      fire({ session: open('b') }, 'UserPromptSubmit'),
    ])
    expect(results.map(({ context }) => texts(context))).toEqual([[`${root}/a\na`], [`${root}/b\nb`]])
    const payload = async (id: string) => JSON.parse(await readFile(`${root}/${id}/in.json`, 'utf8'))
    expect(await payload('a')).toMatchObject({ session_id: 'a', cwd: `${root}/a`, permission_mode: 'plan' })
    expect(await payload('b')).toMatchObject({ session_id: 'b', cwd: `${root}/b`, permission_mode: 'default' })
  })

  test('run a once hook once, also for two events at the same time, until they are reset', async () => {
    const at = await scene([extSource(rule('UserPromptSubmit', 'echo hello', { once: true }))])
    const first = at.session.fire('UserPromptSubmit', () => samples.UserPromptSubmit)
    expect(at.session.fire('UserPromptSubmit', () => samples.UserPromptSubmit)).toBeUndefined()
    await first
    expect(at.session.fire('UserPromptSubmit', () => samples.UserPromptSubmit)).toBeUndefined()
    at.session.reset()
    expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual(['hello'])
  })

  test('run a once hook again when it failed, took too long or was ended', async () => {
    const failing = await scene([extSource(rule('Stop', 'exit 1', { once: true }))])
    await fire(failing, 'Stop')
    expect((await fire(failing, 'Stop')).runs).toMatchObject([{ outcome: 'failed' }])
    const slow = await scene([extSource(rule('Stop', 'sleep 9', { once: true, timeout: '100ms' }))])
    await fire(slow, 'Stop')
    expect((await fire(slow, 'Stop')).runs).toMatchObject([{ outcome: 'timedOut' }])
    await expect(slow.session.fire('Stop', () => samples.Stop, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect((await fire(slow, 'Stop')).runs).toMatchObject([{ outcome: 'timedOut' }])
  })
})

describe('a session that is kept in a file', () => {
  test('tells its hooks where, and one that is not says nothing', async () => {
    const { hooks, root } = await scene([extSource(rule('Stop', 'cat > in.json'))])
    const { id } = session(root)
    for (const transcriptPath of [`${root}/${id}.jsonl`, undefined]) {
      const ref = { ...session(root), ...(transcriptPath === undefined ? {} : { transcriptPath }) }
      await fire({ session: hooks.session(ref) }, 'Stop')
      const payload = JSON.parse(await readFile(`${root}/in.json`, 'utf8'))
      expect(payload.transcript_path).toBe(transcriptPath)
    }
  })

  test('and is resumed fires hooks of SessionResume, and one that begins does not', async () => {
    const at = await scene([extSource(rule('SessionResume', 'echo again', { matcher: 'startup' }))])
    expect(at.session.fire('SessionStart', () => ({ source: 'startup', model: 'm' }))).toBeUndefined()
    const result = await fire(at, 'SessionStart', { source: 'resume' })
    expect(result.context.map(({ text }) => text)).toEqual(['again'])
  })
})

describe('a hook that ends its own event', () => {
  const failing = async (end: (hooks: Hooks, run: AbortController) => void) => {
    const run = new AbortController()
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const late = defineHook('PreToolUse', () => {
      end(at.hooks, run)
      return Promise.reject(new Error('after the end'))
    })
    const at = await scene([], { functions: [late] })
    const running = at.session.fire('PreToolUse', () => samples.PreToolUse, { signal: run.signal })
    const reason = await running?.catch((error: Error) => error.message)
    await new Promise((done) => setTimeout(done, 20))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    return reason
  }

  test('by the signal of the caller, and rejects, costs that event only', async () => {
    expect(await failing((_, run) => run.abort(new Error('enough')))).toBe('enough')
  })

  test('by closing all hooks, and rejects, costs that event only', async () => {
    expect(await failing((hooks) => void hooks.close())).toBe('The hooks were closed.')
  })
})

test('a once hook that was edited runs again', async () => {
  const layer = (text: string) => extSource(rule('UserPromptSubmit', `echo ${text}`, { once: true }))
  const at = await scene([layer('old')])
  expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual(['old'])
  await at.hooks.replace([layer('old')])
  expect(at.session.fire('UserPromptSubmit', () => samples.UserPromptSubmit)).toBeUndefined()
  await at.hooks.replace([layer('new')])
  expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual(['new'])
})

describe('an abort', () => {
  test('ends the running hooks and rejects with the reason of the caller', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'sleep 30'))])
    const controller = new AbortController()
    const running = at.session.fire('PreToolUse', () => samples.PreToolUse, { signal: controller.signal })
    const reason = new Error('the user pressed escape')
    setTimeout(() => controller.abort(reason), 100)
    await expect(running).rejects.toBe(reason)
  })

  test('before the start rejects too, and starts nothing', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'touch started'))])
    const reason = new Error('too late')
    await expect(
      at.session.fire('PreToolUse', () => samples.PreToolUse, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason)
    await expect(readFile(`${at.root}/started`)).rejects.toThrow('ENOENT')
  })

  test('leaves no listener on a signal that lives long', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'true'))])
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    for (let round = 0; round < 3; round++) await at.session.fire('PreToolUse', () => samples.PreToolUse, { signal })
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
  })
})

describe('close', () => {
  test('ends what runs, and later events are a mistake of the caller', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'echo $$ > pid; sleep 30'))])
    const running = at.session.fire('PreToolUse', () => samples.PreToolUse)
    const rejected = expect(running).rejects.toSatisfy(ExtError.isInstance)
    await expect.poll(() => readFile(`${at.root}/pid`, 'utf8').catch(() => '')).toMatch(/\d/)
    await at.hooks.close()
    await rejected
    const pid = Number(await readFile(`${at.root}/pid`, 'utf8'))
    expect(() => process.kill(pid, 0)).toThrow()
    expect(() => at.session.fire('Stop', () => samples.Stop)).toThrow('The hooks were closed.')
  })
})

// anthropics/claude-code#22679, #55867; QwenLM/qwen-code#11904: edits needed a restart.
describe('replace', () => {
  test('gives running sessions the new hooks, while events under way keep theirs', async () => {
    const at = await scene([extSource(rule('UserPromptSubmit', 'sleep 0.3; echo old'))])
    const under = fire(at, 'UserPromptSubmit')
    await at.hooks.replace([extSource(rule('UserPromptSubmit', 'echo new'), rule('Nonsense', 'true'))])
    expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual(['new'])
    expect(texts((await under).context)).toEqual(['old'])
    expect(at.hooks.diagnostics.map(({ code }) => code)).toEqual(['hooks.event.unknown'])
    expect(at.hooks.snapshot.entries).toHaveLength(1)
  })

  test('of two at a time, the later call wins', async () => {
    const at = await scene([])
    const path = `${at.root}/none.yaml`
    const slow = at.hooks.replace([
      { kind: 'file', layer: 'user', dialect: 'ext', path },
      extSource(rule('Stop', 'old')),
    ])
    const fast = at.hooks.replace([extSource(rule('Stop', 'new'))])
    await Promise.all([slow, fast])
    expect(at.hooks.snapshot.entries.map(({ name }) => name)).toEqual(['new'])
  })

  test('with a file that is broken now keeps its hooks, and the repaired file counts', async () => {
    const at = await scene([])
    const path = `${at.root}/hooks.yaml`
    const layers = [{ kind: 'file', layer: 'user', dialect: 'ext', path }] as const
    const write = (text: string) => writeFile(path, text)
    await write('hooks: [{name: a, event: Stop, action: {type: command, command: echo old}}]')
    await at.hooks.replace(layers)
    await write('hooks: [{name: a, event: Stop, action: {')
    await at.hooks.replace(layers)
    expect(at.hooks.snapshot.entries.map(({ name }) => name)).toEqual(['a'])
    expect(at.hooks.diagnostics.map(({ code }) => code)).toContain('config.entry.last-good')
    await write('hooks: [{name: b, event: Stop, action: {type: command, command: echo new}}]')
    await at.hooks.replace(layers)
    expect(at.hooks.snapshot.entries.map(({ name }) => name)).toEqual(['b'])
    expect(at.hooks.diagnostics).toEqual([])
  })

  test('with a dialect that nobody knows rejects and changes nothing', async () => {
    const at = await scene([extSource(rule('Stop', 'true'))])
    await expect(at.hooks.replace([{ ...claudeSource({}), dialect: 'nope' }])).rejects.toThrow(
      'No reader for the dialect `nope`',
    )
    expect(at.hooks.snapshot.entries).toHaveLength(1)
  })
})

test('a host whose processes break their promise costs only the hook', async () => {
  const process = {
    run: () => Promise.reject(new Error('no more processes')),
    start: () => {
      throw new Error()
    },
  }
  const at = await scene([extSource(rule('PreToolUse', 'true', { name: 'guard', onFailure: 'block' }))], {
    ports: { process },
  })
  const result = await fire(at, 'PreToolUse')
  expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'cannot start' }])
  expect(texts(result.notices)).toEqual(['failed (cannot start): no more processes'])
  expect(result.block).toBeDefined()
})
