import { describe, expect, it, vi } from 'vitest'
import { ExtError, messageOf } from '../src/index.js'

describe('an ExtError', () => {
  it('has a code, a cause and a name', () => {
    const cause = new Error('below')
    const error = new ExtError('kernel.reader.unknown', 'No reader.', { cause })
    expect(error).toMatchObject({ code: 'kernel.reader.unknown', message: 'No reader.', name: 'ExtError', cause })
    expect(error).toBeInstanceOf(Error)
    expect(Object.keys(error)).not.toContain('Symbol(@ext/kernel/ExtError)')
  })

  it('is recognised by another copy of this package, and nothing else is', async () => {
    vi.resetModules()
    const copy = await import('../src/errors.js')
    expect(copy.ExtError).not.toBe(ExtError)
    expect(copy.ExtError.isInstance(new ExtError('a', 'b'))).toBe(true)
    for (const other of [new Error('a'), { code: 'a' }, null, undefined, 'a', 5]) {
      expect(ExtError.isInstance(other)).toBe(false)
    }
  })
})

describe('the message of whatever was thrown', () => {
  it.each([
    [new Error('a'), 'a'],
    ['a', 'a'],
    [5, '5'],
    [undefined, 'undefined'],
    [Object.create(null), 'something without a message was thrown'],
    [Symbol('a'), 'Symbol(a)'],
  ])('%o', (thrown, message) => {
    expect(messageOf(thrown)).toBe(message)
  })

  it('is there also when it can not be looked at', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const error = Object.defineProperty(new Error(), 'message', {
      get() {
        throw new Error('no')
      },
    })
    for (const thrown of [proxy, error]) expect(messageOf(thrown)).toBe('something without a message was thrown')
  })
})
