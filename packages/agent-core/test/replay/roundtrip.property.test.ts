import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadRecording, replayedModel } from '../../src/replay/index.js'
import type { Message, ModelRequest } from '../../src/types.js'
import { answering, ask, FILE, recorder, request, said, text, user } from './kit.js'

const word = fc.constantFrom('a', 'b', 'c')

/** Requests of conversations that begin alike, branch, are cut short, and change their prompt and tools on the way. */
const requests = fc
  .array(fc.record({ before: fc.nat(), word, system: fc.boolean(), tools: fc.boolean(), drop: fc.nat(2) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((steps) => {
    const all: ModelRequest[] = []
    for (const { before, word, system, tools, drop } of steps) {
      const parent = before % (all.length + 1)
      const earlier: readonly Message[] = all[parent]?.messages ?? []
      const messages = [...earlier.slice(0, Math.max(0, earlier.length - drop)), said(`to ${word}`), user(word)]
      all.push(
        request(messages, {
          system: system ? 'You help.' : 'You review.',
          tools: tools ? [{ name: 'Echo', description: '', inputSchema: {} }] : [],
        }),
      )
    }
    return all
  })

async function record(asked: readonly ModelRequest[]) {
  const recording = recorder(answering((_, call) => [text(`answer ${call}`)]))
  for (const each of asked) await ask(recording.model, each)
  return recording
}

describe('a recording of any conversations', () => {
  it('gives every request back, and every answer in its turn', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (asked) => {
        const recording = await (await record(asked)).load()
        expect(recording.calls.map((call) => call.request)).toEqual(asked)
        const model = replayedModel(recording)
        for (const [index, each] of asked.entries()) {
          expect(await ask(model, each)).toEqual({ events: [text(`answer ${index + 1}`)] })
        }
      }),
      { numRuns: 150 },
    )
  })

  it('is read without a throw, however it was damaged, and keeps the calls whose lines are whole', async () => {
    const cut = fc.record({ at: fc.nat(), length: fc.nat(30), put: fc.string({ maxLength: 3 }) })
    await fc.assert(
      fc.asyncProperty(requests, cut, async (asked, { at, length, put }) => {
        const lines = (await (await record(asked)).text()).trimEnd().split('\n')
        const [header = '', ...calls] = lines
        const hit = at % calls.length
        const line = calls[hit] ?? ''
        const start = at % line.length
        const damaged = line.slice(0, start) + put.replace(/[\r\n]/g, '') + line.slice(start + length)
        const text = [header, ...calls.with(hit, damaged)].join('\n')
        const { value, diagnostics } = await loadRecording(text, { file: FILE })
        const whole = calls.flatMap((_, index) => (index === hit ? [] : [index + 1]))
        expect(value?.calls.map(({ call }) => call)).toEqual(expect.arrayContaining(whole))
        expect(diagnostics.every(({ severity }) => severity === 'warning')).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})
