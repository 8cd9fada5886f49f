import type { ProcessPort, ProcessResult } from '@ext/kernel'
import type { EventResult } from '@ext/kernel/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extSource, fire, load, rule, scene, session } from './support.js'

const specific = (fields: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } })
const print = (reply: object) => `cat > /dev/null; printf '%s' '${JSON.stringify(reply)}'`
const named = (name: string, reply: object, delay = 0) =>
  rule('PreToolUse', `${print(reply)}${delay ? `; sleep ${delay}` : ''}`, { name })

describe('many answers become one in config order', () => {
  test('a block beats an ask, an ask beats an allow', async () => {
    const deny = named('deny', specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' }))
    const ask = named('ask', specific({ permissionDecision: 'ask', permissionDecisionReason: 'really?' }))
    const allow = named('allow', specific({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }))
    const all = await fire(await scene([extSource(allow, ask, deny)]), 'PreToolUse')
    expect([all.block, all.opinion]).toEqual([{ by: 'deny', reason: 'no' }, undefined])
    const two = await fire(await scene([extSource(allow, ask)]), 'PreToolUse')
    expect(two.opinion).toEqual({ behavior: 'ask', by: 'ask', reason: 'really?' })
  })

  test('whoever finishes first: the first block gives its name, reasons and contexts are joined', async () => {
    const slow = named('slow', { decision: 'block', reason: 'first', ...specific({ additionalContext: 'one' }) }, 0.2)
    const fast = named('fast', { decision: 'block', reason: 'second', ...specific({ additionalContext: 'two' }) })
    const result = await fire(await scene([extSource(slow, fast)]), 'PreToolUse')
    expect(result.block).toEqual({ by: 'slow', reason: 'first\nsecond' })
    expect(result.context).toEqual([
      { by: 'slow', text: 'one' },
      { by: 'fast', text: 'two' },
    ])
    expect(result.runs.map(({ hook }) => hook)).toEqual(['slow', 'fast'])
  })

  test('a deny does not stop the siblings, and a failure does not cost them', async () => {
    const result = await fire(
      await scene([
        extSource(
          rule('PreToolUse', 'exit 2', { name: 'deny' }),
          rule('PreToolUse', 'no-such-program', { name: 'broken' }),
          rule('PreToolUse', 'echo here', { name: 'last' }),
        ),
      ]),
      'PreToolUse',
    )
    expect(result.runs.map(({ hook, outcome }) => [hook, outcome])).toEqual([
      ['deny', 'decided'],
      ['broken', 'failed'],
      ['last', 'decided'],
    ])
  })

  test('nearer layers come later, so the managed one has the last word on a rewrite', async () => {
    const rewrite = (name: string) => named(name, specific({ updatedInput: { command: name } }))
    const layer = (name: 'user' | 'managed' | 'session') => ({ ...extSource(rewrite(name)), layer: name })
    const result = await fire(await scene([layer('managed'), layer('user'), layer('session')]), 'PreToolUse')
    expect(result.updatedInput?.by).toBe('managed')
  })
})

/** Stands in for the time that children take: ends them in the given order. */
function inOrder(order: readonly number[], outputs: readonly string[]): ProcessPort {
  const waiting = new Map<number, () => void>()
  let expected = outputs.length
  return {
    start: () => {
      throw new Error('hooks run their commands to the end')
    },
    run: ({ command }) =>
      new Promise<ProcessResult>((resolve) => {
        const index = Number('script' in command ? command.script : '')
        const stdout = outputs[index] ?? ''
        const size = { stdoutBytes: stdout.length, stderrBytes: 0 }
        const ended = { outcome: 'ended', exitCode: 0, signal: null, inputNotRead: false, ms: 0 } as const
        waiting.set(index, () => resolve({ ...ended, ...size, stdout, stderr: '' }))
        if (waiting.size < expected) return
        const all = [...order].filter((each) => waiting.has(each))
        const now = all.map((each) => waiting.get(each))
        waiting.clear()
        // A second round has its own, smaller number of runs; each of them ends as it comes.
        expected = 1
        let chain = Promise.resolve()
        for (const end of now) chain = chain.then(() => end?.())
      }),
  }
}

test.each(['PreToolUse', 'PermissionRequest', 'PermissionDenied', 'PostToolUse', 'BeforeModel', 'AfterModel'] as const)(
  'no order of completion changes the result of %s',
  async (event) => {
    const reply = fc.oneof(
      fc.constant(''),
      fc.constant('plain text'),
      fc.constant('{broken'),
      fc
        .record(
          {
            decision: fc.constantFrom('block', 'approve', { behavior: 'deny', message: 'p' }),
            reason: fc.constantFrom('a', 'b'),
            systemMessage: fc.constantFrom('m', 'n'),
            continue: fc.boolean(),
            hookSpecificOutput: fc.record(
              {
                permissionDecision: fc.constantFrom('allow', 'ask', 'deny', 'defer'),
                permissionDecisionReason: fc.constantFrom('x', 'y'),
                updatedInput: fc.record({ command: fc.constantFrom('ls', 'pwd') }),
                additionalContext: fc.constantFrom('c', 'd'),
                decision: fc.constantFrom(
                  { behavior: 'deny', interrupt: true },
                  { behavior: 'allow', updatedInput: { command: 'ls' }, updatedPermissions: ['Bash(ls)'] },
                  { behavior: 'allow', updatedInput: { command: 'pwd' }, updatedPermissions: ['Bash'] },
                ),
                retry: fc.boolean(),
                updatedToolOutput: fc.constantFrom('e', 'f'),
                updatedRequest: fc.constantFrom({ system: 'g' }, { tools: [] }),
                updatedResponse: fc.constantFrom({ text: 'h' }, { calls: [] }),
              },
              { requiredKeys: [] },
            ),
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
    )
    const scenario = fc
      .array(reply, { minLength: 2, maxLength: 6 })
      .chain((outputs) =>
        fc.tuple(fc.constant(outputs), fc.shuffledSubarray([...outputs.keys()], { minLength: outputs.length })),
      )
    await fc.assert(
      fc.asyncProperty(scenario, async ([outputs, order]) => {
        const resultFor = async (completion: readonly number[]): Promise<EventResult | undefined> => {
          const rules = outputs.map((_, index) => rule(event, String(index), { name: `hook-${index}` }))
          const hooks = await load([extSource(...rules)], { ports: { process: inOrder(completion, outputs) } })
          return fire({ session: hooks.session(session('/project')) }, event)
        }
        expect(await resultFor(order)).toEqual(await resultFor([...outputs.keys()]))
      }),
      { numRuns: 100 },
    )
  },
)
