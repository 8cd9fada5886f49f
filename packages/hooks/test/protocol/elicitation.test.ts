import { describe, expect, test } from 'vitest'
import { repliesFor } from '../../src/replies.js'
import { extSource, fire, rule, runRule, scene, texts } from '../support.js'

const reply = (event: string, own: object) => JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...own } })
const print = (own: object, exit = 0) => `cat > /dev/null; printf '%s' '${reply('Elicitation', own)}'; exit ${exit}`
const content = { account: 'work' }

describe('the answer of a hook to a server that asks', () => {
  test('is sent instead of that of the person', async () => {
    expect(await runRule('Elicitation', print({ action: 'accept', content }))).toMatchObject({
      elicitation: { by: 'guard', action: 'accept', content },
      notices: [],
    })
  })

  test.each(['decline', 'cancel'])('%s has no content', async (action) => {
    const { elicitation, notices } = await runRule('Elicitation', print({ action, content }))
    expect([elicitation, texts(notices)]).toEqual([
      { by: 'guard', action },
      [`ignored: \`content\`, which has no meaning beside ${action}`],
    ])
  })

  test.each([
    [{ action: 'yes' }, 'unknown action'],
    [{ action: 'accept', content: [] }, 'wrong type of content'],
  ])('%j can not be understood: the hook has failed', async (own, cause) => {
    const { runs } = await runRule('Elicitation', print(own))
    expect(runs).toMatchObject([{ outcome: 'failed', cause }])
  })

  test('in the wrong place is named', async () => {
    const { runs, elicitation } = await runRule('Elicitation', `echo '{"action": "decline"}'`)
    expect([runs[0]?.cause, elicitation]).toEqual(['action in the wrong place', undefined])
  })

  test('exit 2 declines, whatever it says beside that', async () => {
    const { block, elicitation, notices } = await runRule('Elicitation', print({ action: 'accept', content }, 2))
    expect([block?.by, elicitation, texts(notices)]).toEqual([
      'guard',
      undefined,
      ['ignored: accept (exit 2 declines)'],
    ])
  })

  test('a hook that fails agrees to nothing, and its no counts', async () => {
    const yes = await runRule('Elicitation', print({ action: 'accept', content }, 1))
    expect([yes.elicitation, yes.runs[0]?.outcome]).toEqual([undefined, 'failed'])
    const no = await runRule('Elicitation', print({ action: 'decline' }, 1))
    expect(no.elicitation).toEqual({ by: 'guard', action: 'decline' })
  })

  test('of several hooks the strictest counts, and of those that accept the last', async () => {
    const answers = async (...own: readonly object[]) => {
      const rules = own.map((each, at) => rule('Elicitation', `: ${at}; ${print(each)}`, { name: `h${at}` }))
      return (await fire(await scene([extSource(...rules)]), 'Elicitation')).elicitation
    }
    const yes = { action: 'accept', content }
    expect(await answers(yes, { action: 'cancel' }, { action: 'decline' })).toEqual({ by: 'h2', action: 'decline' })
    expect(await answers(yes, { action: 'cancel' }, yes)).toEqual({ by: 'h1', action: 'cancel' })
    expect(await answers(yes, { action: 'accept', content: { account: 'home' } })).toEqual({
      by: 'h1',
      action: 'accept',
      content: { account: 'home' },
    })
  })
})

test('scripts in TypeScript answer with a value', () => {
  const { answer, all } = repliesFor('Elicitation')
  expect(answer('accept', content)).toEqual({
    hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content },
  })
  expect(all(answer('decline'), answer('accept', content)).hookSpecificOutput).toMatchObject({ action: 'decline' })
})
