import { describe, expect, test } from 'vitest'
import { readCorpus, runConformance, wellKnownTool } from '../../src/conformance/index.js'

const ROW = {
  id: 'a',
  rules: { allow: ['Bash(ls *)'], deny: ['Read(./.env)'] },
  tool: 'Bash',
  input: { command: 'ls -la' },
  expected: 'allow',
}

function read(...rows: readonly unknown[]) {
  return readCorpus(rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'), '/c.jsonl')
}

describe('a corpus', () => {
  test('fills in what a row leaves out', () => {
    expect(read(ROW).rows).toEqual([{ ...ROW, rules: { ...ROW.rules, ask: [] }, accept: ['allow'], context: {} }])
  })

  test.each([
    ['broken JSON', '{"id": ', /^This line is no row of a corpus: it is not valid JSON/],
    ['another value', '[]', /it is a list, not an object/],
    ['no id', { ...ROW, id: undefined }, /`id` is .*, not a text/],
    [
      'rules that are no lists',
      { ...ROW, rules: { allow: 'Bash' } },
      /`rules` holds something other than lists of texts/,
    ],
    ['a list of another name', { ...ROW, rules: { allows: [] } }, /`rules` holds `allows`/],
    ['no tool', { ...ROW, tool: 1 }, /`tool` is .*, not the name of a tool/],
    ['no input', { ...ROW, input: 'ls' }, /`input` is .*, not an object/],
    ['an unknown verdict', { ...ROW, expected: 'maybe' }, /`expected` is .*, not allow, ask or deny/],
    ['an unknown verdict to accept', { ...ROW, accept: ['no'] }, /`accept` is .*, not a list of allow, ask and deny/],
    ['an unknown mode', { ...ROW, context: { mode: 'yolo' } }, /`context.mode` is .*, not one of/],
    ['links that lead nowhere', { ...ROW, context: { symlinks: [1] } }, /`context.symlinks`/],
    ['a folder that is no text', { ...ROW, context: { cwd: 1 } }, /`context.cwd` is .*, not a text/],
  ])('with %s loses this row only, and says where and why', (_what, row, message) => {
    const { rows, diagnostics } = read({ ...ROW, id: 'first' }, row, '', { ...ROW, id: 'last' })
    expect(rows.map(({ id }) => id)).toEqual(['first', 'last'])
    expect(diagnostics).toMatchObject([
      { code: 'permission.corpus.row', message: expect.stringMatching(message), source: { file: '/c.jsonl', line: 2 } },
    ])
  })

  test('has each id once, since a score names rows by it', () => {
    const { rows, diagnostics } = read(ROW, { ...ROW, expected: 'deny' })
    expect(rows).toHaveLength(1)
    expect(diagnostics).toMatchObject([{ source: { line: 2 }, related: [{ source: { line: 1 } }] }])
  })

  test('takes notes in a row for notes, and says which field was meant for one that is missing', () => {
    const { tool, ...others } = ROW
    const notes = { why: 'w', source: 's', tags: ['t'], note: 'n' }
    expect(read({ ...ROW, ...notes }).diagnostics).toEqual([])
    const { rows, diagnostics } = read({ ...others, tool, acept: ['ask'], context: { plattform: 'linux' } })
    expect(rows).toHaveLength(1)
    expect(diagnostics).toMatchObject([
      { code: 'permission.corpus.field', severity: 'warning', hint: 'Did you mean `accept`?', source: { line: 1 } },
      { code: 'permission.corpus.field', hint: 'Did you mean `platform`?' },
    ])
  })

  test.each(['', '\uFEFF', '\r\n\n'])(
    'without any row (%j) says so, since a score of nothing looks like a good one',
    (text) => {
      expect(read(text)).toMatchObject({
        rows: [],
        diagnostics: [{ code: 'permission.corpus.empty', severity: 'error' }],
      })
    },
  )

  test('may come from Windows, with a byte order mark and its line ends', () => {
    const { rows, diagnostics } = read(`\uFEFF${JSON.stringify(ROW)}\r`, `${JSON.stringify({ ...ROW, id: 'b' })}\r`)
    expect([rows.length, diagnostics]).toEqual([2, []])
  })

  test('is scored: unsafe allows, over-blocked rows, and every verdict that can not be defended', async () => {
    const { rows } = read(
      ROW,
      { ...ROW, id: 'unsafe', expected: 'deny' },
      { ...ROW, id: 'blocked', input: { command: 'lsof' } },
      { ...ROW, id: 'tolerated', expected: 'deny', accept: ['ask'], input: { command: 'lsof' } },
      { ...ROW, id: 'slow', accept: ['allow', 'ask'], input: { command: 'lsof' } },
    )
    expect(await runConformance(rows)).toEqual({
      total: 5,
      right: 3,
      unsafeAllow: ['unsafe'],
      overBlock: ['blocked', 'slow'],
      wrong: [
        {
          id: 'unsafe',
          expected: 'deny',
          accept: ['deny'],
          got: 'allow',
          reason: expect.stringContaining('Bash(ls *)'),
        },
        { id: 'blocked', expected: 'allow', accept: ['allow'], got: 'ask', reason: expect.stringMatching(/./) },
      ],
    })
  })
})

test('a tool is known by its name, and one of a server by its server', () => {
  expect(wellKnownTool('Read')).toMatchObject({ kind: 'read', source: { tool: 'Read' } })
  expect(wellKnownTool('mcp__github__get_issue')).toMatchObject({
    kind: 'exec',
    source: { server: 'github', tool: 'get_issue' },
  })
  expect(wellKnownTool('anything')).toMatchObject({ kind: 'exec' })
})
