import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { events } from '../../src/index.js'
import { extSource, fire, load, only, project, rule, samples, scene } from '../support.js'

/** Whether a hook with this condition runs for a Bash call with this input. */
async function runs(condition: unknown, tool_input: Record<string, never> | object = {}): Promise<boolean> {
  const at = await scene([extSource(rule('PreToolUse', 'true', { if: condition }))])
  expect(at.hooks.diagnostics).toEqual([])
  const payload = { ...samples.PreToolUse, tool_input: tool_input as (typeof samples.PreToolUse)['tool_input'] }
  return (await at.session.fire('PreToolUse', () => payload)) !== undefined
}

const atom = (field: string, type: string, value: unknown, more = {}) => ({ field, match: { type, value }, ...more })
const all = (...atoms: unknown[]) => ({ all_of: atoms })
const any = (...atoms: unknown[]) => ({ any_of: atoms })

describe('conditions on fields', () => {
  test('compare texts, and numbers and booleans as texts', async () => {
    expect(await runs(all(atom('tool_input.path', 'exact', 'a.ts')), { path: 'a.ts' })).toBe(true)
    expect(await runs(all(atom('tool_input.path', 'exact', 'a.ts')), { path: 'b.ts' })).toBe(false)
    expect(await runs(all(atom('tool_input.n', 'exact', 5)), { n: 5 })).toBe(true)
    expect(await runs(all(atom('tool_input.n', 'exact', '5')), { n: 5 })).toBe(true)
    expect(await runs(all(atom('tool_input.on', 'exact', true)), { on: true })).toBe(true)
    expect(await runs(all(atom('tool_input.n', 'regex', '^4')), { n: 42 })).toBe(true)
  })

  test('compare maps and lists as canonical JSON', async () => {
    expect(await runs(all(atom('tool_input.at', 'exact', { b: 1, a: 2 })), { at: { a: 2, b: 1 } })).toBe(true)
    expect(await runs(all(atom('tool_input.list', 'exact', [1, 'x'])), { list: [1, 'x'] })).toBe(true)
    expect(await runs(all(atom('tool_input.list', 'regex', '"x"')), { list: [1, 'x'] })).toBe(true)
    expect(await runs(all(atom('tool_input.list.1', 'exact', 'x')), { list: [1, 'x'] })).toBe(true)
  })

  test('find a regular expression anywhere in a text', async () => {
    expect(await runs(all(atom('tool_input.command', 'regex', 'push')), { command: 'git push origin' })).toBe(true)
    expect(await runs(all(atom('tool_input.command', 'regex', '^push$')), { command: 'git push origin' })).toBe(false)
  })

  test('read globs as paths from the working folder, and commands as permission rules do', async () => {
    const glob = all(atom('tool_input.file_path', 'glob', './src/**'))
    expect(await runs(glob, { file_path: 'src/a/b.ts' })).toBe(true)
    expect(await runs(glob, { file_path: 'src/../other/b.ts' })).toBe(false)
    const command = all(atom('tool_input.script', 'command', 'git push *'))
    for (const script of ['git push origin', 'cd x && git push', 'FORCE=1 git push']) {
      expect(await runs(command, { script }), script).toBe(true)
    }
    expect(await runs(command, { script: 'git status' })).toBe(false)
    // A glob for paths has nothing to say about a command.
    expect(await runs(all(atom('tool_input.script', 'glob', './git push *')), { script: 'git push origin' })).toBe(true)
  })

  test('hold for none with a field that is missing or null, also under not, unless they say so', async () => {
    const not = { field: 'tool_input.path', match: { type: 'not', inner: { type: 'exact', value: 'a' } } }
    for (const input of [{}, { path: null }]) {
      expect(await runs(all(atom('tool_input.path', 'exact', 'a')), input)).toBe(false)
      expect(await runs(all(not), input)).toBe(false)
      expect(await runs(all({ ...not, missing: 'match' }), input)).toBe(true)
    }
    expect(await runs(all(not), { path: 'b' })).toBe(true)
    expect(await runs(all(not), { path: 'a' })).toBe(false)
    expect(await runs(all(atom('tool_input.constructor', 'regex', '')), {})).toBe(false)
  })

  test('join with and, or with or', async () => {
    const [a, b] = [atom('tool_input.a', 'exact', '1'), atom('tool_input.b', 'exact', '1')]
    expect([await runs(all(a, b), { a: 1 }), await runs(any(a, b), { a: 1 })]).toEqual([false, true])
    expect([await runs(all(a, b), { a: 1, b: 1 }), await runs(any(a, b), {})]).toEqual([true, false])
  })

  test('hold for what nobody can judge, on both sides of not', async () => {
    const regex = { type: 'regex', value: 'needle' }
    const long = { text: 'x'.repeat(70_000) }
    expect(await runs(all({ field: 'tool_input.text', match: regex }), long)).toBe(true)
    expect(await runs(all({ field: 'tool_input.text', match: { type: 'not', inner: regex } }), long)).toBe(true)
    const command = { type: 'command', value: 'git push *' }
    const hidden = { script: 'eval "$X"' }
    expect(await runs(all({ field: 'tool_input.script', match: command }), hidden)).toBe(true)
    expect(await runs(all({ field: 'tool_input.script', match: { type: 'not', inner: command } }), hidden)).toBe(true)
  })

  test('work at events without a tool, on common fields and inside a sub-agent', async () => {
    const at = await scene([
      extSource(
        rule('UserPromptSubmit', 'true', { name: 'prompt', if: all(atom('prompt', 'regex', 'tests')) }),
        rule('UserPromptSubmit', 'true', { name: 'mode', if: all(atom('permission_mode', 'exact', 'plan')) }),
        rule('UserPromptSubmit', 'true', { name: 'agent', if: all(atom('agent_type', 'exact', 'reviewer')) }),
      ),
    ])
    expect((await fire(at, 'UserPromptSubmit')).runs.map(({ hook }) => hook)).toEqual(['prompt'])
    const agent = at.hooks.session({
      id: 'one',
      cwd: at.root,
      origin: 'agent',
      permissionMode: 'plan',
      agent: { id: 'a', type: 'reviewer' },
    })
    expect((await fire({ session: agent }, 'UserPromptSubmit')).runs).toHaveLength(3)
  })

  test('never throw, whatever the payload holds', async () => {
    const at = await scene([
      extSource(
        rule('PreToolUse', 'true', {
          if: any(
            atom('tool_input.a.b', 'command', 'git *'),
            atom('tool_input.a.0', 'glob', './x/**'),
            atom('tool_input.a', 'regex', 'x+'),
          ),
        }),
      ),
    ])
    fc.assert(
      fc.property(fc.jsonValue(), (a) => {
        const payload = { ...samples.PreToolUse, tool_input: { a } as (typeof samples.PreToolUse)['tool_input'] }
        void at.session.fire('PreToolUse', () => payload)?.catch(() => {})
      }),
      { numRuns: 40 },
    )
  })
})

