import type { EventResult, JsonObject, JsonValue, ToolContext } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { allowed, CWD, denied, echoTool, gate, hooks, modelOf, ofType, play, resultTexts, scripted } from './kit.js'

const CALL = { calls: [{ tool: 'Echo', input: { text: 'hi' } }] }
const END = { say: 'done' }

describe('input', () => {
  it('that a hook rewrites is what the gate sees, what runs, what later hooks hear, and what model and user are told', async () => {
    const echo = echoTool()
    const opinion = { by: 'fixer', behavior: 'allow' } as const
    const interceptor = hooks({
      PreToolUse: () => ({ updatedInput: { by: 'fixer', input: { text: 'better' } }, opinion }),
    })
    const permission = gate()
    const given = { model: scripted(CALL, END), interceptor, gate: permission, tools: [echo] }
    const { session, events } = await play(given)

    expect(permission.log).toMatchObject([{ call: { input: { text: 'better' } }, opinion }])
    expect(echo.ran).toEqual([{ text: 'better' }])
    const after = interceptor.log.find(({ event }) => event === 'PostToolUse')
    expect(after?.payload).toMatchObject({ tool_input: { text: 'better' } })
    expect(resultTexts(session)).toEqual(['echo: better\ninput of Echo was changed by hook fixer: {"text":"better"}'])
    expect(ofType(events, 'notice')).toMatchObject([
      { by: 'fixer', text: 'changed the input of Echo: {"text":"better"}' },
    ])
  })

  it('is refused before any hook when it is nested too deep for one to read', async () => {
    let deep: JsonValue = 'x'
    for (let level = 0; level < 4000; level++) deep = [deep]
    const echo = echoTool()
    const interceptor = hooks()
    const call = { calls: [{ tool: 'Echo', input: { text: 'hi', deep } }] }
    const { events } = await play({ model: scripted(call, END), interceptor, tools: [echo] })
    expect(ofType(events, 'tool_rejected')).toMatchObject([
      { reason: 'The input of Echo is nested deeper than 200 levels.' },
    ])
    expect(interceptor.log.map(({ event }) => event)).not.toContain('PreToolUse')
    expect(echo.ran).toEqual([])
  })

  it('can not be changed behind the back of the gate by a hook that writes into its payload', async () => {
    const echo = echoTool()
    const interceptor = hooks({
      PreToolUse: ({ tool_input }) => {
        ;(tool_input as { text: string }).text = 'evil'
        return {}
      },
    })
    const { events } = await play({ model: scripted(CALL, END), interceptor, tools: [echo] })

    expect(echo.ran).toEqual([{ text: 'hi' }])
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      expect.stringContaining('PreToolUse: the hooks failed, so the call has to be asked: Cannot assign to read only'),
    ])
  })

  it('that a hook keeps and changes later does not change what runs', async () => {
    const echo = echoTool()
    const kept = { text: 'better' }
    const interceptor = hooks({ PreToolUse: () => ({ updatedInput: { by: 'fixer', input: kept } }) })
    const permission = gate(() => {
      kept.text = 'evil'
      return allowed()
    })
    await play({ model: scripted(CALL, END), interceptor, gate: permission, tools: [echo] })
    expect(echo.ran).toEqual([{ text: 'better' }])
  })

  it.each([
    ['a text', 'ls', 'The input of Echo must be an object; it is the text "ls".'],
    ['a list', ['ls'], 'The input of Echo must be an object; it is a list.'],
    ['null', null, 'The input of Echo must be an object; it is null.'],
    ['missing', undefined, 'The input of Echo must be an object; it is null.'],
  ])('that is %s is rejected with a message, and the conversation stays well formed', async (_, input, message) => {
    const interceptor = hooks()
    const model = modelOf([{ type: 'tool_call', id: 'c1', name: 'Echo', input }], [{ type: 'text', text: 'ok' }])
    const { session, events } = await play({ model, interceptor, tools: [echoTool()] })

    expect(ofType(events, 'tool_rejected')).toMatchObject([{ tool_use_id: 'c1', tool: 'Echo', reason: message }])
    expect(session.messages[1]).toEqual({ role: 'assistant', text: '', calls: [{ id: 'c1', name: 'Echo', input: {} }] })
    expect(resultTexts(session)).toEqual([message])
    expect(interceptor.log.map(({ event }) => event)).not.toContain('PreToolUse')
  })

  it('named __proto__ stays data', async () => {
    const seen: JsonObject[] = []
    const tool = echoTool('Any', {
      inputSchema: { type: 'object' },
      run: async (input) => {
        seen.push(input)
        return { content: [], isError: false }
      },
    })
    const input: unknown = JSON.parse('{"__proto__": {"admin": true}}')
    await play({ model: modelOf([{ type: 'tool_call', id: 'c1', name: 'Any', input }], []), tools: [tool] })
    expect(JSON.stringify(seen)).toBe('[{"__proto__":{"admin":true}}]')
    expect(seen[0]?.['admin']).toBeUndefined()
  })

  it('is not checked against a schema that is itself broken: that tool is rejected, its siblings live', async () => {
    const broken = echoTool('Broken', { inputSchema: { type: 'object', properties: { text: { type: 'strin' } } } })
    const { session, events } = await play({
      model: scripted({ calls: [{ tool: 'Broken', input: { text: 'hi' } }, ...CALL.calls] }, END),
      tools: [broken, echoTool()],
    })
    expect(ofType(events, 'tool_rejected')).toMatchObject([
      {
        tool: 'Broken',
        reason: expect.stringMatching(/^Broken can't be used: its input schema is not valid \(.+\)\.$/),
      },
    ])
    expect(resultTexts(session)[1]).toBe('echo: hi')
  })
})

