import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { answerEvent } from '../src/author/index.js'
import { defineHook, type HookFunction } from '../src/index.js'
import { extSource, fire, project, samples, scene, texts } from './support.js'

let author: string

beforeAll(async () => {
  const entryPoints = [fileURLToPath(new URL('../src/author/index.ts', import.meta.url))]
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: 'esm', platform: 'node' })
  author = outputFiles[0]?.text ?? ''
})

/** A project whose only hook is a script with this body, for an event. */
async function scripted(event: string, body: string, more: object = {}) {
  const script = `import { runHook } from './author.mjs'\n${body}\n`
  const files = { 'author.mjs': author, 'guard.mjs': script }
  const action = { type: 'command', command: process.execPath, args: ['${HOOK_PROJECT_DIR}/guard.mjs'] }
  return scene([extSource({ name: 'guard', event, action, ...more })], { files })
}

describe('a script', () => {
  test('gets the payload and answers in the words of its event', async () => {
    const at = await scripted(
      'PreToolUse',
      `await runHook({
        PreToolUse({ tool_input }, { reply }) {
          if (String(tool_input.command).startsWith('git push')) return reply.deny('Open a pull request: ü 👍')
        },
      })`,
    )
    const push = await fire(at, 'PreToolUse')
    expect(push.block).toEqual({ by: 'guard', reason: 'Open a pull request: ü 👍' })
    const list = await fire(at, 'PreToolUse', { tool_input: { command: 'ls' } })
    expect(list.runs).toMatchObject([{ outcome: 'noDecision' }])
    expect(list.notices).toEqual([])
  })

  test('that greets first still counts', async () => {
    const at = await scripted(
      'Stop',
      `console.log('ready'); await runHook({ Stop: async (_, { reply }) => reply.block('go on') })`,
    )
    expect((await fire(at, 'Stop')).block?.reason).toBe('go on')
  })

  test('reads a large event and writes a large reply', async () => {
    const at = await scripted(
      'PreToolUse',
      `await runHook({ PreToolUse: ({ tool_input }, { reply }) => reply.rewrite({ command: tool_input.command.length + 'x'.repeat(500_000) }) })`,
    )
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'y'.repeat(900_000) } })
    expect(String(result.updatedInput?.input['command'])).toHaveLength(500_006)
  })

  test.each([
    ['throws', `await runHook({ Stop() { throw new Error('oops') } })`, 'oops'],
    [
      'is for another event',
      'await runHook({ PreToolUse() {} })',
      'This script is for PreToolUse, and was run at Stop.',
    ],
  ])('that %s is a failure that says why, and never refuses a stop', async (_name, body, why) => {
    const result = await fire(await scripted('Stop', body), 'Stop')
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'exit 1' }])
    expect(result.block).toBeUndefined()
    expect(texts(result.notices).join()).toContain(why)
  })
})

test('run by hand without an event, it says what it wants', async () => {
  const root = await project({
    'author.mjs': author,
    'guard.mjs': `import { runHook } from './author.mjs'\nawait runHook({})`,
  })
  const child = spawn(process.execPath, [`${root}/guard.mjs`], { stdio: ['pipe', 'ignore', 'pipe'] })
  child.stdin.end('not JSON')
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise((done) => child.on('close', done))
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'There is no event on stdin. Hooks get one as JSON; see `ext hooks test` to try one.\n',
  })
})

describe('what is printed', () => {
  const printed = async (handlers: Parameters<typeof answerEvent>[1], event: keyof typeof samples) =>
    answerEvent(JSON.stringify({ ...samples[event], hook_event_name: event, session_id: '1' }), handlers)

  test('is nothing when there is nothing to say', async () => {
    expect(await printed({ Stop() {} }, 'Stop')).toEqual({ exitCode: 0 })
  })

  test('is one JSON object', async () => {
    const end = await printed({ PermissionRequest: (_payload, { reply }) => reply.allow() }, 'PermissionRequest')
    expect(JSON.parse(end.stdout ?? '')).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    })
  })

  test.each(['', '[]', 'null', '{}', '{"hook_event_name": 1}'])('is a failure for %j', async (input) => {
    expect(await answerEvent(input, {})).toMatchObject({ exitCode: 1 })
  })

  test('is a failure for an event of a name that every object has', async () => {
    expect(await answerEvent('{"hook_event_name": "toString"}', {})).toMatchObject({ exitCode: 1 })
  })
})

