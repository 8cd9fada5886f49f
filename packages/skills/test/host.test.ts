import { writeFile } from 'node:fs/promises'
import { nodeFiles } from '@ext/kernel/node'
import type { FilesPort } from '@ext/kernel/types'
import { describe, expect, it } from 'vitest'
import { codes, makeProject, names, sessionRef, skill } from './project.js'

const fail = (): never => {
  throw new Error('the store is locked')
}
const files = {
  'skills/a/SKILL.md': skill('description: A.\nallowed-tools: Read'),
  'skills/b/SKILL.md': skill('description: B.'),
  'own/u/SKILL.md': skill('description: U.\nallowed-tools: Read'),
}

async function project() {
  const made = await makeProject(files)
  return { made, layers: [made.source('own', 'user'), made.source('skills')] }
}

describe('A callback of the host that throws', () => {
  it('`trusted` is named, its sources count as not approved, and every skill is loaded', async () => {
    const { made, layers } = await project()
    const skills = await made.load({ layers, trusted: fail })
    expect(names(skills)).toEqual(['a', 'b', 'u'])
    expect(skills.snapshot.entries.filter(({ value }) => value.trusted).map(({ name }) => name)).toEqual(['u'])
    expect(skills.diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        code: 'skills.host.failed',
        message: expect.stringMatching(/`trusted` of the host failed.*: the store is locked$/),
        hint: expect.stringContaining('not of a file'),
        source: { layer: 'project', line: 1, column: 1 },
      },
    ])
  })

  it('`knownTools` is named, and lists are read without that check', async () => {
    const { made, layers } = await project()
    const skills = await made.load({ layers, knownTools: fail })
    expect(names(skills)).toEqual(['a', 'b', 'u'])
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.host.failed', message: expect.stringContaining('`knownTools` of the host failed') },
      { code: 'skills.grants.untrusted' },
    ])
    const [entry] = skills.snapshot.entries.filter(({ name }) => name === 'u')
    expect(entry?.value.grants).toHaveLength(1)
  })

  it('is no longer spoken of once it answers, and is spoken of again when it fails at a reload', async () => {
    const { made, layers } = await project()
    let answers = false
    const tell = <T>(value: T) => (answers ? value : fail())
    const skills = await made.load({ layers, trusted: () => tell(true), knownTools: () => tell(['Write']) })
    expect(codes(skills.diagnostics)).toContain('skills.host.failed')
    answers = true
    await skills.reload()
    expect(codes(skills.diagnostics)).toEqual([])
    expect(skills.snapshot.entries.every(({ value }) => value.trusted)).toBe(true)
    answers = false
    await skills.reload()
    expect(codes(skills.diagnostics).filter((code) => code === 'skills.host.failed')).toHaveLength(2)
  })

  it('at an activation costs what it would have approved, and not the skill', async () => {
    const { made, layers } = await project()
    let answers = true
    const tell = <T>(value: T) => (answers ? value : fail())
    const skills = await made.load({ layers, trusted: () => tell(true), knownTools: () => tell(['Read']) })
    const session = skills.session(sessionRef())
    await session.activate('a', { via: 'user' })
    expect(session.terms()).toMatchObject([{ grants: ['Read'] }])
    answers = false
    expect(await session.activate('a', { via: 'user' })).toMatchObject({ mode: 'inline', skill: { trusted: false } })
    expect(session.terms()).toEqual([])
    await writeFile(made.path('skills/a/SKILL.md'), '')
    expect(await session.activate('a', { via: 'user' })).toMatchObject({ stale: expect.stringContaining('SKILL.md') })
  })

  it('`permission.session` opens them again once it answers', async () => {
    const { made, layers } = await project()
    let answers = false
    const allow = { behavior: 'allow', reason: '' } as const
    const gate = { decide: () => allow, authorize: async () => allow }
    const permission = { session: () => (answers ? gate : fail()) }
    const session = (await made.load({ layers, permission })).session(sessionRef())
    expect(await session.activate('a', { via: 'user' })).toMatchObject({ code: 'skills.denied' })
    answers = true
    expect(await session.activate('a', { via: 'user' })).toMatchObject({ mode: 'inline' })
  })

  it('`permission.session` closes both doors, hides all skills, and breaks nothing', async () => {
    const { made, layers } = await project()
    const session = (await made.load({ layers, permission: { session: fail } })).session(sessionRef())
    expect(session.context()).toEqual([])
    expect(session.tools().map(({ name }) => name)).toEqual(['load_skill'])
    for (const via of ['user', 'model'] as const) {
      expect(await session.activate('a', { via })).toMatchObject({
        code: 'skills.denied',
        problem: expect.stringContaining('the store is locked'),
      })
    }
    const other = sessionRef('other')
    expect(await session.activate('a', { via: 'model', session: other })).toMatchObject({ code: 'skills.denied' })
  })
})

describe('A files port that throws', () => {
  /** @param broken paths that it throws for */
  function throwing(broken: (path: string) => boolean): FilesPort {
    const files = nodeFiles()
    const check = (path: string) => (broken(path) ? fail() : path)
    return {
      ...files,
      bulk: undefined,
      list: (path) => files.list(check(path)),
      realPath: async (path) => files.realPath(check(path)),
      readText: async (path, options) => files.readText(check(path), options),
    }
  }

  it.each(['own', 'own/u', 'own/u/SKILL.md'])('for %s costs the source that it is asked about', async (broken) => {
    const { made, layers } = await project()
    const skills = await made.load({ layers, files: throwing((path) => path === made.path(broken)) })
    expect(names(skills)).toEqual(['a', 'b'])
    expect(skills.diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { message: expect.stringContaining('the store is locked') },
    ])
    await skills.reload()
    expect(names(skills)).toEqual(['a', 'b'])
  })

  it('at an activation is a file that can not be read', async () => {
    const { made, layers } = await project()
    let broken = false
    const skills = await made.load({ layers, files: throwing(() => broken) })
    const session = skills.session(sessionRef())
    await session.activate('a', { via: 'user' })
    broken = true
    expect(await session.activate('a', { via: 'user' })).toMatchObject({
      mode: 'inline',
      stale: expect.stringContaining('the store is locked'),
      resources: [],
    })
    expect(await session.activate('b', { via: 'user' })).toMatchObject({ code: 'skills.unreadable' })
  })
})
