import { describe, expect, it } from 'vitest'
import {
  type ConfigSource,
  documentReader,
  ExtError,
  isMap,
  type LoadHost,
  listEntries,
  type Pipeline,
  type Reader,
} from '../../src/index.js'
import { memoryFiles } from '../../src/testing/index.js'
import { type Toy, toyPipeline } from '../toy-axis.js'
import { codes, file, value, values, verdicts } from './toys.js'

type Content = Parameters<typeof memoryFiles>[0]

/** Loads once for each state of the files, every time with what was loaded before. */
async function reload(
  sources: readonly ConfigSource[],
  states: readonly Content[],
  { pipeline = toyPipeline(), approved = () => true }: ReloadOptions = {},
) {
  const host = (content: Content) => ({ files: memoryFiles(content), approved })
  const [first = {}, ...later] = states
  let snapshot = await pipeline.load(sources, undefined, host(first))
  for (const content of later) {
    snapshot = await pipeline.load(sources, undefined, host(content), { previous: snapshot })
  }
  return snapshot
}

interface ReloadOptions {
  readonly pipeline?: Pipeline<Toy, string, undefined>
  readonly approved?: Required<LoadHost<Toy>>['approved']
}

const user = [file('user', '/u.yaml')]
const good = { '/u.yaml': 'toys:\n  ball: {size: 1}\n  cube: {size: 2}\n  kite: {size: 3}\n' }
const all = [
  ['ball', 'size 1'],
  ['cube', 'size 2'],
  ['kite', 'size 3'],
]

