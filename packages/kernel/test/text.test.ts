import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SourceText } from '../src/index.js'

describe('a text that knows its lines', () => {
  it.each([
    ['', 0, 1, 1],
    ['ab', 0, 1, 1],
    ['ab', 2, 1, 3],
    ['a\nb', 1, 1, 2],
    ['a\nb', 2, 2, 1],
    ['a\r\nb', 2, 1, 3],
    ['a\r\nb', 3, 2, 1],
    ['\n\n', 2, 3, 1],
    ['😀x', 2, 1, 3],
  ])('%j at %i is %i:%i', (text, offset, line, column) => {
    expect(new SourceText(text).position(offset)).toEqual({ line, column })
  })

  it.each([
    ['a\nb\n', 1, 'a'],
    ['a\nb\n', 2, 'b'],
    ['a\nb\n', 3, ''],
    ['a\nb\n', 4, undefined],
    ['a\nb', 0, undefined],
    ['a\r\nb\r\n', 1, 'a'],
    ['a\rb', 1, 'a\rb'],
    ['', 1, ''],
  ])('%j has the line %i: %j', (text, number, line) => {
    expect(new SourceText(text).line(number)).toBe(line)
  })

  it('finds any offset again through its line and column', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '😀', '\t') })
    fc.assert(
      fc.property(text, fc.nat(), (content, at) => {
        const offset = at % (content.length + 1)
        const { line, column } = new SourceText(content).position(offset)
        const before = content.split('\n').slice(0, line - 1)
        expect(before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1).toBe(offset)
        expect(new SourceText(content).line(line)).toBe(content.split('\n')[line - 1]?.replace(/\r$/, ''))
      }),
    )
  })
})
