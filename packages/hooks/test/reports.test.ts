import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import {
  claudeSource,
  codes,
  extSource,
  fire,
  load,
  only,
  project,
  rule,
  samples,
  scene,
  session,
  texts,
} from './support.js'

// Public bug reports of other products that no other test of this package stands for, and files as bad as they come.

const claude = (event: string, command: string, more = {}, matcher?: string) =>
  claudeSource({ [event]: [{ ...(matcher ? { matcher } : {}), hooks: [{ type: 'command', command, ...more }] }] })

describe('reported elsewhere', () => {
  // anthropics/claude-code#19009
  test('exit 2 after an edit is feedback for the model: the edit stays', async () => {
    const at = await scene([claude('PostToolUse', 'echo please format >&2; exit 2', {}, 'Edit')])
    const { block, updatedOutput } = await fire(at, 'PostToolUse', { tool_name: 'Edit' })
    expect([block, updatedOutput]).toEqual([{ by: 'echo', reason: 'please format' }, undefined])
  })

  // awslabs/aidlc-workflows#1024
  test('a rewrite counts without an allow beside it', async () => {
    const reply = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}'
    const result = await fire(await scene([claude('PreToolUse', `echo '${reply}'`)]), 'PreToolUse')
    expect([result.updatedInput?.input, result.opinion]).toEqual([{ command: 'ls' }, undefined])
  })

  // anthropics/claude-code#14281, #43750
  test('context after a tool is delivered once, for every tool alike', async () => {
    const reply = '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"seen"}}'
    const at = await scene([claude('PostToolUse', `echo '${reply}'`)])
    for (const tool_name of ['Bash', 'Agent', 'mcp__fs__write_file']) {
      expect((await fire(at, 'PostToolUse', { tool_name })).context).toEqual([{ by: 'echo', text: 'seen' }])
    }
  })

  // deepseek-ai/deepseek-harness, discussion 583
  test.each([0, -5, 'abc', Number.NaN, null])(
    'a time-out of %j is an error, never a guard that is skipped',
    async (timeout) => {
      for (const layer of [
        claude('PreToolUse', 'exit 2', { timeout }),
        extSource(rule('PreToolUse', 'exit 2', { timeout })),
      ]) {
        const hooks = await load([layer])
        expect(codes(hooks)).toEqual(['hooks.timeout.invalid'])
        expect(hooks.snapshot.records).toMatchObject([{ verdict: 'broken' }])
      }
    },
  )

  // openai/codex#23784, anthropics/claude-plugins-official#5334, #4104
  test('other alphabets come and go as they are, also through Python', async () => {
    const echo = `python3 -c 'import json,sys; print(json.load(sys.stdin)["prompt"])'`
    const at = await scene([extSource(rule('UserPromptSubmit', echo))])
    const prompt = 'Grüße, 世界 🎏'
    expect(texts((await fire(at, 'UserPromptSubmit', { prompt })).context)).toEqual([prompt])
  })

  // anthropics/claude-code#69260, #60934, #88441, #18392
  test('hooks run in sub-agents as in the main loop, and know where they are', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'cat > in.json; exit 2'))])
    const agent = { id: 'agent-1', type: 'tester' }
    const inside = at.hooks.session({ ...session(at.root), origin: 'agent', agent })
    expect((await fire({ session: inside }, 'PreToolUse')).block).toBeDefined()
    expect(JSON.parse(await readFile(`${at.root}/in.json`, 'utf8'))).toMatchObject({
      session_id: 'session-1',
      agent_id: 'agent-1',
      agent_type: 'tester',
    })
  })

  // From the changelog of claude-code, 2.1.212
  test('continue: false ends the run also where a tool has failed', async () => {
    const at = await scene([extSource(rule('PostToolUseFailure', `echo '{"continue":false,"stopReason":"enough"}'`))])
    expect((await fire(at, 'PostToolUseFailure')).stop?.reason).toBe('enough')
  })

  // From the changelog of claude-code, 2.1.210
  test('a time-out never reads as if the user had refused', async () => {
    const hook = rule('PreToolUse', 'sleep 9', { timeout: '100ms', onFailure: 'block' })
    const { block, notices } = await fire(await scene([extSource(hook)]), 'PreToolUse')
    expect(block?.reason).toBe('The hook failed (no answer within 100ms), and it is set to block when it fails.')
    expect(`${block?.reason} ${texts(notices).join(' ')}`).not.toMatch(/user|reject|refus/i)
  })
})

