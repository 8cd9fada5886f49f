import type { RunTerms } from '@ext/kernel/contract'
import { nodeFiles } from '@ext/kernel/node'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Skills } from '../../src/index.js'
import { makeProject, sessionRef, skill } from '../project.js'

const trusted = () => true

async function load(headers: Readonly<Record<string, string>>, options: { trusted?: () => boolean } = { trusted }) {
  const files = Object.entries(headers).map(([name, header]) => [
    `skills/${name}/SKILL.md`,
    skill(`description: D.\n${header}`),
  ])
  const project = await makeProject(Object.fromEntries(files))
  return { project, skills: await project.load(options) }
}

const one = async (header: string, options?: { trusted?: () => boolean }) => {
  const { skills } = await load({ it: header }, options)
  const session = skills.session(sessionRef())
  await session.activate('it', { via: 'model' })
  return session
}

describe('An active skill', () => {
  it('brings its limits for as long as it is active, and the rest for the run', async () => {
    const session = await one(
      'allowed-tools: Bash(git add *), Read\ndisallowed-tools: [Edit]\nrestrict: Read Bash\nmodel: opus\neffort: high',
    )
    const limits = [
      { by: 'skill it', disallowed: ['Edit'] },
      { by: 'skill it', restrict: ['Read', 'Bash'] },
    ]
    const brings = { by: 'skill it', grants: ['Bash(git add *)', 'Read'], model: 'opus', effort: 'high' }
    expect(session.terms()).toEqual([...limits, brings])
    session.runEnded()
    expect(session.terms()).toEqual(limits)
    await session.activate('it', { via: 'user' })
    expect(session.terms()).toEqual([...limits, brings])
    session.reset()
    expect(session.terms()).toEqual([])
  })

  it('gives the same values as long as nothing changes', async () => {
    const session = await one('allowed-tools: Read\nrestrict: Read')
    const terms = session.terms()
    expect(session.terms()).toBe(terms)
    await session.activate('it', { via: 'model' })
    expect(session.terms()).toEqual(terms)
  })

  it('approves nothing if nobody trusts its source, and its limits hold all the same', async () => {
    const session = await one('allowed-tools: Bash\ndisallowed-tools: Edit', {})
    expect(session.terms()).toEqual([{ by: 'skill it', disallowed: ['Edit'] }])
  })

  it('that is not trusted is reported', async () => {
    const { skills } = await load({ it: 'allowed-tools: Bash', free: '' }, {})
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.grants.untrusted', severity: 'info', pointer: '/allowed-tools', source: { line: 3 } },
    ])
  })

  it('loses its trust with the file that was trusted', async () => {
    let isTrusted = true
    const session = await one('allowed-tools: Bash', { trusted: () => isTrusted })
    isTrusted = false
    await session.activate('it', { via: 'model' })
    expect(session.terms()).toEqual([])
  })

  it('loses its trust also where its file is broken, and the version before is used', async () => {
    let isTrusted = true
    const { project, skills } = await load({ it: 'allowed-tools: Bash' }, { trusted: () => isTrusted })
    const session = skills.session(sessionRef())
    await session.activate('it', { via: 'model' })
    isTrusted = false
    await project.write('skills/it/SKILL.md', 'broken')
    const again = await session.activate('it', { via: 'model' })
    expect(again).toMatchObject({ stale: expect.stringContaining('SKILL.md'), skill: { trusted: false } })
    expect(session.terms()).toEqual([])
  })

  it('counts with what was asked for last, where several want something', async () => {
    const { skills } = await load({ a: 'model: a', b: 'model: b' })
    const session = skills.session(sessionRef())
    await session.activate('a', { via: 'model' })
    await session.activate('b', { via: 'model' })
    await session.activate('a', { via: 'model' })
    expect(session.terms().map(({ model }) => model)).toEqual(['b', 'a'])
  })

  it('has its limits again after a restore, and grants nothing', async () => {
    const { skills } = await load({ it: 'allowed-tools: Bash\nrestrict: Read\nmodel: opus' })
    const before = skills.session(sessionRef())
    await before.activate('it', { via: 'model' })
    const after = skills.session(sessionRef('resumed'))
    after.restore(JSON.parse(JSON.stringify(before.state())))
    expect(after.terms()).toEqual([{ by: 'skill it', restrict: ['Read'] }])
  })

  it('has the limits that it had after a restore, whatever an edit has made of its file, until the session is cleared', async () => {
    const { project, skills } = await load({ it: 'restrict: Read Edit', gone: 'disallowed-tools: Bash(rm *)' })
    const before = skills.session(sessionRef())
    await before.activate('it', { via: 'model' })
    await before.activate('gone', { via: 'model' })
    const state: unknown = JSON.parse(JSON.stringify(before.state()))
    await project.write('skills/it/SKILL.md', skill('description: D.\nrestrict: Read Bash'))
    await project.remove('skills/gone')
    await skills.reload()
    const after = skills.session(sessionRef('resumed'))
    expect(after.restore(state)).toEqual({ missing: ['gone'] })
    const limits = [
      { by: 'skill it', restrict: ['Read', 'Edit'] },
      { by: 'skill gone', disallowed: ['Bash(rm *)'] },
      { by: 'skill it', restrict: ['Read', 'Bash'] },
    ]
    expect(after.terms()).toEqual(limits)
    const third = skills.session(sessionRef('resumed once more'))
    third.restore(after.state())
    expect(third.terms()).toEqual(limits)
    third.reset()
    expect(third.terms()).toEqual([])
  })

  it('keeps its limits when a compaction puts its text away', async () => {
    const session = await one('restrict: Read')
    session.compact({ tokens: 0 })
    expect(session.terms()).toEqual([{ by: 'skill it', restrict: ['Read'] }])
  })
})

