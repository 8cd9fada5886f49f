import { describe, expect, it } from 'vitest'
import { codes, makeProject, names, sessionRef, skill } from './project.js'

async function project() {
  const made = await makeProject({
    'skills/deploy/SKILL.md': skill('description: Near.'),
    'home/deploy/SKILL.md': skill('description: Far.'),
    'skills/notes/SKILL.md': skill('description: Notes.'),
  })
  return { made, layers: [made.source('home', 'user'), made.source('skills')] }
}

describe('A skill that is switched off', () => {
  it('takes effect nowhere, and lets no other of its name in, however it is spelt', async () => {
    const { made, layers } = await project()
    const skills = await made.load({ layers, disabled: ['DEPLOY'] })
    expect(names(skills)).toEqual(['notes'])
    expect(skills.snapshot.records.map(({ name, verdict }) => `${name} ${verdict}`).toSorted()).toEqual([
      'deploy disabled',
      'deploy shadowed',
      'notes loaded',
    ])
    const session = skills.session(sessionRef())
    expect(session.context()[0]?.text).not.toContain('deploy')
    expect(await skills.searchSkills('deploy near far')).toEqual([])
    for (const via of ['model', 'user'] as const) {
      expect(await session.activate('Deploy', { via })).toMatchObject({
        code: 'skills.disabled',
        problem: 'The skill `Deploy` is switched off.',
      })
      expect(skills.lookUp('deploy', via).problem).toBe('The skill `deploy` is switched off.')
    }
  })

  it('is explained', async () => {
    const { made, layers } = await project()
    const skills = await made.load({ layers, disabled: ['deploy'] })
    const { winner, found } = skills.explain('deploy')
    expect(winner).toBeUndefined()
    expect(found.map(({ verdict }) => verdict)).toEqual(['disabled', 'shadowed'])
    expect(found[0]?.reason).toContain('switches this name off')
    expect(codes(skills.diagnostics)).toEqual(['config.entry.shadowed'])
  })
})

describe('Skills that would do more once their source is approved', () => {
  it('are those that list tools, and those whose bodies mark commands', async () => {
    const made = await makeProject({
      'skills/grants/SKILL.md': skill('description: D.\nallowed-tools: Bash(git *)'),
      'skills/runs/SKILL.md': skill('description: D.', 'Now: !`git status`\n'),
      'skills/plain/SKILL.md': skill('description: D.', 'A `!cmd` in a text.\n'),
      'home/own/SKILL.md': skill('description: D.\nallowed-tools: Read', 'Now: !`git status`\n'),
    })
    const layers = [made.source('home', 'user'), made.source('skills')]
    const waiting = await (await made.load({ layers })).unapproved()
    expect(waiting.map(({ name }) => name).toSorted()).toEqual(['grants', 'runs'])
    expect(await (await made.load({ layers, trusted: () => true })).unapproved()).toEqual([])
  })
})
