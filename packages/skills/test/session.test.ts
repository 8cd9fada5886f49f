import { chmod } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { call, makeProject, names, sessionRef, skill } from './project.js'

describe('load_skill', () => {
  it('is a system tool of kind meta that names no skill', async () => {
    const project = await makeProject({ 'skills/deploy/SKILL.md': skill('description: Ships.') })
    const [tool, ...others] = (await project.load()).session(sessionRef()).tools()
    expect(others).toEqual([])
    expect(tool).toMatchObject({
      name: 'load_skill',
      kind: 'meta',
      system: true,
      annotations: { readOnly: true, destructive: false },
      inputSchema: { required: ['name'], additionalProperties: false },
    })
    expect(JSON.stringify(tool)).not.toContain('deploy')
  })

  it('is the same list each time, so that an agent sees that nothing changed', async () => {
    const project = await makeProject({ 'skills/deploy/SKILL.md': skill('description: Ships.') })
    const skills = await project.load()
    const session = skills.session(sessionRef())
    const before = session.tools()
    await skills.reload()
    expect(session.tools()).toBe(before)
  })

  it('does not exist when there is nothing to load', async () => {
    expect((await (await makeProject()).load()).session(sessionRef()).tools()).toEqual([])
  })

  it('puts the instructions into the context, once, and answers with the other files of the skill', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: Ships.', 'Run scripts/run.sh for $ARGUMENTS.\n'),
      'skills/deploy/scripts/run.sh': 'exit 1',
      'skills/deploy/reference.md': 'Reference.',
    })
    const session = (await project.load()).session(sessionRef())
    const { text, isError } = await call(session.tools()[0], { name: 'Deploy', arguments: 'prod' })
    expect(isError).toBe(false)
    expect(text).toBe(
      [
        'The skill `deploy` is loaded. Follow its instructions, which go with each turn as `# Skill deploy`.',
        'Other files in it, not read yet: reference.md, scripts/run.sh.',
      ].join('\n'),
    )
    expect(session.context().at(-1)?.text).toBe(
      [
        'These skills are active. Their instructions go before general instructions; what permission decides goes before them.',
        '',
        '# Skill deploy',
        '',
        `Its folder, from where its paths start: ${project.path('skills/deploy')}`,
        '',
        'Run scripts/run.sh for prod.',
      ].join('\n'),
    )
  })

  it('answers an unknown name with what was probably meant and with all names', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: Ships.'),
      'skills/notes/SKILL.md': skill('description: Writes.'),
      'skills/hidden/SKILL.md': skill('description: Hidden.\ndisable-model-invocation: true'),
    })
    const session = (await project.load()).session(sessionRef())
    expect(await call(session.tools()[0], { name: 'deplyo' })).toEqual({
      text: 'There is no skill `deplyo`. Did you mean `deploy`? There are: deploy, notes.',
      isError: true,
    })
  })

  it('does not send back an unknown name that is as long as a file', async () => {
    const project = await makeProject({ 'skills/deploy/SKILL.md': skill('description: Ships.') })
    const session = (await project.load()).session(sessionRef())
    const { text } = await call(session.tools()[0], { name: 'x'.repeat(1_000_000) })
    expect(text.length).toBeLessThan(400)
    expect(text).toMatch(/^There is no skill `x+…`\. There are: deploy\.$/)
  })

  it('answers a refusal with an error that says what to do', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: Ships.\ndisable-model-invocation: yes'),
      'skills/notes/SKILL.md': skill('description: Writes.'),
    })
    const session = (await project.load()).session(sessionRef())
    expect(await call(session.tools()[0], { name: 'deploy' })).toEqual({
      text: 'The skill `deploy` can only be started by the user. Ask the user to start it.',
      isError: true,
    })
  })

  it('answers input of the wrong type with an error', async () => {
    const project = await makeProject({ 'skills/deploy/SKILL.md': skill('description: Ships.') })
    const [tool] = (await project.load()).session(sessionRef()).tools()
    expect(await call(tool, { name: 7 })).toMatchObject({ isError: true })
    expect(await call(tool, { name: 'deploy', arguments: ['a'] })).toMatchObject({ isError: true })
  })
})

describe('Other files of a skill', () => {
  it('are listed up to 50, nearest first, without following links out of the skill', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `n${String(index).padStart(2, '0')}.md`)
    const project = await makeProject({
      'skills/big/SKILL.md': skill('description: Big.'),
      'skills/big/deep/a.md': '',
      'skills/small/SKILL.md': skill('description: Small.'),
      'skills/small/in/ner.md': '',
      'skills/small/node_modules/x.js': '',
      'outside/secret.md': '',
      ...Object.fromEntries(many.map((name) => [`skills/big/${name}`, ''])),
    })
    await project.link('skills/small/out', '../../outside')
    await project.link('skills/small/secret.md', '../../outside/secret.md')
    await project.link('skills/small/loop', '.')
    const session = (await project.load()).session(sessionRef())
    const big = await session.activate('big', { via: 'model' })
    expect(big).toMatchObject({ resources: many.slice(0, 50), moreResources: true })
    expect(await session.activate('small', { via: 'model' })).toMatchObject({
      resources: ['in/ner.md'],
      moreResources: false,
    })
  })
})

