import type { EventResult, LifecyclePayloads } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { hookedElicitation } from '../src/index.js'
import type { ElicitationHooks, ElicitationPort, FormAnswer } from '../src/types.js'
import { hostile, settled, textOf } from './helpers.js'

type Answers = { readonly [E in keyof LifecyclePayloads]?: Partial<EventResult> | (() => Promise<EventResult>) }

/** Hooks that answer by event and remember what they were told. */
function hooksWith(answers: Answers) {
  const log: { readonly event: string; readonly payload: unknown }[] = []
  const hooks: ElicitationHooks = {
    fire(event, payload) {
      log.push({ event, payload: payload() })
      const answer = answers[event]
      if (typeof answer === 'function') return answer()
      return answer && Promise.resolve({ runs: [], context: [], notices: [], ...answer })
    },
  }
  return { hooks, log, events: () => log.map(({ event }) => event) }
}

/** What a real server is told that asks for a form, with what the person, if they are asked, says. */
async function told(answers: Answers, person: FormAnswer = { action: 'accept', content: { name: 'Ada' } }) {
  const { hooks, log, events } = hooksWith(answers)
  const said: string[] = []
  let asked = 0
  const port: Required<ElicitationPort> = {
    async form() {
      asked++
      return person
    },
    url: async () => ({ action: 'decline' }),
  }
  const elicitation = hookedElicitation({ person: port, hooks: () => hooks, say: (text) => said.push(text) })
  const made = await settled({ s: hostile('elicits') }, { elicitation })
  const result = await made.call('mcp__s__echo', {})
  return { answer: (JSON.parse(textOf(result)) as readonly unknown[])[0], log, events, said, asked: () => asked }
}

const by = 'guard'

describe('a question of a server', () => {
  test('goes to hooks first, then to the person, and the answer to hooks once more', async () => {
    const { answer, log } = await told({})
    expect(answer).toEqual({ action: 'accept', content: { name: 'Ada', size: 3 } })
    expect(log).toEqual([
      {
        event: 'Elicitation',
        payload: {
          mcp_server_name: 's',
          mode: 'form',
          message: 'Who are you?',
          requested_schema: expect.objectContaining({ type: 'object', required: ['name'] }),
        },
      },
      {
        event: 'Notification',
        payload: { notification_type: 'elicitation_dialog', message: 'Who are you?', title: 's' },
      },
      {
        event: 'ElicitationResult',
        payload: { mcp_server_name: 's', mode: 'form', action: 'accept', content: { name: 'Ada' } },
      },
    ])
  })

  test('can be answered by a hook, and nobody is asked or fetched', async () => {
    const content = { name: 'Bot', size: 7 }
    const { answer, asked, events } = await told({ Elicitation: { elicitation: { by, action: 'accept', content } } })
    expect([answer, asked(), events()]).toEqual([
      { action: 'accept', content },
      0,
      ['Elicitation', 'ElicitationResult'],
    ])
  })

  test.each([
    ['a block', { block: { by, reason: 'no' } }, 'decline'],
    ['the end of the run', { stop: { by, reason: 'no' } }, 'decline'],
    ['decline', { elicitation: { by, action: 'decline' } }, 'decline'],
    ['cancel', { elicitation: { by, action: 'cancel' } }, 'cancel'],
  ] as const)('is kept from the person by %s', async (_, result, action) => {
    const { answer, asked } = await told({ Elicitation: result })
    expect([answer, asked()]).toEqual([{ action }, 0])
  })

  test('that a hook answers with what does not fit goes to the person, and that is said', async () => {
    const { answer, asked, said } = await told({
      Elicitation: { elicitation: { by, action: 'accept', content: { size: 0 } } },
    })
    expect([answer, asked()]).toEqual([{ action: 'accept', content: { name: 'Ada', size: 3 } }, 1])
    expect(said).toEqual([expect.stringMatching(/^The answer of the hook guard to the server `s` was not used: /)])
  })

  test('goes to the person when the hooks fail, and that is said', async () => {
    const { answer, said } = await told({ Elicitation: () => Promise.reject(new Error('gone')) })
    expect(answer).toMatchObject({ action: 'accept' })
    expect(said).toEqual(['The hooks of Elicitation failed and have no say: gone'])
  })
})

describe('the answer of a person', () => {
  test('becomes a no when a hook blocks it, and what a hook says instead when it does', async () => {
    expect((await told({ ElicitationResult: { block: { by, reason: 'secret' } } })).answer).toEqual({
      action: 'decline',
    })
    const content = { name: 'X', size: 1 }
    const changed = await told({ ElicitationResult: { elicitation: { by, action: 'accept', content } } })
    expect(changed.answer).toEqual({ action: 'accept', content })
  })
})

test('a page that a person is to go to is told with its address, and nobody is fetched where nobody is', async () => {
  const { hooks, log } = hooksWith({ Elicitation: { elicitation: { by, action: 'accept' } } })
  const person: Required<ElicitationPort> = {
    form: () => expect.unreachable(),
    url: () => expect.unreachable(),
  }
  const elicitation = hookedElicitation({ person, hooks: () => hooks, asksSomebody: false })
  const made = await settled({ s: hostile('elicits') }, { elicitation })
  const page = { mode: 'url', url: 'https://e.test/a', elicitationId: '1', message: 'Sign in.' }
  const result = await made.call('mcp__s__echo', page)
  expect(JSON.parse(textOf(result))).toEqual([{ action: 'accept' }])
  expect(log[0]?.payload).toEqual({ mcp_server_name: 's', mode: 'url', message: 'Sign in.', url: 'https://e.test/a' })
})

test('without a session there is nobody to tell, and the person is asked', async () => {
  const person: Required<ElicitationPort> = {
    form: async () => ({ action: 'decline' }),
    url: async () => ({ action: 'decline' }),
  }
  const elicitation = hookedElicitation({ person, hooks: () => undefined })
  const made = await settled({ s: hostile('elicits') }, { elicitation })
  expect(JSON.parse(textOf(await made.call('mcp__s__echo', {})))).toEqual([{ action: 'decline' }])
})