describe('the last good version of an entry', () => {
  it('stays when the file does not parse any more, and a warning says so at the place of the fault', async () => {
    const snapshot = await reload(user, [good, { '/u.yaml': 'toys:\n  ball: {size: 1\n' }])
    expect(values(snapshot)).toEqual(all)
    expect(verdicts(snapshot)).toEqual({
      'user/ball (stale)': 'loaded',
      'user/cube (stale)': 'loaded',
      'user/kite (stale)': 'loaded',
    })
    const [error, ...warnings] = snapshot.diagnostics
    expect(error).toMatchObject({ code: 'config.syntax.yaml', severity: 'error' })
    expect(warnings).toHaveLength(3)
    expect(warnings[0]).toMatchObject({
      code: 'config.entry.last-good',
      severity: 'warning',
      entry: 'user:/u.yaml#/toys/ball',
      source: error?.source,
    })
    expect(snapshot.files).toMatchObject([{ file: '/u.yaml', state: 'failed' }])
  })

  it.each(['unreadable', 'too-large', 'not-a-file', 'not-utf8'] as const)(
    'stays when the file has become %s',
    async (failure) => {
      const snapshot = await reload(user, [good, { '/u.yaml': { failure } }])
      expect(values(snapshot)).toEqual(all)
      expect(snapshot.diagnostics).toMatchObject([
        { code: `config.file.${failure}` },
        ...all.map(() => ({ code: 'config.entry.last-good', source: { file: '/u.yaml' } })),
      ])
    },
  )

  it.each([
    ['is not well formed', '{size: big}', 'toys.size'],
    ['does not compile', '{size: -1}', 'toys.negative'],
  ])('stays in its old place when the new one %s, and that is an error all the same', async (_what, toy, code) => {
    const snapshot = await reload(user, [good, { '/u.yaml': good['/u.yaml'].replace('{size: 2}', toy) }])
    expect(values(snapshot)).toEqual(all)
    expect(verdicts(snapshot)).toEqual({
      'user/ball': 'loaded',
      'user/cube': 'broken',
      'user/cube (stale)': 'loaded',
      'user/kite': 'loaded',
    })
    expect(snapshot.diagnostics).toMatchObject([
      { code, severity: 'error', entry: 'user:/u.yaml#/toys/cube', source: { line: 3 } },
      { code: 'config.entry.last-good', entry: 'user:/u.yaml#/toys/cube', source: { line: 3 } },
    ])
  })

  it('stays when the part of the file that held it has become something else', async () => {
    const snapshot = await reload(user, [good, { '/u.yaml': 'toys: [ball]' }])
    expect(values(snapshot)).toEqual(all)
    expect(codes(snapshot)).toContain('config.shape')
  })

  it('stays over several reloads, and gives way to what is good again', async () => {
    const broken = { '/u.yaml': 'toys: [' }
    expect(values(await reload(user, [good, broken, broken, broken]))).toEqual(all)
    const snapshot = await reload(user, [good, broken, { '/u.yaml': 'toys: {ball: {size: 9}}' }])
    expect([values(snapshot), snapshot.diagnostics]).toEqual([[['ball', 'size 9']], []])
  })

  it('is gone when somebody has removed the entry, the file or the source', async () => {
    const gone = await reload(user, [good, { '/u.yaml': 'toys: {cube: {size: 2}, kite: {size: none}}' }])
    expect(values(gone)).toEqual(all.slice(1))
    expect(values(await reload(user, [good, {}]))).toEqual([])
    expect(values(await reload(user, [good, { '/u.yaml': '' }]))).toEqual([])
    const pipeline = toyPipeline()
    const previous = await pipeline.load(user, undefined, { files: memoryFiles(good) })
    const moved = [file('project', '/u.yaml')]
    const host = { files: memoryFiles({ '/u.yaml': 'toys: [' }) }
    expect(values(await pipeline.load(moved, undefined, host, { previous }))).toEqual([])
  })

  it('is not kept by a first load, nor for values, which their owner has', async () => {
    const pipeline = toyPipeline()
    const files = memoryFiles({})
    const previous = await pipeline.load([value('user', { ball: { size: 1 } })], undefined, { files })
    const broken = [value('user', { ball: { size: 'big' } })]
    expect(values(await pipeline.load(broken, undefined, { files }, { previous }))).toEqual([])
    expect(values(await pipeline.load(broken, undefined, { files }))).toEqual([])
  })

  it('is asked for consent again', async () => {
    const sources = [file('project', '/p.yaml')]
    const states = [{ '/p.yaml': 'toys: {tower: {size: 1000}}' }, { '/p.yaml': 'toys: {tower: {size: huge}}' }]
    expect(values(await reload(sources, states))).toEqual([['tower', 'size 1000']])
    const asked: Toy[] = []
    const snapshot = await reload(sources, states, {
      approved: ({ value: toy }) => asked.push(toy) === 1,
    })
    expect(asked).toHaveLength(2)
    expect(verdicts(snapshot)).toEqual({ 'project/tower': 'broken', 'project/tower (stale)': 'untrusted' })
    expect(values(snapshot)).toEqual([])
  })

  it('still replaces, is replaced, and switches off', async () => {
    const sources = [...user, file('project', '/p.yaml')]
    const project = { '/p.yaml': 'toys: {ball: {size: 5}, cube: {size: 0, off: true}}' }
    const broken = { ...good, '/p.yaml': '{' }
    const still = await reload(sources, [{ ...good, ...project }, broken])
    expect(values(still)).toEqual([
      ['kite', 'size 3'],
      ['ball', 'size 5'],
    ])
    expect(verdicts(still)).toMatchObject({
      'user/ball': 'shadowed',
      'project/ball (stale)': 'loaded',
      'project/cube (stale)': 'disabled',
    })
    expect(codes(still).filter((code) => code === 'config.entry.last-good')).toHaveLength(2)
    const back = await reload(sources, [{ ...good, ...project }, { ...project, '/u.yaml': '{' }, { '/u.yaml': '{' }])
    expect(values(back)).toEqual(all)
  })

  it('is none where what was shadowed could never be compiled: a reload says no more than the first load', async () => {
    const sources = [...user, file('project', '/p.yaml')]
    const states = { '/u.yaml': 'toys: {ball: {size: -1}}', '/p.yaml': 'toys: {ball: {size: 5}}' }
    const first = await reload(sources, [states])
    const again = await reload(sources, [states, states])
    expect([again.records, again.diagnostics]).toEqual([first.records, first.diagnostics])
    const alone = { '/u.yaml': states['/u.yaml'] }
    const uncovered = await reload(sources, [states, alone])
    expect([verdicts(uncovered), codes(uncovered)]).toEqual([{ 'user/ball': 'broken' }, ['toys.negative']])
    const worse = await reload(sources, [states, { '/u.yaml': 'toys: {ball: {size: none}}' }])
    expect([verdicts(worse), codes(worse)]).toEqual([{ 'user/ball': 'broken' }, ['toys.size']])
  })

  it('of a managed file stays, while the fault of that file closes everything all the same', async () => {
    const sources = [...user, file('managed', '/m.yaml')]
    const big = { '/u.yaml': 'toys: {tower: {size: 1000}}' }
    const snapshot = await reload(sources, [
      { ...big, '/m.yaml': 'toys: {rule: {size: 1}}' },
      { ...big, '/m.yaml': '?' + '[' },
    ])
    expect(values(snapshot)).toEqual([['rule', 'size 1']])
    expect(snapshot.managedBroken).toBe(true)
  })
})

