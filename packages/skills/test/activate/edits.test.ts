import { rename, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { makeProject, sessionRef, skill } from '../project.js'

const EDITS = 1000

/** A version of a skill whose two halves tell whether they belong together. */
function version(number: number): string {
  return skill(`description: D.\nmetadata: {version: ${number}}`, `${number} ${'x'.repeat(3000)} ${number}\n`)
}

function halves(text: string): readonly (string | undefined)[] {
  const [, first, last] = /\n(\d+) x+ (\d+)$/.exec(text) ?? []
  return [first, last]
}

describe('A file that is edited while it is activated', () => {
  it('is one version or another, never a mixture, when each edit replaces it in one step', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': version(0) })
    const session = (await project.load()).session(sessionRef())
    const path = project.path('skills/it/SKILL.md')
    let edit = 0
    const edits = (async () => {
      while (edit < EDITS) {
        edit++
        await writeFile(`${path}.next`, version(edit))
        await rename(`${path}.next`, path)
      }
    })()
    const seen = new Set<string>()
    for (let at = 0; at < EDITS; at++) {
      const before = edit
      const found = await session.activate('it', { via: 'model' })
      if (found.mode !== 'inline') throw new Error(found.problem)
      const [first, last] = halves(found.text)
      expect(first).toBeDefined()
      expect(last).toBe(first)
      expect(found.stale).toBeUndefined()
      expect(found.skill.metadata).toEqual({ version: Number(first) })
      // What was there before is not given any more.
      expect(Number(first)).toBeGreaterThanOrEqual(before - 1)
      seen.add(first ?? '')
    }
    await edits
    expect(seen.size).toBeGreaterThan(10)
  }, 60_000)

  it('and is written in place keeps the version before while it is empty or has no header, and says so', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': version(1) })
    const session = (await project.load()).session(sessionRef())
    await session.activate('it', { via: 'model' })
    for (const torn of ['', '---\ndescr', version(2).slice(0, 30)]) {
      await project.write('skills/it/SKILL.md', torn)
      const found = await session.activate('it', { via: 'model' })
      if (found.mode !== 'inline') throw new Error(found.problem)
      expect(halves(found.text)).toEqual(['1', '1'])
      expect(found.stale).toContain('SKILL.md')
    }
    await project.write('skills/it/SKILL.md', version(2))
    const whole = await session.activate('it', { via: 'model' })
    expect(whole.mode === 'inline' && [halves(whole.text), whole.stale]).toEqual([['2', '2'], undefined])
  })
})

describe('A skill that was returned', () => {
  it('stays what it was, whatever becomes of its file', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': version(1) })
    const session = (await project.load()).session(sessionRef())
    const first = await session.activate('it', { via: 'model' })
    const copy = structuredClone({ ...first, skill: { ...first.skill, paths: undefined } })
    await project.write('skills/it/SKILL.md', version(2))
    await session.activate('it', { via: 'model' })
    expect({ ...first, skill: { ...first.skill, paths: undefined } }).toEqual(copy)
    expect(() => Object.assign(first.skill?.metadata ?? {}, { version: 9 })).toThrow(TypeError)
  })
})