describe('hooks around a call', () => {
  it('have an opinion that the gate hears, and words that the model gets with the result', async () => {
    const permission = gate()
    const { session, events } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      gate: permission,
      interceptor: hooks({
        PreToolUse: () => ({
          opinion: { behavior: 'ask', by: 'careful', reason: 'looks odd' },
          context: [{ by: 'careful', text: 'the disk is full' }],
          notices: [{ by: 'careful', text: 'I had a look' }],
          runs: [{ hook: 'careful', outcome: 'decided', reason: 'looks odd', ms: 3 }],
        }),
        PostToolUse: () => ({
          block: { by: 'linter', reason: 'line 3 is too long' },
          context: [{ by: 'counter', text: '7 words' }],
        }),
      }),
    })
    expect(permission.log[0]?.opinion).toEqual({ behavior: 'ask', by: 'careful', reason: 'looks odd' })
    expect(resultTexts(session)).toEqual([
      [
        'echo: hi',
        '[hook careful] the disk is full',
        '[hook linter] line 3 is too long',
        '[hook counter] 7 words',
      ].join('\n'),
    ])
    expect(ofType(events, 'notice')).toMatchObject([{ by: 'careful', text: 'I had a look' }])
    expect(ofType(events, 'hook')).toMatchObject([
      { event: 'PreToolUse', hook: 'careful', outcome: 'decided', reason: 'looks odd', ms: 3, tool_use_id: 'call_1_1' },
    ])
  })

  it('learn where the tool comes from and what it answered', async () => {
    const interceptor = hooks()
    const tool = echoTool('mcp__fs__echo', {
      source: { server: 'fs', tool: 'echo', trusted: false },
      run: async () => ({ content: [{ type: 'text', text: 'hi' }], structured: { n: 1 }, isError: false }),
    })
    const { events } = await play({
      model: scripted({ calls: [{ tool: 'mcp__fs__echo', input: { text: 'hi' } }] }, END),
      interceptor,
      tools: [tool],
    })
    const source = { server: 'fs', server_tool: 'echo' }
    const common = { tool_name: 'mcp__fs__echo', tool_input: { text: 'hi' }, tool_use_id: 'call_1_1', ...source }
    expect(interceptor.log.filter(({ event }) => event.endsWith('ToolUse'))).toEqual([
      { event: 'PreToolUse', payload: common },
      {
        event: 'PostToolUse',
        payload: {
          ...common,
          tool_response: { content: [{ type: 'text', text: 'hi' }], structured: { n: 1 } },
          duration_ms: 0,
        },
      },
    ])
    expect(ofType(events, 'tool_call')[0]?.source).toEqual({ server: 'fs', tool: 'echo' })
  })

  it('that crash before a call may have been a guard, so the call has to be asked', async () => {
    const permission = gate()
    const { result, events } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      gate: permission,
      interceptor: hooks({
        PreToolUse: () => {
          throw new Error('broken hook')
        },
      }),
    })
    expect(result.reason).toBe('done')
    expect(permission.log).toMatchObject([{ opinion: { behavior: 'ask', by: 'hooks' } }])
    expect(ofType(events, 'notice')).toMatchObject([
      { text: 'PreToolUse: the hooks failed, so the call has to be asked: broken hook' },
    ])
  })

  it('that crash after a call cost their answer only', async () => {
    const { result, session, events } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      interceptor: hooks({
        PostToolUse: () => {
          throw new Error('broken hook')
        },
      }),
    })
    expect(result.reason).toBe('done')
    expect(resultTexts(session)).toEqual(['echo: hi'])
    expect(ofType(events, 'notice')).toMatchObject([
      { text: 'PostToolUse: the hooks failed, so they count as silent: broken hook' },
    ])
  })

  it('that stop the run before a call keep it from running, and the run ends', async () => {
    const echo = echoTool()
    const interceptor = hooks({ PreToolUse: () => ({ stop: { by: 'budget', reason: 'too expensive' } }) })
    const { result, events, session } = await play({ model: scripted(CALL, END), interceptor, tools: [echo] })
    expect(result).toMatchObject({ reason: 'stopped', turns: 1 })
    expect(echo.ran).toEqual([])
    expect(resultTexts(session)).toEqual(['[hook budget] too expensive'])
    expect(ofType(events, 'notice')).toMatchObject([{ by: 'budget', text: 'too expensive' }])
  })

  it('that stop the run after a call leave its result in the conversation', async () => {
    const interceptor = hooks({ PostToolUse: () => ({ stop: { by: 'budget', reason: 'enough' } }) })
    const { result, session } = await play({ model: scripted(CALL, END), interceptor, tools: [echoTool()] })
    expect(result).toMatchObject({ reason: 'stopped', turns: 1 })
    expect(resultTexts(session)).toEqual(['echo: hi'])
  })

  it('may leave out of an answer what they have nothing to say about', async () => {
    const answer = { block: { by: 'guard', reason: 'no' } } as EventResult
    const { result, session } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      interceptor: {
        session: () => ({ fire: (event) => (event === 'PreToolUse' ? Promise.resolve(answer) : undefined) }),
      },
    })
    expect(result.reason).toBe('done')
    expect(resultTexts(session)).toEqual(['[hook guard] no'])
  })

  it('that are not there for an event cost nothing and change nothing', async () => {
    const { result, events } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      interceptor: { session: () => ({ fire: () => undefined }) },
    })
    expect(result.reason).toBe('done')
    expect(ofType(events, 'hook')).toEqual([])
  })
})