describe('the last good version of an entry in a list', () => {
  const pipeline = () =>
    toyPipeline('append', {
      readers: [documentReader('ext', (document) => listEntries(document, '/toys'))],
      identity: ({ value: { size } }) => `toy ${size}`,
    })
  const list = (...sizes: readonly unknown[]): Content => ({
    '/u.yaml': JSON.stringify({ toys: sizes.map((size) => ({ size })) }),
  })
  const after = async (...states: readonly Content[]) =>
    values(await reload(user, states, { pipeline: pipeline() })).map(([name]) => name)

  it('stays when one is broken where it stands', async () => {
    expect(await after(list(1, 2, 3), list(1, 'two', 3))).toEqual(['toy 1', 'toy 2', 'toy 3'])
    expect(await after(list(1, 2, 3), { '/u.yaml': '[' }, list(1, 2, 'three'))).toEqual(['toy 1', 'toy 2', 'toy 3'])
  })

  it('is gone when the list has another length, since nobody knows then which one is broken', async () => {
    expect(await after(list(1, 2, 3), list(2, 'three'))).toEqual(['toy 2'])
  })

  it('is not kept beside itself when it has only moved', async () => {
    expect(await after(list(1, 2), list(2, 'one'))).toEqual(['toy 2'])
  })
})

