import { type Behaviour, type Handler, type Incoming, inputOf, type Mouth, text } from '../behaviour.js'

const REQUESTED = {
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: 'integer', minimum: 1, default: 3 } },
  required: ['name'],
}

/**
 * Has all that is no tool: resources in so many pages of so many each, one of any size (`big:///bytes`), a template, a
 * prompt, completions and a log. A call tells `times` times that all of it, and what was subscribed to, is different, and
 * logs `data`; with `die` it ends the server.
 */
export function library(pages = '2', perPage = '2'): Behaviour {
  const subscribed = new Set<string>()
  let calls = 0
  return {
    capabilities: {
      tools: {},
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
    },
    on: {
      'resources/list': ({ id, params }, mouth) => {
        const page = Number(params?.['cursor'] ?? 1)
        mouth.log(`listed page ${page}`)
        const resources = Array.from({ length: Number(perPage) }, (_, index) => {
          const name = `page-${page}-${index + 1}`
          return { uri: `file:///${name}`, name, description: `Call ${calls}.`, mimeType: 'text/plain', size: 5 }
        })
        const next = page < Number(pages) ? { nextCursor: String(page + 1) } : {}
        mouth.send({ id, result: { resources, ...next } })
      },
      'resources/templates/list': ({ id }, mouth) => {
        const resourceTemplates = [{ uriTemplate: 'big:///{bytes}', name: 'big', mimeType: 'text/plain' }]
        mouth.send({ id, result: { resourceTemplates } })
      },
      'resources/read': ({ id, params }, mouth) => {
        const uri = String(params?.['uri'])
        const bytes = /^big:\/\/\/(\d+)$/.exec(uri)?.[1]
        if (bytes) return mouth.send({ id, result: { contents: [{ uri, text: 'x'.repeat(Number(bytes)) }] } })
        if (uri === 'odd:///') return mouth.send({ id, result: { contents: [{ uri }, 7, { uri, blob: 'AAAA' }] } })
        if (uri === 'none:///') return mouth.send({ id, result: { contents: 'none' } })
        if (!uri.startsWith('file:///'))
          return mouth.send({ id, error: { code: -32002, message: 'Resource not found' } })
        mouth.send({ id, result: { contents: [{ uri, mimeType: 'text/plain', text: `This is ${uri}.` }] } })
      },
      'resources/subscribe': ({ id, params }, mouth) => {
        subscribed.add(String(params?.['uri']))
        mouth.log(`subscribed ${params?.['uri']}`)
        mouth.send({ id, result: {} })
      },
      'resources/unsubscribe': ({ id, params }, mouth) => {
        subscribed.delete(String(params?.['uri']))
        mouth.log(`unsubscribed ${params?.['uri']}`)
        mouth.send({ id, result: {} })
      },
      'prompts/list': ({ id }, mouth) => {
        const prompts = [
          {
            name: 'greet',
            description: 'Greets somebody.',
            arguments: [{ name: 'who', description: 'Whom.', required: true }, { name: 'how' }],
          },
          { name: 'odd name!' },
          { title: 'no name' },
        ]
        mouth.send({ id, result: { prompts } })
      },
      'prompts/get': ({ id, params }, mouth) => {
        const values = (params?.['arguments'] ?? {}) as Readonly<Record<string, string>>
        if (!values['who']) return mouth.send({ id, error: { code: -32602, message: 'who is missing' } })
        const said = 'x'.repeat(Number(values['bytes'] ?? 0)) || `Say ${values['how'] ?? 'hello'} to ${values['who']}.`
        const messages = [
          { role: 'user', content: { type: 'text', text: said } },
          { role: 'assistant', content: { type: 'text', text: 'To whom?' } },
          { role: 'user', content: { type: 'resource', resource: { uri: 'file:///who', text: values['who'] } } },
        ]
        mouth.send({ id, result: { description: 'A greeting.', messages } })
      },
      'completion/complete': ({ id, params }, mouth) => {
        const { value = '' } = (params?.['argument'] ?? {}) as { readonly value?: string }
        const values = Array.from({ length: 150 }, (_, index) => `${value}${index}`)
        mouth.send({ id, result: { completion: { values: [...values, 7], total: 150, hasMore: false } } })
      },
      'logging/setLevel': ({ id, params }, mouth) => {
        mouth.log(`level ${params?.['level']}`)
        if (params?.['level'] === 'emergency') mouth.send({ id, error: { code: -32603, message: 'not that one' } })
        else mouth.send({ id, result: {} })
      },
      'tools/call': (incoming, mouth) => {
        calls++
        const { times = 1, data = 'a\nb', die } = inputOf(incoming)
        if (die) return mouth.exit(1)
        for (let time = 0; time < Number(times); time++) {
          for (const uri of subscribed) mouth.send({ method: 'notifications/resources/updated', params: { uri } })
          mouth.send({ method: 'notifications/resources/list_changed' })
          mouth.send({ method: 'notifications/prompts/list_changed' })
        }
        mouth.send({ method: 'notifications/message', params: { level: 'warning', logger: 'shelf', data } })
        mouth.send({ id: incoming.id, result: text(calls) })
      },
    },
  }
}

