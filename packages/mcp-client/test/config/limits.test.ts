import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSize } from '../../src/config/size.js'
import { one } from './helpers.js'

describe('limits', () => {
  test('are the usual ones where nobody says anything', async () => {
    expect((await one('{ command: a }')).server('a')).toMatchObject({
      trusted: false,
      connectMs: 30_000,
      listMs: 30_000,
      totalMs: 600_000,
      keepAlive: { intervalMs: 30_000, timeoutMs: 10_000 },
      reconnect: { attempts: 5, minMs: 500, maxMs: 30_000 },
      limits: { concurrency: 16, breaker: { failures: 5, cooldownMs: 30_000 }, maxResultBytes: 262_144 },
    })
  })

  test('of the entry go before those of the host, field by field', async () => {
    const entry = `{
      command: a, timeout: { connect: 1m30s, list: 5s, call: 100ms, total: 1h },
      keepAlive: { interval: 1m }, reconnect: { attempts: 0, backoff: { max: 1m } },
      limits: { rate: { perSecond: 2.5 }, concurrency: 2, breaker: { failures: 1 }, maxResult: 10MiB } }`
    const defaults = {
      connectMs: 7000,
      callMs: 8000,
      keepAlive: { intervalMs: 9000, timeoutMs: 900 },
      reconnect: { minMs: 10 },
      rate: { perSecond: 1, burst: 1 },
      concurrency: 3,
      breaker: { failures: 9, cooldownMs: 9000 },
      maxResultBytes: 9,
    }
    const server = (await one(entry, { defaults })).server('a')
    expect(server).toMatchObject({
      connectMs: 90_000,
      listMs: 5000,
      totalMs: 3_600_000,
      keepAlive: { intervalMs: 60_000, timeoutMs: 900 },
      reconnect: { attempts: 0, minMs: 10, maxMs: 60_000 },
      limits: {
        rate: { perSecond: 2.5, burst: 3 },
        concurrency: 2,
        breaker: { failures: 1, cooldownMs: 9000 },
        maxResultBytes: 10 * 1024 ** 2,
      },
    })
    expect(server.tool('any').callMs).toBe(100)
    const other = (await one('{ command: a }', { defaults })).server('a')
    expect(other).toMatchObject({ connectMs: 7000, limits: { rate: { perSecond: 1, burst: 1 }, concurrency: 3 } })
    expect(other.tool('any').callMs).toBe(8000)
  })

  test('can be switched off, and on again where the host has them off', async () => {
    const off = (await one('{ command: a, keepAlive: false, reconnect: false, limits: { breaker: false } }')).server(
      'a',
    )
    expect(off).not.toHaveProperty('keepAlive')
    expect(off.limits).not.toHaveProperty('breaker')
    expect(off.reconnect.attempts).toBe(0)
    const defaults = { keepAlive: false, breaker: false } as const
    const still = (await one('{ command: a }', { defaults })).server('a')
    expect(still).not.toHaveProperty('keepAlive')
    const on = (await one('{ command: a, keepAlive: true, limits: { breaker: true } }', { defaults })).server('a')
    expect(on).toMatchObject({ keepAlive: { intervalMs: 30_000 }, limits: { breaker: { failures: 5 } } })
  })

  test('let a call that was given more time than all of it have that time', async () => {
    expect((await one('{ command: a, timeout: { call: 20m } }')).server('a').totalMs).toBe(1_200_000)
    const perTool = await one('{ command: a, tools: { perTool: { build: { timeout: 1h } } } }')
    expect(perTool.server('a').totalMs).toBe(3_600_000)
    const shorter = await one('{ command: a, timeout: { call: 20m, total: 5m } }')
    expect(shorter.server('a').totalMs).toBe(300_000)
    expect(shorter.only('mcp.timeout.order').severity).toBe('warning')
  })

  test.each([
    ['timeout: { call: 30 }', 'mcp.timeout.invalid', 'write "30s"'],
    ['timeout: { connect: 0s }', 'mcp.timeout.invalid', 'zero would be over'],
    ['timeout: { list: 2d }', 'mcp.timeout.invalid', 'looks like "500ms"'],
    ['timeout: { total: 48h }', 'mcp.timeout.invalid', '24h'],
    ['keepAlive: { interval: often }', 'mcp.timeout.invalid', '`keepAlive.interval`'],
    ['reconnect: { backoff: { min: 1 } }', 'mcp.timeout.invalid', '`reconnect.backoff.min`'],
    ['reconnect: { backoff: { min: 5s, max: 1s } }', 'mcp.timeout.order', 'shorter than `min`'],
    ['limits: { breaker: { cooldown: 5 } }', 'mcp.timeout.invalid', '`limits.breaker.cooldown`'],
    ['tools: { perTool: { "a/b": { timeout: 5 } } }', 'mcp.timeout.invalid', '`tools.perTool.a/b.timeout`'],
    ['limits: { maxResult: 10 }', 'mcp.size.invalid', 'write "10B"'],
    ['limits: { maxResult: 1GiB }', 'mcp.size.invalid', '64MiB'],
    ['limits: { maxResult: big }', 'mcp.size.invalid', 'looks like "512KiB"'],
    ['limits: { concurrency: 0 }', 'schema.value', 'must be >= 1'],
    ['limits: { rate: { burst: 1 } }', 'schema.required', '`perSecond`'],
    ['limits: { rate: { perSecond: 0 } }', 'schema.value', 'must be > 0'],
    ['reconnect: { attempts: -1 }', 'schema.value', 'must be >= 0'],
  ])('{ %s } is refused with its place', async (fields, code, message) => {
    const loaded = await one(`{ command: a, ${fields} }`)
    expect(loaded.diagnostics).toHaveLength(1)
    expect(loaded.only(code)).toMatchObject({ severity: 'error', message: expect.stringContaining(message) })
    expect(loaded.names).toEqual([])
  })

  test('that are misspelt are named with what was meant', async () => {
    const loaded = await one('{ command: a, limits: { concurency: 3, breaker: { coolDown: 3s } } }')
    expect(loaded.said('warning')).toEqual([
      'schema.unknown-key: `concurency` is not known here, so nothing reads it. Did you mean `concurrency`?',
      'schema.unknown-key: `coolDown` is not known here, so nothing reads it. Did you mean `cooldown`?',
    ])
  })
})

describe('sizes', () => {
  test.each([
    ['1B', 1],
    ['1 KiB', 1024],
    ['1kb', 1000],
    ['1.5MB', 1_500_000],
    ['10MiB', 10_485_760],
    ['0.5GiB', 536_870_912],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize(text, 1024 ** 3)).toEqual({ bytes })
  })

  test('are whole numbers within their limit, or nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.stringMatching(/^\d{0,4}[kMG]?i?B?$/)),
        (value) => {
          const { bytes, problem } = parseSize(value, 5000)
          expect(bytes === undefined).toBe(problem !== undefined)
          if (bytes !== undefined) expect(Number.isInteger(bytes) && bytes > 0 && bytes <= 5000).toBe(true)
        },
      ),
      { seed: 8, numRuns: 500 },
    )
  })
})
