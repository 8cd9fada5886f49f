import { nodeClock } from '@ext/kernel/node'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findText, replaceAt, toLf } from '../../src/tools/files/find-text.js'
import { linesOf, readLines } from '../../src/tools/files/lines.js'
import { fingerprint, whatChanged } from '../../src/tools/files/read-files.js'
import { decode, formatOf, openText } from '../../src/tools/files/text-format.js'
import { matchingLines } from '../../src/tools/search/matching-lines.js'
import { splitGlob } from '../../src/tools/search/split-glob.js'
import { createTurns } from '../../src/tools/search/turns.js'

const SEED = { seed: 11, numRuns: 500 }
const { signal } = new AbortController()
/** Texts in which everything that matters to lines is near each other. */
const mixed = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r', 'ä', '😀'), maxLength: 30 })

describe('changing a text', () => {
  it('finds what a plain search finds once all line breaks are alike', () => {
    fc.assert(
      fc.property(
        mixed,
        mixed.filter((text) => toLf(text) !== ''),
        (text, wanted) => {
          const found = findText(text, wanted)
          const plain = toLf(text).split(toLf(wanted)).length - 1
          expect(found.length).toBe(plain)
          for (const { start, end } of found) expect(toLf(text.slice(start, end))).toBe(toLf(wanted))
        },
      ),
      SEED,
    )
  })

  it('leaves everything else as it is, byte for byte', () => {
    fc.assert(
      fc.property(
        mixed,
        mixed.filter((text) => toLf(text) !== ''),
        (text, wanted) => {
          const found = findText(text, wanted)
          const kept = [...found, undefined].map((each, index) => text.slice(found[index - 1]?.end ?? 0, each?.start))
          expect(replaceAt(text, found, 'NEW')).toBe(kept.join('NEW'))
        },
      ),
      SEED,
    )
  })

  it('writes what it has read, whatever the bytes are', () => {
    const marks = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff])
    const units = fc.oneof(fc.constantFrom(0x61, 0x0a, 0x0d, 0xc3, 0xa4, 0xd8, 0x00), fc.nat(255))
    fc.assert(
      fc.property(marks, fc.array(units, { maxLength: 12 }), (mark, rest) => {
        const bytes = Uint8Array.from([...mark, ...rest])
        const opened = openText(bytes)
        if (opened) expect([...opened.encode(opened.text)]).toEqual([...bytes])
        else expect(formatOf(bytes).encoding).not.toBe('utf-8')
      }),
      SEED,
    )
  })
})

describe('reading lines', () => {
  it('gives the same from a file in parts as from a text', async () => {
    // The parts of a file are 256 KiB; what comes before makes their borders fall into the texts that are tried.
    const border = 256 * 1024
    await fc.assert(
      fc.asyncProperty(mixed, fc.nat(8), fc.nat(3), fc.boolean(), async (text, before, back, isUtf16) => {
        const filler = `${'x'.repeat(1022)}\n`
        const start = filler.repeat(Math.ceil(border / 1023)).slice(-(isUtf16 ? border / 2 : border) + before)
        const whole = start + text
        const bytes = isUtf16 ? Buffer.from(`\uFEFF${whole}`, 'utf16le') : Buffer.from(whole)
        const total = whole.split('\n').length
        const range = { first: Math.max(1, total - back - 4), most: 1000, characters: 100_000 }
        const file = {
          stat: { kind: 'file', size: bytes.length, modifiedMs: 0, version: '' } as const,
          read: async (at: number, length: number) => bytes.subarray(at, at + length),
        }
        const format = formatOf(bytes)
        expect(await readLines(file, format, range, signal)).toEqual(linesOf(decode(bytes, format), range))
      }),
      { seed: 11, numRuns: 60 },
    )
  })

  it('names lines that have changed, and between them all that have', async () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(lines, lines, async (before, now) => {
        const number = async (of: readonly string[]) =>
          (await fingerprint(new TextEncoder().encode(of.map((line) => `${line}\n`).join('')))).lines
        const text = whatChanged(await number(before), await number(now))
        const [from = 0, to = from] = [...text.matchAll(/(?<=lines? |to )\d+/g)].map(Number)
        if (before.join() === now.join()) expect(text).toBe('its last line break')
        else if (text.includes('gone'))
          expect([...now]).toEqual([...before.slice(0, from), ...before.slice(from + before.length - now.length)])
        else
          expect([before.slice(0, from - 1), before.slice(before.length - (now.length - to))]).toEqual([
            now.slice(0, from - 1),
            now.slice(to),
          ])
      }),
      SEED,
    )
  })
})

describe('searching', () => {
  it('finds the lines that a look at each one finds', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 })
    const pattern = fc.constantFrom('a', '^a', 'b$', '^$', '^(?:ab)+$', 'a\\b', '\\Bb', 'bb')
    await fc.assert(
      fc.asyncProperty(text, pattern, fc.boolean(), async (text, pattern, together) => {
        const [one, many] = [new RegExp(pattern), new RegExp(pattern, 'm')]
        const tests = {
          line: (line: string) => one.test(line),
          ...(together ? { many: (part: string) => many.test(part) } : {}),
        }
        const { matching } = await matchingLines(text, tests, createTurns(nodeClock()), signal)
        const lines = text.replace(/\n$/, '') === '' && !text.includes('\n') ? [] : text.replace(/\n$/, '').split('\n')
        expect(matching).toEqual(lines.flatMap((line, at) => (one.test(line) ? [at] : [])))
      }),
      SEED,
    )
  })

  it('searches in the folder that a glob begins with, and nothing climbs out of it', () => {
    const part = fc.constantFrom('a', 'b*', '**', '..', '.', '{a,b}', '?', '~')
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.boolean(), (parts, isAbsolute) => {
        const pattern = (isAbsolute ? '/' : '') + parts.join('/')
        const split = splitGlob(pattern, 'in')
        if (split.problem !== undefined) return
        expect(split.glob.split('/')).not.toContain('..')
        const literal = split.folder.replace(/^in\/?/, '')
        expect(literal).not.toMatch(/[*?{]/)
        expect(pattern.startsWith(literal)).toBe(true)
      }),
      SEED,
    )
  })
})
