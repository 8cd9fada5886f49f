import { nodeFiles } from '@ext/kernel/node'
import { memoryFiles } from '@ext/kernel/testing'
import type { FilesPort, Snapshot } from '@ext/kernel/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadSkills, type Skill } from '../../src/index.js'
import { codes, makeProject, names, skill } from '../project.js'

describe('Where skills are found', () => {
  it('finds skills in sub-folders and in folders that group them', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: Deploys.'),
      'skills/writing/notes/SKILL.md': skill('description: Writes notes.'),
      'skills/.system/setup/SKILL.md': skill('description: Sets up.'),
    })
    const skills = await project.load()
    expect(names(skills)).toEqual(['deploy', 'notes', 'setup'])
    expect(skills.diagnostics).toEqual([])
  })

  it('does not take the files of a skill for skills', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: Deploys.'),
      'skills/deploy/examples/demo/SKILL.md': skill('description: An example for readers.'),
    })
    expect(names(await project.load())).toEqual(['deploy'])
  })

  it('mentions a skill inside a folder that is itself called SKILL.md', async () => {
    const project = await makeProject({ 'skills/deploy/SKILL.md/SKILL.md': skill('description: One too deep.') })
    const skills = await project.load()
    expect(names(skills)).toEqual([])
    expect(codes(skills.diagnostics).toSorted()).toEqual(['config.file.not-a-file', 'skills.file.nested'])
  })

  it('skips .git and node_modules', async () => {
    const project = await makeProject({
      'skills/.git/a/SKILL.md': skill('description: A.'),
      'skills/node_modules/b/SKILL.md': skill('description: B.'),
      'skills/c/SKILL.md': skill('description: C.'),
    })
    expect(names(await project.load())).toEqual(['c'])
  })

  it('says nothing about a folder that does not exist, and records it as missing', async () => {
    const project = await makeProject()
    const skills = await project.load()
    expect(skills.diagnostics).toEqual([])
    expect(skills.snapshot.files).toEqual([
      { file: project.path('skills'), layer: 'project', dialect: 'skills', state: 'missing' },
    ])
  })

  it('reports a skills folder that is a file', async () => {
    const project = await makeProject({ skills: 'not a folder' })
    const skills = await project.load()
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.folder.unreadable', severity: 'error', source: { file: project.path('skills') } },
    ])
    expect(skills.snapshot.files).toMatchObject([{ file: project.path('skills'), state: 'failed' }])
  })

  it('reports a SKILL.md in the skills folder itself, which hides nothing', async () => {
    const project = await makeProject({
      'skills/SKILL.md': skill('description: Stray.'),
      'skills/deploy/SKILL.md': skill('description: Deploys.'),
    })
    const skills = await project.load()
    expect(names(skills)).toEqual(['deploy'])
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.file.misplaced', severity: 'error', source: { file: project.path('skills/SKILL.md') } },
    ])
    expect(skills.snapshot.records.map(({ verdict }) => verdict).toSorted()).toEqual(['broken', 'loaded'])
  })

  it('loads a file whose name differs in case and says so on every system', async () => {
    const project = await makeProject({ 'skills/deploy/skill.md': skill('description: Deploys.') })
    const skills = await project.load()
    expect(names(skills)).toEqual(['deploy'])
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.file.case', severity: 'warning', expected: ['SKILL.md'] },
    ])
  })

  it('refuses a folder with two files that differ from SKILL.md in case', async () => {
    const files = memoryFiles({
      '/skills/deploy/SKILL.md': skill('description: One.'),
      '/skills/deploy/skill.md': skill('description: Two.'),
    })
    const skills = await loadMemory(files)
    expect(names(skills)).toEqual([])
    expect(codes(skills.diagnostics)).toEqual(['skills.file.ambiguous'])
  })

  it('refuses a layer that is no folder, which is an error of the program', async () => {
    const value = { kind: 'value', layer: 'session', dialect: 'skills', name: 'x', value: {} } as const
    const load = loadSkills({ layers: [value], ports: { files: nodeFiles() }, projectDir: '/' })
    await expect(load).rejects.toMatchObject({ code: 'skills.layers.kind' })
  })
})

describe('A folder that is named twice', () => {
  it('gives its skills all the same', async () => {
    const project = await makeProject({ 'skills/a/SKILL.md': skill('description: D.') })
    for (const layers of [
      [project.source('skills'), project.source('skills')],
      [project.source('skills'), project.source('skills/')],
      [project.source('skills', 'user'), project.source('skills')],
    ]) {
      const skills = await project.load({ layers })
      expect(names(skills)).toEqual(['a'])
      expect(skills.diagnostics).toEqual([])
    }
  })
})

