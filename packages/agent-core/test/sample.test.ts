import { describe, expect, it } from 'vitest'
import type { Agent, Model, ModelEvent, ModelRequest, SampleOrder, SampleOutcome } from '../src/types.js'
import { journal } from './journal.js'
import { type AgentSetup, collect, echoTool, modelOf, never, ofType, setUp } from './kit.js'

const usage = (inputTokens: number, costUsd?: number): ModelEvent => ({
  type: 'usage',
  inputTokens,
  outputTokens: 1,
  ...(costUsd === undefined ? {} : { costUsd }),
})
const call: ModelEvent = { type: 'tool_call', id: 'a', name: 'Ask', input: { text: '' } }
const say = (text: string): ModelEvent => ({ type: 'text', text })

const REQUEST: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is up?' }] }],
  tools: [],
  maxOutputTokens: 10,
}

/** An agent with a tool whose server has the model think, as often as it is told. */
async function asking(
  options: Omit<AgentSetup, 'tools'>,
  order: Partial<SampleOrder> = {},
  times = 1,
): Promise<Awaited<ReturnType<typeof setUp>> & { readonly outcomes: SampleOutcome[] }> {
  const outcomes: SampleOutcome[] = []
  let agent: Agent | undefined
  const tool = echoTool('Ask', {
    run: async (_input, { session, signal }) => {
      for (let time = 0; time < times; time++) {
        const full = { by: 'server s', session, request: () => REQUEST, ...order }
        outcomes.push(await (agent as Agent).sample(full, { signal }))
      }
      return { content: [], isError: false }
    },
  })
  const made = await setUp({ ...options, tools: [tool] })
  agent = made.agent
  return { ...made, outcomes }
}

