import type { Contender, PermissionAnswer, PermissionQuestion } from '@ext/kernel/contract'
import { fakeClock, memoryFiles } from '@ext/kernel/testing'
import { describe, expect, test } from 'vitest'
import type { PermissionOptions, UserPort } from '../src/index.js'
import { bash, permissionWith, rulesOf, session } from './support.js'

/** Lets everything that is ready happen. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A question that is open, to a person who answers when the test says so. */
async function openQuestion({
  rules = {},
  signal,
  ...settings
}: { rules?: object; signal?: AbortSignal } & Partial<PermissionOptions> = {}) {
  const clock = fakeClock()
  const shown: { question: PermissionQuestion; signal: AbortSignal }[] = []
  let settle: { resolve: (answer: PermissionAnswer) => void; reject: (error: unknown) => void } | undefined
  const user: UserPort = {
    ask: (question, options) => {
      shown.push({ question, signal: options.signal })
      return new Promise((resolve, reject) => {
        settle = { resolve, reject }
      })
    },
  }
  const permission = await permissionWith({ clock, user, rules, askTimeoutMs: 60_000, ...settings })
  const outcome = permission.session(session({ id: 'chat-7' })).authorize(bash('npm test'), signal ? { signal } : {})
  outcome.catch(() => {})
  await settled()
  return {
    clock,
    shown,
    outcome,
    answer: (answer: PermissionAnswer) => settle?.resolve(answer),
    fail: (error: unknown) => settle?.reject(error),
  }
}

const yes: UserPort = { ask: async () => ({ behavior: 'allow' }) }

