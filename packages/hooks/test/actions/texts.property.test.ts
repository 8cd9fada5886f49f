import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillHeader, headerVariables } from '../../src/config/header-variables.js'
import { fillBody, isWellFormed } from '../../src/config/http-body.js'
import { readVerdict, withEvent } from '../../src/run/actions/verdict.js'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '${a}', '"}, "x": {"', '\n', '$&', '&b=2'),
)

describe('a body', () => {
  test('of JSON holds what the event holds, whatever that is', () => {
    fc.assert(
      fc.property(text, fc.jsonValue(), (a, b) => {
        const { body } = fillBody('{"in": "<${a}>", "\\"${a}": ${b}}', undefined, { a, b })
        expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify({ in: `<${a}>`, [`"${a}`]: b })))
      }),
    )
  })

  test('of a form has the fields that it was written with', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (a) => {
        const { body } = fillBody('a=${a}&b=1', 'application/x-www-form-urlencoded', { a })
        expect([...new URLSearchParams(body)]).toEqual([
          ['a', a],
          ['b', '1'],
        ])
      }),
    )
  })

  test('that is well-formed stays so', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('"', '${a}', '{', '}', ':', 'x', '\\', ',', ' ', '1')),
        fc.jsonValue(),
        (parts, a) => {
          const template = parts.join('')
          fc.pre(isWellFormed(template, undefined))
          expect(() => JSON.parse(fillBody(template, undefined, { a }).body)).not.toThrow()
        },
      ),
    )
  })
})

test('a header holds no variable but those that it may', () => {
  const parts = fc.array(fc.constantFrom('$A', '${A}', '$SECRET', '${SECRET}', '$', '{', '}', ' ', 'x', '$$'))
  fc.assert(
    fc.property(parts, fc.constantFrom('${SECRET}', '$SECRET', 'ok'), (list, value) => {
      const template = list.join('')
      const filled = fillHeader(template, (name) => (name === 'A' ? value : ''))
      expect(filled.replaceAll(value, '')).not.toContain('SECRET')
      for (const name of headerVariables(template)) expect(template).toContain(name)
    }),
  )
})

describe('an answer', () => {
  test('is read whatever it is', () => {
    const noise = fc
      .array(fc.constantFrom('{', '}', '"', '\\', '{"ok": ', 'true', 'no', '\n', '[', '```json'))
      .map((parts) => parts.join(''))
    fc.assert(fc.property(noise, (answer) => void readVerdict(answer)))
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (answer) => void readVerdict(answer)))
  })

  test('is found behind whatever talk that closes its braces', () => {
    const talk = fc.array(fc.constantFrom('{}', '{"step": 1}', 'so', '{a}', '\n', '"')).map((parts) => parts.join(' '))
    fc.assert(
      fc.property(talk, fc.string({ unit: 'grapheme', minLength: 1 }), (before, reason) => {
        fc.pre(reason.trim() !== '')
        const answer = `${before}\n${JSON.stringify({ ok: false, reason })}\n`
        expect(readVerdict(answer)).toEqual({ kind: 'judged', ok: false, reason: reason.trim() })
      }),
    )
  })
})

test('an event is put into a prompt as it is', () => {
  fc.assert(
    fc.property(text, (event) => {
      expect(withEvent('[$ARGUMENTS]', event)).toBe(`[${event}]`)
      expect(withEvent('x', event).endsWith(event)).toBe(true)
    }),
  )
})
