import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LedgerRecord, TriedEvent } from '../src/index.js'
import { extSource, rule, scene } from './support.js'

const push = { tool_name: 'Bash', tool_input: { command: 'git push' } }

async function tried(rules: readonly unknown[], payload = push, setup = {}): Promise<TriedEvent> {
  const { hooks } = await scene([extSource(...rules)], setup)
  const result = await hooks.tryEvent('PreToolUse', { payload })
  if ('problem' in result) throw new Error(result.problem)
  return result
}

describe('an event that is fired for a try', () => {
  it('asks the hooks that fit, in config order, and folds what they say', async () => {
    const { matched, runs, effect, payload } = await tried([
      rule('PreToolUse', 'exit 0', { name: 'other', matcher: 'Edit' }),
      rule('PreToolUse', 'sleep 0.1; echo no >&2; exit 2', { name: 'guard', matcher: 'Bash' }),
      rule('PreToolUse', 'exit 1', { name: 'broken' }),
      rule('Stop', 'exit 2', { name: 'end' }),
    ])
    expect(runs.map(({ hook, outcome, reason, cause }) => ({ hook, outcome, reason, cause }))).toEqual([
      { hook: 'guard', outcome: 'decided', reason: 'no', cause: undefined },
      { hook: 'broken', outcome: 'failed', reason: undefined, cause: 'exit 1' },
    ])
    expect(matched).toEqual(runs.map(({ id }) => id))
    expect(effect.block).toEqual({ by: 'guard', reason: 'no' })
    expect(payload).toMatchObject({ hook_event_name: 'PreToolUse', tool_use_id: 'call-1', ...push })
  })

  it('waits for hooks that nobody waits for in a session, and gives them no say', async () => {
    const { matched, runs, effect } = await tried([
      rule('PreToolUse', 'sleep 0.1; exit 1', { name: 'note', asyncRewake: true }),
    ])
    expect(matched).toHaveLength(1)
    expect(runs).toMatchObject([{ id: matched[0], hook: 'note', outcome: 'failed', cause: 'exit 1' }])
    expect(effect.block).toBeUndefined()
  })

  it('is nothing that a ledger or the sums of the session hear of', async () => {
    const records: LedgerRecord[] = []
    const setup = { ledger: { write: (record: LedgerRecord) => void records.push(record) } }
    const { hooks } = await scene([extSource(rule('PreToolUse', 'exit 2', { name: 'guard' }))], setup)
    await hooks.tryEvent('PreToolUse', { payload: push })
    expect(records).toEqual([])
    expect(hooks.stats().hooks).toMatchObject([{ matched: 0 }])
  })

  it('generates what the payload lacks, and refuses one of another event', async () => {
    const { hooks } = await scene([extSource(rule('PreToolUse', 'exit 0', { if: 'Edit(src/*)' }))])
    expect(await hooks.tryEvent('PreToolUse', { payload: { tool_name: 'Edit' } })).toMatchObject({
      matched: [expect.any(String)],
      payload: { tool_input: { file_path: 'src/example.ts' } },
    })
    expect(await hooks.tryEvent('PreToolUse')).toMatchObject({ matched: [], runs: [] })
    const other = await hooks.tryEvent('PreToolUse', { payload: { hook_event_name: 'Stop' } })
    expect(other).toEqual({ problem: 'The payload is of Stop, not of PreToolUse.' })
  })

  it('lets hooks of a skill and of an agent take part, as while those are at work', async () => {
    const header = (event: string) =>
      `---\nname: helper\ndescription: d\nhooks:\n  - {event: ${event}, action: {type: command, command: exit 2}}\n---\nbody\n`
    const files = { 'SKILL.md': header('PreToolUse'), 'agent.md': header('Stop') }
    const { root, hooks } = await scene([], { files })
    const layer = 'user' as const
    await hooks.replace([{ kind: 'file', layer, dialect: 'skill', path: `${root}/SKILL.md` }])
    expect(await hooks.tryEvent('PreToolUse', { payload: push })).toMatchObject({ effect: { block: {} } })
    await hooks.replace([{ kind: 'file', layer, dialect: 'agent', path: `${root}/agent.md` }])
    expect(await hooks.tryEvent('SubagentStop')).toMatchObject({
      effect: { block: {} },
      payload: { agent_type: 'helper' },
    })
  })

  it('runs nothing that nobody has approved', async () => {
    const files = { 'config.yaml': 'hooks: [{event: PreToolUse, action: {type: command, command: touch ran}}]\n' }
    const { root, hooks } = await scene([], { files })
    await hooks.replace([{ kind: 'file', layer: 'project', dialect: 'ext', path: `${root}/config.yaml` }])
    expect(await hooks.tryEvent('PreToolUse', { payload: push })).toMatchObject({
      matched: [],
      runs: [{ outcome: 'skipped', cause: 'untrusted' }],
    })
    expect(existsSync(join(root, 'ran'))).toBe(false)
  })
})
