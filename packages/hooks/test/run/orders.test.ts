import type { ProcessPort, ProcessRequest, ProcessResult } from '@ext/kernel'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { claudeSource, extSource, load, rule, samples, session } from '../support.js'

/** What three to six hooks may answer, by what their command is called. */
const REPLIES: Readonly<Record<string, Partial<ProcessResult>>> = {
  silent: {},
  text: { stdout: 'looked at it' },
  block: { exitCode: 2, stderr: 'no' },
  ask: { stdout: reply({ permissionDecision: 'ask', permissionDecisionReason: 'unsure' }) },
  allow: { stdout: reply({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }) },
  rewrite: { stdout: reply({ updatedInput: { command: 'ls -l' } }) },
  other: { stdout: reply({ updatedInput: { command: 'ls -a' }, additionalContext: 'changed' }) },
  crash: { exitCode: 1, stderr: 'oops' },
  stop: { stdout: '{"continue":false,"stopReason":"enough"}' },
}

function reply(fields: object): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } })
}

/** Children that end in whatever order they are told to. */
class Orchestra {
  readonly waiting: (() => void)[] = []
  readonly port: ProcessPort = {
    run: (request) => new Promise((resolve) => this.waiting.push(() => resolve(ended(request)))),
    start: () => expect.unreachable(),
  }

  /** Ends those that wait, in this order, and then whoever comes after them. */
  async end(order: readonly number[]): Promise<void> {
    for (let round = 0; round < 3; round++) {
      const waiting = this.waiting.splice(0)
      for (const at of order) waiting[at]?.()
      for (let tick = 0; tick < 8; tick++) await Promise.resolve()
    }
  }
}

function ended({ command }: ProcessRequest): ProcessResult {
  const name = 'script' in command ? (command.script.split(' ')[0] ?? '') : ''
  return {
    outcome: 'ended',
    exitCode: 0,
    signal: null,
    stdout: '',
    stderr: '',
    stdoutBytes: 0,
    stderrBytes: 0,
    inputNotRead: false,
    ms: 1,
    ...REPLIES[name],
  }
}

test('the same hooks give one result in 10,000 orders of their ends', async () => {
  const kinds = fc.constantFrom(...Object.keys(REPLIES))
  const cases = fc.sample(fc.array(kinds, { minLength: 3, maxLength: 6 }), { numRuns: 100, seed: 6 })
  let orders = 0
  for (const names of cases) {
    const orchestra = new Orchestra()
    const hooks = await load(
      [extSource(...names.map((name, at) => rule('PreToolUse', `${name} ${at}`, { name: `${name}-${at}` })))],
      { ports: { process: orchestra.port } },
    )
    const at = hooks.session(session('/project'))
    const results = new Set<string>()
    const all = fc.sample(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), { numRuns: 100, seed: 7 })
    for (const order of all) {
      const result = at.fire('PreToolUse', () => samples.PreToolUse)
      // A second round is asked in config order, whatever the first one was.
      await orchestra.end(order)
      // That one fails again and again is said once, whatever the order.
      const { notices = [], ...others } = (await result) ?? {}
      const said = notices.filter(({ text }) => !text.includes('times in a row'))
      results.add(JSON.stringify({ ...others, notices: said }))
      orders++
    }
    expect([names, results.size]).toEqual([names, 1])
  }
  expect(orders).toBe(10_000)
}, 60_000)

test('hooks of several files are folded from the farthest layer to the nearest, managed last', async () => {
  const orchestra = new Orchestra()
  const file = (layer: 'user' | 'project' | 'managed', dialect: 'ext' | 'claude-settings') => ({
    ...(dialect === 'ext'
      ? extSource(rule('PreToolUse', `other # ${layer}`, { name: layer }))
      : claudeSource({ PreToolUse: [{ hooks: [{ type: 'command', command: `rewrite # ${layer}` }] }] })),
    layer,
    name: `${layer} ${dialect}`,
  })
  const hooks = await load([file('managed', 'ext'), file('project', 'claude-settings'), file('user', 'ext')], {
    ports: { process: orchestra.port },
    approved: () => true,
  })
  const result = hooks.session(session('/project')).fire('PreToolUse', () => samples.PreToolUse)
  await orchestra.end([0, 1, 2])
  expect((await result)?.updatedInput?.by).toBe('managed')
})
