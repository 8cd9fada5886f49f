import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Tool } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import type { AgentSetup } from '../kit.js'
import {
  allowed,
  collect,
  denied,
  echoTool,
  gate,
  hooks,
  modelOf,
  never,
  ofType,
  READS,
  resultTexts,
  settle,
  setUp,
} from '../kit.js'
import { eventsIn, store, temporaryFolder } from './kit.js'

const call = (id: string, name: string, text: string) => ({ type: 'tool_call', id, name, input: { text } }) as const
const say = (text: string) => ({ type: 'text', text }) as const

const TEXT =
  'Interrupted: the program was ended while Write ran. The call may have taken effect; look before you repeat it.'

interface Keyed {
  readonly text: unknown
  readonly key: string
}

/** Notes what it did, and with which key; hangs where it is told to. */
function keyed(name: string, done: Keyed[], hangsAt?: string, more: Partial<Tool> = {}): Tool {
  return echoTool(name, {
    run: async (input, { idempotencyKey }) => {
      done.push({ text: input['text'], key: idempotencyKey })
      if (input['text'] === hangsAt) await never()
      return { content: [say(`${name} did ${input['text']}`)], isError: false }
    },
    ...more,
  })
}

/** The log as a process leaves it that is ended right now: what it has written stays, and it is nobody's. */
function killed(folder: string, file: string): string {
  const copy = temporaryFolder()
  mkdirSync(join(copy, 'p'))
  expect(readdirSync(dirname(file))).toContain(`${file.slice(dirname(file).length + 1)}.owner`)
  copyFileSync(file, join(copy, 'p', file.slice(dirname(file).length + 1)))
  expect(folder).not.toBe(copy)
  return copy
}

/** A process that is ended while something hangs in it, and another one that has its log. */
async function interrupted(first: Omit<AgentSetup, 'store'>, next: Omit<AgentSetup, 'store'>) {
  const folder = temporaryFolder()
  const kept = store(folder)
  const { session } = await setUp({ ...first, store: kept })
  session.run('do it')
  await settle()
  await new Promise((resolve) => setTimeout(resolve, 5))
  const after = store(killed(folder, kept.place(session.id)))
  const { agent } = await setUp({ ids: () => 'fresh', ...next, store: after })
  const file = (await after.list())[0]?.place ?? ''
  return { session: await agent.resume(session.id), agent, file, after }
}

const turns = [say('I do'), call('a', 'Write', '1'), call('b', 'Write', '2'), call('c', 'Write', '3')]

describe('a question that is open when the process ends', () => {
  it('is asked again, and the call that it is about runs once, with the key that it had', async () => {
    const done: Keyed[] = []
    const tools = [keyed('Write', done)]
    let asked = 0
    const asking = (answer: () => Promise<ReturnType<typeof allowed>>) =>
      gate(({ call: { id } }) => {
        if (id !== 'b') return allowed()
        asked++
        return answer()
      })
    const { session } = await interrupted(
      { model: modelOf(turns), tools, gate: asking(never) },
      { model: modelOf([say('done')]), tools, gate: asking(async () => ({ ...allowed(), answeredBy: 'user' })) },
    )
    expect([asked, done]).toEqual([1, [{ text: '1', key: 'id-2:1:0' }]])
    expect(session.isUnfinished).toBe(true)
    const run = session.continue()
    const events = await collect(run)
    expect(asked).toBe(2)
    expect(done).toEqual([
      { text: '1', key: 'id-2:1:0' },
      { text: '2', key: 'id-2:1:1' },
      { text: '3', key: 'id-2:1:2' },
    ])
    expect(resultTexts(session)).toEqual(['Write did 1', 'Write did 2', 'Write did 3'])
    expect(await run.result).toMatchObject({ reason: 'done', turns: 2, text: 'done' })
    expect(ofType(events, 'tool_call').map(({ tool_use_id }) => tool_use_id)).toEqual(['b', 'c'])
    expect(ofType(events, 'tool_result').map(({ tool_use_id }) => tool_use_id)).toEqual(['b', 'c'])
    expect(session.isUnfinished).toBe(false)
    expect(() => session.continue()).toThrow(expect.objectContaining({ code: 'agent-core.session.complete' }))
  })

  it('can be answered with a no after the restart', async () => {
    const done: Keyed[] = []
    const tools = [keyed('Write', done)]
    const { session } = await interrupted(
      { model: modelOf([call('a', 'Write', '1')]), tools, gate: gate(never) },
      { model: modelOf([say('ok')]), tools, gate: gate(() => denied('not today')) },
    )
    await session.continue().result
    expect(done).toEqual([])
    expect(resultTexts(session)).toEqual(['model: not today'])
  })
})

