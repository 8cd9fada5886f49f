import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const file = fileURLToPath(new URL('./fixtures/long-run.mjs', import.meta.url))
const MIB = 1024 * 1024

interface Measured {
  readonly reason: string
  /** After the run, beyond what was there before it. */
  readonly held: number
  /** After the session was cleared. */
  readonly left: number
  /** The conversation as JSON. */
  readonly log: number
}

async function measure(turns: number): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', file, String(turns)])
  return JSON.parse(stdout) as Measured
}

describe('a run of 10,000 turns that nobody iterates', () => {
  it('holds its conversation and nothing that grows beside it, and gives that back', async () => {
    const [short, long] = [await measure(1000), await measure(10_000)]
    expect([short.reason, long.reason]).toEqual(['done', 'done'])
    // What comes with each turn, between the two, is a few times its JSON: objects are larger than text.
    const perTurn = (long.held - short.held) / 9000
    expect(perTurn).toBeLessThan((4 * long.log) / 10_000)
    // What both leave is compiled code.
    expect(long.left - short.left).toBeLessThan(MIB)
  }, 60_000)
})
