import { serveHostile } from '@ext/mcp-client/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import type {
  AskedBy,
  ElicitationPort,
  FormRequest,
  McpClientOptions,
  PageRequest,
  SamplingRequest,
} from '../src/types.js'
import { codes, hostile, only, PATIENCE, settled, textOf } from './helpers.js'

const patience = { timeout: PATIENCE }
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Answer = { readonly action?: string; readonly content?: object; readonly error?: { readonly code: number } }

/** What the server was told, by a call in which it asks. */
async function told(
  mode: string,
  options: Partial<McpClientOptions> = {},
  input: object = {},
  ...args: readonly string[]
) {
  const made = await settled({ s: hostile(mode, ...args) }, options)
  const result = await made.call('mcp__s__echo', input as never)
  return { made, answers: JSON.parse(textOf(result)) as readonly Answer[] }
}

const accept: ElicitationPort = { form: async () => ({ action: 'accept', content: { name: 'Ada' } }) }

describe('a server that asks for what is not offered', () => {
  test.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'tasks/get', 'long'])(
    'is told that there is no %s, and that is said once',
    async (name) => {
      const method = name === 'long' ? 'x'.repeat(5000) : name
      const { made, answers } = await told('inquires', {}, { method, params: {} })
      expect(answers).toMatchObject([{ error: { code: -32601 } }])
      await made.call('mcp__s__echo', { method })
      expect(codes(made.diagnostics)).toEqual(['mcp.request.refused'])
      expect(made.diagnostics[0]?.message.length).toBeLessThan(200)
    },
  )

  test('is told so before it asks, by what is announced', async () => {
    const capabilities = async (options: Partial<McpClientOptions>) => {
      let announced: unknown
      const server = await serveHostile('echo')
      onTestFinished(() => server.close())
      await settled({ s: { url: server.url } }, { ...options, fetch: spy })
      function spy(...asked: Parameters<typeof fetch>) {
        const body = typeof asked[1]?.body === 'string' ? JSON.parse(asked[1].body) : {}
        if (body.method === 'initialize') announced = body.params.capabilities
        return fetch(...asked)
      }
      return announced
    }
    expect(await capabilities({})).toEqual({})
    const create = async () => undefined
    const url = async () => ({ action: 'decline' as const })
    expect(await capabilities({ sampling: { create }, elicitation: accept, roots: () => [] })).toEqual({
      sampling: {},
      elicitation: { form: {} },
      roots: { listChanged: true },
    })
    expect(await capabilities({ sampling: { create, tools: true }, elicitation: { url } })).toEqual({
      sampling: { tools: {} },
      elicitation: { url: {} },
    })
  })

  test('is answered by a ping whatever else is open', async () => {
    const { answers } = await told('inquires', {}, { method: 'ping' })
    expect(answers).toEqual([{}])
  })
})