describe('A grant never outlives its run', () => {
  it('that ended while the activation was on its way', async () => {
    const { skills } = await load({ it: 'allowed-tools: Bash\nrestrict: Read' })
    const session = skills.session(sessionRef())
    const late = session.activate('it', { via: 'model' })
    session.runEnded()
    await late
    expect(session.terms()).toEqual([{ by: 'skill it', restrict: ['Read'] }])
  })

  it('that was aborted while the file was read: nothing becomes active', async () => {
    const controller = new AbortController()
    const files = nodeFiles()
    const project = await makeProject({ 'skills/it/SKILL.md': skill('description: D.\nallowed-tools: Bash') })
    const skills = await project.load({
      trusted,
      files: {
        ...files,
        readText: (path, options) => {
          controller.abort(new Error('enough'))
          return files.readText(path, options)
        },
      },
    })
    const session = skills.session(sessionRef())
    await expect(session.activate('it', { via: 'model', signal: controller.signal })).rejects.toThrow('enough')
    expect(session.active()).toEqual([])
    expect(session.terms()).toEqual([])
  })

  it('whatever happens in between', async () => {
    const { skills } = await load({ a: 'allowed-tools: Bash', b: 'allowed-tools: Read\nrestrict: Read', c: 'model: x' })
    const step = fc.oneof(
      fc.record({ do: fc.constant('activate' as const), name: fc.constantFrom('a', 'b', 'c') }),
      fc.constant({ do: 'end' as const }),
      fc.constant({ do: 'settle' as const }),
      fc.constant({ do: 'compact' as const }),
      fc.constant({ do: 'restore' as const }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const session = skills.session(sessionRef())
        const open: Promise<unknown>[] = []
        for (const each of steps) {
          if (each.do === 'activate') open.push(session.activate(each.name, { via: 'model' }))
          else if (each.do === 'end') session.runEnded()
          else if (each.do === 'compact') session.compact({ tokens: 10 })
          else if (each.do === 'restore') session.restore(session.state())
          else await Promise.all(open)
        }
        session.runEnded()
        await Promise.all(open)
        expect(session.terms().filter(isOfRun)).toEqual([])
      }),
      { seed: 10, numRuns: 60 },
    )
  })
})

function isOfRun({ grants, model, effort }: RunTerms): boolean {
  return grants !== undefined || model !== undefined || effort !== undefined
}

describe('A header that limits', () => {
  it.each<[string, string]>([
    ['was rescued, so nobody can say what it limits', 'description: Use it: now\ndisallowed-tools: Bash'],
    ['can’t be read', 'description: D.\nrestrict: {a: b}'],
    ['limits under a misspelt name', 'description: D.\ndissalowed-tools: Bash'],
  ])('and %s is no skill', async (_, header) => {
    const project = await makeProject({ 'skills/it/SKILL.md': skill(header) })
    const skills: Skills = await project.load()
    expect(await skills.session(sessionRef()).activate('it', { via: 'model' })).toMatchObject({
      code: 'skills.unreadable',
    })
    expect(skills.diagnostics.some(({ severity }) => severity === 'error')).toBe(true)
  })
})