describe('a model that thinks for somebody else', () => {
  it('is that of the run, answers them alone, and what it uses is in the result', async () => {
    const model = modelOf([usage(10, 0.5), call], [usage(100, 0.25), say('Not much.')], [usage(1000), say('bye')])
    const { session, outcomes } = await asking({ model })
    const run = session.run('go')
    const events = await collect(run)
    expect(outcomes).toEqual([
      {
        status: 'done',
        text: 'Not much.',
        model: 'test-model',
        usage: { inputTokens: 100, outputTokens: 1, costUsd: 0.25 },
      },
    ])
    expect(model.requests[1]).toEqual(REQUEST)
    expect(await run.result).toMatchObject({ usage: { inputTokens: 1110, outputTokens: 3 }, costUsd: 0.75, turns: 2 })
    expect(session.totals).toMatchObject({ inputTokens: 1110, costUsd: 0.75 })
    expect(ofType(events, 'text').map(({ text }) => text)).toEqual(['bye'])
    expect(ofType(events, 'model_start').map(({ by }) => by)).toEqual([undefined, 'server s', undefined])
    expect(ofType(events, 'model_end').map(({ by, input_tokens }) => [by, input_tokens])).toEqual([
      [undefined, 10],
      ['server s', 100],
      [undefined, 1000],
    ])
    expect(JSON.stringify(session.messages)).not.toContain('Not much.')
  })

  it('says that its answer was cut', async () => {
    const { session, outcomes } = await asking({
      model: modelOf([call], [say('Not'), { type: 'cut', by: 'length' }], [say('bye')]),
    })
    await session.run('go').result
    expect(outcomes).toMatchObject([{ status: 'done', text: 'Not', cut: 'length' }])
  })

  it.each([
    ['tokens', { maxTokens: 100 }, 'The budget of 100 tokens is used up: 112.'],
    ['US dollars', { maxCostUsd: 0.5 }, 'The budget of 0.5 US dollars is used up: 0.6.'],
  ])('does not once the budget of %s is used up, and nobody is asked then', async (_what, limits, problem) => {
    let consents = 0
    const model = modelOf([usage(10, 0.1), call], [usage(100, 0.5), say('thought')], [say('never')])
    const request = () => {
      consents++
      return REQUEST
    }
    const { session, outcomes } = await asking({ model, limits }, { request }, 3)
    const run = session.run('go')
    const events = await collect(run)
    const refused = { status: 'refused', problem }
    expect(outcomes).toMatchObject([{ status: 'done', text: 'thought', model: 'test-model' }, refused, refused])
    expect(consents).toBe(1)
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      `The model does not think for server s: ${problem}`,
      problem,
    ])
    expect(await run.result).toMatchObject({ reason: 'budget' })
    expect(model.requests).toHaveLength(2)
  })

  it('does not if whoever is asked says no, and hears what went wrong', async () => {
    const declined = await asking({ model: modelOf([call], [say('bye')]) }, { request: async () => undefined })
    await declined.session.run('go').result
    expect(declined.outcomes).toEqual([{ status: 'declined' }])
    const failing: Model = {
      id: 'failing',
      async *stream({ system }) {
        if (system === REQUEST.system) throw new Error('no such model')
        yield call
      },
    }
    const failed = await asking({ model: failing, limits: { maxTurns: 1 } })
    await failed.session.run('go').result
    expect(failed.outcomes).toEqual([{ status: 'failed', problem: 'The model failed: no such model' }])
  })

  it('does so for a run that is under way, and for the only one if it is not said for which', async () => {
    const order: SampleOrder = { by: 'server s', request: () => REQUEST }
    const { agent, session } = await setUp({ model: modelOf([say('bye')]) })
    const refused = { status: 'refused', problem: 'No run is under way that it could be for.' }
    expect(await agent.sample(order)).toEqual(refused)
    await session.run('go').result
    expect(await agent.sample(order)).toEqual(refused)

    const hanging: Model = {
      id: 'm',
      async *stream({ system }, { signal }) {
        if (system === REQUEST.system) yield say('thought')
        else await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    }
    const two = await setUp({ model: hanging })
    const other = two.agent.session({ cwd: '/' })
    const runs = [two.session.run('go')]
    await expect.poll(async () => (await two.agent.sample(order)).status).toBe('done')
    runs.push(other.run('go'))
    await expect.poll(async () => (await two.agent.sample(order)).status).toBe('refused')
    const ref = { id: other.id, cwd: '/', origin: 'main', permissionMode: 'default' } as const
    expect(await two.agent.sample({ ...order, session: ref })).toMatchObject({ status: 'done' })
    await two.agent.close()
    await Promise.all(runs.map((run) => run.result))
  })

  it('ends with the run, and with whoever does not want to know any more', async () => {
    let thinking = 0
    const aborts: unknown[] = []
    const model: Model = {
      id: 'm',
      async *stream({ system }, { signal }) {
        if (system !== REQUEST.system) return yield call
        thinking++
        signal.addEventListener('abort', () => aborts.push(signal.reason))
        await never()
      },
    }
    const { agent, session } = await asking({ model })
    const ending = new AbortController()
    const run = session.run('go', { signal: ending.signal })
    await expect.poll(() => thinking).toBe(1)
    const caller = new AbortController()
    const asked = agent.sample({ by: 'x', request: () => REQUEST }, { signal: caller.signal })
    await expect.poll(() => thinking).toBe(2)
    caller.abort(new Error('not any more'))
    await expect(asked).rejects.toThrow('not any more')
    ending.abort(new Error('enough'))
    expect((await run.result).reason).toBe('aborted')
    expect(aborts.map(String)).toEqual(['Error: not any more', 'Error: enough'])
  })

  it('is not asked for a run that is over by the time a person has agreed', async () => {
    const model: Model = {
      id: 'm',
      async *stream(_request, { signal }) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    }
    const { agent, session } = await setUp({ model })
    const ending = new AbortController()
    const run = session.run('go', { signal: ending.signal })
    let agree = () => {}
    const agreed = new Promise<void>((resolve) => {
      agree = resolve
    })
    await expect.poll(() => agent.sample({ by: 'x', request: () => undefined })).toEqual({ status: 'declined' })
    const asked = agent.sample({ by: 'x', request: () => agreed.then(() => REQUEST) })
    ending.abort()
    await run.result
    agree()
    expect(await asked).toEqual({ status: 'refused', problem: 'The run is over.' })
  })
})