describe('Links', () => {
  it('follows a link to a skill folder', async () => {
    const project = await makeProject({ 'src/deploy/SKILL.md': skill('name: deploy\ndescription: Deploys.') })
    await project.link('skills/deploy', '../src/deploy')
    const skills = await project.load()
    expect(skills.snapshot.entries.map(({ value }) => value.folder)).toEqual([project.path('skills/deploy')])
    expect(skills.diagnostics).toEqual([])
  })

  it('follows a SKILL.md that is a link', async () => {
    const project = await makeProject({ 'store/abc': skill('description: Deploys.') })
    await project.link('skills/deploy/SKILL.md', '../../store/abc')
    expect(names(await project.load())).toEqual(['deploy'])
  })

  it('loads a skill once that can be reached in several ways, under the name of its own folder', async () => {
    const project = await makeProject({ 'skills/deploy/SKILL.md': skill('description: Deploys.') })
    await project.link('skills/alias', 'deploy')
    await project.link('skills/same-file/SKILL.md', '../deploy/SKILL.md')
    await project.link('skills/loop/back', '../..')
    const skills = await project.load()
    expect(skills.snapshot.entries.map(({ value }) => value.folder)).toEqual([project.path('skills/deploy')])
    expect(skills.snapshot.records).toHaveLength(1)
    expect(skills.diagnostics).toEqual([])
  })

  it('loads a skills folder once that is linked from another, in the nearest layer', async () => {
    const project = await makeProject({ 'home/skills/deploy/SKILL.md': skill('description: Deploys.') })
    await project.link('skills', 'home/skills')
    const layers = [project.source('skills', 'project'), project.source('home/skills', 'user')]
    for (const order of [layers, layers.toReversed()]) {
      const skills = await project.load({ layers: order })
      expect(skills.snapshot.records).toMatchObject([{ verdict: 'loaded', source: { layer: 'project' } }])
      expect(skills.diagnostics).toEqual([])
    }
  })

  it('reports links that lead nowhere', async () => {
    const project = await makeProject({ 'skills/good/SKILL.md': skill('description: Works.') })
    await project.link('skills/gone', '../nowhere')
    await project.link('skills/half/SKILL.md', 'nowhere.md')
    const skills = await project.load()
    expect(names(skills)).toEqual(['good'])
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.file.missing', severity: 'error', source: { file: project.path('skills/half/SKILL.md') } },
      { code: 'skills.folder.dangling', severity: 'warning', source: { file: project.path('skills/gone') } },
    ])
  })
})

describe('Limits', () => {
  it('searches to depth 6 and reports the first folder below it', async () => {
    const project = await makeProject({
      'skills/1/2/3/4/5/six/SKILL.md': skill('description: Just within.'),
      'skills/1/2/3/4/5/6/seven/SKILL.md': skill('description: Too deep.'),
    })
    const skills = await project.load()
    expect(names(skills)).toEqual(['six'])
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.limit.depth', source: { file: project.path('skills/1/2/3/4/5/6/seven') } },
    ])
  })

  it('searches 2,000 folders of a source and reports the first one after them', async () => {
    const many = Array.from({ length: 2001 }, (_, index) => `s${String(index).padStart(4, '0')}`)
    const files = treeFiles(new Map(many.map((name) => [name, skill('description: One of many.')])))
    const skills = await loadMemory(files)
    expect(skills.snapshot.entries).toHaveLength(2000)
    expect(skills.diagnostics.filter(({ code }) => code.startsWith('skills.limit'))).toMatchObject([
      { code: 'skills.limit.folders', source: { file: '/skills/s2000' } },
    ])
  })

  it('does not read a SKILL.md of more than 1 MiB', async () => {
    const project = await makeProject({
      'skills/huge/SKILL.md': skill('description: Huge.', 'x'.repeat(1024 * 1024)),
      'skills/small/SKILL.md': skill('description: Small.'),
    })
    const skills = await project.load()
    expect(names(skills)).toEqual(['small'])
    expect(codes(skills.diagnostics)).toEqual(['config.file.too-large'])
  })

  it('reports a folder that can not be listed', async () => {
    const project = await makeProject({
      'skills/closed/a/SKILL.md': skill('description: A.'),
      'skills/open/SKILL.md': skill('description: B.'),
    })
    const real = nodeFiles()
    const closed = project.path('skills/closed')
    const skills = await project.load({
      files: {
        ...real,
        bulk: undefined,
        list: (path) => (path === closed ? Promise.resolve(undefined) : real.list(path)),
      },
    })
    expect(names(skills)).toEqual(['open'])
    expect(skills.diagnostics).toMatchObject([{ code: 'skills.folder.unreadable', source: { file: closed } }])
  })
})

