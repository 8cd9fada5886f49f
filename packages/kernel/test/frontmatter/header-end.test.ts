import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headerEnd, splitFrontmatter } from '../../src/frontmatter/index.js'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

describe('The end of a header in bytes', () => {
  it.each([
    ['---\na: b\n---\nbody', '---\na: b\n---\n'],
    ['---\r\na: b\r\n---\r\nbody', '---\r\na: b\r\n---\r\n'],
    ['---\na: b\n --- \n---x\n---\nbody', '---\na: b\n --- \n---x\n---\n'],
    ['\uFEFF---\n---\nbody', '\uFEFF---\n---\n'],
    ['\uFEFF\uFEFF---\n---\nbody', '\uFEFF\uFEFF---\n---\n'],
    ['no\n---\n', 'no\n'],
  ])('is behind the closing fence: %j', (text, head) => {
    const end = headerEnd(encode(text), false)
    expect(decode(encode(text).subarray(0, end))).toBe(head)
  })

  it.each(['', '--', '---', '---\r', '---\na: b', '---\na: b\n-', '---\na: b\n---', '---\na: b\n---\r'])(
    'is not known yet: %j',
    (text) => {
      expect(headerEnd(encode(text), false)).toBeUndefined()
    },
  )

  const texts = fc
    .array(fc.constantFrom('---', '-', '\n', '\r', '\r\n', 'a: b', ' ', '\uFEFF', 'é', '😀', '--- x', '...'), {
      maxLength: 14,
    })
    .map((parts) => parts.join(''))

  it('gives a head that splits like the whole text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const bytes = encode(text)
        const head = decode(bytes.subarray(0, headerEnd(bytes, true) ?? bytes.length))
        const whole = splitFrontmatter(text)
        const part = splitFrontmatter(head)
        expect('code' in part ? part : { header: part.header, at: part.headerStart }).toEqual(
          'code' in whole ? whole : { header: whole.header, at: whole.headerStart },
        )
        if (!('code' in whole)) expect(text.slice(head.length)).toBe(whole.body)
      }),
      { numRuns: 2000, seed: 7 },
    )
  })

  it('does not change its mind when more is read', () => {
    fc.assert(
      fc.property(texts, fc.nat({ max: 40 }), (text, cut) => {
        const bytes = encode(text)
        const early = headerEnd(bytes.subarray(0, cut), false)
        const late = headerEnd(bytes, true) ?? bytes.length
        const startsWithFence = !('code' in splitFrontmatter(text))
        if (early !== undefined && startsWithFence) expect(early).toBe(late)
      }),
      {
        numRuns: 2000,
        seed: 7,
        // A part of a byte order mark.
        examples: [1, 2].map((cut) => ['\uFEFF---\na: b\n---\n', cut]),
      },
    )
  })
})