describe('the gate', () => {
  it('decides with a rule that the event names, and its notices reach the user', async () => {
    const { events } = await play({
      model: scripted(CALL, END),
      tools: [echoTool()],
      gate: gate(() => ({
        ...denied('no echo here'),
        decision: { ...denied().decision, decidedBy: { layer: 'rules', rule: 'Echo' } },
        answeredBy: 'user',
        waitMs: 1200,
        notices: [{ by: 'permission', text: 'the allow of hook x was overruled' }],
      })),
    })
    expect(ofType(events, 'permission')).toMatchObject([
      {
        tool_use_id: 'call_1_1',
        behavior: 'deny',
        decidedBy: { layer: 'rules', rule: 'Echo' },
        reason: 'no echo here',
        answeredBy: 'user',
        wait_ms: 1200,
      },
    ])
    expect(ofType(events, 'notice')).toMatchObject([{ by: 'permission', text: 'the allow of hook x was overruled' }])
  })

  it.each([
    ['read', undefined, 'allow'],
    ['meta', undefined, 'allow'],
    ['meta', 'allow', 'allow'],
    ['read', 'ask', 'deny'],
    ['edit', undefined, 'deny'],
    ['exec', undefined, 'deny'],
    ['network', undefined, 'deny'],
    ['exec', 'allow', 'deny'],
  ] as const)('that is missing answers for kind %s with the opinion %s: %s', async (kind, opinion, behavior) => {
    const echo = echoTool('Echo', { kind })
    const { events, session } = await play({
      model: scripted(CALL, END),
      tools: [echo],
      gate: undefined,
      ...(opinion && { interceptor: hooks({ PreToolUse: () => ({ opinion: { by: 'me', behavior: opinion } }) }) }),
    })
    expect(ofType(events, 'permission')).toMatchObject([{ behavior, reason: expect.stringContaining('no gate') }])
    expect(echo.ran).toHaveLength(behavior === 'allow' ? 1 : 0)
    if (behavior === 'deny') expect(resultTexts(session)[0]).toContain('no gate was given to the agent')
    const overruled = kind === 'exec' && opinion === 'allow'
    expect(ofType(events, 'notice')).toHaveLength(overruled ? 1 : 0)
  })
})