describe('a form', () => {
  test('is shown as fields, and the answer is sent with the defaults', async () => {
    const shown: FormRequest[] = []
    const elicitation: ElicitationPort = {
      async form(request, by) {
        shown.push(request)
        expect([by.server, by.signal.aborted]).toEqual(['s', false])
        expect(request.check({ name: 'Ada', size: 0 })).toMatchObject([{ field: 'size' }])
        return { action: 'accept', content: { name: 'Ada' } }
      },
    }
    const { answers } = await told('elicits', { elicitation })
    expect(answers).toEqual([{ action: 'accept', content: { name: 'Ada', size: 3 } }])
    expect(shown[0]?.message).toBe('Who are you?')
    expect(shown[0]?.fields.map(({ name, required }) => [name, required])).toEqual([
      ['name', true],
      ['size', false],
    ])
  })

  test.each(['decline', 'cancel'] as const)(
    'that a person answers with %s is answered so, without what they wrote',
    async (action) => {
      const { answers } = await told('elicits', {
        elicitation: { form: async () => ({ action, content: { name: 'Ada' } }) },
      })
      expect(answers).toEqual([{ action }])
    },
  )

  test('that is more than a flat one is not shown, and the server is told what is wrong with it', async () => {
    let shown = 0
    const elicitation: ElicitationPort = {
      form: async () => {
        shown++
        return { action: 'accept' }
      },
    }
    const schema = { type: 'object', properties: { a: { type: 'object' } } }
    const { made, answers } = await told('elicits', { elicitation }, { schema })
    expect([shown, answers]).toMatchObject([0, [{ error: { code: -32602, message: expect.stringContaining('"a"') } }]])
    expect(only(made, 'mcp.request.refused').message).toContain('the field "a" is no text, number, boolean or choice')
  })

  test('of another mode than is offered is refused', async () => {
    const { answers } = await told(
      'elicits',
      { elicitation: accept },
      { mode: 'url', url: 'https://e.test', elicitationId: '1' },
    )
    expect(answers).toMatchObject([{ error: { code: -32602 } }])
  })

  test('whose answer does not fit, or whose port fails, is a fault of the program, of which the server hears nothing', async () => {
    const wrong = await told('elicits', {
      elicitation: { form: async () => ({ action: 'accept', content: { size: 0 } }) },
    })
    expect(wrong.answers).toMatchObject([{ error: { code: -32603, message: 'The request could not be answered.' } }])
    expect(only(wrong.made, 'mcp.answer.failed').message).toContain('the answer does not fit')
    const failing = await told('elicits', {
      elicitation: {
        form: async () => {
          throw new Error('private')
        },
      },
    })
    expect(JSON.stringify(failing.answers)).not.toContain('private')
    expect(only(failing.made, 'mcp.answer.failed').message).toContain('private')
  })

  test('is asked one after the other, and a storm of them is refused', async () => {
    let open = 0
    let most = 0
    let over = () => {}
    const storm = new Promise<void>((resolve) => {
      over = resolve
    })
    const elicitation: ElicitationPort = {
      async form() {
        open++
        most = Math.max(most, open)
        // The rest of the storm comes while the first one is answered.
        await storm
        open--
        return { action: 'accept', content: { name: 'Ada' } }
      },
    }
    const made = await settled({ s: hostile('elicits', '1000') }, { elicitation })
    const result = await made.call('mcp__s__echo', {}, { onProgress: over })
    const answers = JSON.parse(textOf(result)) as readonly Answer[]
    expect(most).toBe(1)
    expect(answers).toHaveLength(1000)
    expect(answers.filter(({ action }) => action === 'accept')).toHaveLength(8)
    expect(answers.filter(({ error }) => error?.code === -32000)).toHaveLength(992)
    expect(only(made, 'mcp.request.refused').message).toContain('questions at a time are not answered')
  })

  test('that nobody answers in time is cancelled, and so is one of a call that is given up', async () => {
    const heard: unknown[] = []
    const elicitation: ElicitationPort = {
      form: (_request, by) =>
        new Promise(() => {
          by.signal.addEventListener('abort', () => heard.push(by.signal.reason))
        }),
    }
    const { answers } = await told('elicits', { elicitation, asking: { withinMs: 100 } })
    expect(answers).toEqual([{ action: 'cancel' }])
    expect(heard).toMatchObject([{ name: 'TimeoutError' }])
    const made = await settled({ s: hostile('elicits') }, { elicitation })
    const caller = new AbortController()
    const call = made.call('mcp__s__echo', {}, { signal: caller.signal })
    await wait(100)
    caller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    expect(heard).toHaveLength(2)
    expect(codes(made.diagnostics)).toEqual([])
  })

  test.each(['stdio', 'http'])('stops the clock of its call for as long as a person takes, over %s', async (over) => {
    const elicitation: ElicitationPort = {
      async form() {
        await wait(900)
        return { action: 'accept', content: { name: 'slow' } }
      },
    }
    const server = await serveHostile('elicits')
    onTestFinished(() => server.close())
    const entry = over === 'stdio' ? hostile('elicits') : { url: server.url }
    const made = await settled({ s: { ...entry, timeout: { call: '400ms', total: '400ms' } } }, { elicitation })
    expect(JSON.parse(textOf(await made.call('mcp__s__echo', {})))).toMatchObject([{ content: { name: 'slow' } }])
  })

  test('over HTTP it stops the clock of its own call only', async () => {
    const elicitation: ElicitationPort = {
      async form() {
        await wait(1500)
        return { action: 'decline' }
      },
    }
    const server = await serveHostile('elicits')
    onTestFinished(() => server.close())
    const made = await settled(
      { s: { url: server.url, timeout: { call: '300ms' } } },
      { elicitation, asking: { withinMs: 600 } },
    )
    const asking = made.call('mcp__s__echo', {})
    await wait(100)
    // It is queued behind the first at the person; its own clock stops as well, but that of a read does not.
    const began = performance.now()
    const read = await made.resources.read('s', 'file:///a')
    expect(performance.now() - began).toBeLessThan(300)
    expect(read.isError).toBe(true)
    expect(JSON.parse(textOf(await asking))).toEqual([{ action: 'cancel' }])
  })
})

