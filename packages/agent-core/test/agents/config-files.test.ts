import { nodeFiles } from '@ext/kernel/node'
import { faultyFiles, memoryFiles } from '@ext/kernel/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadAgents } from '../../src/agents/index.js'
import { agent, makeFolder, said, verdicts } from './config-kit.js'

const GOOD = agent('description: Works.')

describe('Where agents are found', () => {
  it('finds files of the folder and of folders below, whatever the case of .md', async () => {
    const folder = await makeFolder({
      'agents/a.md': GOOD,
      'agents/review/b.MD': GOOD,
      'agents/.git/c.md': GOOD,
      'agents/node_modules/d.md': GOOD,
      'agents/notes.txt': 'no agent',
    })
    const agents = await folder.load()
    expect(agents.definitions.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(agents.diagnostics).toEqual([])
  })

  it('switches off what is named, in any case and in every layer', async () => {
    const layers = (['user', 'project'] as const).map(
      (layer) => ({ kind: 'folder', layer, dialect: 'agents', path: `/${layer}` }) as const,
    )
    const files = memoryFiles({ '/user/a.md': GOOD, '/project/A.md': GOOD, '/project/b.md': GOOD })
    const { definitions, diagnostics, snapshot } = await loadAgents({ layers, ports: { files }, disabled: ['A'] })
    expect(definitions.map(({ name }) => name)).toEqual(['b'])
    expect(snapshot.records.map(({ name, verdict, source }) => [source.layer, name, verdict])).toEqual([
      ['user', 'a', 'shadowed'],
      ['project', 'b', 'loaded'],
      ['project', 'a', 'disabled'],
    ])
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('says nothing about a folder that does not exist, and records it as missing', async () => {
    const folder = await makeFolder()
    const { diagnostics, snapshot } = await folder.load()
    expect(diagnostics).toEqual([])
    expect(snapshot.files).toMatchObject([{ file: folder.path('agents'), state: 'missing' }])
  })

  it.each([
    ['the folder of agents', '/p/agents', [], 'failed'],
    ['one below', '/p/agents/sub', ['a'], 'read'],
  ])('reports %s when it can not be listed', async (_what, path, names, state) => {
    const files = faultyFiles(memoryFiles({ '/p/agents/a.md': GOOD, '/p/agents/sub/b.md': GOOD }), { [path]: 'EACCES' })
    const { definitions, diagnostics, snapshot } = await loadAgents({
      layers: [{ kind: 'folder', layer: 'project', dialect: 'agents', path: '/p/agents' }],
      ports: { files },
    })
    expect(definitions.map(({ name }) => name)).toEqual(names)
    expect(diagnostics).toMatchObject([{ code: 'agents.folder.unreadable', severity: 'error', source: { file: path } }])
    expect(snapshot.files[0]).toMatchObject({ file: '/p/agents', state })
  })

  it('reports a file that stands where the folder of agents belongs', async () => {
    const folder = await makeFolder({ agents: 'no folder' })
    expect(said((await folder.load()).diagnostics)).toEqual(['error agents.folder.unreadable'])
  })

  it('follows links, and finds what can be reached in several ways once', async () => {
    const folder = await makeFolder({ 'shared/a.md': GOOD, 'agents/sub/b.md': GOOD })
    await folder.link('agents/linked.md', '../shared/a.md')
    await folder.link('agents/again.md', '../shared/a.md')
    await folder.link('agents/sub/loop', '..')
    const { definitions, diagnostics } = await folder.load()
    expect(definitions.map(({ name }) => name)).toEqual(['again', 'b'])
    expect(diagnostics).toEqual([])
  })

  it('reports a link that leads nowhere', async () => {
    const folder = await makeFolder({ 'agents/a.md': GOOD })
    await folder.link('agents/gone.md', '../nowhere.md')
    const { definitions, diagnostics } = await folder.load()
    expect(definitions).toHaveLength(1)
    expect(diagnostics).toMatchObject([
      { code: 'agents.file.missing', severity: 'error', source: { file: folder.path('agents/gone.md') } },
    ])
  })

  it('takes a README without a header for what it is', async () => {
    const folder = await makeFolder({ 'agents/README.md': '# Our agents\n', 'agents/a.md': GOOD })
    const { diagnostics, snapshot } = await folder.load()
    expect(said(diagnostics)).toEqual(['info agents.file.readme'])
    expect(snapshot.records).toHaveLength(1)
  })

  it('stops at a depth and at a number of files, and says so', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`/p/agents/${1000 + n}.md`, GOOD]))
    const deep = { '/p/deep/1/2/3/4/5/6/in.md': GOOD, '/p/deep/1/2/3/4/5/6/7/out.md': GOOD }
    const files = memoryFiles({ ...many, ...deep })
    const load = (path: string) =>
      loadAgents({ layers: [{ kind: 'folder', layer: 'project', dialect: 'agents', path }], ports: { files } })
    const all = await load('/p/agents')
    expect(all.definitions).toHaveLength(1000)
    expect(all.diagnostics).toMatchObject([
      { code: 'agents.limit.files', severity: 'warning', source: { file: '/p/agents/2000.md' } },
    ])
    const below = await load('/p/deep')
    expect(below.definitions.map(({ name }) => name)).toEqual(['in'])
    expect(below.diagnostics).toMatchObject([{ code: 'agents.limit.depth', severity: 'warning' }])
  })

  it('takes folders only', async () => {
    const layers = [{ kind: 'value', layer: 'user', dialect: 'agents', value: [], name: 'x' }] as const
    await expect(loadAgents({ layers, ports: { files: nodeFiles() } })).rejects.toMatchObject({
      code: 'agents.layers.kind',
    })
  })
})

