import { type Behaviour, type Handler, inputOf, text } from '../behaviour.js'
import { record } from '../record.js'

const calling = (call: Handler): Behaviour => ({ on: { 'tools/call': call } })

/** Never answers a call. */
export function slow(): Behaviour {
  return calling((_incoming, mouth) => mouth.log('called'))
}

/** Never answers a ping, but everything else. */
export function noping(): Behaviour {
  return { on: { ping: () => {} } }
}

/** Dies in a call. */
export function die(): Behaviour {
  return calling((_incoming, mouth) => {
    mouth.log('fatal: out of cheese')
    mouth.exit(9)
  })
}

/** Answers with 30 MiB. */
export function huge(): Behaviour {
  return big(String(30 * 1024 * 1024))
}

/** Answers with more than is taken; with `small`, with little. */
export function toolarge(bytes: string = String(65 * 1024 * 1024)): Behaviour {
  return calling(({ id, params }, mouth) =>
    mouth.send({ id, result: text(inputOf({ params: params ?? {} })['small'] ? 'small' : 'x'.repeat(Number(bytes))) }),
  )
}

/** Answers with so many bytes: those of the input, or of the server. */
export function big(bytes = '1000000'): Behaviour {
  return calling((incoming, mouth) => {
    const size = Number(inputOf(incoming)['bytes'] ?? bytes)
    mouth.send({ id: incoming.id, result: text('x'.repeat(size)) })
  })
}

/** Answers byte by byte, so that characters are split. */
export function utf8(): Behaviour {
  return calling(({ id }, mouth) => mouth.drip(JSON.stringify({ jsonrpc: '2.0', id, result: text('grüße 🧀') })))
}

/** Answers after `ms` of the input, or of the server, and says that it has begun. */
export function sleepy(ms = '1000'): Behaviour {
  return calling((incoming, mouth) => {
    mouth.log('called')
    const wait = Number(inputOf(incoming)['ms'] ?? ms)
    setTimeout(() => mouth.send({ id: incoming.id, result: text(inputOf(incoming)['text'] ?? 'awake') }), wait)
  })
}

/**
 * Reports progress `steps` times, `everyMs` apart, then answers, at once or after `lastMs`; after a cancellation it says
 * no more.
 */
export function progress(steps = '3', everyMs = '20'): Behaviour {
  const cancelled = new Set<unknown>()
  return {
    on: {
      'notifications/cancelled': ({ params }, mouth) => {
        cancelled.add(params?.['requestId'])
        mouth.log(`cancelled: ${params?.['reason']}`)
      },
      'tools/call': (incoming, mouth) => {
        const { id, params } = incoming
        const input = inputOf(incoming)
        const total = Number(input['steps'] ?? steps)
        const meta = params?.['_meta'] as { readonly progressToken?: unknown } | undefined
        const step = (done: number) => {
          if (cancelled.has(id)) return
          if (meta?.progressToken !== undefined) {
            const report = { progressToken: meta.progressToken, progress: done, total, message: `step ${done}` }
            mouth.send({ method: 'notifications/progress', params: report })
          }
          if (done < total) setTimeout(step, Number(input['everyMs'] ?? everyMs), done + 1)
          else if (input['lastMs'] === undefined) mouth.send({ id, result: text(`${total} steps`) })
          else setTimeout(() => mouth.send({ id, result: text(`${total} steps`) }), Number(input['lastMs']))
        }
        step(1)
      },
    },
  }
}

/** Asks the client two things in a call, and answers it with what the client said. */
export function asks(): Behaviour {
  let call: unknown
  const said: string[] = []
  return {
    on: {
      'tools/call': ({ id }, mouth) => {
        call = id
        mouth.send({ id: 'are you there', method: 'ping' })
        mouth.send({ id: 'think for me', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } })
      },
      // An answer has no method.
      '': (incoming, mouth) => {
        const error = 'error' in incoming ? (incoming.error as { readonly code: number }) : undefined
        said.push(`${incoming.id}: ${error ? error.code : 'yes'}`)
        if (said.length === 2) mouth.send({ id: call, result: text(said.sort().join(', ')) })
      },
    },
  }
}

/** Answers with its environment. */
export function env(): Behaviour {
  // biome-ignore lint/style/noProcessEnv: it is a process of its own, and this is what it is for
  return calling(({ id }, mouth) => mouth.send({ id, result: text(JSON.stringify(process.env)) }))
}

/** Writes each call into a file, a line of JSON each, so that none can happen twice unseen; answers with their number. */
export function counter(file = ''): Behaviour {
  return calling((incoming, mouth) => {
    const count = record(file, inputOf(incoming))
    mouth.send({ id: incoming.id, result: text(count) })
  })
}

/**
 * Like `counter`, but dies in a share of the calls: half of them before the call is written down, half of them after
 * it and before the answer.
 */
export function crash(file = '', share = '0.1', seed = '1'): Behaviour {
  const random = pseudoRandom(Number(seed) + process.pid)
  return calling((incoming, mouth) => {
    const fate = random()
    if (fate < Number(share) / 2) return mouth.exit(7)
    const count = record(file, inputOf(incoming))
    if (fate < Number(share)) return mouth.exit(8)
    mouth.send({ id: incoming.id, result: text(count) })
  })
}

/** Fails the first so many calls of its life, then works. */
export function flaky(failures = '1'): Behaviour {
  let calls = 0
  return calling((incoming, mouth) => {
    const { id } = incoming
    if (++calls > Number(failures)) return mouth.send({ id, result: text(inputOf(incoming)['text'] ?? calls) })
    mouth.send({ id, error: { code: -32603, message: `failure ${calls}` } })
  })
}

const ODD: Readonly<Record<string, object>> = {
  video: {
    result: { content: [{ type: 'video', data: 'AAAA', mimeType: 'video/mp4' }, 'loose', { type: 'image' }] },
  },
  blocks: {
    result: {
      content: [
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'hello' } },
        { type: 'resource_link', uri: 'file:///b', name: 'b', size: 3 },
      ],
    },
  },
  structured: { result: { content: [], structuredContent: { sum: 3 } } },
  nothing: { result: {} },
  badcontent: { result: { content: 'text' } },
  badmeta: { result: { content: [{ type: 'text', text: 'meta' }], _meta: null } },
  extra: { result: { content: [{ type: 'text', text: 'extra' }] }, extra: true },
  iserror: { result: { isError: true, content: [{ type: 'text', text: 'the file is locked' }] } },
  rpcerror: { error: { code: -32602, message: 'city is missing' } },
  malformed: { result: 7 },
  baderror: { error: 'no' },
  neither: {},
}

/** Answers in the way that `what` of the input names. */
export function odd(): Behaviour {
  return calling((incoming, mouth) => mouth.send({ id: incoming.id, ...ODD[String(inputOf(incoming)['what'])] }))
}

/** Marsaglia's xorshift: the same for the same seed. */
function pseudoRandom(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
