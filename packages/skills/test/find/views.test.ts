import { nodeFiles } from '@ext/kernel/node'
import type { BulkFiles, FilesPort, ListedItem, Snapshot } from '@ext/kernel/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Skill, Skills } from '../../src/index.js'
import { makeProject, skill } from '../project.js'

/** What a resolution comes to, without the forms in which a file system may give back names. */
function resolution(skills: Skills, root: string) {
  const form = (text: string | undefined) => text?.replace(root, '').normalize('NFC')
  const { entries, records }: Snapshot<Skill> = skills.snapshot
  return {
    entries: entries.map(({ name, value }) => [name, value.name.normalize('NFC'), value.description, form(value.file)]),
    records: records.map(({ name, verdict, source }) => [form(name), verdict, form(source.file)]),
    said: skills.diagnostics.map(({ code, source }) => [code, form(source.file), source.line]),
    explained: form(JSON.stringify(skills.explain('café'))),
  }
}

async function crowd() {
  const project = await makeProject({
    'skills/b/café/SKILL.md': skill('description: First.'),
    'skills/c/CAFÉ/SKILL.md': skill('description: Second.'),
    'skills/d/notes/skill.md': skill('description: Notes.'),
    'skills/e/notes/SKILL.md': skill('description: Notes.'),
    'skills/broken/SKILL.md': 'no header',
    'skills/zebra/SKILL.md': skill('name: Café\ndescription: Third.'),
    'home/café/SKILL.md': skill('description: Far.'),
  })
  await project.link('skills/a-link', 'b')
  const layers = [project.source('home', 'user'), project.source('skills')]
  return { project, load: (files: FilesPort) => project.load({ layers, files }) }
}

/** The same disk, through a change of what it lists. */
function viewed(change: (items: readonly ListedItem[]) => readonly ListedItem[]): FilesPort {
  const real = nodeFiles()
  const bulk = real.bulk as BulkFiles
  return {
    ...real,
    list: async (path) => {
      const items = await real.list(path)
      return items && change(items.map((item) => ({ ...item, link: true })))
    },
    bulk: {
      ...bulk,
      async listAll(folders, options) {
        const looks = await bulk.listAll(folders, options)
        return looks.map((look) => (look.state === 'listed' ? { ...look, items: change(look.items) } : look))
      },
    },
  }
}

/** A disk that gives names back in another form, and takes either. */
function inForm(form: 'NFD' | 'NFC'): FilesPort {
  const real = nodeFiles()
  const disk = (path: string) => path.normalize('NFC')
  return {
    list: async (path) => (await real.list(disk(path)))?.map((item) => ({ ...item, name: item.name.normalize(form) })),
    readText: (path, options) => real.readText(disk(path), options),
    realPath: async (path) => (await real.realPath(disk(path)))?.normalize(form),
    isExecutable: (path) => real.isExecutable(disk(path)),
  }
}

describe('The resolution', () => {
  it('is the same in 100 orders of listing', async () => {
    const { project, load } = await crowd()
    const expected = resolution(await load(nodeFiles()), project.root)
    expect(expected.entries).toHaveLength(2)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), async (numbers) => {
        const shuffled = (items: readonly ListedItem[]) =>
          items
            .map((item, index) => ({ item, rank: numbers[index % numbers.length] ?? 0 }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ item }) => item)
        expect(resolution(await load(viewed(shuffled)), project.root)).toEqual(expected)
      }),
      { numRuns: 100, seed: 11 },
    )
  })

  it('is the same on a file system that decomposes names', async () => {
    const { project, load } = await crowd()
    const composed = resolution(await load(inForm('NFC')), project.root)
    expect(resolution(await load(inForm('NFD')), project.root)).toEqual(composed)
    expect(composed).toEqual(resolution(await load(nodeFiles()), project.root))
  })

  it('is the same where a file answers to its name in any case', async () => {
    const { project, load } = await crowd()
    const real = nodeFiles()
    const { bulk: _, ...plain } = real
    const fold = (path: string) =>
      path.replace(/SKILL\.md$/i, (name) => (path.includes('/d/notes/') ? 'skill.md' : name))
    const insensitive: FilesPort = { ...plain, readText: (path, options) => real.readText(fold(path), options) }
    expect(resolution(await load(insensitive), project.root)).toEqual(resolution(await load(nodeFiles()), project.root))
  })
})