/** Answers calls, reads and prompts with the `_meta` that came with them. */
export function meta(): Behaviour {
  const shown = ({ params }: Incoming) => JSON.stringify(params?.['_meta'] ?? null)
  return {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    on: {
      'tools/call': (incoming, mouth) => {
        const { fail } = inputOf(incoming)
        if (fail === 'refuse') mouth.send({ id: incoming.id, error: { code: -32602, message: 'not that one' } })
        else mouth.send({ id: incoming.id, result: { ...text(shown(incoming)), isError: fail === 'tool' } })
      },
      'resources/list': ({ id }, mouth) =>
        mouth.send({ id, result: { resources: [{ uri: 'meta:///', name: 'meta' }] } }),
      'resources/read': (incoming, mouth) => {
        mouth.send({ id: incoming.id, result: { contents: [{ uri: 'meta:///', text: shown(incoming) }] } })
      },
      'prompts/get': (incoming, mouth) => {
        const content = { type: 'text', text: shown(incoming) }
        mouth.send({ id: incoming.id, result: { messages: [{ role: 'user', content }] } })
      },
    },
  }
}

/** A list of resources that never ends. */
export function endlessresources(): Behaviour {
  return {
    capabilities: { tools: {}, resources: {} },
    on: {
      'resources/list': ({ id, params }, mouth) => {
        const page = Number(params?.['cursor'] ?? 0)
        const resources = [{ uri: `file:///${page}`, name: String(page) }, { name: 'without an address' }]
        mouth.send({ id, result: { resources, nextCursor: String(page + 1) } })
      },
    },
  }
}

/** Asks the person so many things at once in each call, says so by progress, and answers it with what came of them. */
export function elicits(times = '1'): Behaviour {
  return asking(({ input, ask, progress }) => {
    const { schema = REQUESTED, ...more } = input
    const params = { message: 'Who are you?\u001b[31m', requestedSchema: schema, ...more }
    for (let time = 0; time < Number(times); time++) ask('elicitation/create', params)
    progress()
  })
}

/** Has a model think again and again in a call, until it is refused, and answers with what came of it. */
export function samples(maxTokens = '100000'): Behaviour {
  return asking(({ ask }, last) => {
    if (last !== undefined && 'error' in last) return
    const messages = [{ role: 'user', content: { type: 'text', text: 'Think.' } }]
    ask('sampling/createMessage', { messages, maxTokens: Number(maxTokens) })
  }, true)
}

/** Asks for whatever the call says: `method` and `params`; with `cancel` it takes that back at once. */
export function inquires(): Behaviour {
  return asking(({ input, ask, cancel }) => {
    ask(String(input['method']), input['params'] as object | undefined)
    if (input['cancel']) cancel()
  })
}

/** Does nothing before a person has been at a page, and says so by an error; `pages` calls in a row. */
export function gated(times = '1'): Behaviour {
  let refused = 0
  return {
    on: {
      'tools/call': (incoming, mouth) => {
        const { id } = incoming
        if (refused >= Number(times)) return mouth.send({ id, result: text('let in') })
        refused++
        const url = String(inputOf(incoming)['url'] ?? 'https://example.com/sign-in?for=you')
        const elicitations = [{ mode: 'url', elicitationId: `page-${refused}`, url, message: 'Sign in first.' }]
        mouth.send({ id, error: { code: -32042, message: 'sign in first', data: { elicitations } } })
        setTimeout(
          () =>
            mouth.send({ method: 'notifications/elicitation/complete', params: { elicitationId: `page-${refused}` } }),
          50,
        )
      },
    },
  }
}

interface Asked {
  readonly call: Incoming
  readonly mouth: Mouth
  readonly input: ReturnType<typeof inputOf>
  open: number
  readonly answers: object[]
  ask(method: string, params?: object): void
  /** Takes back what was asked last. */
  cancel(): void
  /** Says that it is under way, to a client that wants to know. */
  progress(): void
}

/**
 * Asks in a call, and answers it once all is answered: with the answers as JSON.
 * @param again asks again after each answer, for as long as that asks for something
 */
function asking(begin: (asked: Asked, last?: object) => void, again = false): Behaviour {
  const open = new Map<unknown, Asked>()
  let lastId = 0
  const settle = (asked: Asked) => {
    if (asked.open === 0) asked.mouth.send({ id: asked.call.id, result: text(JSON.stringify(asked.answers)) })
  }
  const call: Handler = (incoming, mouth) => {
    const asked: Asked = {
      call: incoming,
      mouth,
      input: inputOf(incoming),
      open: 0,
      answers: [],
      ask(method, params) {
        const id = `question ${++lastId}`
        asked.open++
        open.set(id, asked)
        mouth.send({ id, method, ...(params ? { params } : {}) })
      },
      cancel() {
        const requestId = `question ${lastId}`
        asked.open--
        open.delete(requestId)
        mouth.send({ method: 'notifications/cancelled', params: { requestId, reason: 'not any more' } })
      },
      progress() {
        const meta = incoming.params?.['_meta'] as { readonly progressToken?: unknown } | undefined
        const progressToken = meta?.progressToken
        if (progressToken === undefined) return
        mouth.send({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      },
    }
    begin(asked)
    settle(asked)
  }
  return {
    on: {
      'tools/call': call,
      // An answer has no method.
      '': (incoming) => {
        const asked = open.get(incoming.id)
        if (!asked) return
        open.delete(incoming.id)
        const { result, error } = incoming as { readonly result?: object; readonly error?: object }
        const answer = error ? { error } : { ...result }
        asked.answers.push(answer)
        asked.open--
        if (again) begin(asked, answer)
        settle(asked)
      },
      'notifications/cancelled': ({ params }, mouth) => mouth.log(`cancelled: ${params?.['reason']}`),
    },
  }
}