describe('a model that thinks for somebody who guards', () => {
  const judge = (): ReturnType<typeof modelOf> => modelOf(...[1, 2, 3].map(() => [usage(100, 0.5), say('no')]))

  it('may be another one, and answers also when the budget is used up, which the run ends by then', async () => {
    const other = { ...judge(), id: 'judge' }
    const model = modelOf([usage(10), call], [usage(1000), say('never')])
    const order = { by: 'hook h', guards: true, model: other }
    const { session, outcomes } = await asking({ model, limits: { maxTokens: 150 } }, order, 3)
    const run = session.run('go')
    const events = await collect(run)
    const each = {
      status: 'done',
      text: 'no',
      model: 'judge',
      usage: { inputTokens: 100, outputTokens: 1, costUsd: 0.5 },
    }
    expect(outcomes).toEqual([each, each, each])
    expect(await run.result).toMatchObject({
      reason: 'budget',
      usage: { inputTokens: 310, outputTokens: 4 },
      costUsd: 1.5,
    })
    expect(ofType(events, 'model_start').map(({ by, model: id }) => [by, id])).toEqual([
      [undefined, 'test-model'],
      ...[1, 2, 3].map(() => ['hook h', 'judge']),
    ])
    expect(model.requests).toHaveLength(1)
  })

  it('may go on after the run, which tells nothing of it any more, until nobody wants to know', async () => {
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    let thinking = 0
    const aborts: unknown[] = []
    const slow: Model = {
      id: 'slow',
      async *stream(_request, { signal }) {
        thinking++
        signal.addEventListener('abort', () => aborts.push(signal.reason))
        await finished
        signal.throwIfAborted()
        yield usage(100)
        yield say('late')
      },
    }
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { agent, session } = await setUp({ model: modelOf([() => held, say('bye')]) })
    const run = session.run('go')
    const order: SampleOrder = { by: 'hook h', guards: true, model: slow, request: () => REQUEST }
    const caller = new AbortController()
    await expect.poll(() => agent.sample({ ...order, request: () => undefined })).toEqual({ status: 'declined' })
    const asked = [agent.sample(order), agent.sample(order, { signal: caller.signal }).catch(String)]
    await expect.poll(() => thinking).toBe(2)
    release()
    const events = await collect(run)
    expect(await run.result).toMatchObject({ reason: 'done', usage: { inputTokens: 0 } })
    expect(aborts).toEqual([])
    caller.abort('not any more')
    finish()
    expect(await Promise.all(asked)).toEqual([
      { status: 'done', text: 'late', model: 'slow', usage: { inputTokens: 100, outputTokens: 1 } },
      'not any more',
    ])
    expect(aborts).toEqual(['not any more'])
    expect(ofType(events, 'model_end').map(({ by }) => by)).toEqual([undefined])
    expect(session.totals).toMatchObject({ inputTokens: 0 })
  })
})

it('a durable run that is played again counts what the model has used for others, and does not ask it again', async () => {
  const kept = journal()
  const turns = () => modelOf([usage(10), call], [usage(100), say('thought')], [usage(1000), say('bye')])
  const first = turns()
  const before = await asking({ model: first })
  const { usage: used } = await before.session.run('go', { durable: kept.open() }).result
  const second = turns()
  const again = await asking({ model: second })
  expect(await again.session.run('go', { durable: kept.open() }).result).toMatchObject({ usage: used })
  expect(used).toEqual({ inputTokens: 1110, outputTokens: 3 })
  expect([first.requests.length, second.requests.length, again.outcomes.length]).toEqual([3, 0, 0])
})
