import { splitWords } from '@ext/kernel/words'
import { describe, expect, it } from 'vitest'
import { searchSkillsTool } from '../../src/search/tool.js'
import { foldWord } from '../../src/search/words.js'
import { call, makeProject, sessionRef, skill } from '../project.js'

async function load(options: Parameters<Awaited<ReturnType<typeof makeProject>>['load']>[0] = {}) {
  const project = await makeProject({
    'skills/deploy/SKILL.md': skill('description: Ships the service to production.'),
    'skills/db-migration/SKILL.md': skill('description: Migrates tables of a database.\nwhen_to_use: On Fridays.'),
    'skills/secret/SKILL.md': skill('description: Ships secretly.\ndisable-model-invocation: true'),
    'skills/翻訳/SKILL.md': skill('description: 文書を日本語に翻訳する。'),
  })
  return project.load(options)
}

describe('A search', () => {
  it.each([
    ['migrating my databases', 'db-migration'],
    ['DEPLOYMENT', 'deploy'],
    ['friday', 'db-migration'],
    ['databse', 'db-migration'],
    ['日本語', '翻訳'],
    ['dbMigration', 'db-migration'],
  ])('for %j finds %s', async (query, name) => {
    const [first] = await (await load()).searchSkills(query)
    expect(first?.skill.name).toBe(name)
    expect(first?.score).toBeGreaterThan(0)
  })

  it('finds nothing where no word fits', async () => {
    const skills = await load()
    for (const query of ['', '  ', 'the of and', 'xylophone', '???'])
      expect(await skills.searchSkills(query)).toEqual([])
  })

  it('leaves out what the model may not load, unless it is told otherwise', async () => {
    const skills = await load()
    const found = async (options?: Parameters<typeof skills.searchSkills>[1]) =>
      (await skills.searchSkills('ships', options)).map(({ skill: { name } }) => name)
    expect(await found()).toEqual(['deploy'])
    expect((await found({ hides: () => false })).toSorted()).toEqual(['deploy', 'secret'])
    expect(await found({ hides: () => false, limit: 1 })).toHaveLength(1)
  })

  it('sees what a reload has brought', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: Old words.') })
    const skills = await project.load()
    expect(await skills.searchSkills('new')).toEqual([])
    await project.write('skills/b/SKILL.md', skill('description: New words.'))
    await skills.reload()
    expect(await skills.searchSkills('new')).toMatchObject([{ skill: { name: 'b' } }])
  })
})

describe('The tool `search_skills`', () => {
  it('is there only if the catalog leaves skills out, and finds them', async () => {
    expect(
      (await load())
        .session(sessionRef())
        .tools()
        .map(({ name }) => name),
    ).toEqual(['load_skill'])
    const skills = await load({ catalogTokens: 0 })
    const session = skills.session(sessionRef())
    const tools = session.tools()
    expect(tools.map(({ name, system, annotations }) => [name, system, annotations.readOnly])).toEqual([
      ['load_skill', true, true],
      ['search_skills', true, true],
    ])
    expect(session.tools()).toBe(tools)
    const { text, isError } = await call(tools[1], { query: 'migrate the database', limit: 1 })
    expect(isError).toBe(false)
    expect(text).toBe('Load the one that fits with `load_skill`.\n\n- db-migration: Migrates tables of a database.')
    expect(await call(tools[1], { query: 'xylophone' })).toMatchObject({
      text: expect.stringContaining('No skill fits'),
    })
  })

  it('answers nonsense with what would be right', async () => {
    const tool = searchSkillsTool(() => Promise.reject(new Error('never asked')))
    for (const input of [{}, { query: '' }, { query: 5 }, { query: 'a', limit: 'x' }]) {
      expect(await call(tool, input)).toMatchObject({ isError: true, text: expect.stringContaining('`query`') })
    }
  })

  it('shortens long descriptions and keeps to at most 20 skills', async () => {
    const project = await makeProject(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [
          `skills/s${index}/SKILL.md`,
          skill(`description: Deploys ${'𠀀'.repeat(400)}.`),
        ]),
      ),
    )
    const skills = await project.load({ catalogTokens: 0 })
    const { text } = await call(skills.session(sessionRef()).tools()[1], { query: 'deploys', limit: 99 })
    const lines = text.split('\n').slice(2)
    expect(lines).toHaveLength(20)
    expect(text).not.toMatch(/\p{Cs}/u)
    for (const line of lines) expect([...line].length).toBeLessThan(320)
  })
})

describe('A question', () => {
  it('of one sign finds what starts with it', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: 翻訳する。'),
      'skills/b/SKILL.md': skill('description: 記録する。'),
    })
    const found = await (await project.load()).searchSkills('翻')
    expect(found.map(({ skill: { name } }) => name)).toEqual(['a'])
  })

  it('of any length and with any limit is answered', async () => {
    const project = await makeProject({
      'skills/pdf/SKILL.md': skill('description: Fills forms.'),
      'skills/other/SKILL.md': skill(`description: ${'y'.repeat(5000)} forms.`),
    })
    const skills = await project.load()
    expect(await skills.searchSkills('x'.repeat(100_000))).toEqual([])
    expect(await skills.searchSkills(`forms ${'many words '.repeat(20_000)}`)).toHaveLength(2)
    expect(await skills.searchSkills('forms', { limit: -1 })).toEqual([])
  })
})

describe('Words', () => {
  it('meet in whatever form they are written', () => {
    for (const forms of [
      ['migrate', 'migrating', 'migrations', 'Migrated'],
      ['test', 'tests', 'Testing', 'tested'],
      ['query', 'queries'],
      ['deploy', 'deployment', 'deploys'],
      ['plan', 'planning'],
    ]) {
      expect(new Set(forms.map(foldWord)).size, forms.join()).toBe(1)
    }
    expect(foldWord('the')).toBeNull()
  })

  it('are split where scripts and names do', () => {
    expect(splitWords('db-migration for PostgreSQL_16')).toEqual([
      'db',
      'migration',
      'for',
      'PostgreSQL',
      'Postgre',
      'SQL',
      '16',
    ])
    expect(splitWords('日本語 x')).toEqual(['日本', '本語', 'x'])
  })
})
