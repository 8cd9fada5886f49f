import { describe, expect, test } from 'vitest'
import { claudeSource, load } from '../support.js'
import { examine, faults, findings, readLines, type Specimen } from './support.js'

describe('a hook with one fault', () => {
  test.each(faults)('$id $kind: $expects', async (fault) => {
    const report = await examine(fault)
    // It is named, and nothing else is said of it.
    expect([...new Set(findings(report).map(({ code }) => code))]).toEqual([fault.expects])
    for (const { code, hint, source } of findings(report)) {
      expect([code, hint]).not.toContain(undefined)
      expect(source.file ?? source.name).toBeTruthy()
    }
  })

  test('there are faults of many kinds', () => {
    expect(faults.length).toBeGreaterThanOrEqual(60)
    expect(new Set(faults.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(25)
  })
})

const clean: readonly Specimen[] = readLines('hook-clean.jsonl')

test.each(clean)('nothing is said of a hook that is as it should be: $id', async (specimen) => {
  const report = await examine(specimen)
  expect(findings(report)).toEqual([])
  expect(report.hooks.map(({ effect }) => effect)).toEqual(['can-fire'])
})

interface Row {
  readonly repo: string
  readonly path: string
  readonly kind: string
  readonly hooks?: Readonly<Record<string, readonly unknown[]>>
}

interface Judged {
  readonly repo: string
  readonly path: string
  readonly id: string
  readonly finding: string
  readonly true: boolean
  readonly why: string
}

test('in real files every finding has been judged, and none is false', async () => {
  const judged: readonly Judged[] = readLines('hook-findings.jsonl')
  const key = ({ repo, path, id, finding }: Omit<Judged, 'true' | 'why'>) => `${repo} ${path} ${id} ${finding}`
  const known = new Set(judged.map(key))
  const found: string[] = []
  let hooks = 0
  for (const row of readLines<Row>('hook-settings.jsonl')) {
    if (!row.kind.startsWith('claude') || !row.hooks) continue
    const model = { stream: () => expect.unreachable() }
    const report = await (await load([claudeSource(distinct(row.hooks))], { host: { model } })).doctor()
    hooks += report.hooks.length
    expect(report.others).toEqual([])
    for (const { id, reasons } of report.hooks) {
      for (const { code, message } of reasons) {
        const finding = code === 'hooks.key.unsupported' ? `${code} ${message.split('`')[1]}` : code
        found.push(key({ repo: row.repo, path: row.path, id: id.slice(id.indexOf('#') + 1), finding }))
      }
    }
  }
  expect(found.filter((each) => !known.has(each))).toEqual([])
  expect(found.length).toBe(judged.length)
  expect({
    hooks,
    clean: hooks - new Set(judged.map(({ repo, path, id }) => `${repo} ${path} ${id}`)).size,
    findings: judged.length,
    false: judged.filter((each) => !each.true).length,
  }).toMatchInlineSnapshot(`
    {
      "clean": 248,
      "false": 0,
      "findings": 196,
      "hooks": 335,
    }
  `)
})

/** The texts of commands are not in the corpus; what was two commands must not look like one. */
function distinct(hooks: unknown): unknown {
  let count = 0
  return JSON.parse(JSON.stringify(hooks), (key, value) => (key === 'command' ? `true ${count++}` : value))
}
