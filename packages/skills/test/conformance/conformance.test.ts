import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { nodeFiles } from '@ext/kernel/node'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type ConformanceCase,
  caseOfShape,
  type Loader,
  readCases,
  readShapes,
  runConformance,
  scoreCase,
  type TreeWriter,
} from '../../src/conformance/index.js'
import { diskTrees } from '../../src/node/index.js'
import { ownLoader } from './loader.js'

const read = (file: string) => readFile(new URL(`../../conformance/${file}`, import.meta.url), 'utf8')
let cases: readonly ConformanceCase[] = []
let shapes: readonly ConformanceCase[] = []
let writer: TreeWriter

beforeAll(async () => {
  cases = readCases(await read('cases.jsonl'))
  shapes = readShapes(await read('shapes.jsonl')).map(caseOfShape)
  writer = await diskTrees()
})

describe('Our own loader', () => {
  it('does what every case of the kit wants', async () => {
    expect(cases.length).toBeGreaterThanOrEqual(100)
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
    const result = await runConformance(cases, ownLoader(), writer)
    expect(result.cases.filter(({ state }) => state === 'failed')).toEqual([])
    expect(result.passed + result.skipped).toBe(cases.length)
    expect(result.cases.filter(({ state }) => state === 'skipped').length).toBeLessThanOrEqual(2)
  }, 60_000)

  it('does the same through a port that can do no more than list and read', async () => {
    const plain = { ...nodeFiles(), bulk: undefined }
    const small = cases.filter(({ expected }) => expected.accountsFor === undefined)
    const result = await runConformance(small, ownLoader(plain), writer)
    expect(result.cases.filter(({ state }) => state === 'failed')).toEqual([])
  }, 60_000)

  it('loads every shape of 1,120 public skills, or says where it does not', async () => {
    expect(shapes).toHaveLength(1120)
    const result = await runConformance(shapes, ownLoader(), writer)
    expect(result.cases.filter(({ state }) => state === 'failed').slice(0, 5)).toEqual([])
    expect(result).toMatchObject({ passed: 1120, failed: 0, skipped: 0 })
  }, 120_000)
})

describe('A loader that does what a case wants', () => {
  it('passes it, also where this machine can not make its files', () => {
    for (const each of cases) {
      const { loaded, reported, accountsFor = 0 } = each.expected
      const counted = Array.from({ length: accountsFor }, (_, index) => ({ file: `skills/${index}`, name: 'x' }))
      const skills = [...loaded, ...counted].map((skill) => ({ description: '', ...skill }))
      const reports = reported.map((report) => ({ line: 1, column: 1, ...report }))
      expect(scoreCase(each, { skills, reports }), each.id).toEqual([])
    }
  })
})

describe('A loader that is wrong', () => {
  /** As many are written: splits at the first ---, reads a line at a time, and says nothing of what it can't read. */
  const careless: Loader = async ({ root, roots }) => {
    const skills = []
    for (const { path } of roots) {
      for (const item of await readdir(path, { withFileTypes: true }).catch(() => [])) {
        if (!item.isDirectory()) continue
        const file = join(path, item.name, 'SKILL.md')
        const text = await readFile(file, 'utf8').catch(() => undefined)
        const [, header = ''] = text?.split('---') ?? []
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(header)?.[1]
        if (text !== undefined) {
          const description = field('description') ?? ''
          skills.push({ file: relative(root, file), name: field('name') ?? item.name, description })
        }
      }
    }
    return { skills, reports: [] }
  }

  it('fails the kit, each time with what is wrong', async () => {
    const result = await runConformance(cases, careless, writer)
    expect(result.failed).toBeGreaterThan(60)
    const kinds = new Set(result.cases.flatMap(({ faults }) => faults.map(({ kind }) => kind)))
    expect([...kinds].toSorted()).toEqual(['differs', 'missing', 'silent', 'unexpected'])
    expect(result.cases.find(({ id }) => id === 'fence-in-value')?.faults).toMatchObject([{ kind: 'differs' }])
    expect(result.cases.find(({ id }) => id === 'plain')?.state).toBe('passed')
  }, 60_000)

  it('fails with a loader that throws', async () => {
    const [first] = cases
    const result = await runConformance(first ? [first] : [], () => Promise.reject(new Error('boom')), writer)
    expect(result.cases).toMatchObject([{ state: 'failed', faults: [{ kind: 'crashed', message: 'Error: boom' }] }])
  })

  it('is not blamed for a tree that the machine can not make, and the cases behind it are run', async () => {
    const plain = cases.find(({ id }) => id === 'plain')
    const picky: TreeWriter = {
      has: () => true,
      write: async (tree) => (tree.length === 0 ? Promise.reject(new Error('ENAMETOOLONG')) : writer.write(tree)),
    }
    const two = plain ? [{ ...plain, id: 'unmade', tree: [] }, plain] : []
    expect(await runConformance(two, ownLoader(), picky)).toMatchObject({
      passed: 1,
      failed: 0,
      skipped: 1,
      cases: [{ id: 'unmade', state: 'skipped', faults: [{ message: expect.stringContaining('ENAMETOOLONG') }] }, {}],
    })
  })

  it('is found out when it loads a skill twice', () => {
    const plain = cases.find(({ id }) => id === 'plain')
    const [wanted] = plain?.expected.loaded ?? []
    const skill = { file: wanted?.file ?? '', name: wanted?.name ?? '', description: wanted?.description ?? '' }
    expect(plain && scoreCase(plain, { skills: [skill], reports: [] })).toEqual([])
    const twice = { skills: [skill, { ...skill, name: 'other' }], reports: [] }
    expect(plain && scoreCase(plain, twice)).toMatchObject([{ kind: 'unexpected' }])
    const many = cases.find(({ expected }) => (expected.accountsFor ?? 0) > 1)
    const same = Array.from({ length: many?.expected.accountsFor ?? 0 }, () => skill)
    expect(many && scoreCase(many, { skills: same, reports: [] })).toMatchObject([{ kind: 'silent' }])
  })

  it('is found out when it reports another place', () => {
    const unclosed = cases.find(({ id }) => id === 'unclosed')
    const at = (line: number) => ({ skills: [], reports: [{ file: 'skills/a/SKILL.md', line, column: 1 }] })
    expect(unclosed && scoreCase(unclosed, at(1))).toEqual([])
    expect(unclosed && scoreCase(unclosed, at(3))).toMatchObject([{ kind: 'misplaced' }])
  })
})
