import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { claudeSource, codes, extSource, load, only, rule } from '../support.js'

const timeoutOf = async (timeout: unknown) => {
  const hooks = await load([extSource(rule('Stop', 'true', { timeout }))])
  return hooks.snapshot.entries[0]?.value.timeoutMs ?? only(hooks).message
}

describe('timeout', () => {
  test.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1h2m3s4ms', 3_723_004],
    ['24h', 86_400_000],
  ])('%s is %i ms', async (text, ms) => {
    expect(await timeoutOf(text)).toBe(ms)
  })

  test('a bare number asks for its unit', async () => {
    expect(await timeoutOf(30)).toBe(
      '`timeout` is the number 30: 30 has no unit; write "30s" for seconds or "30ms" for milliseconds.',
    )
  })

  // deepseek-ai/deepseek-harness discussion 583: a time-out of 0 skipped every guard.
  test.each(['0s', '0', '-5s', '', '5 minutes', '1.5s', '30m1h', '25h', null, true])(
    '%j is an error',
    async (value) => {
      const hooks = await load([extSource(rule('Stop', 'true', { timeout: value }))])
      expect(codes(hooks)).toEqual(['hooks.timeout.invalid'])
      expect(hooks.snapshot.entries).toEqual([])
    },
  )

  test('reads whatever it could have written', async () => {
    const part = (unit: string, max: number) => fc.integer({ min: 0, max }).map((n) => ({ unit, n }))
    const parts = fc.tuple(part('h', 20), part('m', 59), part('s', 59), part('ms', 999))
    await fc.assert(
      fc.asyncProperty(parts, async (all) => {
        const size = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as Record<string, number>
        const ms = all.reduce((sum, { unit, n }) => sum + n * (size[unit] ?? 0), 0)
        fc.pre(ms > 0)
        expect(await timeoutOf(all.map(({ unit, n }) => `${n}${unit}`).join(''))).toBe(ms)
      }),
      { numRuns: 50 },
    )
  })

  test('defaults to 30 s, in Claude-format files to 600 s and to 30 s before a prompt', async () => {
    const claude = (event: string) => ({ [event]: [{ hooks: [{ type: 'command', command: 'true' }] }] })
    const hooks = await load([
      extSource(rule('Stop', 'true')),
      claudeSource({ ...claude('Stop'), ...claude('UserPromptSubmit') }),
    ])
    expect(hooks.snapshot.entries.map(({ value }) => value.timeoutMs)).toEqual([30_000, 600_000, 30_000])
  })

  test('is 1.5 s at the end of a session, or what is written up to 60 s', async () => {
    const ends = (command: string, timeout?: number) => ({
      hooks: [{ type: 'command', command, ...(timeout ? { timeout } : {}) }],
    })
    const hooks = await load([
      extSource(rule('SessionEnd', 'a'), rule('SessionEnd', 'b', { timeout: '60s' })),
      claudeSource({ SessionEnd: [ends('c'), ends('d', 10), ends('e', 90)] }),
    ])
    expect(hooks.snapshot.entries.map(({ value }) => value.timeoutMs)).toEqual([1500, 60_000, 1500, 10_000, 60_000])
    expect(only(hooks)).toMatchObject({ code: 'hooks.timeout.capped', pointer: '/hooks/SessionEnd/2/hooks/0/timeout' })
  })
})
