import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { extSource, fire, rule, scene, texts } from '../support.js'

const rewriteTo = (command: string) =>
  `cat > /dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"${command}"}}}'`
const named = (name: string, command: string, more = {}) => rule('PreToolUse', command, { name, ...more })
/** Writes down each command that it is asked about. */
const log = 'cat >> log; echo >> log'

async function seen(root: string): Promise<readonly { tool_input: unknown; rewritten?: boolean }[]> {
  const lines = (await readFile(`${root}/log`, 'utf8')).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

describe('when a hook rewrites the input', () => {
  test('the others see the new input once, marked as rewritten', async () => {
    const at = await scene([extSource(named('logger', log), named('rewriter', rewriteTo('ls')))])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'rm x' } })
    expect(result.updatedInput).toEqual({ by: 'rewriter', input: { command: 'ls' } })
    const inputs = (await seen(at.root)).map(({ tool_input, rewritten }) => [tool_input, rewritten])
    expect(inputs).toEqual([
      [{ command: 'rm x' }, undefined],
      [{ command: 'ls' }, true],
    ])
    expect(result.runs.map(({ hook }) => hook)).toEqual(['logger', 'rewriter', 'logger'])
  })

  test('a guard that would have let the old input pass can block the new one', async () => {
    const guard = 'case "$HOOK_TOOL_INPUT" in *push*) echo no pushing >&2; exit 2;; esac'
    const at = await scene([extSource(named('guard', guard), named('rewriter', rewriteTo('git push')))])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'ls' } })
    expect(result.block).toEqual({ by: 'guard', reason: 'no pushing' })
    expect(result.updatedInput).toBeUndefined()
  })

  test('a guard whose `if` fits only the new input runs on it', async () => {
    const at = await scene([
      extSource(named('guard', 'exit 2', { if: 'Bash(git push *)' }), named('rewriter', rewriteTo('git push origin'))),
    ])
    expect((await fire(at, 'PreToolUse', { tool_input: { command: 'ls' } })).block?.by).toBe('guard')
  })

  test('an allow for the old input is no allow for the new one', async () => {
    const allow = `case "$HOOK_TOOL_INPUT" in *ls*) echo '{"decision":"approve"}';; esac`
    const at = await scene([extSource(named('approver', allow), named('rewriter', rewriteTo('rm -rf x')))])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'ls' } })
    expect(result.opinion).toBeUndefined()
    expect(result.updatedInput?.input).toEqual({ command: 'rm -rf x' })
  })

  test('context of a hook that is asked twice arrives once', async () => {
    const at = await scene([
      extSource(named('noter', 'echo note', { stdout: 'context' }), named('rewriter', rewriteTo('ls'))),
    ])
    expect(texts((await fire(at, 'PreToolUse', { tool_input: { command: 'rm x' } })).context)).toEqual(['note'])
  })

  test('there is one such round: who rewrites again is told', async () => {
    const again = rewriteTo('second')
    const at = await scene([extSource(named('first', again), named('last', rewriteTo('third')))])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'ls' } })
    expect(result.updatedInput).toEqual({ by: 'last', input: { command: 'third' } })
    expect(result.runs.map(({ hook }) => hook)).toEqual(['first', 'last', 'first'])
    expect(result.notices).toEqual([
      { by: 'last', text: 'its rewrite of the input is used; that of first is dropped' },
      { by: 'first', text: 'ignored: updatedInput, since the input was rewritten already' },
    ])
  })

  test('two hooks that agree are no conflict', async () => {
    const at = await scene([extSource(named('first', rewriteTo('ls')), named('last', rewriteTo('ls')))])
    const result = await fire(at, 'PreToolUse', { tool_input: { command: 'rm x' } })
    expect(texts(result.notices).filter((text) => text.includes('dropped'))).toEqual([])
  })

  // anthropics/claude-code#15897: a second hook without an answer undid the first one's rewrite.
  test('a hook that says nothing does not undo it', async () => {
    const at = await scene([extSource(named('rewriter', rewriteTo('ls')), named('silent', 'exit 0'))])
    expect((await fire(at, 'PreToolUse')).updatedInput?.input).toEqual({ command: 'ls' })
  })

  // anthropics/claude-code#39814, #44412: rewrites were ignored for one tool.
  test('it counts for every tool alike', async () => {
    const at = await scene([extSource(named('rewriter', rewriteTo('ls')))])
    for (const tool_name of ['Agent', 'Bash', 'mcp__fs__write_file']) {
      expect((await fire(at, 'PreToolUse', { tool_name })).updatedInput?.by).toBe('rewriter')
    }
  })

  test('a block, or the end of the run, leaves no second round', async () => {
    const at = await scene([
      extSource(named('logger', log), named('rewriter', rewriteTo('ls')), named('guard', 'exit 2')),
    ])
    expect((await fire(at, 'PreToolUse')).updatedInput).toBeUndefined()
    expect(await seen(at.root)).toHaveLength(1)
    const stopping = await scene([
      extSource(
        named('logger', log),
        named('rewriter', rewriteTo('ls')),
        named('stopper', `echo '{"continue":false}'`),
      ),
    ])
    expect((await fire(stopping, 'PreToolUse')).stop).toBeDefined()
    expect(await seen(stopping.root)).toHaveLength(1)
  })

  test('a failure of the first round stays visible', async () => {
    const once = 'test -e mark && exit 0; touch mark; exit 1'
    const at = await scene([extSource(named('flaky', once), named('rewriter', rewriteTo('ls')))])
    const result = await fire(at, 'PreToolUse')
    expect(texts(result.notices)).toEqual(['failed (exit 1)'])
    expect(result.runs.map(({ outcome }) => outcome)).toEqual(['failed', 'decided', 'noDecision'])
  })
})

describe('when an answer to a permission request rewrites the input', () => {
  const request = (name: string, command: string, more = {}) => rule('PermissionRequest', command, { name, ...more })
  const answer = (value: object) => `echo '${JSON.stringify({ hookSpecificOutput: { decision: value } })}'`
  const rewriter = request('rewriter', answer({ behavior: 'allow', updatedInput: { command: 'rm -rf /' } }))

  test('the other guards see the new input and can deny it', async () => {
    const guard = `cat >> log; echo >> log; grep -q 'rm -rf' log && ${answer({ behavior: 'deny', message: 'no rm' })}`
    for (const guards of [
      [request('guard', `${guard}; true`), rewriter],
      [rewriter, request('guard', `echo no rm >&2; exit 2`, { if: 'Bash(rm *)' })],
    ]) {
      const at = await scene([extSource(...guards)])
      const result = await fire(at, 'PermissionRequest', { tool_input: { command: 'ls' } })
      expect(result.answer).toEqual({ behavior: 'deny', by: 'guard', reason: 'no rm' })
    }
  })

  test('an allow with rules for the old input is none for the new one', async () => {
    const allow = answer({ behavior: 'allow', updatedPermissions: ['Bash(ls)'] })
    const other = request('other', `case "$HOOK_TOOL_INPUT" in *ls*) ${allow};; esac`)
    const at = await scene([extSource(other, rewriter)])
    const result = await fire(at, 'PermissionRequest', { tool_input: { command: 'ls' } })
    expect(result.answer).toEqual({ behavior: 'allow', by: 'rewriter', updatedInput: { command: 'rm -rf /' } })
    expect(result.runs.map(({ hook }) => hook)).toEqual(['other', 'rewriter', 'other'])
  })
})
