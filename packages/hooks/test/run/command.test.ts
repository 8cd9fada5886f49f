import { readFile } from 'node:fs/promises'
import { nodePorts } from '@ext/kernel/node'
import { describe, expect, test } from 'vitest'
import { claudeSource, extSource, fire, project, rule, scene, session, texts } from '../support.js'

const claudeHook = (event: string, handler: object, more = {}) =>
  claudeSource({ [event]: [{ hooks: [{ type: 'command', ...handler }] }] }, more)

describe('a command gets', () => {
  test('the payload as one line of JSON with sorted keys', async () => {
    const at = await scene([extSource(rule('PreToolUse', 'cat > "$HOOK_PROJECT_DIR/in.json"'))])
    const input = { b: { d: 1, c: [{ z: 1, y: 2 }] }, a: 'two\nlines', lone: '\ud800', __proto__x: 1 }
    await fire(at, 'PreToolUse', { tool_input: input, server: 'fs', server_tool: 'run' })
    const text = await readFile(`${at.root}/in.json`, 'utf8')
    expect(text.endsWith('}\n') && text.indexOf('\n') === text.length - 1).toBe(true)
    const payload = JSON.parse(text)
    expect(payload).toEqual({
      cwd: at.root,
      hook_event_name: 'PreToolUse',
      permission_mode: 'default',
      schema_version: 1,
      server: 'fs',
      server_tool: 'run',
      session_id: 'session-1',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      tool_input: input,
      tool_name: 'Bash',
      tool_use_id: 'call-1',
    })
    expect(Object.keys(payload)).toEqual(Object.keys(payload).sort())
    expect(text).toContain('"b":{"c":[{"y":2,"z":1}],"d":1}')
  })

  test('the event in variables, and nothing of the host but what is declared', async () => {
    const ports = nodePorts({ PATH: process.env['PATH'], SECRET: 'x', TOKEN: 'passed', HOME: '/home/someone' })
    const rules = extSource({
      event: 'PostToolUse',
      action: { type: 'command', command: 'env | sort', env: { MINE: 'yes', HOOK_EVENT: 'faked' }, passEnv: ['TOKEN'] },
      stdout: 'context',
    })
    const at = await scene([rules], { ports })
    const result = await fire(at, 'PostToolUse', { tool_response: { ok: true } })
    const env = new Map(
      result.context[0]?.text.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    )
    expect(Object.fromEntries([...env].filter(([name]) => /HOOK|SECRET|TOKEN|MINE|CLAUDE|PYTHON/.test(name)))).toEqual({
      HOOK_CWD: at.root,
      HOOK_EVENT: 'PostToolUse',
      HOOK_PROJECT_DIR: at.root,
      HOOK_SESSION_ID: 'session-1',
      HOOK_TOOL_INPUT: '{"command":"ls"}',
      HOOK_TOOL_IS_ERROR: '0',
      HOOK_TOOL_NAME: 'Bash',
      HOOK_TOOL_OUTPUT: '{"ok":true}',
      MINE: 'yes',
      PYTHONUTF8: '1',
      TOKEN: 'passed',
    })
  })

  test('the variables that fit the event', async () => {
    const show = async (event: Parameters<typeof fire>[1]) => {
      const at = await scene([extSource(rule(event, 'env | grep ^HOOK_ | sort', { stdout: 'context' }))])
      const lines = texts((await fire(at, event)).context)[0]?.split('\n') ?? []
      return lines.filter((line) => !/^HOOK_(CWD|PROJECT_DIR|SESSION_ID|EVENT)=/.test(line))
    }
    expect(await show('SessionStart')).toEqual(['HOOK_MODEL=some-model'])
    expect(await show('UserPromptSubmit')).toEqual(['HOOK_USER_INPUT=Fix the tests'])
    expect(await show('PostToolUseFailure')).toEqual([
      'HOOK_TOOL_INPUT={"command":"ls"}',
      'HOOK_TOOL_IS_ERROR=1',
      'HOOK_TOOL_NAME=Bash',
      'HOOK_TOOL_OUTPUT=no such folder',
    ])
    expect(await show('Stop')).toEqual([])
  })

  test('no variable that is too large or holds a NUL, but a word about it', async () => {
    const at = await scene([extSource(rule('UserPromptSubmit', 'echo "$HOOK_TRUNCATED${HOOK_USER_INPUT-unset}"'))])
    for (const prompt of ['x'.repeat(200_000), 'a\0b']) {
      expect(texts((await fire(at, 'UserPromptSubmit', { prompt })).context)).toEqual(['1unset'])
    }
  })

  test('CLAUDE_PROJECT_DIR in Claude-format files', async () => {
    const at = await scene([claudeHook('UserPromptSubmit', { command: 'echo "$CLAUDE_PROJECT_DIR"' })])
    expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual([at.root])
  })
})