describe('An edit of an active skill', () => {
  it('takes no limit away that was there before, and adds those that are new', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': skill('description: D.\ndisallowed-tools: Write') })
    const session = (await project.load()).session(sessionRef())
    await session.activate('it', { via: 'model' })
    await project.write('skills/it/SKILL.md', skill('description: D.\nrestrict: [Read]'))
    await session.activate('it', { via: 'model' })
    const limits = [
      { by: 'skill it', disallowed: ['Write'] },
      { by: 'skill it', restrict: ['Read'] },
    ]
    expect(session.terms()).toEqual(limits)
    await project.write('skills/it/SKILL.md', skill('description: D.'))
    await session.activate('it', { via: 'model' })
    expect(session.terms()).toEqual(limits)
    session.reset()
    await session.activate('it', { via: 'model' })
    expect(session.terms()).toEqual([])
  })

  it.each([
    ['in a list that is not closed', 'description: D.\ndisallowed-tools: [Bash'],
    ['in a flow map that is not closed', '{description: D., disallowed-tools: Bash'],
    ['next to a text that is not closed', 'description: "D.\nRestrict: Read'],
    ['next to a description that is blank', 'description: ""\ndisallowed-tools: Bash'],
    ['next to a name that is none', 'name: a b\ndescription: D.\nrestrict: [Read]'],
    ['as the list of a fork', 'mode: fork\ndescription: 7\nallowed-tools: Read'],
    ['as the list of what may be a fork', 'description: 7\nContext: fork\nallowed-tools: Read'],
    ['behind a merge key', 'description: 7\n<<: {restrict: Read}'],
    ['as the list of a fork that is not closed', 'description: D.\ncontext: fork\nallowed-tools: [Read'],
  ])('that adds a limit and breaks the file leaves no version without the limit: %s', async (_what, header) => {
    const project = await makeProject({ 'skills/it/SKILL.md': skill('description: D.') })
    const session = (await project.load()).session(sessionRef())
    await session.activate('it', { via: 'model' })
    await project.write('skills/it/SKILL.md', skill(header))
    expect(await session.activate('it', { via: 'model' })).toMatchObject({
      code: 'skills.unreadable',
      problem: expect.stringContaining('so the version before is not used'),
    })
    // Written in place, and not to its end.
    await project.write('skills/it/SKILL.md', `---\ndescription: D.\n${header}\n`)
    expect((await session.activate('it', { via: 'model' })).problem).toBeDefined()
  })

  it('that breaks the file and leaves its limits as they are keeps the version before', async () => {
    const header = 'restrict: Read\ndisallowed-tools: [Bash]\nallowed-tools: Read'
    const project = await makeProject({ 'skills/it/SKILL.md': skill(`description: D.\n${header}`) })
    const session = (await project.load()).session(sessionRef())
    await session.activate('it', { via: 'model' })
    await project.write('skills/it/SKILL.md', skill(`description: ""\n${header}`))
    expect(await session.activate('it', { via: 'model' })).toMatchObject({ stale: expect.stringContaining('blank') })
  })

  it('that breaks the file next to a list that only grants keeps the version before', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': skill('description: D.') })
    const session = (await project.load()).session(sessionRef())
    await session.activate('it', { via: 'model' })
    for (const header of ['description: ""\nallowed-tools: Read', 'description: D.\nallowed-tools: [Read']) {
      await project.write('skills/it/SKILL.md', skill(header))
      expect(await session.activate('it', { via: 'model' })).toMatchObject({ stale: expect.any(String) })
    }
  })

  it('that gives it another name puts the new instructions in the place of the old ones, and keeps its limits', async () => {
    const project = await makeProject({
      'skills/it/SKILL.md': skill('description: D.\ndisallowed-tools: Write\nmodel: slow', 'First.'),
      'skills/next/SKILL.md': skill('description: N.', 'Next.'),
    })
    const session = (await project.load()).session(sessionRef())
    await session.activate('it', { via: 'model' })
    await session.activate('next', { via: 'model' })
    await project.write('skills/it/SKILL.md', skill('name: other\ndescription: D.', 'Second.'))
    await session.activate('it', { via: 'model' })
    const active = session.active().map(({ skill: { name }, text }) => [name, text.split('\n').at(-1)])
    expect(active).toEqual([
      ['other', 'Second.'],
      ['next', 'Next.'],
    ])
    expect(session.terms()).toEqual([{ by: 'skill it', disallowed: ['Write'] }])
    // A name that another active skill has: there is one of it then.
    await project.write('skills/it/SKILL.md', skill('name: next\ndescription: D.', 'Third.'))
    await session.activate('it', { via: 'model' })
    expect(session.active().map(({ skill: { name }, text }) => [name, text.split('\n').at(-1)])).toEqual([
      ['next', 'Third.'],
    ])
  })

  it('that gives it another name and then breaks it keeps the version before', async () => {
    const project = await makeProject({ 'skills/it/SKILL.md': skill('description: D.') })
    const session = (await project.load()).session(sessionRef())
    await project.write('skills/it/SKILL.md', skill('name: other\ndescription: D.', 'Second.'))
    await session.activate('it', { via: 'model' })
    await project.write('skills/it/SKILL.md', '')
    const found = await session.activate('it', { via: 'model' })
    expect(found.mode === 'inline' && [found.skill.name, found.stale?.includes('SKILL.md')]).toEqual(['other', true])
  })

  it('may make it as long as the limit of the host says', async () => {
    const long = 'x'.repeat(1024 * 1024)
    const project = await makeProject({ 'skills/it/SKILL.md': skill('description: D.', long) })
    const session = (await project.load({ limits: { fileBytes: 2 * 1024 * 1024 } })).session(sessionRef())
    expect((await session.activate('it', { via: 'user' })).problem).toBeUndefined()
    const short = (await project.load({ limits: { fileBytes: 1024 } })).snapshot
    expect(short.entries).toEqual([])
  })
})
