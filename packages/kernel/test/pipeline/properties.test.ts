import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { type ConfigSource, hasErrors, isForeignLayer, LAYERS, type LayerName, type Snapshot } from '../../src/index.js'
import { nodeFiles } from '../../src/node/index.js'
import { memoryFiles } from '../../src/testing/index.js'
import { toyPipeline } from '../toy-axis.js'
import { file, values } from './toys.js'

const toy = fc.oneof(
  fc.record(
    {
      size: fc.oneof(fc.integer({ min: -20, max: 200 }), fc.string()),
      merge: fc.constantFrom('override', 'append'),
      off: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
const toys = fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__', 'a/b', '~'), fc.string()), toy, {
  maxKeys: 5,
})
const documents = fc.array(fc.record({ layer: fc.constantFrom<LayerName>(...LAYERS), toys, json: fc.boolean() }), {
  maxLength: 6,
})
type Documents = typeof documents extends fc.Arbitrary<infer T> ? T : never

/** A pipeline with random rules of merging. */
const pipelines = fc
  .record({ merge: fc.constantFrom('override' as const, 'append' as const), may: fc.func(fc.boolean()) })
  .map(({ merge, may }) => toyPipeline(merge, { mayReplace: (winner, loser) => may(winner.layer, loser.layer) }))

const pathOf = (index: number, json: boolean) => `/${index}${json ? '.json' : '.yaml'}`
const sourcesOf = (all: Documents): ConfigSource[] =>
  all.map(({ layer, json }, index) => file(layer, pathOf(index, json)))
const contentOf = (all: Documents) =>
  Object.fromEntries(all.map((each, index) => [pathOf(index, each.json), JSON.stringify({ toys: each.toys })]))

/** Every entry is in the records once, and each that is lost has an error of its own. */
function expectAccounted(snapshot: Snapshot<unknown>, found: number): void {
  const fresh = snapshot.records.filter(({ stale }) => !stale)
  expect(fresh).toHaveLength(found)
  expect(new Set(fresh.map(({ id }) => id)).size).toBe(found)
  const loaded = snapshot.records.filter(({ verdict }) => verdict === 'loaded')
  expect(snapshot.entries.map(({ id }) => id).sort()).toEqual(loaded.map(({ id }) => id).sort())
  expect(new Set(loaded.map(({ id }) => id)).size).toBe(loaded.length)
  const failed = new Set(snapshot.diagnostics.flatMap(({ severity, entry }) => (severity === 'error' ? [entry] : [])))
  for (const { verdict, id } of fresh) {
    if (verdict === 'broken') expect(failed).toContain(id)
    if (verdict === 'loaded') expect(failed).not.toContain(id)
  }
}

const countOf = (all: Documents) => all.reduce((sum, each) => sum + Object.keys(each.toys).length, 0)

describe('whatever the files hold', () => {
  it('every entry that was found is loaded, shadowed, switched off, waits for consent, or has an error with its id', async () => {
    await fc.assert(
      fc.asyncProperty(documents, pipelines, fc.func(fc.boolean()), async (all, pipeline, approve) => {
        const host = { files: memoryFiles(contentOf(all)), approved: ({ id }: { id: string }) => approve(id) }
        expectAccounted(await pipeline.load(sourcesOf(all), undefined, host), countOf(all))
      }),
    )
  })

  it('the same holds for a reload, and what it keeps is what was there before', async () => {
    const edits = fc.array(fc.record({ toys: fc.option(toys), broken: fc.boolean(), gone: fc.boolean() }), {
      minLength: 6,
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(documents, edits, pipelines, fc.func(fc.boolean()), async (all, changes, pipeline, approve) => {
        const approved = ({ id }: { id: string }) => approve(id)
        const sources = sourcesOf(all)
        const previous = await pipeline.load(sources, undefined, { files: memoryFiles(contentOf(all)), approved })

        const next = all.map((each, index) => ({ ...each, ...changes[index], toys: changes[index]?.toys ?? each.toys }))
        const content = Object.fromEntries(
          next.flatMap(({ json, toys: of, broken, gone }, index) =>
            gone ? [] : [[pathOf(index, json), broken ? '{"toys": [' : JSON.stringify({ toys: of })]],
          ),
        )
        const host = { files: memoryFiles(content), approved }
        const snapshot = await pipeline.load(sources, undefined, host, { previous })
        expectAccounted(snapshot, countOf(next.filter(({ broken, gone }) => !broken && !gone)))

        const stale = snapshot.records.filter((record) => record.stale)
        const before = new Map(previous.records.map((record) => [record.id, record]))
        for (const { id, verdict, source } of stale) {
          expect(['broken', undefined]).not.toContain(before.get(id)?.verdict)
          expect(Object.keys(content)).toContain(source.file)
          const entry = previous.entries.find((each) => each.id === id)
          const now = snapshot.entries.find((each) => each.id === id)
          if (verdict === 'loaded' && entry) expect(now?.value).toBe(entry.value)
        }
        const noticed = snapshot.diagnostics.filter(({ code }) => code === 'config.entry.last-good')
        const effective = stale.filter(({ verdict }) => verdict === 'loaded' || verdict === 'disabled')
        expect(noticed.map(({ entry }) => entry).sort()).toEqual(effective.map(({ id }) => id).sort())
      }),
      { numRuns: 300 },
    )
  })

  it('an entry that waits for consent changes nothing: it could as well not be there', async () => {
    await fc.assert(
      fc.asyncProperty(documents, pipelines, fc.func(fc.boolean()), async (all, pipeline, approve) => {
        // A managed file that is broken keeps approved ones off too; that is not what this is about.
        const some = all.filter(({ layer }) => layer !== 'managed')
        const host = { files: memoryFiles(contentOf(some)), approved: ({ id }: { id: string }) => approve(id) }
        const snapshot = await pipeline.load(sourcesOf(some), undefined, host)
        const waiting = new Set(snapshot.records.flatMap(({ verdict, id }) => (verdict === 'untrusted' ? [id] : [])))
        const without = some.map((each, index) => ({
          ...each,
          toys: Object.fromEntries(
            Object.entries(each.toys).filter(([name]) => {
              const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1')
              return !waiting.has(`${each.layer}:${pathOf(index, each.json)}#/toys/${pointer}`)
            }),
          ),
        }))
        const bare = await pipeline.load(sourcesOf(without), undefined, {
          ...host,
          files: memoryFiles(contentOf(without)),
        })
        expect(values(bare)).toEqual(values(snapshot))
        for (const id of waiting) expect(isForeignLayer(id.split(':')[0] as LayerName)).toBe(true)
      }),
    )
  })

  it('YAML and its JSON form, LF and CRLF give the same entries', async () => {
    await fc.assert(
      fc.asyncProperty(toys, async (document) => {
        const yaml = stringify({ toys: document })
        const forms = {
          '/a.yaml': yaml,
          '/b.json': JSON.stringify({ toys: document }, null, 2),
          '/c.yaml': yaml.replaceAll('\n', '\r\n'),
          '/d.json': JSON.stringify({ toys: document }, null, 2).replaceAll('\n', '\r\n'),
        }
        const results = await Promise.all(
          Object.keys(forms).map(async (path) => {
            const snapshot = await toyPipeline().load([file('user', path)], undefined, { files: memoryFiles(forms) })
            const records = snapshot.records.map(({ name, verdict, source: { line, column } }) =>
              // Only LF and CRLF of the same format stand at the same place.
              ({ name, verdict, place: path.endsWith('yaml') ? [line, column] : [] }),
            )
            return { records, entries: values(snapshot) }
          }),
        )
        const [yamlLf, jsonLf, yamlCrlf, jsonCrlf] = results
        const plain = (result: (typeof results)[0] | undefined) => ({
          ...result,
          records: result?.records.map(({ name, verdict }) => [name, verdict]),
        })
        expect(yamlCrlf).toEqual(yamlLf)
        expect(jsonCrlf).toEqual(jsonLf)
        expect(plain(jsonLf)).toEqual(plain(yamlLf))
      }),
    )
  })

  const signs = ['{', '}', '[', ']', '"', ':', ',', '-', ' ', '\n', '&a', '*a', '!', '?', '|', '\t', '\r', '#', '%']
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...signs) }),
    fc.string({ unit: fc.constantFrom(...signs, 'toys', 'a', 'size', '1', '<<', '~', '---', '...', "'") }),
  )
  const paths = fc.constantFrom('x.yaml', 'x.json')

  function expectSaid(snapshot: Snapshot<unknown>): void {
    for (const each of snapshot.diagnostics) expect(each.code).not.toBe('config.reader.crashed')
    if (snapshot.files[0]?.state === 'failed') expect(hasErrors(snapshot.diagnostics)).toBe(true)
  }

  it('nothing is thrown, and a file without a value has an error', async () => {
    await fc.assert(
      fc.asyncProperty(texts, paths, async (text, name) => {
        const pipeline = toyPipeline()
        const sources = [file('user', `/${name}`)]
        const at = (content: string) => ({ files: memoryFiles({ [`/${name}`]: content }) })
        const snapshot = await pipeline.load(sources, undefined, at(text))
        expectSaid(snapshot)
        const good = await pipeline.load(sources, undefined, at('{"toys": {"a": {"size": 1}}}'), { previous: snapshot })
        expect(values(good)).toEqual([['a', 'size 1']])
        expectSaid(await pipeline.load(sources, undefined, at(text), { previous: good }))
      }),
      { numRuns: 1000 },
    )
  })

  it('nothing is thrown by any bytes of a real file either', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kernel-bytes-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const bytes = fc.oneof(
      fc.uint8Array(),
      texts.map((text) => Buffer.from(text, 'utf8')),
      texts.map((text) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text, 'utf8')])),
      texts.map((text) => Buffer.from(text, 'utf16le')),
    )
    await fc.assert(
      fc.asyncProperty(bytes, paths, async (content, name) => {
        const path = join(folder, name)
        await writeFile(path, content)
        expectSaid(await toyPipeline().load([file('user', path)], undefined, { files: nodeFiles() }))
      }),
      { numRuns: 300 },
    )
  })
})