describe('a page that a server wants the person to go to', () => {
  const page = { mode: 'url', url: 'https://bank.example:8443/a?b=c', elicitationId: 'x', message: 'Go there.' }

  test('is shown with its host, and nothing of it is fetched', async () => {
    const shown: PageRequest[] = []
    const elicitation: ElicitationPort = {
      async url(request) {
        shown.push(request)
        return { action: 'accept' }
      },
    }
    const { answers } = await told('inquires', { elicitation }, { method: 'elicitation/create', params: page })
    expect(answers).toEqual([{ action: 'accept' }])
    expect(shown).toMatchObject([{ message: 'Go there.', url: page.url, host: 'bank.example:8443', required: false }])
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'https://bank.example@evil.test/', 'nowhere', 7])(
    'is refused for the address %s',
    async (url) => {
      let shown = 0
      const elicitation: ElicitationPort = {
        async url() {
          shown++
          return { action: 'accept' }
        },
      }
      const { answers } = await told(
        'inquires',
        { elicitation },
        { method: 'elicitation/create', params: { ...page, url } },
      )
      expect([shown, answers]).toMatchObject([0, [{ error: { code: -32602 } }]])
    },
  )

  test('shows letters beyond ASCII as they are looked up', async () => {
    let host = ''
    const elicitation: ElicitationPort = {
      async url(request) {
        host = request.host
        return { action: 'decline' }
      },
    }
    const params = { ...page, url: 'https://аррӏе.com/' }
    expect((await told('inquires', { elicitation }, { method: 'elicitation/create', params })).answers).toEqual([
      { action: 'decline' },
    ])
    expect(host).toMatch(/^xn--/)
  })

  test('that a call needs first is shown, and the call is sent again once the person has been there', async () => {
    const shown: PageRequest[] = []
    const elicitation: ElicitationPort = {
      async url(request) {
        shown.push(request)
        await request.completed
        return { action: 'accept' }
      },
    }
    const made = await settled({ s: hostile('gated') }, { elicitation })
    expect(textOf(await made.call('mcp__s__echo', {}))).toBe('let in')
    expect(shown).toMatchObject([{ host: 'example.com', required: true, message: 'Sign in first.' }])
  })

  test('that a call needs again and again is shown once a call; without a yes the call fails', async () => {
    let shown = 0
    const url = (action: 'accept' | 'decline'): ElicitationPort => ({
      async url() {
        shown++
        return { action }
      },
    })
    const made = await settled({ s: hostile('gated', '100') }, { elicitation: url('accept') })
    expect(textOf(await made.call('mcp__s__echo', {}))).toContain('sign in first')
    expect(shown).toBe(1)
    const declining = await settled({ s: hostile('gated') }, { elicitation: url('decline') })
    expect(await declining.call('mcp__s__echo', {})).toMatchObject({ isError: true, meta: { kind: 'remote' } })
    const without = await settled({ s: hostile('gated') })
    expect(textOf(await without.call('mcp__s__echo', {}))).toContain('sign in first')
    expect(only(without, 'mcp.request.refused').message).toContain('wants a person to go to a page')
    const bad = await settled({ s: hostile('gated') }, { elicitation: url('accept') })
    expect(await bad.call('mcp__s__echo', { url: 'file:///x' })).toMatchObject({ isError: true })
  })
})

