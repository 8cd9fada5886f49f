import type { AuthorizeRequest, JsonObject } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { SkillGate, SkillsOptions } from '../../src/types.js'
import { codes, makeProject, sessionRef, skill } from '../project.js'

function called(name: string, input: JsonObject, server?: string): AuthorizeRequest {
  return {
    call: { id: 'c', name, input },
    tool: {
      name,
      description: '',
      inputSchema: {},
      kind: 'read',
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      source: { tool: name, trusted: true, ...(server === undefined ? {} : { server }) },
    },
  }
}

async function opened(options: Partial<SkillsOptions> = {}) {
  const project = await makeProject({
    'skills/ts/SKILL.md': skill('description: For TypeScript.\npaths: ["src/**/*.ts"]'),
    'skills/any/SKILL.md': skill('description: For anything.'),
  })
  const skills = await project.load(options)
  const session = skills.session({ ...sessionRef(), cwd: project.root })
  const listed = () =>
    session
      .context()
      .filter(({ text }) => text.includes('For TypeScript.'))
      .map(({ place }) => place)
  return { project, skills, session, listed }
}

describe('A skill with paths', () => {
  it.each<[string, AuthorizeRequest]>([
    ['a well-known field', called('Read', { file_path: 'src/deep/a.ts' })],
    ['a field that the table names', called('mcp__fs__read', { where: ['x', './src/a.ts'] }, 'fs')],
    ['a path that leads there by ..', called('Read', { file_path: 'other/../src/a.ts' })],
  ])('is offered once a path that fits was touched, by %s', async (_, request) => {
    const { session, listed } = await opened({ tools: { mcp__fs__read: { as: 'Read', path: 'where' } } })
    const [system] = session.context()
    expect(listed()).toEqual([])
    session.called(request)
    expect(listed()).toEqual(['turn'])
    expect(session.context()[0]).toEqual(system)
    expect(session.context()[1]?.text).not.toContain('For anything.')
  })

  it.each<[string, AuthorizeRequest]>([
    ['another path', called('Read', { file_path: 'src/a.js' })],
    ['a path elsewhere', called('Read', { file_path: '/elsewhere/src/a.ts' })],
    ['a field of a server that no table names', called('mcp__x__read', { path: 'src/a.ts' }, 'x')],
    ['what is no path', called('Read', { file_path: { src: 'a.ts' } })],
  ])('stays hidden with %s', async (_, request) => {
    const { session, listed } = await opened()
    session.called(request)
    expect(listed()).toEqual([])
  })

  it('is offered in its session alone, until that is cleared', async () => {
    const { session, skills, listed } = await opened()
    session.called(called('Read', { file_path: 'src/a.ts' }))
    expect(skills.session(sessionRef('other')).context()).toHaveLength(1)
    const resumed = skills.session(sessionRef('resumed'))
    resumed.restore(session.state())
    expect(resumed.context()).toHaveLength(2)
    session.reset()
    expect(listed()).toEqual([])
  })

  it('is found by a search where too many are offered at once, with the same tools from the start', async () => {
    const project = await makeProject({ 'skills/any/SKILL.md': skill('description: For anything.') })
    for (let index = 0; index < 60; index++) {
      const text = skill(`description: For TypeScript, part ${index}.\npaths: ["src/**/*.ts"]`)
      await project.write(`skills/typescript-${index}/SKILL.md`, text)
    }
    const skills = await project.load({ catalogTokens: 100 })
    const session = skills.session({ ...sessionRef(), cwd: project.root })
    const tools = session.tools()
    expect(tools.map(({ name }) => name)).toEqual(['load_skill', 'search_skills'])
    session.called(called('Read', { file_path: 'src/a.ts' }))
    expect(session.context()[1]?.text).toContain('Find them by what they are for, with `search_skills`')
    expect(session.tools()).toBe(tools)
    expect(codes(skills.diagnostics)).toContain('skills.catalog.omitted')
  })

  it('can be loaded by name all the same', async () => {
    const { session } = await opened()
    expect(await session.activate('ts', { via: 'model' })).toMatchObject({ mode: 'inline' })
  })
})

describe('A skill that permission denies', () => {
  const permission: SkillGate = {
    session: () => ({
      decide: ({ call }) => ({ behavior: call.input['skill'] === 'any' ? 'deny' : 'allow' }),
      authorize: async () => ({ behavior: 'allow', reason: '' }),
    }),
  }

  it('is not listed, nor found by a search', async () => {
    const { session } = await opened({ permission })
    expect(session.context()).toEqual([])
    session.called(called('Read', { file_path: 'src/a.ts' }))
    expect(session.context().map(({ place }) => place)).toEqual(['turn'])
  })

  it('is not listed when nobody can say', async () => {
    const { session } = await opened({
      permission: {
        session: () => ({
          decide: () => {
            throw new Error('broken')
          },
          authorize: async () => ({ behavior: 'allow', reason: '' }),
        }),
      },
    })
    expect(session.context()).toEqual([])
  })
})