describe('The files of a skill that is put together from links', () => {
  it('are those beside the SKILL.md that it leads to', async () => {
    const project = await makeProject({
      'store/it/SKILL.md': skill('description: It.'),
      'store/it/run.sh': '',
      'store/other.sh': '',
    })
    await project.link('skills/it/SKILL.md', '../../store/it/SKILL.md')
    await project.link('skills/it/run.sh', '../../store/it/run.sh')
    await project.link('skills/it/other.sh', '../../store/other.sh')
    const session = (await project.load()).session(sessionRef())
    expect(await session.activate('it', { via: 'model' })).toMatchObject({ resources: ['run.sh'] })
  })
})

describe('Active skills', () => {
  const two = {
    'skills/a/SKILL.md': skill('description: A.', 'Do A with $ARGUMENTS.'),
    'skills/b/SKILL.md': skill('description: B.', 'Do B.'),
  }

  it('are turn blocks behind the catalog, in the order of first activation', async () => {
    const session = (await (await makeProject(two)).load()).session(sessionRef())
    await session.activate('b', { via: 'user' })
    await session.activate('a', { via: 'model', args: 'one' })
    await session.activate('b', { via: 'model' })
    await session.activate('a', { via: 'model', args: 'two' })
    expect(session.context().map(({ by, place }) => [by, place])).toEqual([
      ['skills', 'system'],
      ['skill b', 'turn'],
      ['skill a', 'turn'],
    ])
    expect(session.context()[2]?.text).toMatch(/^# Skill a[\s\S]*Do A with two\.$/)
    expect(session.active().map(({ skill: { name }, via }) => [name, via])).toEqual([
      ['b', 'model'],
      ['a', 'model'],
    ])
  })

  it('keep the order of the calls when several are activated at once', async () => {
    const project = await makeProject({ ...two, 'skills/a/SKILL.md': skill('description: A.', 'x'.repeat(500_000)) })
    const session = (await project.load()).session(sessionRef())
    await Promise.all(['a', 'b', 'nothing', 'a'].map((name) => session.activate(name, { via: 'model' })))
    expect(session.active().map(({ skill: { name } }) => name)).toEqual(['a', 'b'])
  })

  it('that are loaded again with the same text get a short answer', async () => {
    const session = (await (await makeProject(two)).load()).session(sessionRef())
    const [tool] = session.tools()
    await call(tool, { name: 'a', arguments: 'x' })
    expect((await call(tool, { name: 'a', arguments: 'x' })).text).toBe(
      'The skill `a` is loaded already, with the same instructions; follow them.',
    )
    await call(tool, { name: 'a', arguments: 'y' })
    expect(session.context().at(-1)?.text).toContain('Do A with y.')
    expect(session.active()).toHaveLength(1)
  })

  it('leave the system block as it is, byte for byte', async () => {
    const session = (await (await makeProject(two)).load()).session(sessionRef())
    const [before] = session.context()
    await session.activate('a', { via: 'model', args: 'x' })
    expect(session.context()[0]).toEqual(before)
  })

  it('belong to their session, and no other session of the same engine sees them', async () => {
    const skills = await (await makeProject(two)).load()
    const one = skills.session(sessionRef('one'))
    await one.activate('a', { via: 'model' })
    expect(skills.session(sessionRef('two')).active()).toEqual([])
    expect(one.active()).toHaveLength(1)
  })

  it('are gone after reset, also those that were on their way', async () => {
    const session = (await (await makeProject(two)).load()).session(sessionRef())
    await session.activate('a', { via: 'model' })
    const late = session.activate('b', { via: 'model' })
    session.reset()
    await late
    expect(session.active()).toEqual([])
    expect(session.context()).toHaveLength(1)
  })

  it('can not be changed by whoever gets them', async () => {
    const session = (await (await makeProject(two)).load()).session(sessionRef())
    const activation = await session.activate('a', { via: 'model' })
    expect(Object.isFrozen(activation)).toBe(true)
    const parts = [activation.skill, activation.skill?.grants, activation.mode === 'inline' && activation.resources]
    expect(parts.every((each) => Object.isFrozen(each))).toBe(true)
  })
})

describe('Files that change', () => {
  it('are read again at each activation', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.', 'Old $who.') })
    const session = (await project.load()).session(sessionRef())
    await project.write('skills/a/SKILL.md', skill('description: A.\narguments: who', 'New $who.'))
    expect(await session.activate('a', { via: 'model', args: 'you' })).toMatchObject({
      text: expect.stringMatching(/New you\.$/),
    })
  })

  it.each([
    ['loses its closing fence', '---\ndescription: A.\n', 'never closed'],
    ['loses its description', skill('name: a'), 'lacks the field `description`'],
  ])('and one that %s leaves the version that was read before in use, and says so', async (_what, text, reason) => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.', 'Do $0 and $1.') })
    const session = (await project.load()).session(sessionRef())
    await session.activate('a', { via: 'model', args: 'x y' })
    await project.write('skills/a/SKILL.md', text)
    const again = await session.activate('a', { via: 'model', args: 'v w' })
    expect(again).toMatchObject({
      text: expect.stringMatching(/Do v and w\.$/),
      stale: expect.stringMatching(new RegExp(`^${project.path('skills/a/SKILL.md')}:\\d+:\\d+: .*${reason}`)),
    })
    const { text: answer } = await call(session.tools()[0], { name: 'a', arguments: 'p q' })
    expect(answer).toContain('The version that was read before is used, since the file is broken now:')
    expect(session.context().at(-1)?.text).toContain('Do p and q.')
  })

  it('and one that gets a limit which this version cannot enforce is refused, whatever was read before', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.') })
    const session = (await project.load()).session(sessionRef())
    await session.activate('a', { via: 'model' })
    await project.write('skills/a/SKILL.md', skill('description: A.\nrestrict: Bash('))
    expect(await session.activate('a', { via: 'model' })).toMatchObject({
      problem: expect.stringContaining('`restrict`'),
    })
  })

  it('and one that breaks before it was ever activated is a problem with its place', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.') })
    const session = (await project.load()).session(sessionRef())
    await project.remove('skills/a/SKILL.md')
    expect(await session.activate('a', { via: 'user' })).toEqual({
      code: 'skills.unreadable',
      problem: expect.stringContaining(project.path('skills/a/SKILL.md')),
      hint: expect.stringMatching(/\S/),
    })
  })

  it('and one that is hidden from the model now is refused', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.') })
    const session = (await project.load()).session(sessionRef())
    await project.write('skills/a/SKILL.md', skill('description: A.\ndisable-model-invocation: true'))
    expect(await session.activate('a', { via: 'model' })).toHaveProperty('problem')
  })

  it.skipIf(process.getuid?.() === 0)('and one that may not be read any more is reported', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.') })
    const session = (await project.load()).session(sessionRef())
    await chmod(project.path('skills/a/SKILL.md'), 0)
    expect(await session.activate('a', { via: 'model' })).toMatchObject({ problem: expect.stringContaining('EACCES') })
  })
})