describe('sampling', () => {
  const create = async () => ({ content: [{ type: 'text' as const, text: 'thought' }], model: 'm-1' })

  test('gives the model what the server sends, within the limit of tokens, and the server its answer', async () => {
    const asked: SamplingRequest[] = []
    const sampling = {
      create: (request: SamplingRequest) => {
        asked.push(request)
        return create()
      },
    }
    const params = {
      messages: [
        { role: 'user', content: { type: 'text', text: 'a' } },
        { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
        { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      ],
      systemPrompt: 'Be brief.',
      maxTokens: 100_000,
      temperature: 0.5,
      stopSequences: ['.'],
      modelPreferences: { hints: [{ name: 'small' }], costPriority: 1 },
      includeContext: 'allServers',
    }
    const { answers } = await told(
      'inquires',
      { sampling, asking: { maxTokens: 50 } },
      { method: 'sampling/createMessage', params },
    )
    expect(answers).toEqual([
      { role: 'assistant', content: { type: 'text', text: 'thought' }, model: 'm-1', stopReason: 'endTurn' },
    ])
    expect(asked).toEqual([
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'a' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
          { role: 'user', content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
        ],
        systemPrompt: 'Be brief.',
        maxTokens: 50,
        temperature: 0.5,
        stopSequences: ['.'],
        modelPreferences: { hints: [{ name: 'small' }], costPriority: 1 },
      },
    ])
  })

  const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }]
  const withTools = {
    messages: [
      { role: 'user', content: { type: 'text', text: 'a' } },
      { role: 'assistant', content: { type: 'tool_use', id: '1', name: 'look', input: {} } },
      { role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [{ type: 'text', text: 'seen' }] } },
    ],
    maxTokens: 10,
    tools,
    toolChoice: { mode: 'required' },
  }

  test('has tools if the port takes them, and is refused with tools if it does not', async () => {
    const asked: SamplingRequest[] = []
    const sampling = {
      tools: true,
      async create(request: SamplingRequest) {
        asked.push(request)
        const content = [{ type: 'tool_use' as const, id: '2', name: 'look', input: { at: 'it' } }]
        return { content, model: 'm-1', stopReason: 'toolUse' }
      },
    }
    const order = { method: 'sampling/createMessage', params: withTools }
    const { answers } = await told('inquires', { sampling }, order)
    expect(answers).toMatchObject([{ content: { type: 'tool_use', id: '2' }, stopReason: 'toolUse' }])
    expect(asked).toMatchObject([
      {
        tools,
        toolChoice: 'required',
        messages: [{}, { content: [{ type: 'tool_use' }] }, { content: [{ type: 'tool_result' }] }],
      },
    ])
    expect((await told('inquires', { sampling: { create } }, order)).answers).toMatchObject([
      { error: { code: -32602 } },
    ])
  })

  test('is refused where a person says no, and that is nothing to report', async () => {
    const { made, answers } = await told('samples', { sampling: { create: async () => undefined } })
    expect(answers).toMatchObject([{ error: { code: -1 } }])
    expect(made.diagnostics).toEqual([])
  })

  test('is refused for a reason that the program gives, which the server is told', async () => {
    const create = async () => ({ refused: 'The budget is used up.' })
    const { made, answers } = await told('samples', { sampling: { create } })
    expect(answers).toMatchObject([
      { error: { code: -1, message: 'The request was rejected: The budget is used up.' } },
    ])
    expect(made.diagnostics).toEqual([])
  })

  describe.each(['stdio', 'stdio@2026', 'http', 'http@2026'])('over %s', (over) => {
    const mode = over.endsWith('@2026') ? 'samples@2026' : 'samples'
    const ref = (id: string) => ({ id, cwd: '/', origin: 'main', permissionMode: 'default' }) as const

    /** The sessions that the port hears of while a call of each of these is open. */
    async function heard(...ids: readonly string[]) {
      const sessions: (string | undefined)[] = []
      const sampling = {
        async create(_request: SamplingRequest, by: AskedBy) {
          sessions.push(by.session?.id)
          return undefined
        },
      }
      const server = await serveHostile(mode)
      onTestFinished(() => server.close())
      const program = { ...hostile(mode), ...(over === 'stdio@2026' ? { protocol: 2026 } : {}) }
      const made = await settled({ s: over.startsWith('stdio') ? program : { url: server.url } }, { sampling })
      await Promise.all(ids.map((id) => made.call('mcp__s__echo', {}, { session: ref(id) })))
      return sessions
    }

    test('says whose call it is for', async () => {
      expect(await heard('one')).toEqual(['one'])
    })

    test(`says so of one of several ${over === 'stdio' ? 'not, since nobody can tell' : 'as well'}`, async () => {
      const sessions = await heard('one', 'two')
      if (over === 'stdio') expect(sessions[0]).toBeUndefined()
      else expect(sessions.sort()).toEqual(['one', 'two'])
    })
  })

  test('in a loop ends at the limit of questions, and is said once', async () => {
    let asked = 0
    const sampling = {
      create: () => {
        asked++
        return create()
      },
    }
    const { made, answers } = await told('samples', { sampling, asking: { perMinute: 5 } })
    expect([asked, answers.length]).toEqual([5, 6])
    expect(answers.at(-1)).toMatchObject({ error: { code: -32000 } })
    await made.call('mcp__s__echo', {})
    expect([asked, only(made, 'mcp.request.refused').message]).toEqual([
      5,
      expect.stringContaining('More than 5 questions a minute'),
    ])
  })

  test.each([
    ['no messages', { messages: [], maxTokens: 1 }],
    ['no limit', { messages: withTools.messages.slice(0, 1) }],
    ['content that is none', { messages: [{ role: 'user', content: { type: 'video' } }], maxTokens: 1 }],
    ['a role that is none', { messages: [{ role: 'system', content: { type: 'text', text: '' } }], maxTokens: 1 }],
    [
      'more than a person would pay for',
      { messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(1_100_000) } }], maxTokens: 1 },
    ],
    ['nothing', undefined],
  ])('is refused with %s', async (_what, params) => {
    const { answers } = await told('inquires', { sampling: { create } }, { method: 'sampling/createMessage', params })
    expect(answers).toMatchObject([{ error: { code: -32602 } }])
  })

  test('is not answered with what is no answer', async () => {
    const sampling = { create: async () => ({ content: [], model: 'm' }) }
    const { made, answers } = await told('samples', { sampling })
    expect(answers).toMatchObject([{ error: { code: -32603 } }])
    expect(only(made, 'mcp.answer.failed').message).toContain('the answer has no content')
  })
})