test('the same handler is a script and a function', async () => {
  const at = await scene([], { functions: [defineHook('Stop', (_payload, { reply }) => reply.message('bye'))] })
  const inProcess = texts((await fire(at, 'Stop')).notices)
  const script = await scripted('Stop', `await runHook({ Stop: (_payload, { reply }) => reply.message('bye') })`)
  expect(texts((await fire(script, 'Stop')).notices)).toEqual(inProcess)
})

describe('several replies', () => {
  const told = async (fn: HookFunction<'PreToolUse'>) =>
    fire(await scene([], { functions: [defineHook('PreToolUse', fn, { name: 'guard' })] }), 'PreToolUse')

  test('as one say what each of them says, and the strictest decision counts', async () => {
    const result = await told((_, { reply }) =>
      reply.all(
        reply.allow('fine'),
        reply.deny('not that'),
        undefined,
        reply.context('one'),
        reply.deny('nor this'),
        reply.ask('sure?'),
        reply.context('two'),
        reply.message('hello'),
        reply.message('again'),
      ),
    )
    expect(result.block).toEqual({ by: 'guard', reason: 'not that\nnor this' })
    expect(result.context).toEqual([{ by: 'guard', text: 'one\ntwo' }])
    expect(texts(result.notices)).toEqual(['hello\nagain'])
  })

  test('as one keep an ask beside an allow, a rewrite and a context, in a script too', async () => {
    const at = await scripted(
      'PreToolUse',
      `await runHook({ PreToolUse: (_, { reply }) =>
        reply.all(reply.ask('sure?'), reply.rewrite({ command: 'ls' }), reply.allow(), reply.context('hint')) })`,
    )
    const result = await fire(at, 'PreToolUse')
    expect(result).toMatchObject({
      opinion: { behavior: 'ask', by: 'guard', reason: 'sure?' },
      updatedInput: { input: { command: 'ls' } },
      context: [{ text: 'hint' }],
    })
  })

  test('as one deny a request that one of them denies, and remember the rules of all that allow', async () => {
    const answer = async (deny: boolean) => {
      const fn = defineHook('PermissionRequest', (_, { reply }) =>
        reply.all(deny ? reply.deny('no') : undefined, reply.allow(['Bash(a)']), reply.allow(['Bash(b)'])),
      )
      return (await fire(await scene([], { functions: [fn] }), 'PermissionRequest')).answer
    }
    expect(await answer(true)).toMatchObject({ behavior: 'deny', reason: 'no' })
    expect(await answer(false)).toMatchObject({ behavior: 'allow', rules: ['Bash(a)', 'Bash(b)'] })
  })

  test('as one replace the parts of a request that any of them names', async () => {
    const fn = defineHook('BeforeModel', (_, { reply }) =>
      reply.all(reply.rewrite({ system: 'Be kind.' }), reply.rewrite({ messages: [] })),
    )
    const result = await fire(await scene([], { functions: [fn] }), 'BeforeModel')
    expect(result.updatedRequest?.request).toEqual({ system: 'Be kind.', messages: [] })
  })

  test('that are spread into one never lose a deny', async () => {
    const spread = await told((_, { reply }) => ({ ...reply.deny('no'), ...reply.context('hint') }))
    expect(spread.block).toEqual({ by: 'guard', reason: 'no' })
    const fn = defineHook('PermissionRequest', (_, { reply }) => ({ ...reply.deny('no'), ...reply.allow() }))
    const result = await fire(await scene([], { functions: [fn] }), 'PermissionRequest')
    expect(result.answer).toMatchObject({ behavior: 'deny', reason: 'no' })
  })
})
