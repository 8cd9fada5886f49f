import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { extSource, fire, rule, scene, texts } from '../support.js'

const rewriteTo = (command: string) =>
  `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"${command}"}}}'`
const saw = (name: string) => `printf '%s\\n' "${name}: $HOOK_TOOL_INPUT" >> log`
const inRow = (name: string, command: string, more = {}) =>
  rule('PreToolUse', command, { name, sequential: true, ...more })
const beside = (name: string, command: string) => rule('PreToolUse', command, { name })

const log = async (root: string) => (await readFile(`${root}/log`, 'utf8')).trim().split('\n')

describe('sequential hooks', () => {
  test('run in config order, each seeing what the one before has rewritten', async () => {
    const at = await scene([
      extSource(
        inRow('first', `sleep 0.2; ${saw('first')}; ${rewriteTo('two')}`),
        inRow('second', `${saw('second')}; ${rewriteTo('three')}`),
        inRow('third', saw('third')),
      ),
    ])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'one' } })
    expect((await log(at.root)).slice(0, 3)).toEqual([
      'first: {"command":"one"}',
      'second: {"command":"two"}',
      'third: {"command":"three"}',
    ])
    expect(result.updatedInput).toEqual({ by: 'second', input: { command: 'three' } })
    // What the second made of the first one's input is no conflict with it.
    expect(result.notices).toEqual([])
  })

  test('that only judge are asked again if a later one has rewritten what they saw', async () => {
    const guard = `${saw('guard')}; case "$HOOK_TOOL_INPUT" in *two*) exit 2;; esac`
    const at = await scene([
      extSource(inRow('guard', guard), inRow('rewriter', `${saw('rewriter')}; ${rewriteTo('two')}`)),
    ])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'one' } })
    expect(await log(at.root)).toEqual([
      'guard: {"command":"one"}',
      'rewriter: {"command":"one"}',
      'guard: {"command":"two"}',
    ])
    expect(result.block?.by).toBe('guard')
  })

  test('end with a block, and say so; the others finish', async () => {
    const at = await scene([
      extSource(
        beside('sibling', 'sleep 0.3; touch sibling'),
        inRow('first', 'echo no >&2; exit 2'),
        inRow('second', 'touch second'),
        inRow('third', 'touch third', { once: true }),
      ),
    ])
    const result = await fire(at, 'PreToolUse')
    expect(result.block).toEqual({ by: 'first', reason: 'no' })
    expect(result.runs.map(({ hook, outcome, cause }) => [hook, outcome, cause])).toEqual([
      ['sibling', 'noDecision', undefined],
      ['first', 'decided', undefined],
      ['second', 'skipped', 'after-block'],
      ['third', 'skipped', 'after-block'],
    ])
    await readFile(`${at.root}/sibling`)
    await expect(readFile(`${at.root}/second`)).rejects.toThrow('ENOENT')
    // A hook that did not run has not run its one time.
    expect((await fire(at, 'PreToolUse')).runs).toHaveLength(4)
  })

  test('go on after a failure, and end with continue: false', async () => {
    const at = await scene([
      extSource(inRow('broken', 'exit 1'), inRow('stops', `echo '{"continue":false}'`), inRow('never', 'touch never')),
    ])
    const { runs, stop } = await fire(at, 'PreToolUse')
    expect([stop?.by, ...runs.map(({ cause }) => cause)]).toEqual(['stops', 'exit 1', undefined, 'after-block'])
  })

  test('rewrite a result or a request step by step', async () => {
    const wrap = `read -r line; printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"%s!"}}' "$HOOK_TOOL_OUTPUT"`
    // Of two that do the very same only one would run.
    const post = (name: string) => rule('PostToolUse', `${wrap} # ${name}`, { name, sequential: true })
    const output = await fire(await scene([extSource(post('a'), post('b'))]), 'PostToolUse', { tool_response: 'hi' })
    expect(output.updatedOutput).toEqual({ by: 'b', output: 'hi!!' })
    const part = (name: string, reply: object) =>
      rule('BeforeModel', `echo '${JSON.stringify({ hookSpecificOutput: { updatedRequest: reply } })}'`, {
        name,
        sequential: true,
      })
    const request = await fire(
      await scene([extSource(part('a', { system: 'Be kind.' }), part('b', { tools: [] }))]),
      'BeforeModel',
    )
    expect(request.updatedRequest).toEqual({ by: 'b', request: { system: 'Be kind.', tools: [] } })
  })

  test('that undo each other change nothing', async () => {
    const at = await scene([extSource(inRow('there', rewriteTo('two')), inRow('back', rewriteTo('one')))])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'one' } })
    expect([result.updatedInput, result.runs.length]).toEqual([undefined, 2])
  })

  test('and a rewriting one beside them are a conflict that is said', async () => {
    const at = await scene([
      extSource(inRow('first', rewriteTo('two')), inRow('second', rewriteTo('three')), beside('other', rewriteTo('x'))),
    ])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'one' } })
    expect(result.updatedInput?.by).toBe('other')
    expect(texts(result.notices)[0]).toBe('its rewrite of the input is used; that of second is dropped')
  })
})

test('an allow of a hook that is not asked about the final input does not count', async () => {
  const allow = `echo '{"decision":"approve"}'`
  const at = await scene([
    extSource(
      rule('PreToolUse', allow, { name: 'approver', if: 'Bash(ls *)' }),
      rule('PreToolUse', rewriteTo('rm -rf x'), { name: 'rewriter' }),
    ),
  ])
  const result = await fire(at, 'PreToolUse', { tool_input: { command: 'ls -l' } })
  expect(result.updatedInput?.input).toEqual({ command: 'rm -rf x' })
  expect(result.opinion).toBeUndefined()
})

test('a once guard is asked about the rewritten input too', async () => {
  const guard = 'case "$HOOK_TOOL_INPUT" in *push*) exit 2;; esac'
  const at = await scene([
    extSource(
      rule('PreToolUse', guard, { name: 'guard', once: true }),
      rule('PreToolUse', rewriteTo('git push'), { name: 'rewriter' }),
    ),
  ])
  expect((await fire(at, 'PreToolUse', { tool_input: { command: 'ls' } })).block?.by).toBe('guard')
})

test('a change of some fields in the words of other products counts as a whole input', async () => {
  const reply = `echo '{"hookSpecificOutput":{"tool_input":{"timeout":5}}}'`
  const at = await scene([extSource(rule('PreToolUse', reply, { name: 'merger' }))])
  const result = await fire(at, 'PreToolUse', { tool_input: { command: 'ls', timeout: 1 } })
  expect(result.updatedInput).toEqual({ by: 'merger', input: { command: 'ls', timeout: 5 } })
  expect(result.notices).toEqual([])
})