describe('a call that had begun when the process ended', () => {
  it('is not done again: the model is told that it may have taken effect', async () => {
    const done: Keyed[] = []
    const interceptor = hooks({
      PostToolUseFailure: () => ({ context: [{ by: 'guard', text: 'check the disk' }] }),
    })
    const records: unknown[] = []
    const { session, file } = await interrupted(
      { model: modelOf(turns), tools: [keyed('Write', done, '2')] },
      {
        model: modelOf([say('I look')]),
        tools: [keyed('Write', done)],
        interceptor,
        audit: { write: (record) => void records.push(record) },
      },
    )
    const events = await collect(session.continue())
    expect(done.map(({ text }) => text)).toEqual(['1', '2', '3'])
    expect(resultTexts(session)).toEqual(['Write did 1', `${TEXT}\n[hook guard] check the disk`, 'Write did 3'])
    const post = interceptor.log.filter(({ event }) => event === 'PostToolUseFailure')
    expect(post.map(({ payload }) => payload)).toEqual([
      {
        ...{ tool_name: 'Write', tool_input: { text: '2' }, tool_use_id: 'b', error: TEXT, cause: 'aborted' },
        ...{ executed: true, wait_ms: 0, duration_ms: 0 },
      },
    ])
    expect(ofType(events, 'tool_result')[0]).toMatchObject({ tool_use_id: 'b', is_error: true, executed: true })
    expect(records[0]).toMatchObject({ tool_use_id: 'b', error_kind: 'aborted', is_error: true })
    expect(eventsIn(file).at(-1)).toMatchObject({ type: 'end', reason: 'done' })
  })

  it('is done again if it only reads', async () => {
    const done: Keyed[] = []
    const { session } = await interrupted(
      { model: modelOf([call('a', 'Read', '1')]), tools: [keyed('Read', done, '1', { annotations: READS })] },
      { model: modelOf([say('ok')]), tools: [keyed('Read', done, undefined, { annotations: READS })] },
    )
    await session.continue().result
    expect(done).toEqual([
      { text: '1', key: 'id-2:1:0' },
      { text: '1', key: 'id-2:1:0' },
    ])
    expect(resultTexts(session)).toEqual(['Read did 1'])
  })
})

describe('a prompt after the process ended', () => {
  it('gives up what had not begun, and says so', async () => {
    const done: Keyed[] = []
    const { session } = await interrupted(
      { model: modelOf(turns), tools: [keyed('Write', done, '2')] },
      { model: modelOf([say('as you like')]), tools: [keyed('Write', done)] },
    )
    const run = session.run('stop that')
    const events = await collect(run)
    expect(done.map(({ text }) => text)).toEqual(['1', '2'])
    expect(resultTexts(session)).toEqual([
      'Write did 1',
      TEXT,
      'No result: the program was ended before this call was done, and another prompt came.',
    ])
    expect(ofType(events, 'tool_rejected').map(({ tool_use_id }) => tool_use_id)).toEqual(['c'])
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
    expect(await run.result).toMatchObject({ reason: 'done', turns: 1 })
  })

  it('that is aborted at once can be followed by another one', async () => {
    const { session, file } = await interrupted(
      { model: modelOf(turns), tools: [keyed('Write', [], '1')] },
      { model: modelOf([say('ok')]), tools: [keyed('Write', [])] },
    )
    expect((await session.run('no', { signal: AbortSignal.abort() }).result).reason).toBe('aborted')
    expect((await session.run('yes').result).reason).toBe('done')
    const restored = await setUp({ model: modelOf(), store: store(dirname(dirname(file))) })
    await session.end()
    expect((await restored.agent.resume(session.id)).messages).toEqual(session.messages)
  })
})

it('a copy of a session whose process ended does not go on with its calls', async () => {
  const done: Keyed[] = []
  const { session } = await interrupted(
    { model: modelOf(turns), tools: [keyed('Write', done, '2')] },
    { model: modelOf([say('ok')]), tools: [keyed('Write', done)] },
  )
  const copy = session.fork()
  await copy.continue().result
  expect(done.map(({ text }) => text)).toEqual(['1', '2'])
  expect(resultTexts(copy)).toEqual([
    'Write did 1',
    TEXT,
    'No result: the program was ended before this call was done, and this conversation is a copy.',
  ])
})

it('a process that ended while the model was asked goes on without a prompt', async () => {
  const { session } = await interrupted({ model: modelOf([never]) }, { model: modelOf([say('here I am')]) })
  const events = await collect(session.continue())
  expect(ofType(events, 'user')).toEqual([])
  expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(session.totals).toMatchObject({ prompts: 1, turns: 1 })
})