describe('reload', () => {
  it('finds what was added and drops what was removed; sessions see it', async () => {
    const project = await makeProject({ 'skills/old/SKILL.md': skill('description: Old.') })
    const skills = await project.load()
    const session = skills.session(sessionRef())
    const before = skills.snapshot
    await project.write('skills/new/SKILL.md', skill('description: New.'))
    await project.remove('skills/old')
    expect(skills.snapshot).toBe(before)
    await skills.reload()
    expect(names(skills)).toEqual(['new'])
    expect(names({ ...skills, snapshot: before })).toEqual(['old'])
    expect(session.context()[0]?.text).toContain('- new: New.')
    expect(await session.activate('new', { via: 'model' })).toHaveProperty('skill')
    expect(await session.activate('old', { via: 'model' })).toHaveProperty('problem')
  })

  it('keeps what was read last when several overlap', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: A.') })
    const skills = await project.load()
    const first = skills.reload()
    await project.write('skills/b/SKILL.md', skill('description: B.'))
    await Promise.all([first, skills.reload()])
    expect(names(skills)).toEqual(['a', 'b'])
  })

  it('updates the diagnostics', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': 'broken' })
    const skills = await project.load()
    expect(skills.diagnostics).toHaveLength(1)
    await project.write('skills/a/SKILL.md', skill('description: A.'))
    await skills.reload()
    expect(skills.diagnostics).toEqual([])
  })

  // anthropics/claude-code#58733, #78672: half an edit must not take a skill away.
  it('keeps a skill whose header is broken now as it was, and says so; one that is gone is gone', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: A.'),
      'skills/b/SKILL.md': skill('description: B.'),
    })
    const skills = await project.load()
    await project.write('skills/a/SKILL.md', '---\ndescription: [\n---\nHalf an edit.\n')
    await project.remove('skills/b')
    await skills.reload()
    expect(names(skills)).toEqual(['a'])
    expect(skills.diagnostics.map(({ code }) => code)).toEqual(['config.syntax.yaml', 'config.entry.last-good'])
    expect(skills.session(sessionRef()).context()[0]?.text).toContain('- a: A.')
    await project.write('skills/a/SKILL.md', skill('description: New.'))
    await skills.reload()
    expect([skills.snapshot.entries[0]?.value.description, skills.diagnostics]).toEqual(['New.', []])
  })
})

describe('A project that nobody has approved', () => {
  it('has its skills all the same, since nothing of a skill runs or grants anything', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: A.\nallowed-tools: Bash\nhooks: {Stop: []}', '!`id`'),
    })
    expect(names(await project.load())).toEqual(['a'])
  })
})
