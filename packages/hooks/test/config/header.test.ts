import type { ConfigSource } from '@ext/kernel'
import { describe, expect, test } from 'vitest'
import { defineHook } from '../../src/index.js'
import { codes, fire, load, only, project, samples, scene, session } from '../support.js'

const HEADER = `---
name: deploy
description: Deploys.
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - {type: command, command: 'echo careful >&2; exit 2', once: true}
  Stop:
    - {type: command, command: 'echo not yet >&2; exit 2'}
---
Do it.
`
const header = (dialect: 'skill' | 'agent', path: string): ConfigSource => ({
  kind: 'file',
  layer: 'user',
  dialect,
  path,
})

describe('hooks in the header of a skill', () => {
  test('count while it is active, in that session', async () => {
    const root = await project({ 'deploy/SKILL.md': HEADER })
    const file = `${root}/deploy/SKILL.md`
    const at = await scene([header('skill', file)], { root })
    expect(at.hooks.diagnostics).toEqual([])
    let active: readonly string[] = []
    const own = at.hooks.session(session(root), { activeSkills: () => active })
    expect(own.fire('Stop', () => samples.Stop)).toBeUndefined()
    active = [file]
    expect((await fire({ session: own }, 'Stop')).block?.reason).toBe('not yet')
    expect(at.session.fire('Stop', () => samples.Stop)).toBeUndefined()
    active = []
    expect(own.fire('Stop', () => samples.Stop)).toBeUndefined()
  })

  test('may run once, unlike those of a settings file', async () => {
    const root = await project({ 'deploy/SKILL.md': HEADER })
    const file = `${root}/deploy/SKILL.md`
    const at = await scene([header('skill', file)], { root })
    const own = at.hooks.session(session(root), { activeSkills: () => [file] })
    expect((await fire({ session: own }, 'PreToolUse')).block).toBeDefined()
    expect(own.fire('PreToolUse', () => samples.PreToolUse)).toBeUndefined()
  })

  test('may be rules of our own, with places in the whole file', async () => {
    const root = await project({
      'SKILL.md': `---
name: x
description: y
hooks:
  - {event: Stop, action: {type: command, command: 'true'}, if: 5}
---
`,
    })
    const hooks = await load([header('skill', `${root}/SKILL.md`)], { root })
    expect(hooks.snapshot.entries).toHaveLength(1)
    expect(only(hooks)).toMatchObject({ code: 'hooks.if.invalid', source: { line: 5 } })
  })

  test('wait for approval where a repository brings them', async () => {
    const root = await project({ 'SKILL.md': HEADER })
    const hooks = await load([{ ...header('skill', `${root}/SKILL.md`), layer: 'project' }], { root })
    expect(hooks.snapshot.records.map(({ verdict }) => verdict)).toEqual(['untrusted', 'untrusted'])
  })
})

describe('hooks in the header of an agent', () => {
  test('count in sub-agents of that name, and Stop is the end of the agent', async () => {
    const root = await project({ 'agents/deploy.md': HEADER })
    const at = await scene([header('agent', `${root}/agents/deploy.md`)], { root })
    const sub = (type: string) => at.hooks.session({ ...session(root), origin: 'agent', agent: { id: 'a', type } })
    expect(at.hooks.snapshot.entries.map(({ value }) => value.event)).toEqual(['PreToolUse', 'SubagentStop'])
    expect((await fire({ session: sub('deploy') }, 'SubagentStop', { agent_type: 'deploy' })).block).toBeDefined()
    expect(sub('other').fire('SubagentStop', () => samples.SubagentStop)).toBeUndefined()
    expect(at.session.fire('PreToolUse', () => samples.PreToolUse)).toBeUndefined()
    expect((await fire({ session: sub('deploy') }, 'PreToolUse')).block).toBeDefined()
  })

  test('hear Stop where the main conversation was handed over to that agent, whose payload names it and no sub-agent', async () => {
    const root = await project({ 'agents/deploy.md': HEADER })
    const at = await scene([header('agent', `${root}/agents/deploy.md`)], { root })
    const main = (type: string) => at.hooks.session({ ...session(root), agent: { type } })
    expect((await fire({ session: main('deploy') }, 'Stop')).block).toBeDefined()
    expect((await fire({ session: main('deploy') }, 'PreToolUse')).block).toBeDefined()
    expect(main('other').fire('Stop', () => samples.Stop)).toBeUndefined()
    expect(at.session.fire('Stop', () => samples.Stop)).toBeUndefined()
    const heard: unknown[] = []
    const functions = [defineHook('Stop', (payload) => void heard.push(payload), { name: 'ear' })]
    const { hooks } = await scene([], { root, functions })
    await fire({ session: hooks.session({ ...session(root), agent: { type: 'deploy' } }) }, 'Stop')
    expect(heard).toEqual([expect.objectContaining({ agent_type: 'deploy' })])
    expect(heard).toEqual([expect.not.objectContaining({ agent_id: expect.anything() })])
  })

  test('are those of the file, where the header has no name', async () => {
    const root = await project({ 'checker.md': '---\nhooks: {Stop: [{type: command, command: x}]}\n---\n' })
    const hooks = await load([header('agent', `${root}/checker.md`)], { root })
    expect(hooks.snapshot.entries).toMatchObject([{ value: { owner: { kind: 'agent', name: 'checker' } } }])
  })
})

describe('a header', () => {
  test('without hooks is nobody’s business here, whatever is wrong with it', async () => {
    const root = await project({ 'a.md': '---\nname: [\n---\n', 'b.md': 'no header', 'c.md': '---\nname: x\n' })
    for (const name of ['a.md', 'b.md', 'c.md', 'missing.md']) {
      const { diagnostics, snapshot } = await load([header('skill', `${root}/${name}`)], { root })
      expect([diagnostics, snapshot.records]).toEqual([[], []])
    }
  })

  test('with hooks that can’t be read is said, and nothing is guessed', async () => {
    const root = await project({
      'a.md': '---\ndescription: a: b\nhooks: {Stop: [{type: command, command: x}]}\n---\n',
    })
    const hooks = await load([header('skill', `${root}/a.md`)], { root })
    expect(codes(hooks)).toContain('frontmatter.rescue-refused')
    const shape = await project({ 'a.md': '---\nhooks: 5\n---\n' })
    expect(only(await load([header('agent', `${shape}/a.md`)]))).toMatchObject({
      code: 'config.shape',
      source: { line: 2 },
    })
  })
})