describe('a script', () => {
  const run = async (files: Record<string, string>, command: string, mode?: number) => {
    const root = await project(files)
    if (mode !== undefined) await (await import('node:fs/promises')).chmod(`${root}/hook.sh`, mode)
    return fire(await scene([extSource(rule('PreToolUse', command, { name: 'guard' }))], { root }), 'PreToolUse')
  }

  test('that is missing or not executable is a failure with its code', async () => {
    expect((await run({}, './hook.sh')).runs).toMatchObject([{ outcome: 'failed', cause: 'exit 127' }])
    const locked = await run({ 'hook.sh': '#!/bin/sh\nexit 2' }, './hook.sh', 0o644)
    expect(locked.runs).toMatchObject([{ outcome: 'failed', cause: 'exit 126' }])
  })

  test('with CRLF line ends is a failure that shows what the shell says', async () => {
    const { runs, notices } = await run({ 'hook.sh': '#!/bin/sh\r\nexit 2\r\n' }, './hook.sh')
    expect(runs).toMatchObject([{ outcome: 'failed' }])
    expect(texts(notices)[0]).toMatch(/not found|bad interpreter|number/i)
  })

  test('that prints bytes which are no text still has its exit code', async () => {
    const { block } = await run({}, `printf '\\377\\376' >&2; exit 2`)
    expect(block?.reason).toBe('\uFFFD\uFFFD')
  })

  test('that prints 50 MB is read up to the limit, and says so', async () => {
    const { runs, notices } = await run({}, 'head -c 50000000 /dev/zero')
    expect(runs[0]?.outcome).toBe('decided')
    expect(texts(notices).at(-1)).toBe('only the first 1048576 of 50000000 bytes of its output were kept')
  }, 20_000)

  test('that edits the settings it comes from changes nothing until they are loaded again', async () => {
    const root = await project()
    const path = `${root}/settings.json`
    const settings = (command: string) =>
      JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } })
    const edit = `cat > "$CLAUDE_PROJECT_DIR/settings.json" <<'END'\n${settings('echo second')}\nEND\necho first`
    await writeFile(path, settings(edit))
    const layers = [{ kind: 'file', layer: 'user', dialect: 'claude-settings', path }] as const
    const at = await scene(layers, { root })
    for (let round = 0; round < 2; round++) expect(texts((await fire(at, 'Stop')).notices)).toEqual(['first'])
    await at.hooks.replace(layers)
    expect(texts((await fire(at, 'Stop')).notices)).toEqual(['second'])
  })
})

describe('a file', () => {
  test('with everything wrong costs each entry alone', async () => {
    const root = await project({
      'settings.json': JSON.stringify(
        {
          hooks: {
            PreToolUse: [
              { matcher: {}, hooks: [{ type: 'command', command: 'a' }] },
              { matcher: '(', hooks: [{ type: 'command', command: 'b' }] },
              { matcher: 'tool == "Bash" && true', hooks: [{ type: 'command', command: 'c' }] },
              { matcher: 'Bash(ls)', hooks: [{ type: 'command', command: 'd' }] },
              { hooks: [{ type: 'command', command: 'kept', if: 'Bash(' }, { type: 'nonsense' }, null, 'x', []] },
              { hooks: {} },
              { hooks: [{ type: 'command', command: 'late', timeout: 5000 }] },
            ],
            Whenever: [{ hooks: [{ type: 'command', command: 'e' }] }],
            TaskCreated: [{ hooks: [{ type: 'command', command: 'f' }] }],
            Stop: { hooks: [] },
          },
        },
        null,
        2,
      ),
    })
    const file = { kind: 'file', layer: 'user', dialect: 'claude-settings', path: `${root}/settings.json` } as const
    const hooks = await load([file], { root })
    expect(hooks.snapshot.entries.map(({ name }) => name)).toEqual(['kept', 'late'])
    const broken = hooks.snapshot.records.filter(({ verdict }) => verdict === 'broken')
    expect(broken).toHaveLength(12)
    const errors = hooks.diagnostics.filter(({ severity }) => severity === 'error')
    for (const { id, source } of broken) {
      expect([errors.some(({ entry }) => entry === id), source.line === undefined]).toEqual([true, false])
    }
    for (const { source, hint } of hooks.diagnostics)
      expect([source.line, source.column, hint]).not.toContain(undefined)
  })

  test('whose hooks have one name all run, in one layer and across layers', async () => {
    const named = (command: string) => rule('Stop', command, { name: 'same' })
    const at = await scene([
      extSource(named('echo a'), named('echo b')),
      { ...extSource(named('echo c')), layer: 'command-line' },
    ])
    expect(texts((await fire(at, 'Stop')).notices)).toEqual(['a', 'b', 'c'])
  })

  test('that holds no hooks at all is no trouble', async () => {
    for (const value of [{}, { hooks: null }, { hooks: {} }, { hooks: [] }, null]) {
      const source = { kind: 'value', layer: 'user', dialect: 'ext', name: 'x', value } as const
      const { snapshot } = await load([source])
      expect(snapshot.entries).toEqual([])
    }
    expect(only(await load([claudeSource(5)])).code).toBe('config.shape')
  })
})

test('nobody hears of a payload that is never made', async () => {
  const at = await scene([claude('PostToolUse', 'true', {}, 'Edit')])
  expect(at.session.fire('PostToolUse', () => samples.PostToolUse)).toBeUndefined()
})
