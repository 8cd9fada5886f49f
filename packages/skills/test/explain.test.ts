import { describe, expect, it } from 'vitest'
import { makeProject, skill } from './project.js'

async function crowd() {
  const project = await makeProject({
    'home/deploy/SKILL.md': skill('description: Far.'),
    'skills/deploy/SKILL.md': skill('description: Near.'),
    'skills/deep/er/deploy/SKILL.md': skill('description: Deep.'),
    'skills/z/deploy/SKILL.md': skill('description: Near.'),
    'skills/broken/SKILL.md': skill('name: deploy\ndescription: 5'),
    'home/other/SKILL.md': 'no header',
  })
  const skills = await project.load({ layers: [project.source('home', 'user'), project.source('skills')] })
  const explained = (name: string) => {
    const { winner, found } = skills.explain(name)
    return {
      winner: winner?.description,
      found: found.map(({ verdict, source, reason }) => [verdict, source.file?.slice(project.root.length + 1), reason]),
    }
  }
  return { skills, explained, project }
}

describe('An explanation', () => {
  it('lists the winner, the losers from the nearest to the farthest, and why', async () => {
    const { explained, project } = await crowd()
    const winner = project.path('skills/deploy/SKILL.md')
    expect(explained('Deploy')).toEqual({
      winner: 'Near.',
      found: [
        ['winner', 'skills/deploy/SKILL.md', expect.stringContaining('nearest of 4')],
        ['copy', 'skills/z/deploy/SKILL.md', `It is a copy of ${winner}, so nothing is lost.`],
        ['shadowed', 'skills/deep/er/deploy/SKILL.md', `It lies deeper than ${winner}.`],
        ['shadowed', 'home/deploy/SKILL.md', `The project layer is nearer than the user layer: ${winner}.`],
      ],
    })
  })

  it('says why a skill of this name is not loaded', async () => {
    const { explained } = await crowd()
    expect(explained('broken')).toEqual({
      winner: undefined,
      found: [['broken', 'skills/broken/SKILL.md', 'It is not loaded: `description` is the number 5, not a text.']],
    })
    expect(explained('other').found).toEqual([
      ['broken', 'home/other/SKILL.md', expect.stringContaining('does not start with a line that is exactly ---')],
    ])
    expect(explained('nobody')).toEqual({ winner: undefined, found: [] })
  })

  it('says nothing about copies, and one thing about each of the others', async () => {
    const { skills, project } = await crowd()
    const shadowed = skills.diagnostics.filter(({ code }) => code === 'config.entry.shadowed')
    expect(shadowed.map(({ source }) => source.file)).toEqual([
      project.path('home/deploy/SKILL.md'),
      project.path('skills/deep/er/deploy/SKILL.md'),
    ])
  })
})