describe('Agents of one name', () => {
  it('meet without regard to case; the nearest layer wins, and the other one is named', async () => {
    const folder = await makeFolder({
      'home/a.md': agent('name: Reviewer\ndescription: Of the person.'),
      'project/b.md': agent('name: reviewer\ndescription: Of the project.'),
    })
    // The order of layers is not that of the list.
    const agents = await folder.load({ layers: [folder.source('project'), folder.source('home', 'user')] })
    expect(agents.definitions).toMatchObject([{ name: 'reviewer', description: 'Of the project.' }])
    expect(verdicts(agents)).toEqual(['project loaded', 'user shadowed'])
    expect(agents.diagnostics).toMatchObject([
      {
        code: 'config.entry.shadowed',
        source: { file: folder.path('home/a.md') },
        related: [{ source: { file: folder.path('project/b.md') } }],
      },
    ])
  })

  it('in one folder: the file nearest to it wins, and among those the first by name', async () => {
    const folder = await makeFolder({
      'agents/b.md': agent('name: Same\ndescription: b'),
      'agents/a/c.md': agent('name: same\ndescription: c'),
      'agents/d.md': agent('name: SAME\ndescription: d'),
    })
    const { definitions, diagnostics } = await folder.load()
    expect(definitions).toMatchObject([{ description: 'b' }])
    expect(said(diagnostics)).toEqual(['info config.entry.shadowed', 'info config.entry.shadowed'])
  })
})

describe('A broken agent file costs itself only', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['without a header', '# Reviewer\n', 'frontmatter.missing'],
    ['that is empty', '', 'frontmatter.missing'],
    ['without the end of its header', '---\ndescription: D.\n', 'frontmatter.unclosed'],
    ['whose header is no YAML', agent('description: "D.'), 'config.syntax.yaml'],
    ['whose header is a list', agent('- a'), 'config.shape'],
    ['with lines of a description that are not indented', agent('description: D.\nuser: "a"\nb'), 'config.syntax.yaml'],
    ['that is not UTF-8', new Uint8Array([0x2d, 0xff, 0xfe, 0x00]), 'config.file.not-utf8'],
    ['of more than 1 MiB', agent('description: D.', 'x'.repeat(1024 * 1024)), 'config.file.too-large'],
  ])('%s', async (_what, content, code) => {
    const folder = await makeFolder({ 'agents/good.md': GOOD })
    await folder.write('agents/bad.md', content)
    const { definitions, diagnostics, snapshot } = await folder.load()
    expect(definitions.map(({ name }) => name)).toEqual(['good'])
    expect(diagnostics).toMatchObject([{ code, severity: 'error', source: { file: folder.path('agents/bad.md') } }])
    const broken = snapshot.records.filter(({ verdict }) => verdict === 'broken')
    expect(broken).toMatchObject([{ axis: 'agents', name: folder.path('agents/bad.md'), id: diagnostics[0]?.entry }])
  })

  it('whatever the file holds', async () => {
    const word = fc.constantFrom(
      '---',
      'name',
      'description',
      'tools',
      ':',
      ' ',
      '\n',
      '[',
      '"',
      '*',
      '(',
      'Bash',
      '\0',
      '#',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 30 }), async (words) => {
        const files = memoryFiles({ '/a/bad.md': words.join(''), '/a/good.md': GOOD })
        const { definitions, snapshot, diagnostics } = await loadAgents({
          layers: [{ kind: 'folder', layer: 'project', dialect: 'agents', path: '/a' }],
          ports: { files },
        })
        expect(definitions.some(({ description }) => description === 'Works.')).toBe(true)
        for (const { id, verdict } of snapshot.records) {
          const hasError = diagnostics.some(({ severity, entry }) => severity === 'error' && entry === id)
          expect(hasError).toBe(verdict === 'broken')
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('When agents are loaded again', () => {
  it('takes over what has changed, what is new and what is gone', async () => {
    const folder = await makeFolder({ 'agents/a.md': agent('description: Old.'), 'agents/b.md': GOOD })
    const agents = await folder.load()
    await folder.write('agents/a.md', agent('description: New.'))
    await folder.write('agents/c.md', GOOD)
    await folder.remove('agents/b.md')
    await agents.replace([folder.source('agents')])
    expect(agents.definitions.map(({ name, description }) => `${name} ${description}`)).toEqual(['a New.', 'c Works.'])
  })

  it.each([
    ['whose YAML is broken now', 'description: "D.'],
    ['whose limits can not be read now', 'description: D.\ntools: {}'],
    ['that has lost its description', 'name: a'],
  ])('keeps the last good version of one %s', async (_what, header) => {
    const folder = await makeFolder({ 'agents/a.md': agent('description: Good.\ntools: Read') })
    const agents = await folder.load()
    await folder.write('agents/a.md', agent(header))
    await agents.replace([folder.source('agents')])
    expect(agents.definitions).toMatchObject([{ description: 'Good.', tools: ['Read'] }])
    expect(said(agents.diagnostics)).toContain('warning config.entry.last-good')
    expect(agents.snapshot.records.map(({ verdict, stale }) => [verdict, stale])).toEqual([
      ['broken', undefined],
      ['loaded', true],
    ])
  })

  it('changes nothing for layers that it can not take', async () => {
    const folder = await makeFolder({ 'agents/a.md': GOOD })
    const agents = await folder.load()
    const { snapshot } = agents
    await expect(
      agents.replace([{ kind: 'file', layer: 'user', dialect: 'agents', path: '/x.md' }]),
    ).rejects.toMatchObject({ code: 'agents.layers.kind' })
    expect(agents.snapshot).toBe(snapshot)
  })
})