describe('a condition that can’t be used', () => {
  test.each([
    [{ all_of: [] }, '`all_of` is empty'],
    [{ any_of: 'x' }, '`any_of` is the text "x", not a list'],
    [{}, 'it has neither `all_of` nor `any_of`'],
    [{ all_of: [atom('prompt', 'exact', 'x')], any_of: [] }, 'it has both `all_of` and `any_of`'],
    [{ allof: [] }, 'it has an unknown key `allof`; did you mean all_of?'],
    [{ all_of: [5] }, '`all_of[0]` is the number 5'],
    [{ all_of: [{ any_of: [] }] }, "`all_of[0]` holds another list; lists can't be nested"],
    [{ all_of: [{ match: { type: 'exact', value: 'x' } }] }, '`all_of[0]` has no `field`'],
    [{ all_of: [{ field: 'a..b', match: { type: 'exact', value: 'x' } }] }, '`all_of[0].field` is the text "a..b"'],
    [{ all_of: [{ field: 'prompt' }] }, '`all_of[0].match` is missing'],
    [{ all_of: [atom('prompt', 'exact', null)] }, '`all_of[0].match` has no `value`, which `exact` needs'],
    [{ all_of: [atom('prompt', 'regex', 5)] }, '`all_of[0].match.value` is the number 5, not a text'],
    [{ all_of: [{ field: 'prompt', match: { type: 'not' } }] }, '`all_of[0].match` has no `inner`, which `not` needs'],
    [{ all_of: [atom('prompt', 'regx', 'x')] }, '`all_of[0].match.type` is the text "regx"; did you mean regex?'],
    [{ all_of: [{ field: 'prompt', match: { value: 'x' } }] }, '`all_of[0].match.type` is missing'],
    [{ all_of: [atom('prompt', 'exact', 'x', { missing: true })] }, '`all_of[0].missing` is the boolean true'],
    [{ all_of: [atom('prompt', 'regex', '(')] }, '`all_of[0].match`: '],
    [{ any_of: [atom('prompt', 'regex', '(?=x)')] }, '`any_of[0].match`: look-around'],
  ])('is named, and the hook runs without it: %j', async (condition, problem) => {
    const at = await scene([extSource(rule('UserPromptSubmit', 'exit 2', { if: condition }))])
    const diagnostic = only(at.hooks)
    expect(diagnostic).toMatchObject({ code: 'hooks.if.invalid', severity: 'error' })
    expect(diagnostic.message).toContain(problem)
    expect((await fire(at, 'UserPromptSubmit')).block).toBeDefined()
  })

  test('is shown at the part that is wrong', async () => {
    const root = await project({
      'config.yaml': `hooks:
  - event: Stop
    action: {type: command, command: 'true'}
    if:
      all_of:
        - field: iteration
          match: {type: exact, value: 1}
        - match: {type: exact, value: 1}
`,
    })
    const hooks = await load([{ kind: 'file', layer: 'user', dialect: 'ext', path: `${root}/config.yaml` }], { root })
    expect(only(hooks)).toMatchObject({ source: { line: 8, column: 11 }, pointer: '/hooks/0/if/all_of/1' })
  })
})

describe('a field that the event never has', () => {
  test('is said when the hook is loaded', async () => {
    const hooks = await load([extSource(rule('Stop', 'true', { if: all(atom('promt', 'exact', 'x')) }))])
    expect(only(hooks)).toMatchObject({ code: 'hooks.if.absent-field', severity: 'warning' })
    expect(only(hooks).message).toBe('Stop has no field `promt`, so this condition never holds.')
    const part = await load([
      extSource(rule('Stop', 'true', { if: all(atom('iteration.x', 'exact', 'x', { missing: 'match' })) })),
    ])
    expect(only(part).message).toBe('Stop has no parts in `iteration`, so this condition always holds.')
    expect(only(part).hint).toBe('Did you mean `iteration`?')
  })

  test('is none of those that its payload shows', async () => {
    for (const [event, payload] of Object.entries(samples)) {
      const conditions = Object.keys(payload).map((field) => atom(field, 'exact', 'x'))
      const matcher = event === 'FileChanged' ? { matcher: '.env' } : {}
      const source = extSource(rule(event, 'true', { if: all(...conditions), ...matcher }))
      expect((await load([source])).diagnostics).toEqual([])
    }
    for (const [event, { fields }] of Object.entries(events))
      expect([event, Object.keys(fields)]).not.toEqual([event, []])
  })
})
