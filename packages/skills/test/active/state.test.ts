import { describe, expect, it } from 'vitest'
import { makeProject, sessionRef, skill } from '../project.js'

const files = {
  'skills/a/SKILL.md': skill('description: A.', 'Do A with $ARGUMENTS.'),
  'skills/b/SKILL.md': skill('description: B.', 'Do B.'),
}

describe('The state of a session', () => {
  it('is JSON, and brings the active skills back as they were, in their order', async () => {
    const project = await makeProject(files)
    const skills = await project.load()
    const before = skills.session(sessionRef())
    await before.activate('b', { via: 'user' })
    await before.activate('a', { via: 'model', args: 'care' })
    const state = JSON.parse(JSON.stringify(before.state()))
    // The conversation that is resumed was held with the instructions of then.
    await project.write('skills/a/SKILL.md', skill('description: A.', 'Changed.'))
    const after = skills.session(sessionRef('later'))
    expect(after.restore(state)).toEqual({ missing: [] })
    expect(after.context()).toEqual(before.context())
    expect(after.active()).toEqual(before.active())
    expect(after.state()).toEqual(state)
  })

  it('remembers what a compaction has cut', async () => {
    const skills = await (await makeProject(files)).load()
    const before = skills.session(sessionRef())
    await before.activate('a', { via: 'model' })
    before.compact({ tokens: 0 })
    const after = skills.session(sessionRef())
    after.restore(before.state())
    expect(await after.activate('a', { via: 'model' })).toMatchObject({ unchanged: false })
  })

  it('names the skills that are there no more', async () => {
    const project = await makeProject(files)
    const skills = await project.load()
    const before = skills.session(sessionRef())
    await before.activate('a', { via: 'model' })
    await before.activate('b', { via: 'model' })
    await project.remove('skills/a')
    await skills.reload()
    const after = skills.session(sessionRef())
    expect(after.restore(before.state())).toEqual({ missing: ['a'] })
    expect(after.active().map((each) => each.skill.name)).toEqual(['b'])
  })

  it.each([
    undefined,
    null,
    [],
    'x',
    { version: 2, active: [{ name: 'a', text: 'x', via: 'model' }] },
    { version: 1, active: 'a', offered: 7 },
    { version: 1, active: [null, 7, {}], offered: [{}] },
  ])('that is none, %j, brings nothing back and breaks nothing', async (saved) => {
    const session = (await (await makeProject(files)).load()).session(sessionRef())
    expect(session.restore(saved)).toEqual({ missing: [] })
    expect(session.active()).toEqual([])
  })

  it('with a record that can’t be used names its skill', async () => {
    const session = (await (await makeProject(files)).load()).session(sessionRef())
    const saved = { version: 1, active: [{ name: 'a', text: 7, via: 'model' }], offered: [] }
    expect(session.restore(saved)).toEqual({ missing: ['a'] })
  })

  it('brings limits alone from its list of limits, and names what is none', async () => {
    const session = (await (await makeProject(files)).load()).session(sessionRef())
    const limit = { by: 'skill z', disallowed: ['Bash'] }
    const limits = [
      { ...limit, grants: ['Edit'], model: 'x' },
      { by: 'skill z', grants: ['Edit'] },
      { restrict: [] },
      7,
    ]
    const unread = 'a limit that can’t be read'
    for (const lost of [null, 'x', { 0: limit }]) {
      expect(session.restore({ version: 1, active: [], limits: lost, offered: [] })).toEqual({ missing: [unread] })
    }
    expect(session.restore({ version: 1, active: [], limits, offered: [] })).toEqual({
      missing: [unread, unread, unread],
    })
    expect(session.terms()).toEqual([limit])
  })
})