describe('a question', () => {
  test('is not asked when rules have answered', async () => {
    let asked = 0
    const user: UserPort = {
      ask: async () => {
        asked += 1
        return { behavior: 'allow' }
      },
    }
    const permission = await permissionWith({ user, rules: { allow: ['Bash(ls)'], deny: ['Bash(rm *)'] } })
    const here = permission.session(session())
    expect(await here.authorize(bash('ls'))).toMatchObject({
      behavior: 'allow',
      answeredBy: 'rules',
      waitMs: 0,
      notices: [],
    })
    expect(await here.authorize(bash('rm x'))).toMatchObject({ behavior: 'deny', answeredBy: 'rules' })
    expect(asked).toBe(0)
  })

  test('shows call, tool, decision with the narrowest rules, and session; and the yes counts', async () => {
    const { clock, shown, outcome, answer } = await openQuestion()
    const [first] = shown
    expect(first?.question).toMatchObject({
      call: { name: 'Bash', input: { command: 'npm test' } },
      tool: { name: 'Bash', kind: 'exec' },
      decision: { behavior: 'ask', decidedBy: { layer: 'default' }, suggestions: ['Bash(npm test)'] },
      session: { id: 'chat-7' },
    })
    clock.advance(1500)
    answer({ behavior: 'allow', reason: 'go on' })
    expect(await outcome).toMatchObject({
      behavior: 'allow',
      answeredBy: 'user',
      by: 'user',
      waitMs: 1500,
      decision: { behavior: 'ask' },
      modelReason: 'Bash may run. The user said yes: go on.',
    })
    expect(clock.pending).toBe(0)
    expect(first?.signal.aborted).toBe(false)
  })

  test('that is answered with no is a deny with the reason for the model', async () => {
    const { clock, outcome, answer } = await openQuestion()
    clock.advance(200)
    answer({ behavior: 'deny', reason: 'use pnpm' })
    const { behavior, answeredBy, modelReason } = await outcome
    expect([behavior, answeredBy]).toEqual(['deny', 'user'])
    expect(modelReason).toMatch(/^The user said no: use pnpm\. Bash needs the consent of a person\./)
  })

  test('without anybody to ask is a deny at once', async () => {
    const here = (await permissionWith()).session(session())
    const { behavior, answeredBy, reason, waitMs } = await here.authorize(bash('ls'))
    expect([behavior, answeredBy, waitMs]).toEqual(['deny', 'nobody', 0])
    expect(reason).toMatch(/Nobody can be asked, or nobody had an answer\.$/)
  })

  test('in a session that is not interactive reaches no person, and is a deny at once', async () => {
    const permission = await permissionWith({ user: yes })
    const { behavior, answeredBy, waitMs } = await permission
      .session(session())
      .authorize(bash('ls'), { interactive: false, contenders: [{ name: 'remote', kind: 'person', answer: yes.ask }] })
    expect([behavior, answeredBy, waitMs]).toEqual(['deny', 'nobody', 0])
  })

  test('is not asked in mode dontAsk', async () => {
    let asked = 0
    const user: UserPort = {
      ask: async () => {
        asked += 1
        return { behavior: 'allow' }
      },
    }
    const permission = await permissionWith({ user, rules: { deny: ['Bash(rm *)'] } })
    const here = permission.session(session({ permissionMode: 'dontAsk' }))
    expect(await here.authorize(bash('ls'))).toMatchObject({ behavior: 'deny', answeredBy: 'nobody' })
    expect(await here.authorize(bash('rm x'))).toMatchObject({ behavior: 'deny', answeredBy: 'rules' })
    expect(asked).toBe(0)
  })

  test('that stays open for too long is a deny, and its signal aborts', async () => {
    const { clock, shown, outcome, answer } = await openQuestion()
    clock.advance(59_999)
    expect(shown[0]?.signal.aborted).toBe(false)
    clock.advance(1)
    expect(shown[0]?.signal.aborted).toBe(true)
    answer({ behavior: 'allow' })
    expect(await outcome).toMatchObject({ behavior: 'deny', answeredBy: 'timeout', waitMs: 60_000 })
  })

  test.each([
    ['main', 300_000],
    ['agent', 5000],
  ] as const)('of a session of origin %s is open for %i ms if nobody says otherwise', async (origin, expected) => {
    const clock = fakeClock()
    const permission = await permissionWith({ clock, user: { ask: () => new Promise(() => {}) } })
    const outcome = permission.session(session({ origin })).authorize(bash('ls'))
    await settled()
    clock.advance(expected - 1)
    expect(clock.pending).toBe(1)
    clock.advance(1)
    expect(await outcome).toMatchObject({ behavior: 'deny', answeredBy: 'timeout', waitMs: expected })
  })

  test('is answered once: a timeout in the same moment as the answer changes nothing', async () => {
    const { clock, outcome, answer } = await openQuestion({ graceMs: 0 })
    answer({ behavior: 'allow' })
    await settled()
    clock.advance(60_000)
    expect(await outcome).toMatchObject({ behavior: 'allow', answeredBy: 'user', waitMs: 0 })
  })

  test('rejects with the reason of the abort, and the port is told', async () => {
    const controller = new AbortController()
    const { clock, shown, outcome, answer } = await openQuestion({ signal: controller.signal })
    const reason = new Error('the run was stopped')
    controller.abort(reason)
    answer({ behavior: 'allow' })
    await expect(outcome).rejects.toBe(reason)
    expect(shown[0]?.signal.reason).toBe(reason)
    expect(clock.pending).toBe(0)
  })

  test('is not shown after an abort', async () => {
    const reason = new Error('stopped')
    const { outcome, shown } = await openQuestion({ signal: AbortSignal.abort(reason) })
    await expect(outcome).rejects.toBe(reason)
    expect(shown).toEqual([])
  })

  test('whose only port fails is a deny, and a notice', async () => {
    const { clock, outcome, fail } = await openQuestion()
    clock.advance(20)
    fail(new Error('the terminal is gone'))
    expect(await outcome).toMatchObject({
      behavior: 'deny',
      answeredBy: 'nobody',
      waitMs: 20,
      notices: [{ by: 'user', text: 'permission.contender.failed: Asking user failed: the terminal is gone.' }],
    })
    expect(clock.pending).toBe(0)
  })

  test.each([null, 'allow', true, {}, { behavior: 'ask' }, { behavior: 'yes' }, { behavior: 'allow', rules: 'Bash' }])(
    'that is answered with %j is a deny, and a notice',
    async (nonsense) => {
      const user = { ask: async () => nonsense } as unknown as UserPort
      const here = (await permissionWith({ user })).session(session())
      const { behavior, answeredBy, notices } = await here.authorize(bash('ls'))
      expect([behavior, answeredBy, notices.length]).toEqual(['deny', 'nobody', 1])
    },
  )

  test('to a port that throws before it asks is a deny as well', async () => {
    const user: UserPort = {
      ask() {
        throw new Error('no terminal')
      },
    }
    const here = (await permissionWith({ user })).session(session())
    expect(await here.authorize(bash('ls'))).toMatchObject({ behavior: 'deny', answeredBy: 'nobody' })
  })

  test('of one session does not wait for that of another', async () => {
    const answers: ((answer: PermissionAnswer) => void)[] = []
    const user: UserPort = { ask: () => new Promise((resolve) => answers.push(resolve)) }
    const permission = await permissionWith({ user, graceMs: 0 })
    const [a, b] = ['a', 'b'].map((id) => permission.session(session({ id })).authorize(bash('ls')))
    await settled()
    answers[1]?.({ behavior: 'allow' })
    expect((await b)?.behavior).toBe('allow')
    answers[0]?.({ behavior: 'deny' })
    expect((await a)?.behavior).toBe('deny')
  })
})

