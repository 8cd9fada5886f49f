import type { AuthorizeRequest } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { SkillGate } from '../../src/types.js'
import { call, makeProject, sessionRef, skill } from '../project.js'

/** Says no to the names that it is given, and notes what it is asked. */
function gate(...denied: readonly string[]) {
  const asked: unknown[] = []
  const says = ({ call: { input } }: AuthorizeRequest) =>
    ({ behavior: denied.includes(String(input['skill'])) ? 'deny' : 'allow' }) as const
  const permission: SkillGate = {
    session: () => ({
      decide: says,
      async authorize(request) {
        asked.push(request.call.input)
        return { ...says(request), reason: 'So says a rule.' }
      },
    }),
  }
  return { asked, permission }
}

const files = { 'skills/it/SKILL.md': skill('description: D.') }

describe('Permission', () => {
  it.each(['model', 'user'] as const)('is asked about a skill by the name of its author, for the %s', async (via) => {
    const { permission, asked } = gate()
    const session = (await (await makeProject(files)).load({ permission })).session(sessionRef())
    await session.activate('IT', { via, args: 'now' })
    await session.activate('it', { via })
    expect(asked).toEqual([{ skill: 'it', args: 'now' }, { skill: 'it' }])
  })

  it('is not asked twice about the call of the tool, if the tool table says what that is like', async () => {
    const { permission, asked } = gate()
    const tools = { load_skill: { as: 'Skill' } }
    const session = (await (await makeProject(files)).load({ permission, tools })).session(sessionRef())
    await call(session.tools()[0], { name: 'it' })
    expect(asked).toEqual([])
    await call(session.tools()[0], { name: 'IT' })
    expect(asked).toEqual([{ skill: 'it' }])
  })

  it('is that of the agent which loads it, where the conversation was handed over to that', async () => {
    const asked: unknown[] = []
    const permission: SkillGate = {
      session: ({ permissionMode }) => ({
        decide: () => ({ behavior: 'allow' }) as const,
        async authorize() {
          asked.push(permissionMode)
          return { behavior: 'allow', reason: 'So says a rule.' } as const
        },
      }),
    }
    const ref = sessionRef()
    const session = (await (await makeProject(files)).load({ permission })).session(ref)
    const other = { ...ref, permissionMode: 'plan', agent: { type: 'billing' } } as const
    await session.activate('it', { via: 'model' })
    await session.activate('it', { via: 'model', session: other })
    await session.expand({ name: 'it', args: '' }, { session: other })
    await call(session.tools()[0], { name: 'it' })
    expect(asked).toEqual([ref.permissionMode, 'plan', 'plan', ref.permissionMode])
  })

  it.each(['model', 'user'] as const)('that says no leaves the skill out, for the %s', async (via) => {
    const { permission } = gate('it')
    const session = (await (await makeProject(files)).load({ permission })).session(sessionRef())
    expect(await session.activate('it', { via })).toMatchObject({
      code: 'skills.denied',
      problem: 'The skill `it` was not permitted. So says a rule.',
    })
    expect(session.active()).toEqual([])
  })

  it('that fails has said no', async () => {
    const permission: SkillGate = {
      session: () => ({
        decide: () => ({ behavior: 'allow' }),
        authorize: async () => Promise.reject(new Error('broken')),
      }),
    }
    const session = (await (await makeProject(files)).load({ permission })).session(sessionRef())
    expect(await session.activate('it', { via: 'user' })).toMatchObject({
      code: 'skills.denied',
      problem: expect.stringContaining('The permission check failed: broken'),
    })
  })

  it('counts for the name that a skill had and for the one that an edit has given it', async () => {
    for (const denied of ['it', 'other']) {
      const { permission } = gate(denied)
      const project = await makeProject(files)
      const session = (await project.load({ permission })).session(sessionRef())
      await project.write('skills/it/SKILL.md', skill('name: other\ndescription: D.'))
      expect(await session.activate('it', { via: 'user' })).toMatchObject({ code: 'skills.denied' })
    }
  })
})