describe('roots', () => {
  test('are the folders that the program gives, as addresses', async () => {
    const roots = () => ['/home/ada/my project', 'C:\\work\\ü']
    const { answers } = await told('inquires', { roots }, { method: 'roots/list' })
    expect(answers).toEqual([
      {
        roots: [
          { uri: 'file:///home/ada/my%20project', name: 'my project' },
          { uri: 'file:///C:/work/%C3%BC', name: 'ü' },
        ],
      },
    ])
  })

  test('that are others after new configuration are announced, and only then', async () => {
    const server = await serveHostile('inquires')
    onTestFinished(() => server.close())
    let folder = '/a'
    const made = await settled({ s: { url: server.url } }, { roots: () => [folder] })
    const announced = () => server.seen.filter((each) => each === 'POST notifications/roots/list_changed').length
    await made.apply()
    expect(announced()).toBe(0)
    folder = '/b'
    await made.apply()
    await expect.poll(announced, patience).toBe(1)
    expect(textOf(await made.call('mcp__s__echo', { method: 'roots/list' }))).toContain('file:///b')
  })

  test('are not offered to a server that is to have none', async () => {
    const roots = ({ name }: { readonly name: string }) => (name === 's' ? undefined : ['/a'])
    const { answers } = await told('inquires', { roots }, { method: 'roots/list' })
    expect(answers).toMatchObject([{ error: { code: -32601 } }])
  })

  test('that can not be given are a fault of the program', async () => {
    const roots = () => {
      throw new Error('no folder')
    }
    const { made, answers } = await told('inquires', { roots }, { method: 'roots/list' })
    expect(answers).toMatchObject([{ error: { code: -32603 } }])
    expect(only(made, 'mcp.answer.failed').message).toContain('no folder')
  })
})