describe("a person's key in the first moment", () => {
  test('is held back for 200 ms, and then used', async () => {
    const { clock, outcome, answer } = await openQuestion()
    let over = false
    outcome.then(() => {
      over = true
    })
    clock.advance(50)
    answer({ behavior: 'allow' })
    await settled()
    clock.advance(149)
    await settled()
    expect(over).toBe(false)
    clock.advance(1)
    expect(await outcome).toMatchObject({ behavior: 'allow', answeredBy: 'user', waitMs: 200 })
    expect(clock.pending).toBe(0)
  })

  test('gives way to a program that answers in between', async () => {
    const clock = fakeClock()
    let classify: (answer: PermissionAnswer) => void = () => {}
    const permission = await permissionWith({
      clock,
      user: yes,
      classifier: { classify: () => new Promise((resolve) => (classify = resolve)) },
    })
    const outcome = permission.session(session()).authorize(bash('ls'))
    await settled()
    classify({ behavior: 'deny', reason: 'no' })
    expect(await outcome).toMatchObject({ behavior: 'deny', answeredBy: 'automation', by: 'classifier' })
    expect(clock.pending).toBe(0)
  })

  test('is not held back where the host wants none of that', async () => {
    const { outcome, answer } = await openQuestion({ graceMs: 0 })
    answer({ behavior: 'allow' })
    expect(await outcome).toMatchObject({ behavior: 'allow', waitMs: 0 })
  })
})

describe('a question that a program has answered with yes', () => {
  test.each([
    [true, 3000],
    [false, 1000],
  ])('can stay visible: with focus %s for %i ms, while the run goes on', async (focus, ms) => {
    const clock = fakeClock()
    let person: AbortSignal | undefined
    const permission = await permissionWith({
      clock,
      user: {
        ask: (_question, { signal }) => {
          person = signal
          return new Promise(() => {})
        },
      },
      classifier: { classify: async () => ({ behavior: 'allow' }) },
      keepVisible: { hasFocus: () => focus },
    })
    expect(await permission.session(session()).authorize(bash('ls'))).toMatchObject({ behavior: 'allow', waitMs: 0 })
    clock.advance(ms - 1)
    expect(person?.aborted).toBe(false)
    clock.advance(1)
    expect(person?.reason).toMatchObject({ message: 'classifier has answered.' })
  })
})

describe('a question whose answer comes later', () => {
  test('asks nobody but programs, and is a deny that says so', async () => {
    let asked = 0
    const user: UserPort = {
      ask: async () => {
        asked += 1
        return { behavior: 'allow' }
      },
    }
    const shown: PermissionQuestion[] = []
    const here = (await permissionWith({ user })).session(session())
    const end = await here.authorize(bash('ls'), { defer: true, onQuestion: (question) => shown.push(question) })
    expect(end).toMatchObject({
      behavior: 'deny',
      answeredBy: 'deferred',
      decision: { behavior: 'ask', suggestions: ['Bash(ls)'] },
    })
    expect([asked, shown.length]).toEqual([0, 0])
    const contenders: readonly Contender[] = [
      { name: 'a hook', kind: 'automation', answer: async () => ({ behavior: 'allow' }) },
    ]
    expect(await here.authorize(bash('ls'), { defer: true, contenders })).toMatchObject({
      behavior: 'allow',
      answeredBy: 'automation',
      by: 'a hook',
    })
    expect((await here.authorize(bash('rm -rf /'), { defer: true, contenders })).answeredBy).toBe('deferred')
  })

  test('takes the answer, and decides all of it again', async () => {
    const here = (await permissionWith({ rules: { deny: ['Bash(rm *)'] } })).session(session())
    const answer = { behavior: 'allow', reason: 'fine' } as const
    expect(await here.authorize(bash('ls'), { answer })).toMatchObject({ behavior: 'allow', answeredBy: 'user' })
    expect(await here.authorize(bash('ls'), { answer: { behavior: 'deny' } })).toMatchObject({
      behavior: 'deny',
      answeredBy: 'user',
    })
    expect(await here.authorize(bash('rm x'), { answer })).toMatchObject({ behavior: 'deny', answeredBy: 'rules' })
    const changed = { ...answer, updatedInput: { command: 'rm x' } }
    expect(await here.authorize(bash('ls'), { answer: changed })).toMatchObject({
      behavior: 'deny',
      answeredBy: 'rules',
    })
  })
})

describe('a managed file that is broken', () => {
  const ask = async (user?: UserPort) => {
    const managed = { kind: 'file', layer: 'managed', dialect: 'ext', path: '/etc/ext/config.yaml' } as const
    const files = memoryFiles({ '/etc/ext/config.yaml': 'permissions: {deny: [' })
    const permission = await permissionWith({
      files,
      layers: [rulesOf({ allow: ['Bash(ls)'] }, 'user'), managed],
      graceMs: 0,
      ...(user ? { user } : {}),
    })
    expect(permission.snapshot.managedBroken).toBe(true)
    return permission.session(session()).authorize(bash('ls'))
  }

  test('switches allow rules off, and where nobody can be asked the answer is no and says why', async () => {
    expect(await ask()).toMatchObject({
      behavior: 'deny',
      answeredBy: 'nobody',
      modelReason: expect.stringContaining('A managed file is broken and nobody can be asked.'),
    })
  })

  test('leaves it to a person where there is one', async () => {
    expect(await ask(yes)).toMatchObject({ behavior: 'allow', answeredBy: 'user' })
  })
})