describe('the last good version of an entry in a folder', () => {
  /** One toy for each file of a folder. */
  const folderReader: Reader<unknown> = {
    dialect: 'folder',
    async read(source, files) {
      if (source.kind !== 'folder') return { entries: [], broken: [], diagnostics: [], files: [] }
      const { path, layer, dialect } = source
      const items = await files.list(path)
      const failed = (of: string) => ({ file: of, layer, dialect, state: 'failed' as const })
      if (!items) return { entries: [], broken: [], diagnostics: [], files: [failed(path)] }
      const read = await Promise.all(
        items.map(async ({ name }) => ({ name, ...(await files.readText(`${path}/${name}`)) })),
      )
      const isGood = ({ text }: { text?: string | undefined }) => text !== undefined && text !== 'broken'
      return {
        entries: read.filter(isGood).map(({ name, text }) => ({
          id: `${layer}:${path}/${name}#`,
          value: { size: Number(text) },
          source: { layer, dialect, file: `${path}/${name}` },
          pointer: '',
          at: () => ({ layer, file: `${path}/${name}` }),
        })),
        broken: read
          .filter((each) => !isGood(each))
          .map(({ name }) => ({
            id: `${layer}:${path}/${name}#`,
            name,
            source: { layer, file: `${path}/${name}`, line: 7 },
          })),
        diagnostics: [],
        files: read.filter((each) => !isGood(each)).map(({ name }) => failed(`${path}/${name}`)),
      }
    },
  }
  const sources: ConfigSource[] = [{ kind: 'folder', layer: 'user', dialect: 'folder', path: '/toys' }]
  // All of one name: the last one wins, so their order shows.
  const pipeline = () => toyPipeline('override', { readers: [folderReader], identity: () => 'toy' })
  const first = { '/toys/a': '1', '/toys/b': '2' }

  it('stays in its old place among its siblings', async () => {
    const snapshot = await reload(sources, [first, { ...first, '/toys/a': 'broken' }], { pipeline: pipeline() })
    expect(values(snapshot)).toEqual([['toy', 'size 2']])
  })

  it('stays with a folder in between that can not be read', async () => {
    const subfolders: Reader<unknown> = {
      ...folderReader,
      async read(source, files) {
        const { text } = await files.readText('/toys/b/state')
        if (source.kind !== 'folder' || text === 'open') {
          return folderReader.read({ ...source, kind: 'folder', path: '/toys/b' }, files)
        }
        const diagnostics = [
          { code: 'toys.folder', severity: 'error', message: 'x', source: { layer: 'user', file: '/toys/b' } } as const,
        ]
        return { entries: [], broken: [], diagnostics, files: [] }
      },
    }
    const states = [{ '/toys/b/state': 'open', '/toys/b/x': '1' }, { '/toys/b/state': 'closed' }]
    const snapshot = await reload(sources, states, {
      pipeline: toyPipeline('override', { readers: [subfolders], identity: ({ id }) => id }),
    })
    expect(values(snapshot)).toEqual([['user:/toys/b/x#', 'size 1']])
  })

  it('stays with the folder that can not be listed, and goes with its file', async () => {
    expect(values(await reload(sources, [first, {}], { pipeline: pipeline() }))).toEqual([['toy', 'size 2']])
    expect(values(await reload(sources, [first, { '/toys/a': '1' }], { pipeline: pipeline() }))).toEqual([
      ['toy', 'size 1'],
    ])
  })
})

describe('a reload', () => {
  it('of what another pipeline has loaded, or of a copy, is a fault of the program', async () => {
    const pipeline = toyPipeline()
    const host = { files: memoryFiles(good) }
    const previous = await pipeline.load(user, undefined, host)
    const wrong = [
      toyPipeline().load(user, undefined, host, { previous }),
      pipeline.load(user, undefined, host, { previous: { ...previous } }),
    ]
    for (const each of wrong) {
      await expect(each).rejects.toSatisfy(
        (error) => ExtError.isInstance(error) && error.code === 'kernel.snapshot.foreign',
      )
    }
  })

  it('survives a host that throws when it is asked for consent again, and says so', async () => {
    const sources = [file('project', '/p.yaml')]
    let asked = 0
    const snapshot = await reload(sources, [{ '/p.yaml': 'toys: {tower: {size: 1000}}' }, { '/p.yaml': '{' }], {
      approved: () => {
        asked++
        if (asked > 1) throw new Error('the store is gone')
        return true
      },
    })
    expect(verdicts(snapshot)).toEqual({ 'project/tower (stale)': 'broken' })
    expect(codes(snapshot)).toEqual(['config.syntax.yaml', 'config.reader.crashed'])
  })

  it('leaves what it was given untouched', async () => {
    const pipeline = toyPipeline()
    const previous = await pipeline.load(user, undefined, { files: memoryFiles(good) })
    const copy = structuredClone([values(previous), verdicts(previous)])
    await pipeline.load(user, undefined, { files: memoryFiles({ '/u.yaml': '{' }) }, { previous })
    expect([values(previous), verdicts(previous)]).toEqual(copy)
    expect(isMap(previous)).toBe(true)
  })
})
