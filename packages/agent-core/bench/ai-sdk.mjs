// What the adapter costs for each piece of a streamed answer beside the bare model of the AI SDK, in turns within the same
// process: `node packages/agent-core/bench/ai-sdk.mjs [PIECES]` after a build. Both read the same recorded bytes of the
// OpenAI and the Anthropic format, without a network; and what it costs to hand a long conversation over, beside writing it
// as JSON, which every provider does. Prints medians. Always exits with 0: a busy machine is no failure.
import { performance } from 'node:perf_hooks'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { aiSdkModel } from '@ext/agent-core/ai-sdk'
import { scriptedEndpoint } from '@ext/agent-core/testing'

const PIECES = Number(process.argv[2] ?? 5000)
const ROUNDS = 9
const { signal } = new AbortController()
const request = {
  system: 'You help.',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
}
const options = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] }

/** The bytes of an answer, so that only reading it is measured. */
async function recorded(wire) {
  const { fetch } = scriptedEndpoint({ turns: [{ say: 'a word. '.repeat((PIECES * 7) / 8) }] }, { wire })
  const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'go' }] }
  const answer = await fetch('https://models.example/v1', { method: 'POST', body: JSON.stringify(body) })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return async () => new Response(bytes, { headers: { 'content-type': 'text/event-stream' } })
}

async function bare(model) {
  const { stream } = await model.doStream({ ...options, abortSignal: signal })
  const reader = stream.getReader()
  for (;;) if ((await reader.read()).done) return
}

async function adapted(model) {
  for await (const _ of model.stream(request, { signal })) {
    /* as the loop reads it */
  }
}

async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

for (const wire of ['openai', 'anthropic']) {
  const fetch = await recorded(wire)
  const settings = { apiKey: 'none', baseURL: 'https://models.example/v1', fetch }
  const model =
    wire === 'openai' ? createOpenAICompatible({ name: 'local', ...settings })('m') : createAnthropic(settings)('m')
  const ours = aiSdkModel(model)
  const times = { bare: [], adapted: [] }
  for (let round = 0; round < ROUNDS + 2; round++) {
    const [a, b] = [await timed(() => bare(model)), await timed(() => adapted(ours))]
    // The first ones warm up.
    if (round < 2) continue
    times.bare.push(a)
    times.adapted.push(b)
  }
  const perPiece = (list) => (median(list) * 1000) / PIECES
  const [before, after] = [perPiece(times.bare), perPiece(times.adapted)]
  process.stdout.write(
    `${wire.padEnd(10)} ${before.toFixed(2)} µs a piece bare, ${after.toFixed(2)} µs adapted: ${(after - before).toFixed(2)} µs more\n`,
  )
}

const seen = []
const silent = {
  specificationVersion: 'v3',
  provider: 'anthropic.messages',
  modelId: 'm',
  supportedUrls: {},
  async doStream({ prompt }) {
    seen[0] = prompt
    return { stream: new ReadableStream({ start: (controller) => controller.close() }) }
  },
}
const ours = aiSdkModel(silent)
const turns = 1000
const long = {
  ...request,
  messages: [
    ...request.messages,
    ...Array.from({ length: turns }, (_, index) => [
      {
        role: 'assistant',
        text: `Step ${index}.`,
        calls: [{ id: `call_${index}`, name: 'Echo', input: { text: 'x' } }],
      },
      {
        role: 'tool',
        results: [
          {
            callId: `call_${index}`,
            name: 'Echo',
            isError: false,
            content: [{ type: 'text', text: 'a line\n'.repeat(40) }],
          },
        ],
      },
    ]).flat(),
  ],
}
const handOver = []
const writing = []
for (let round = 0; round < ROUNDS; round++) {
  handOver.push(
    await timed(() =>
      ours
        .stream(long, { signal })
        .next()
        .catch(() => {}),
    ),
  )
  writing.push(await timed(() => JSON.stringify(seen[0])))
}
process.stdout.write(
  `a conversation of ${turns} turns is handed over in ${median(handOver).toFixed(2)} ms; to write it as JSON takes ${median(writing).toFixed(2)} ms\n`,
)
