import { renameSync, writeFileSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { nodeFiles } from '@ext/kernel/node'
import type { BulkFiles, FilesPort } from '@ext/kernel/types'
import { describe, expect, it } from 'vitest'
import { codes, makeProject, names, skill } from '../project.js'

/** Times of files are believed once they are two seconds old. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 2100))

describe('A second load', () => {
  it('gives the very snapshot if nothing has changed, and another one after any change', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: A.'),
      'skills/group/b/SKILL.md': skill('description: B.'),
    })
    const layers = [project.source('none', 'user'), project.source('skills')]
    await settled()
    const skills = await project.load({ layers })
    const first = skills.snapshot
    await skills.reload()
    expect(skills.snapshot).toBe(first)

    await project.write('skills/a/SKILL.md', skill('description: Z.'))
    await utimes(project.path('skills/a/SKILL.md'), new Date(0), new Date(0))
    await skills.reload()
    expect(skills.snapshot.entries.map(({ value }) => value.description)).toContain('Z.')

    await project.write('skills/group/c/SKILL.md', skill('description: C.'))
    await skills.reload()
    expect(names(skills)).toEqual(['a', 'b', 'c'])

    await project.remove('skills/group/b')
    await skills.reload()
    expect(names(skills)).toEqual(['a', 'c'])

    await project.write('none/d/SKILL.md', skill('description: D.'))
    await skills.reload()
    expect(names(skills)).toEqual(['a', 'c', 'd'])
  })

  it('sees what comes into the folder of a skill', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: A.'),
      'skills/b/SKILL.md': skill('description: B.'),
    })
    await settled()
    const skills = await project.load()
    expect(skills.diagnostics).toEqual([])
    await project.write('skills/a/inner/SKILL.md', skill('description: Inner.'))
    await skills.reload()
    expect(codes(skills.diagnostics)).toEqual(['skills.file.nested'])
    await project.write('skills/b/skill.md', skill('description: B.'))
    await skills.reload()
    expect(codes(skills.diagnostics)).toEqual(
      expect.arrayContaining(['skills.file.ambiguous', 'config.entry.last-good']),
    )
  })

  it('sees that a skill inside a skill was moved away', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: A.'),
      'skills/a/inner/deep/SKILL.md': skill('description: Inner.'),
    })
    await settled()
    const skills = await project.load()
    expect(codes(skills.diagnostics)).toEqual(['skills.file.nested'])
    const first = skills.snapshot
    await skills.reload()
    expect(skills.snapshot).toBe(first)
    await project.remove('skills/a/inner/deep/SKILL.md')
    await skills.reload()
    expect(skills.diagnostics).toEqual([])
  })

  it('asks again what the host knows', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.\nallowed-tools: ship') })
    await settled()
    let trusted = false
    let known: readonly string[] = ['ship']
    const skills = await project.load({ trusted: () => trusted, knownTools: () => known })
    expect(skills.snapshot.entries[0]?.value.trusted).toBe(false)
    expect(codes(skills.diagnostics)).toEqual(['skills.grants.untrusted'])
    trusted = true
    await skills.reload()
    expect(skills.snapshot.entries[0]?.value.trusted).toBe(true)
    known = []
    await skills.reload()
    expect(codes(skills.diagnostics)).toEqual(['skills.tools.unknown'])
  })

  it('goes on when the host can no longer say what is trusted: nothing counts as approved, and the fault is said', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.\nallowed-tools: Read') })
    let broken = false
    const trusted = () => {
      if (broken) throw new Error('The list can not be read.')
      return true
    }
    const skills = await project.load({ trusted })
    broken = true
    await skills.reload()
    expect(names(skills)).toEqual(['a'])
    expect(skills.snapshot.entries[0]?.value.trusted).toBe(false)
    expect(codes(skills.diagnostics)).toEqual(['skills.host.failed', 'skills.grants.untrusted'])
    await project.write('skills/b/SKILL.md', skill('description: B.'))
    broken = false
    await skills.reload()
    expect([names(skills), skills.diagnostics]).toEqual([['a', 'b'], []])
  })
})

describe('A file that changes while it is read', () => {
  /** Whenever a file has been looked at, it has another content already. */
  it('ends as one of its versions or as a diagnostic, and the next load sees the last', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: Version 0.') })
    const file = project.path('skills/a/SKILL.md')
    const versions = ['---\ndescr', '', skill('description: Version 1.'), skill('description: Version 2.')]
    const skills = await project.load()
    for (const text of versions) {
      // Not in one step, as careless editors write.
      writeFileSync(file, text.slice(0, text.length / 2))
      const reading = skills.reload()
      writeFileSync(file, text)
      await reading
      const [entry] = skills.snapshot.entries
      const broken = skills.snapshot.records.some(({ verdict }) => verdict === 'broken')
      expect(entry !== undefined || broken).toBe(true)
    }
    await skills.reload()
    expect(skills.snapshot.entries.map(({ value }) => value.description)).toEqual(['Version 2.'])
  })

  it('or is replaced between the listing and the reading is what it is then, or said', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: A.'),
      'skills/b/SKILL.md': skill('description: B.'),
    })
    const real = nodeFiles()
    const files: FilesPort = {
      ...real,
      bulk: {
        ...(real.bulk as BulkFiles),
        readHeads(heads, options) {
          renameSync(project.path('skills/a/SKILL.md'), project.path('skills/a/gone.md'))
          return real.bulk?.readHeads(heads, options) ?? Promise.resolve([])
        },
      },
    }
    const skills = await project.load({ files })
    expect(names(skills)).toEqual(['b'])
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.file.missing', severity: 'error', source: { file: project.path('skills/a/SKILL.md'), line: 1 } },
    ])
  })
})