describe('the folder', () => {
  test('is the working folder of the session', async () => {
    const at = await scene([extSource(rule('UserPromptSubmit', 'pwd'))], { files: { 'sub/a.txt': '' } })
    const sub = at.hooks.session({ ...session(at.root), cwd: `${at.root}/sub` })
    expect(texts((await fire({ session: sub }, 'UserPromptSubmit')).context)).toEqual([`${at.root}/sub`])
  })

  test('is the project when the working folder is gone', async () => {
    const at = await scene([extSource(rule('UserPromptSubmit', 'pwd'))])
    const gone = at.hooks.session({ ...session(at.root), cwd: `${at.root}/gone` })
    expect(texts((await fire({ session: gone }, 'UserPromptSubmit')).context)).toEqual([at.root])
  })

  test('is what the rule says, from the project; a missing one is a failure', async () => {
    const inFolder = (cwd: string) =>
      extSource({ event: 'UserPromptSubmit', action: { type: 'command', command: 'pwd', cwd } })
    const files = { 'sub/a.txt': '' }
    const at = await scene([inFolder('sub')], { files })
    expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual([`${at.root}/sub`])
    const missing = await fire(await scene([inFolder('nope')], { files }), 'UserPromptSubmit')
    expect(missing.runs).toMatchObject([{ outcome: 'failed', cause: 'cannot start' }])
  })
})

describe('with args there is no shell', () => {
  test('so nothing in an argument is read by one, and the project folder is put in whole', async () => {
    const files = { 'show.sh': '#!/bin/sh\nfor arg; do echo "[$arg]"; done\n' }
    const root = await project(files)
    const args = ['a b', '$HOME', '$(id)', '${CLAUDE_PROJECT_DIR}/x', '${HOOK_PROJECT_DIR}']
    const expected = ['[a b]', '[$HOME]', '[$(id)]', `[${root}/x]`, `[${root}]`].join('\n')
    const claude = await scene([claudeHook('UserPromptSubmit', { command: '${CLAUDE_PROJECT_DIR}/show.sh', args })], {
      root,
    })
    expect(texts((await fire(claude, 'UserPromptSubmit')).context)).toEqual([expected])
  })

  test('in our own files the folder is called HOOK_PROJECT_DIR', async () => {
    const action = { type: 'command', command: 'echo', args: ['${HOOK_PROJECT_DIR}', '${CLAUDE_PROJECT_DIR}'] }
    const at = await scene([extSource({ event: 'UserPromptSubmit', action })])
    expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual([`${at.root} \${CLAUDE_PROJECT_DIR}`])
  })

  test('a folder with shell characters in its name runs nothing', async () => {
    const root = await project({
      'a$(touch owned)`touch owned`;touch owned/guard.sh': '#!/bin/sh\necho ran in "$(pwd)"\n',
    })
    const odd = `${root}/a$(touch owned)\`touch owned\`;touch owned`
    const handlers = [
      { command: '${CLAUDE_PROJECT_DIR}/guard.sh', args: [] },
      { command: '"$CLAUDE_PROJECT_DIR"/guard.sh' },
      { command: '"${CLAUDE_PROJECT_DIR}/guard.sh"' },
    ]
    for (const handler of handlers) {
      const at = await scene([claudeHook('UserPromptSubmit', handler)], { root: odd })
      expect(texts((await fire(at, 'UserPromptSubmit')).context)).toEqual([`ran in ${odd}`])
    }
    await expect(readFile(`${odd}/owned`)).rejects.toThrow('ENOENT')
  })
})

test('shell: bash runs bash, sh is the default', async () => {
  const action = (shell?: string) =>
    extSource({
      event: 'UserPromptSubmit',
      action: { type: 'command', command: 'echo $0', ...(shell ? { shell } : {}) },
    })
  expect(texts((await fire(await scene([action('bash')]), 'UserPromptSubmit')).context)).toEqual(['bash'])
  expect(texts((await fire(await scene([action()]), 'UserPromptSubmit')).context)).toEqual(['sh'])
})
