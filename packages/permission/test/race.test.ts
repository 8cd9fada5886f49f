import type { Contender, PermissionAnswer, PermissionQuestion } from '@ext/kernel/contract'
import { fakeClock } from '@ext/kernel/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, session } from './support.js'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const says = (
  name: string,
  kind: Contender['kind'],
  answer: PermissionAnswer | undefined | (() => Promise<PermissionAnswer | undefined>),
): Contender => ({ name, kind, answer: typeof answer === 'function' ? answer : async () => answer })

const never = () => new Promise<undefined>(() => {})

const setup = async (rules = {}) => (await permissionWith({ rules, graceMs: 0 })).session(session())

describe('everybody who may answer is asked at once', () => {
  test('the first answer counts, and the others are told', async () => {
    const heard: string[] = []
    const waits = (name: string): Contender => ({
      name,
      kind: 'person',
      answer: (_question, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            heard.push(`${name}: ${signal.reason.message}`)
            resolve(undefined)
          })
        }),
    })
    const here = await setup()
    const contenders = [
      waits('terminal'),
      says('a hook', 'automation', { behavior: 'deny', reason: 'late' }),
      waits('phone'),
    ]
    expect(await here.authorize(bash('ls'), { contenders })).toMatchObject({
      behavior: 'deny',
      answeredBy: 'automation',
      by: 'a hook',
      modelReason: expect.stringMatching(/^a hook said no: late\./),
    })
    expect(heard).toEqual(['terminal: a hook has answered.', 'phone: a hook has answered.'])
  })

  test('who has no opinion leaves it to the others; when all have, it is over at once', async () => {
    const here = await setup()
    const silent = says('silent', 'automation', undefined)
    expect(
      await here.authorize(bash('ls'), { contenders: [silent, says('phone', 'person', { behavior: 'allow' })] }),
    ).toMatchObject({ behavior: 'allow', answeredBy: 'user', by: 'phone' })
    expect(await here.authorize(bash('ls'), { contenders: [silent, silent] })).toMatchObject({
      behavior: 'deny',
      answeredBy: 'nobody',
      waitMs: 0,
    })
  })

  test('who throws has no opinion, and that is said', async () => {
    const here = await setup()
    const broken = says('broken', 'automation', () => {
      throw new Error('out of order')
    })
    expect(
      await here.authorize(bash('ls'), { contenders: [broken, says('phone', 'person', { behavior: 'allow' })] }),
    ).toMatchObject({
      behavior: 'allow',
      notices: [{ by: 'broken', text: 'permission.contender.failed: Asking broken failed: out of order.' }],
    })
  })

  test('a person is announced once, whatever happens to the question', async () => {
    const here = await setup()
    const shown: PermissionQuestion[] = []
    const onQuestion = (question: PermissionQuestion) => shown.push(question)
    const person = says('phone', 'person', { behavior: 'allow', updatedInput: { command: 'rm -rf /' } })
    await here.authorize(bash('ls'), { contenders: [person, says('web', 'person', never)], onQuestion })
    expect(shown.map(({ call }) => call.input)).toEqual([{ command: 'ls' }])
    await here.authorize(bash('ls'), { contenders: [says('a hook', 'automation', undefined)], onQuestion })
    expect(shown).toHaveLength(1)
  })

  test('1,000 runs in any order settle once, and nobody but the winner goes on', async () => {
    const action = fc.record({
      at: fc.integer({ min: 0, max: 400 }),
      kind: fc.constantFrom<Contender['kind']>('person', 'automation'),
      does: fc.constantFrom('allow', 'deny', 'nothing', 'throw', 'wait'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 5 }),
        fc.option(fc.integer({ min: 0, max: 400 })),
        async (actions, abortAt) => {
          const clock = fakeClock()
          const permission = await permissionWith({ clock, askTimeoutMs: 350, graceMs: 50 })
          const signals: AbortSignal[] = []
          const contenders = actions.map(
            ({ at, kind, does }, index): Contender => ({
              name: String(index),
              kind,
              answer: (_question, { signal }) =>
                new Promise((resolve, reject) => {
                  signals[index] = signal
                  if (does === 'wait') return
                  clock.after(at, () => {
                    if (does === 'throw') reject(new Error('thrown'))
                    else resolve(does === 'nothing' ? undefined : { behavior: does })
                  })
                }),
            }),
          )
          const abort = new AbortController()
          let ends = 0
          const outcome = permission
            .session(session())
            .authorize(bash('ls'), { contenders, signal: abort.signal })
            .then(
              (end) => end,
              (error: unknown) => error,
            )
            .finally(() => {
              ends += 1
            })
          await settled()
          for (let time = 0; time <= 400; time += 5) {
            if (time === abortAt) abort.abort(new Error('stopped'))
            clock.advance(5)
            await Promise.resolve()
            await Promise.resolve()
          }
          const end = await outcome
          await settled()
          expect(ends).toBe(1)
          const winner = end instanceof Error ? undefined : (end as { by?: string }).by
          for (const [index, signal] of signals.entries()) {
            // Who had nothing to say has ended by itself.
            const done = actions[index]?.does === 'nothing' || actions[index]?.does === 'throw'
            if (String(index) === winner) expect(signal.aborted).toBe(false)
            else if (!done) expect(signal.aborted).toBe(true)
          }
          if (end instanceof Error) expect(end.message).toBe('stopped')
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('what only a person may allow', () => {
  test.each([
    ['a critical command', bash('rm -rf /')],
    ['a protected path', request('Edit', { file_path: '/repo/.git/config' })],
  ])('%s: a program can refuse it and not allow it', async (_what, asked) => {
    const here = await setup({ allow: ['Bash', 'Edit'] })
    const end = await here.authorize(asked, {
      contenders: [
        says('classifier', 'automation', { behavior: 'allow' }),
        says('phone', 'person', async () => {
          await settled()
          return { behavior: 'allow' }
        }),
      ],
    })
    expect(end).toMatchObject({
      behavior: 'allow',
      by: 'phone',
      decision: { personOnly: true },
      notices: [{ by: 'classifier', text: expect.stringMatching(/^permission\.hook\.answer-overruled: /) }],
    })
    expect(
      await here.authorize(asked, { contenders: [says('classifier', 'automation', { behavior: 'allow' })] }),
    ).toMatchObject({ behavior: 'deny', answeredBy: 'nobody' })
    expect(
      await here.authorize(asked, {
        contenders: [says('classifier', 'automation', { behavior: 'deny' }), says('phone', 'person', never)],
      }),
    ).toMatchObject({ behavior: 'deny', by: 'classifier' })
  })
})

describe('an answer that changes the input', () => {
  test('is decided again: what is denied stays denied, what is fine runs with the new input', async () => {
    const here = await setup({ deny: ['Bash(rm *)'] })
    const change = (command: string, kind: Contender['kind'] = 'person') =>
      here.authorize(bash('npm test'), {
        contenders: [says('x', kind, { behavior: 'allow', updatedInput: { command } })],
      })
    expect(await change('rm -r x')).toMatchObject({ behavior: 'deny', answeredBy: 'rules' })
    for (const kind of ['person', 'automation'] as const) {
      expect(await change('npm test -- --bail', kind)).toMatchObject({
        behavior: 'allow',
        by: 'x',
        updatedInput: { by: 'x', input: { command: 'npm test -- --bail' } },
      })
    }
  })

  test('into something that only a person may allow is asked again', async () => {
    const here = await setup()
    const end = await here.authorize(bash('npm test'), {
      contenders: [says('x', 'automation', { behavior: 'allow', updatedInput: { command: 'rm -rf /' } })],
    })
    expect(end).toMatchObject({ behavior: 'deny', answeredBy: 'nobody', updatedInput: { by: 'x' } })
    let round = 0
    const person = says('phone', 'person', async () => {
      round += 1
      return { behavior: 'allow', updatedInput: { command: 'rm -rf /' } }
    })
    expect(await here.authorize(bash('npm test'), { contenders: [person] })).toMatchObject({ behavior: 'allow' })
    expect(round).toBe(2)
  })

  test('again and again comes to an end', async () => {
    const here = await setup()
    let count = 0
    const restless = says('x', 'automation', async () => {
      count += 1
      return { behavior: 'allow', updatedInput: { command: `rm -rf /${'/'.repeat(count)}` } }
    })
    const person = says('phone', 'person', never)
    const clock = fakeClock()
    const permission = await permissionWith({ clock })
    const outcome = permission.session(session()).authorize(bash('ls'), { contenders: [restless, person] })
    await settled()
    clock.advance(300_000)
    expect(await outcome).toMatchObject({ behavior: 'deny' })
    expect(here.mode).toBe('default')
    expect(count).toBeLessThan(10)
  })
})

describe('rules that come with an answer', () => {
  test('hold for the session and never allow more than what was asked', async () => {
    const here = await setup()
    const rules = ['Bash(npm test)', 'Bash(npm *)', 'Bash']
    const end = await here.authorize(bash('npm test'), {
      contenders: [says('phone', 'person', { behavior: 'allow', rules })],
    })
    expect(end.notices.map(({ text }) => text.split(' ', 1)[0])).toEqual([
      'permission.grant.too-wide:',
      'permission.grant.too-wide:',
    ])
    expect(here.decide(bash('npm test'))).toMatchObject({
      behavior: 'allow',
      decidedBy: { rule: 'Bash(npm test)', source: { layer: 'session', name: 'remembered' } },
    })
    expect(here.decide(bash('npm test -- -u')).behavior).toBe('ask')
  })

  test('of a program count only where the host approves of it', async () => {
    const answer = says('a hook', 'automation', { behavior: 'allow', rules: ['Bash(npm test)'] })
    const closed = await setup()
    const end = await closed.authorize(bash('npm test'), { contenders: [answer] })
    expect(end).toMatchObject({ behavior: 'allow', notices: [{ by: 'a hook' }] })
    expect(closed.decide(bash('npm test')).behavior).toBe('ask')
    const open = (await permissionWith({ mayRemember: ({ name }) => name === 'a hook' })).session(session())
    await open.authorize(bash('npm test'), { contenders: [answer] })
    expect(open.decide(bash('npm test')).behavior).toBe('allow')
  })

  test('with a no, or for what no rule can allow, are not remembered', async () => {
    const here = await setup()
    const refuse = says('phone', 'person', { behavior: 'deny', rules: ['Bash(ls)'] })
    await here.authorize(bash('ls'), { contenders: [refuse] })
    expect(here.decide(bash('ls')).behavior).toBe('ask')
    const all = says('phone', 'person', { behavior: 'allow', rules: ['Bash(rm -rf /)'] })
    await here.authorize(bash('rm -rf /'), { contenders: [all] })
    expect(here.decide(bash('rm -rf /')).behavior).toBe('ask')
  })
})