describe('Skills of the same name', () => {
  it('takes the one of the nearest layer and says which it replaces', async () => {
    const project = await makeProject({
      'home/deploy/SKILL.md': skill('description: Of the user.'),
      'skills/Deploy/SKILL.md': skill('description: Of the project.'),
    })
    const layers = [project.source('skills'), project.source('home', 'user')]
    const skills = await project.load({ layers })
    expect(skills.snapshot.entries.map(({ value }) => value.description)).toEqual(['Of the project.'])
    expect(skills.diagnostics).toMatchObject([
      { code: 'config.entry.shadowed', severity: 'info', source: { file: project.path('home/deploy/SKILL.md') } },
    ])
  })

  it('takes the one nearest to the root, then the first by name, within one source', async () => {
    const project = await makeProject({
      'skills/a/a/deploy/SKILL.md': skill('description: Deep.'),
      'skills/z/deploy/SKILL.md': skill('description: Less deep, later.'),
      'skills/b/deploy/SKILL.md': skill('description: Less deep, first.'),
    })
    const skills = await project.load()
    expect(skills.snapshot.entries.map(({ value }) => value.description)).toEqual(['Less deep, first.'])
  })

  it('says nothing about identical copies', async () => {
    const text = skill('description: The same.')
    const project = await makeProject({ 'home/deploy/SKILL.md': text, 'skills/deploy/SKILL.md': text })
    const skills = await project.load({ layers: [project.source('skills'), project.source('home', 'user')] })
    expect(skills.snapshot.entries.map(({ source }) => source.layer)).toEqual(['project'])
    expect(skills.snapshot.records.map(({ verdict }) => verdict).toSorted()).toEqual(['loaded', 'shadowed'])
    expect(skills.diagnostics).toEqual([])
  })

  it('compares names in NFC, as file systems store them in either form', async () => {
    const project = await makeProject({
      'home/a/SKILL.md': skill(`name: ${'pr\u00e9paration'.normalize('NFD')}\ndescription: Decomposed.`),
      'skills/b/SKILL.md': skill(`name: ${'PR\u00c9PARATION'.normalize('NFC')}\ndescription: Composed.`),
    })
    const skills = await project.load({ layers: [project.source('home', 'user'), project.source('skills')] })
    expect(skills.snapshot.entries.map(({ value }) => value.description)).toEqual(['Composed.'])
  })
})

describe('Order', () => {
  it('gives the same snapshot in whatever order the file system lists', async () => {
    const project = await makeProject({
      'skills/b/deploy/SKILL.md': skill('description: First.'),
      'skills/c/Deploy/SKILL.md': skill('description: Second.'),
      'skills/a/notes/SKILL.md': skill('name: other\ndescription: Notes.'),
      'skills/d/SKILL.md': skill('nonsense: true'),
      'skills/e/SKILL.md': 'no header',
    })
    await project.link('skills/a-link', 'b')
    await project.link('skills/z-link', 'a/notes')
    const real = nodeFiles()
    const expected = outline((await project.load()).snapshot)
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (numbers) => {
        const files: FilesPort = {
          ...real,
          bulk: undefined,
          list: async (path) => shuffled((await real.list(path)) ?? [], numbers),
        }
        expect(outline((await project.load({ files })).snapshot)).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })
})

function outline({ entries, records, files, diagnostics }: Snapshot<Skill>) {
  return {
    entries: entries.map(({ id, name, value, source }) => ({ id, name, value, source })),
    records: records.map((record) => ({ ...record, source: { ...record.source } })),
    files,
    diagnostics: diagnostics.map((each) => ({ ...each, source: { ...each.source } })),
  }
}

function shuffled<T>(items: readonly T[], numbers: Iterator<number>): readonly T[] {
  return items
    .map((item) => ({ item, rank: numbers.next().value ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

function loadMemory(files: FilesPort) {
  const layers = [{ kind: 'folder', layer: 'project', dialect: 'skills', path: '/skills' }] as const
  return loadSkills({ layers, ports: { files }, projectDir: '/' })
}

/** Many skills in one folder, without the cost of as many real ones. */
function treeFiles(texts: ReadonlyMap<string, string>): FilesPort {
  const nameIn = (path: string) => /^\/skills\/([^/]+)/.exec(path)?.[1] ?? ''
  return {
    list: async (path) =>
      path === '/skills'
        ? [...texts.keys()].map((name) => ({ name, kind: 'folder' }))
        : [{ name: 'SKILL.md', kind: 'file' }],
    readText: async (path) => ({ text: texts.get(nameIn(path)) ?? '' }),
    realPath: async (path) => path,
    isExecutable: async () => false,
  }
}
