import type { ToolResult } from '@ext/kernel/contract'
import { describe, expect, it } from 'vitest'
import { echoTool, hooks, ofType, play, READS, resultTexts, scripted } from './kit.js'

const DONE: ToolResult = { content: [{ type: 'text', text: 'ok' }], isError: false }

/** Tools that note how many of them run at the same time. */
function counting() {
  let running = 0
  const counts: number[] = []
  const run = async () => {
    counts.push(++running)
    await new Promise((resolve) => setTimeout(resolve, 2))
    running--
    return DONE
  }
  return {
    counts,
    read: echoTool('Read', { annotations: READS, run }),
    write: echoTool('Write', { run }),
    remote: echoTool('Remote', { annotations: READS, source: { server: 's', tool: 'r', trusted: false }, run }),
  }
}

const calls = (...tools: readonly string[]) => ({
  calls: tools.map((tool, index) => ({ tool, input: { text: String(index) } })),
})

describe('the calls of one turn', () => {
  it('run side by side when they only read, four at a time', async () => {
    const { read, counts } = counting()
    await play({ model: scripted(calls(...Array<string>(6).fill('Read')), { say: 'ok' }), tools: [read] })
    expect(counts).toHaveLength(6)
    expect(Math.max(...counts)).toBe(4)
  })

  it('run one after the other when they do more, also next to calls that read', async () => {
    const { read, write, counts } = counting()
    await play({
      model: scripted(calls('Read', 'Read', 'Write', 'Write', 'Read'), { say: 'ok' }),
      tools: [read, write],
    })
    expect(counts).toEqual([1, 2, 1, 1, 1])
  })

  it('run one after the other when the source of their annotations is not trusted', async () => {
    const { remote, counts } = counting()
    await play({ model: scripted(calls('Remote', 'Remote'), { say: 'ok' }), tools: [remote] })
    expect(counts).toEqual([1, 1])
  })

  it('have their results in the order of the calls, whichever is faster', async () => {
    let lastIsDone = () => {}
    const last = new Promise<void>((resolve) => {
      lastIsDone = resolve
    })
    const slowFirst = echoTool('Read', {
      annotations: READS,
      run: async ({ text }) => {
        if (text === '0') await last
        if (text === '2') setTimeout(lastIsDone, 0)
        return { content: [{ type: 'text', text: String(text) }], isError: false }
      },
    })
    const { session, events } = await play({
      model: scripted(calls('Read', 'Read', 'Read'), { say: 'ok' }),
      tools: [slowFirst],
    })
    expect(resultTexts(session)).toEqual(['0', '1', '2'])
    expect(ofType(events, 'tool_result').at(-1)?.tool_use_id).toBe('call_1_1')
  })

  it('that come after a stop are not run, and each is told so', async () => {
    const echo = echoTool()
    const { result, session, events } = await play({
      model: scripted(calls('Echo', 'Echo', 'Echo')),
      tools: [echo],
      interceptor: hooks({ PostToolUse: () => ({ stop: { by: 'budget', reason: 'enough' } }) }),
    })
    expect(result.reason).toBe('stopped')
    expect(echo.ran).toHaveLength(1)
    expect(resultTexts(session)).toEqual(['echo: 0', ...Array(2).fill('Not run: the run ended before it.')])
    expect(ofType(events, 'tool_rejected')).toHaveLength(2)
  })

  it('that name unknown tools several times in a row end the run, over turns too', async () => {
    const { result, session, events } = await play({
      model: scripted(calls('Nope', 'Nope'), calls('Nope', 'Echo'), { say: 'never' }),
      tools: [echoTool()],
    })
    expect(result).toMatchObject({ reason: 'error', turns: 2 })
    expect(ofType(events, 'notice')).toMatchObject([
      { text: 'The model called tools that do not exist 3 times in a row.' },
    ])
    expect(resultTexts(session)).toEqual([
      ...Array(3).fill('There is no tool Nope. There are: Echo.'),
      'Not run: the run ended before it.',
    ])
  })

  it('that name unknown tools now and then do not', async () => {
    const turn = calls('Nope', 'Nope', 'Echo')
    const { result } = await play({ model: scripted(turn, turn, { say: 'ok' }), tools: [echoTool()] })
    expect(result.reason).toBe('done')
  })

  it('are told when there is no tool at all', async () => {
    const { session } = await play({ model: scripted(calls('Echo'), { say: 'ok' }) })
    expect(resultTexts(session)).toEqual(['There is no tool Echo. There are none at all.'])
  })
})
