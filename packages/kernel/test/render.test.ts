import { describe, expect, it } from 'vitest'
import { type Diagnostic, formatDiagnostic, formatPlace, type Source } from '../src/index.js'

const show = (text: string | undefined, place: Partial<Source>, details: Partial<Diagnostic> = {}) =>
  formatDiagnostic(
    {
      code: 'hooks.event.unknown',
      severity: 'error',
      message: 'No event has this name.',
      source: { layer: 'project', file: '/p/hooks.yaml', ...place },
      ...details,
    },
    text === undefined ? {} : { text },
  )

describe('a place', () => {
  it.each([
    [{ layer: 'user', file: '/a/b.yaml', line: 3, column: 7 }, '/a/b.yaml:3:7'],
    [{ layer: 'user', file: '/a/b.yaml', line: 3 }, '/a/b.yaml:3:1'],
    [{ layer: 'user', file: '/a/b.yaml' }, '/a/b.yaml'],
    [{ layer: 'command-line', name: '--allow' }, '<--allow>'],
    [{ layer: 'built-in' }, '<built-in>'],
    [{ layer: 'project', file: '/a\n/b\r.yaml', line: 1 }, '/a\\n/b\\r.yaml:1:1'],
  ] as const)('is written so that editors and people find it: %o', (source, text) => {
    expect(formatPlace(source)).toBe(text)
  })
})

describe('a diagnostic', () => {
  it('shows message, line, mark, what was expected, hint and related places', () => {
    const text = 'hooks:\n  PreTolUse:\n    - run: a\n'
    const output = show(
      text,
      { line: 2, column: 3, endLine: 2, endColumn: 12 },
      {
        expected: ['PreToolUse', 'Stop'],
        hint: 'Did you mean `PreToolUse`?',
        url: 'https://example.com/events',
        related: [{ message: 'this one is right', source: { layer: 'user', file: '/u.yaml', line: 1, column: 2 } }],
      },
    )
    expect(output).toMatchInlineSnapshot(`
      "/p/hooks.yaml:2:3 error hooks.event.unknown
        No event has this name.
        1 | hooks:
        2 |   PreTolUse:
          |   ^^^^^^^^^
        expected: PreToolUse, Stop
        fix: Did you mean \`PreToolUse\`?
        more: https://example.com/events
        see /u.yaml:1:2: this one is right"
    `)
  })

  it('of the first line has no line before', () => {
    expect(show('a: [', { line: 1, column: 4, endLine: 1, endColumn: 5 })).toMatchInlineSnapshot(`
      "/p/hooks.yaml:1:4 error hooks.event.unknown
        No event has this name.
        1 | a: [
          |    ^"
    `)
  })

  it('keeps tabs in front of the mark', () => {
    expect(show('{\n\t"a":\t"b"\n}', { line: 2, column: 7, endLine: 2, endColumn: 10 })).toMatchInlineSnapshot(`
      "/p/hooks.yaml:2:7 error hooks.event.unknown
        No event has this name.
        1 | {
        2 | 	"a":	"b"
          | 	    	^^^"
    `)
  })

  it('marks to the end of the line what goes on below', () => {
    expect(show('a:\n  b: 1\n  c: 2\n', { line: 2, column: 3, endLine: 4, endColumn: 1 })).toMatchInlineSnapshot(`
      "/p/hooks.yaml:2:3 error hooks.event.unknown
        No event has this name.
        1 | a:
        2 |   b: 1
          |   ^^^^"
    `)
  })

  it('at the end of the file has a mark behind the last character', () => {
    expect(show('{"a": 1', { line: 1, column: 8, endLine: 1, endColumn: 9 })).toMatchInlineSnapshot(`
      "/p/hooks.yaml:1:8 error hooks.event.unknown
        No event has this name.
        1 | {"a": 1
          |        ^"
    `)
  })

  it('lines up numbers of different width', () => {
    const text = Array.from({ length: 12 }, (_, index) => `line${index + 1}`).join('\n')
    expect(show(text, { line: 10, column: 1, endLine: 10, endColumn: 5 })).toMatchInlineSnapshot(`
      "/p/hooks.yaml:10:1 error hooks.event.unknown
        No event has this name.
         9 | line9
        10 | line10
           | ^^^^"
    `)
  })

  it('in a long line shows the part around the place', () => {
    const text = `{${Array.from({ length: 100 }, (_, index) => `"key${index}": ${index}`).join(', ')}}`
    const column = text.indexOf('"key70"') + 1
    const output = show(text, { line: 1, column, endLine: 1, endColumn: column + 7 })
    expect(output).toMatchInlineSnapshot(`
      "/p/hooks.yaml:1:892 error hooks.event.unknown
        No event has this name.
        1 | … "key67": 67, "key68": 68, "key69": 69, "key70": 70, "key71": 71, "key72": 72, "key73": 73, "key74": 74, "key75": 75, "key76": 76, "key77": 77, "key78": 78, "…
          |                                          ^^^^^^^"
    `)
  })

  it('never marks beyond what it shows of a long line', () => {
    const text = `short\n${'x'.repeat(1000)}`
    for (const column of [1, 50, 500, 990, 1001]) {
      const [row = '', marks = ''] = show(text, { line: 2, column, endLine: 2, endColumn: 1001 }).split('\n').slice(-2)
      expect(row.length).toBeLessThan(180)
      expect(marks.length).toBeLessThanOrEqual(row.length + 1)
    }
  })

  it('has no frame for a place outside the text, without a line, or without the text', () => {
    const plain = '/p/hooks.yaml:9:1 error hooks.event.unknown\n  No event has this name.'
    expect(show('one line', { line: 9, column: 1 })).toBe(plain)
    expect(show(undefined, { line: 9, column: 1 })).toBe(plain)
    expect(show('one line', {})).toBe('/p/hooks.yaml error hooks.event.unknown\n  No event has this name.')
  })

  it('shows the line as an editor does: without byte order mark and carriage return', () => {
    const output = show('\uFEFFa: [\r\nb', { line: 1, column: 4, endLine: 1, endColumn: 5 })
    expect(output).toContain('1 | a: [\n    |    ^')
  })

  it('lets no file control the terminal', () => {
    const evil = 'a\u001b[31mred\u0007\u009b2J\u202eabc\rx'
    const output = show(
      `${evil}\n`,
      { line: 1, column: 1, file: `/p/${evil}` },
      { message: `${evil}\nfake line`, hint: evil },
    )
    expect(output).not.toMatch(/[\u001b\u0007\u009b\u202e\r]/)
    expect(output.split('\n')).toHaveLength(5)
  })
})
