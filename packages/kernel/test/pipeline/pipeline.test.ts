import { describe, expect, it } from 'vitest'
import {
  type ConfigSource,
  definePipeline,
  documentReader,
  ExtError,
  hasErrors,
  LAYERS,
  listEntries,
  mapEntries,
  type PipelineDefinition,
  type Reader,
  type Snapshot,
} from '../../src/index.js'
import { memoryFiles } from '../../src/testing/index.js'
import { toyPipeline } from '../toy-axis.js'
import { codes, file, value, values, verdicts } from './toys.js'

const load = (
  sources: readonly ConfigSource[],
  content: Parameters<typeof memoryFiles>[0] = {},
  approved = (_id: string) => false,
) => toyPipeline().load(sources, undefined, { files: memoryFiles(content), approved: (entry) => approved(entry.id) })

describe('an axis made with definePipeline', () => {
  it('reads entries of several layers, farthest first, and says where each one stands', async () => {
    const snapshot = await load([file('project', '/p.yaml'), file('user', '/u.json')], {
      '/p.yaml': '# toys\ntoys:\n  ball:\n    size: 3\n',
      '/u.json': '{"toys": {"cube": {"size": 2}}}',
    })
    expect(values(snapshot)).toEqual([
      ['cube', 'size 2'],
      ['ball', 'size 3'],
    ])
    expect(snapshot.entries[1]?.at('/size')).toEqual({
      layer: 'project',
      file: '/p.yaml',
      line: 4,
      column: 11,
      endLine: 4,
      endColumn: 12,
    })
    expect(snapshot.entries[0]?.at('', 'key')).toMatchObject({ file: '/u.json', line: 1, column: 11 })
    expect(snapshot.files).toEqual([
      { file: '/u.json', layer: 'user', dialect: 'ext', state: 'read' },
      { file: '/p.yaml', layer: 'project', dialect: 'ext', state: 'read' },
    ])
    expect(snapshot.diagnostics).toEqual([])
  })

  it('loses nothing but the broken entry, and points at what is wrong with it', async () => {
    const snapshot = await load([file('user', '/u.yaml')], {
      '/u.yaml': 'toys:\n  ball: {size: 1}\n  cube: {size: big}\n  kite: {size: 3}\n',
    })
    expect(values(snapshot)).toEqual([
      ['ball', 'size 1'],
      ['kite', 'size 3'],
    ])
    expect(verdicts(snapshot)).toEqual({ 'user/ball': 'loaded', 'user/cube': 'broken', 'user/kite': 'loaded' })
    expect(snapshot.diagnostics).toMatchObject([
      { code: 'toys.size', entry: 'user:/u.yaml#/toys/cube', source: { line: 3, column: 16 } },
    ])
  })

  it('loses one layer to a file that does not parse, and a missing file is no error', async () => {
    const snapshot = await load([file('user', '/u.yaml'), file('project', '/p.yaml'), file('local', '/l.yaml')], {
      '/u.yaml': 'toys: {ball: {size: 1}}',
      '/p.yaml': 'toys: [',
    })
    expect(values(snapshot)).toEqual([['ball', 'size 1']])
    expect(codes(snapshot)).toEqual(['config.syntax.yaml'])
    expect(snapshot.files.map((each) => each.state)).toEqual(['read', 'failed', 'missing'])
  })

  it.each([
    ['unreadable', 'config.file.unreadable'],
    ['too-large', 'config.file.too-large'],
    ['not-a-file', 'config.file.not-a-file'],
    ['not-utf8', 'config.file.not-utf8'],
  ] as const)('says that a file is %s', async (failure, code) => {
    const snapshot = await load([file('user', '/u.yaml')], { '/u.yaml': { failure } })
    expect(snapshot.diagnostics).toMatchObject([{ code, severity: 'error', source: { file: '/u.yaml' } }])
    expect(snapshot.diagnostics[0]?.hint).toBeTruthy()
    expect(snapshot.files).toMatchObject([{ state: 'failed' }])
  })

  it('lets the nearest layer win, and names both places', async () => {
    const snapshot = await load(
      [file('project', '/p.yaml'), value('managed', { ball: { size: 9 } }), file('user', '/u.yaml')],
      {
        '/u.yaml': 'toys: {ball: {size: 1}}',
        '/p.yaml': 'toys: {ball: {size: 5}}',
      },
    )
    expect(values(snapshot)).toEqual([['ball', 'size 9']])
    expect(verdicts(snapshot)).toEqual({
      'user/ball': 'shadowed',
      'project/ball': 'shadowed',
      'managed/ball': 'loaded',
    })
    expect(snapshot.diagnostics).toMatchObject([
      {
        code: 'config.entry.shadowed',
        severity: 'info',
        source: { file: '/p.yaml', line: 1, column: 14 },
        related: [{ source: { layer: 'managed', name: 'managed' } }],
      },
      { code: 'config.entry.shadowed', source: { file: '/u.yaml' } },
    ])
  })

  it('lets an entry that only switches off replace a farther one, and does not compile it', async () => {
    const pipeline = definePipeline<unknown, { readonly on: boolean }, string, undefined>({
      axis: 'toys',
      readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
      validate: ({ value: toy }) => ({ value: { on: toy !== 'off' }, diagnostics: [] }),
      identity: (entry) => entry.pointer,
      merge: 'override',
      needsConsent: () => true,
      enabled: (toy) => toy.on,
      compile: (entry) => (entry.value.on ? { value: 'compiled', diagnostics: [] } : { diagnostics: [] }),
    })
    const sources = [
      value('user', { ball: 'on' }),
      value('command-line', { ball: 'off' }),
      value('project', { ball: 'off' }),
    ]
    const snapshot = await pipeline.load(sources, undefined, { files: memoryFiles({}) })
    expect(snapshot.entries).toEqual([])
    expect(verdicts(snapshot)).toEqual({
      'user//toys/ball': 'shadowed',
      'command-line//toys/ball': 'disabled',
      'project//toys/ball': 'untrusted',
    })
  })

  it('lets something else switch an entry off by its name, and no farther one in', async () => {
    const pipeline = definePipeline<unknown, string, string, undefined>({
      axis: 'toys',
      readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
      validate: ({ value: toy }) => ({ value: String(toy), diagnostics: [] }),
      identity: (entry) => entry.pointer,
      merge: 'override',
      needsConsent: () => false,
      enabled: (_, name) => name !== '/toys/ball',
      compile: (entry) => ({ value: entry.value, diagnostics: [] }),
    })
    const sources = [value('user', { ball: 'far', kite: 'far' }), value('command-line', { ball: 'near' })]
    const snapshot = await pipeline.load(sources, undefined, { files: memoryFiles({}) })
    expect(snapshot.entries.map((entry) => entry.name)).toEqual(['/toys/kite'])
    expect(verdicts(snapshot)).toEqual({
      'user//toys/ball': 'shadowed',
      'user//toys/kite': 'loaded',
      'command-line//toys/ball': 'disabled',
    })
  })

  it('lets the later source of one layer win, whatever order the layers come in', async () => {
    const sources = [value('user', { a: { size: 1 } }, 'one'), value('user', { a: { size: 2 } }, 'two')]
    expect(values(await load(sources))).toEqual([['a', 'size 2']])
    expect(values(await load(sources.toReversed()))).toEqual([['a', 'size 1']])
  })

  it('keeps all with `append`', async () => {
    const sources = [value('project', { a: { size: 1 } }), value('user', { a: { size: 2 } })]
    const snapshot = await toyPipeline('append').load(sources, undefined, { files: memoryFiles({}) })
    expect(values(snapshot)).toEqual([
      ['a', 'size 2'],
      ['a', 'size 1'],
    ])
    expect(snapshot.diagnostics).toEqual([])
  })

  it('reads a second dialect with one more reader', async () => {
    const definition: PipelineDefinition<unknown, string, string, undefined> = {
      axis: 'words',
      readers: [
        documentReader('map', (document) => mapEntries(document, '/words')),
        documentReader('list', (document) => listEntries(document, '/nested/words')),
      ],
      validate: (input) => ({ value: String(input.value), diagnostics: [] }),
      identity: (entry) => entry.value,
      merge: 'append',
      needsConsent: () => false,
      compile: (entry) => ({ value: entry.value, diagnostics: [] }),
    }
    const snapshot = await definePipeline(definition).load(
      [
        { kind: 'value', layer: 'user', dialect: 'map', name: 'a', value: { words: { one: 'eins' } } },
        { kind: 'file', layer: 'user', dialect: 'list', path: '/b.yaml' },
      ],
      undefined,
      { files: memoryFiles({ '/b.yaml': 'nested:\n  words:\n    - zwei\n    - drei\n' }) },
    )
    expect(values(snapshot).map(([, word]) => word)).toEqual(['eins', 'zwei', 'drei'])
    expect(snapshot.entries[2]?.at()).toMatchObject({ line: 4, column: 7 })
  })

  it('rejects for a dialect that has no reader, since that is a fault of the program', async () => {
    const wrong = load([{ kind: 'value', layer: 'user', dialect: 'toml', name: 'x', value: {} }])
    await expect(wrong).rejects.toSatisfy(
      (error) =>
        ExtError.isInstance(error) && error.code === 'kernel.reader.unknown' && error.message.includes('`toml`'),
    )
  })

  it('freezes what it gives', async () => {
    const snapshot = await load([value('user', { a: { size: 1 } })])
    for (const part of [snapshot, snapshot.entries, snapshot.entries[0], snapshot.records, snapshot.diagnostics]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  it.each([
    ['a list', 'toys: [1]', 'config.shape', { line: 1, column: 7 }],
    ['a text', 'toys: hello', 'config.shape', { line: 1, column: 7 }],
  ])('reports %s where a map belongs', async (_what, text, code, place) => {
    const snapshot = await load([file('user', '/u.yaml')], { '/u.yaml': text })
    expect(snapshot.diagnostics).toMatchObject([{ code, source: place }])
  })

  it.each([
    ['a list', '- toys', 'a list'],
    ['a text', 'just words', 'the text "just words"'],
    ['a number', '5', 'the number 5'],
  ])('reports a file that is %s as a whole', async (_what, text, found) => {
    const snapshot = await load([file('user', '/u.yaml')], { '/u.yaml': text })
    expect(snapshot.diagnostics).toMatchObject([
      { code: 'config.shape', message: `The file holds ${found}, not a map.`, source: { line: 1, column: 1 } },
    ])
  })

  it.each(['', '# nothing yet\n', 'null', '~', 'toys:', 'toys: null', 'other: 1', '{}'])(
    'takes %j as a file without toys',
    async (text) => {
      const snapshot = await load([file('user', '/u.yaml')], { '/u.yaml': text })
      expect([snapshot.records, snapshot.diagnostics]).toEqual([[], []])
    },
  )

  it('says a complaint about a part once, however many kinds of entries are looked for in it', async () => {
    const pipeline = definePipeline<unknown, unknown, unknown, undefined>({
      axis: 'rules',
      readers: [
        documentReader('ext', (document) => {
          const found = ['allow', 'deny', 'ask'].map((key) => listEntries(document, `/permissions/${key}`))
          return {
            entries: found.flatMap((each) => each.entries),
            diagnostics: found.flatMap((each) => each.diagnostics ?? []),
          }
        }),
      ],
      validate: (input) => ({ value: input.value, diagnostics: [] }),
      identity: (entry) => entry.id,
      merge: 'append',
      needsConsent: () => false,
      compile: (entry) => ({ value: entry.value, diagnostics: [] }),
    })
    const snapshot = await pipeline.load([file('user', '/u.yaml')], undefined, {
      files: memoryFiles({ '/u.yaml': 'permissions: 5' }),
    })
    expect(codes(snapshot)).toEqual(['config.shape'])
  })

  it('tells values of the same name apart, and reads a file once that is listed twice', async () => {
    const snapshot = await toyPipeline('append').load(
      [
        value('session', { a: { size: 1 } }),
        value('session', { a: { size: 2 } }),
        file('user', '/u'),
        file('user', '/u'),
      ],
      undefined,
      { files: memoryFiles({ '/u': 'toys: {b: {size: 3}}' }) },
    )
    expect(values(snapshot)).toEqual([
      ['b', 'size 3'],
      ['a', 'size 1'],
      ['a', 'size 2'],
    ])
    expect(new Set(snapshot.records.map((record) => record.id)).size).toBe(3)
    expect(snapshot.entries[2]?.at()).toEqual({ layer: 'session', name: 'session (2)' })
  })
})

describe('consent', () => {
  const big = { size: 1000 }

  it.each(['plugin', 'project', 'local'] as const)('is needed for what a %s file would run', async (layer) => {
    const sources = [value(layer, { big, small: { size: 1 } })]
    const before = await load(sources)
    expect(verdicts(before)).toEqual({ [`${layer}/big`]: 'untrusted', [`${layer}/small`]: 'loaded' })
    expect(before.diagnostics).toMatchObject([{ code: 'config.entry.untrusted', severity: 'warning' }])
    expect(values(await load(sources, {}, () => true))).toHaveLength(2)
  })

  it.each(['built-in', 'user', 'command-line', 'session', 'managed'] as const)(
    'is not asked for what the %s layer holds',
    async (layer) => {
      const snapshot = await load([value(layer, { big })], {}, () => {
        throw new Error('must not be asked')
      })
      expect(verdicts(snapshot)).toEqual({ [`${layer}/big`]: 'loaded' })
    },
  )

  it('comes before the merge: an entry without it never hides one that needs none', async () => {
    const snapshot = await load([value('user', { ball: { size: 1 } }), value('project', { ball: big })])
    expect(values(snapshot)).toEqual([['ball', 'size 1']])
    expect(verdicts(snapshot)).toEqual({ 'user/ball': 'loaded', 'project/ball': 'untrusted' })
  })

  it('is asked per entry', async () => {
    const snapshot = await load([value('project', { a: big, b: big })], {}, (id) => id.endsWith('/b'))
    expect(values(snapshot)).toEqual([['b', 'size 1000']])
  })

  it('counts as not given when the host fails to answer', async () => {
    const snapshot = await load([value('project', { a: big, b: { size: 1 } })], {}, () => {
      throw new Error('store is gone')
    })
    expect(verdicts(snapshot)).toEqual({ 'project/a': 'broken', 'project/b': 'loaded' })
    expect(snapshot.diagnostics[0]?.message).toContain('store is gone')
  })
})

describe('a managed file that is broken', () => {
  const others = LAYERS.filter((layer) => layer !== 'managed').map((layer) => value(layer, { [layer]: { size: 1000 } }))
  const off = ['plugin', 'user', 'project', 'local']

  const expectClosed = (snapshot: Snapshot<unknown>) => {
    expect(snapshot.entries.map((entry) => entry.name)).toEqual(['built-in', 'command-line', 'session'])
    const refused = snapshot.diagnostics.filter((each) => each.code === 'config.managed.broken')
    expect(refused.map((each) => each.source.layer).sort()).toEqual(off.sort())
    expect(hasErrors(refused)).toBe(true)
    expect(snapshot.managedBroken).toBe(true)
  }

  it.each([
    ['that does not parse', 'toys: ['],
    ['with a broken entry', 'toys: {rule: {size: none}}'],
    ['of the wrong shape', 'toys: 5'],
  ])('%s keeps everything off that needs consent, approved or not', async (_what, text) => {
    expectClosed(await load([...others, file('managed', '/m.yaml')], { '/m.yaml': text }, () => true))
  })

  it.each(['unreadable', 'too-large', 'not-a-file', 'not-utf8'] as const)('%s does so too', async (failure) => {
    expectClosed(await load([...others, file('managed', '/m.yaml')], { '/m.yaml': { failure } }, () => true))
  })

  it('with an entry that is well formed but does not compile does so too', async () => {
    const pipeline = definePipeline<unknown, string, string, undefined>({
      axis: 'rules',
      readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
      validate: (input) => ({ value: JSON.stringify(input.value), diagnostics: [] }),
      identity: (entry) => entry.pointer.slice('/toys/'.length),
      merge: 'override',
      needsConsent: () => true,
      compile(entry) {
        if (entry.source.layer === 'managed') throw new Error('bad pattern')
        return { value: entry.value, diagnostics: [] }
      },
    })
    const sources = [...others, value('managed', { rule: {} })]
    expectClosed(await pipeline.load(sources, undefined, { files: memoryFiles({}), approved: () => true }))
  })

  it('is not told from the broken file of anybody else', async () => {
    const snapshot = await load([...others, file('user', '/u.yaml')], { '/u.yaml': 'toys: [' }, () => true)
    expect([snapshot.entries.length, snapshot.managedBroken]).toEqual([others.length, false])
  })

  it('leaves on what needs no consent, and one that is missing changes nothing', async () => {
    const small = value('user', { ball: { size: 1 } })
    const broken = await load([small, file('managed', '/m.yaml')], { '/m.yaml': 'toys: [' })
    expect([values(broken), broken.managedBroken]).toEqual([[['ball', 'size 1']], true])
    const missing = await load([...others, file('managed', '/m.yaml')], {}, () => true)
    expect([missing.entries.length, missing.managedBroken]).toEqual([others.length, false])
  })
})

describe('faults of an axis', () => {
  const run = (broken: Partial<PipelineDefinition<unknown, string, string, undefined>>) => {
    const definition: PipelineDefinition<unknown, string, string, undefined> = {
      axis: 'toys',
      readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
      validate: (input) => ({ value: String(input.value), diagnostics: [] }),
      identity: (entry) => entry.pointer,
      merge: 'append',
      needsConsent: () => false,
      compile: (entry) => ({ value: entry.value, diagnostics: [] }),
      ...broken,
    }
    return definePipeline(definition).load([value('user', { bad: 'bad', good: 'good' })], undefined, {
      files: memoryFiles({}),
    })
  }
  const failFor =
    <T extends { readonly value: unknown }, R>(then: (entry: T) => R) =>
    (entry: T): R => {
      if (entry.value === 'bad') throw new Error('boom')
      return then(entry)
    }

  it.each([
    ['validate', { validate: failFor((entry) => ({ value: String(entry.value), diagnostics: [] })) }],
    ['identity', { identity: failFor((entry) => entry.pointer) }],
    ['needsConsent', { needsConsent: (entry: string) => failFor(() => false)({ value: entry }) }],
    ['compile', { compile: failFor((entry) => ({ value: String(entry.value), diagnostics: [] })) }],
    [
      'validate without a reason',
      { validate: (entry) => (entry.value === 'bad' ? { diagnostics: [] } : { value: 'x', diagnostics: [] }) },
    ],
  ] satisfies [string, Partial<PipelineDefinition<unknown, string, string, undefined>>][])(
    'in %s cost the entry that met it, and no other',
    async (_where, broken) => {
      const snapshot = await run(broken)
      expect(snapshot.records.map((record) => record.verdict).sort()).toEqual(['broken', 'loaded'])
      expect(snapshot.diagnostics).toMatchObject([{ code: 'config.reader.crashed', entry: 'user:user#/toys/bad' }])
    },
  )

  it('can keep an entry in spite of an error, where leaving it out would be worse', async () => {
    const snapshot = await run({
      compile: (entry) => ({
        value: entry.value,
        diagnostics:
          entry.value === 'bad'
            ? [{ code: 'toys.bad', severity: 'error', message: 'Bad.', source: { layer: 'user' } }]
            : [],
      }),
    })
    expect(snapshot.entries.map((entry) => entry.value).sort()).toEqual(['bad', 'good'])
    expect(snapshot.diagnostics).toMatchObject([{ code: 'toys.bad', entry: 'user:user#/toys/bad' }])
  })

  it('in a reader cost the source that met it', async () => {
    const readers: Reader<unknown>[] = [
      documentReader('ext', (document) => mapEntries(document, '/toys')),
      { dialect: 'bad', read: () => Promise.reject(new Error('boom')) },
    ]
    const definition = { readers, validate: () => ({ value: 'x', diagnostics: [] }) }
    const pipeline = definePipeline<unknown, string, string, undefined>({
      ...definition,
      axis: 'toys',
      identity: (entry) => entry.pointer,
      merge: 'append',
      needsConsent: () => false,
      compile: (entry) => ({ value: entry.value, diagnostics: [] }),
    })
    const snapshot = await pipeline.load(
      [value('user', { good: 1 }), { kind: 'file', layer: 'user', dialect: 'bad', path: '/bad' }],
      undefined,
      { files: memoryFiles({}) },
    )
    expect(values(snapshot)).toHaveLength(1)
    expect(snapshot.diagnostics).toMatchObject([{ code: 'config.reader.crashed', source: { file: '/bad' } }])
    expect(snapshot.files).toEqual([{ file: '/bad', layer: 'user', dialect: 'bad', state: 'failed' }])
  })

  it('in the list of broken entries of a reader get an error of their own', async () => {
    const broken = { id: 'x', name: 'x', source: { layer: 'user' } } as const
    const snapshot = await run({ readers: [documentReader('ext', () => ({ entries: [], broken: [broken] }))] })
    expect(snapshot.records).toMatchObject([{ id: 'x', verdict: 'broken' }])
    expect(snapshot.diagnostics).toMatchObject([{ code: 'config.reader.crashed', entry: 'x' }])
  })
})