describe('a result', () => {
  it('is cut at the limit, between two characters, and the model is told', async () => {
    const text = 'ä'.repeat(10)
    const tool = echoTool('Echo', {
      run: async () => ({
        content: [
          { type: 'text', text },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'text', text },
        ],
        isError: false,
      }),
    })
    const model = { ...scripted(CALL, END), limits: { images: true } }
    const { session } = await play({ model, tools: [tool], limits: { maxResultBytes: 25 } })
    const message = session.messages[2]
    expect(message?.role === 'tool' && message.results[0]?.content).toEqual([
      { type: 'text', text },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'text', text: 'ää' },
      { type: 'text', text: '[cut: the result has 40 bytes of text, 25 are the limit]' },
    ])
  })

  it('of a resource counts as text too, and one that fits is passed on as it is', async () => {
    const resource = { uri: 'file:///a', text: 'x'.repeat(30) }
    const tool = echoTool('Echo', {
      run: async () => ({ content: [{ type: 'resource', resource }], isError: false }),
    })
    const cut = await play({ model: scripted(CALL, END), tools: [tool], limits: { maxResultBytes: 19 } })
    expect(ofType(cut.events, 'tool_result')[0]?.content[0]).toEqual({
      type: 'resource',
      resource: { uri: 'file:///a', text: 'x'.repeat(10) },
    })
    const whole = await play({ model: scripted(CALL, END), tools: [tool], limits: { maxResultBytes: 39 } })
    expect(ofType(whole.events, 'tool_result')[0]?.content).toEqual([{ type: 'resource', resource }])
  })
})

describe('a tool', () => {
  it('learns its session, its call and a key that differs for every call', async () => {
    const contexts: ToolContext[] = []
    const tool = echoTool('Echo', {
      run: async (_, context) => {
        contexts.push(context)
        return { content: [], isError: false }
      },
    })
    const twice = { calls: [...CALL.calls, ...CALL.calls] }
    await play({ model: scripted(twice, CALL, END), tools: [tool] })
    expect(contexts.map(({ callId, session }) => [callId, session.cwd])).toEqual([
      ['call_1_1', CWD],
      ['call_1_2', CWD],
      ['call_2_1', CWD],
    ])
    expect(new Set(contexts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3)
  })

  it('says how far it is, and tells the user something, for as long as its call runs', async () => {
    const contexts: ToolContext[] = []
    const tool = echoTool('Echo', {
      run: async (_, context) => {
        contexts.push(context)
        context.progress({ progress: 1, total: 2, message: 'half' })
        context.report('from the tool')
        return { content: [], isError: false }
      },
    })
    const slow = echoTool('Slow', {
      run: async () => {
        contexts[0]?.progress({ progress: 2 })
        contexts[0]?.report('too late')
        return { content: [], isError: false }
      },
    })
    const script = scripted(CALL, { calls: [{ tool: 'Slow', input: { text: 'x' } }] }, END)
    const { events } = await play({ model: script, tools: [tool, slow] })
    expect(ofType(events, 'progress')).toMatchObject([
      { tool_use_id: 'call_1_1', progress: 1, total: 2, message: 'half' },
    ])
    expect(ofType(events, 'notice')).toMatchObject([{ by: 'Echo', text: 'from the tool' }])
  })
})
