import type { Contender } from '@ext/kernel/contract'
import { fakeClock, memoryFiles } from '@ext/kernel/testing'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, request, rulesOf, type Setup, session } from './support.js'

const fails = (): never => {
  throw new Error('host is gone')
}
const rejects = async (): Promise<never> => fails()

type Way = readonly [string, () => unknown]

const ways: readonly Way[] = [
  ['throws', fails],
  ['rejects', rejects],
]

/** What plain JavaScript can hand over in the place of anything. */
const nonsense = (value: unknown): never => value as never

/** An unhandled rejection fails the test file, so each of these also shows that there is none. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const NAMED = (name: string) => ({
  by: 'permission',
  text: expect.stringContaining(`permission.port.failed: \`${name}\``),
})

const yes = (kind: Contender['kind'], rules?: readonly string[]): Contender => ({
  name: kind === 'person' ? 'phone' : 'robot',
  kind,
  answer: async () => ({ behavior: 'allow', ...(rules ? { rules } : {}) }),
})

const never: Contender = { name: 'web', kind: 'person', answer: () => new Promise(() => {}) }

const here = async (setup: Setup = {}) => (await permissionWith({ graceMs: 0, ...setup })).session(session())

describe('a callback of the host that fails', () => {
  test.each<Way>(ways)(
    'when somebody is asked is no answer, and whoever it is is named, when it %s',
    async (_, ask) => {
      const answered = await (
        await here({ user: { ask: nonsense(ask) }, classifier: { classify: nonsense(ask) } })
      ).authorize(bash('ls'))
      expect(answered).toMatchObject({ behavior: 'deny', answeredBy: 'nobody' })
      expect(answered.notices.map(({ text }) => text)).toEqual([
        'permission.contender.failed: Asking classifier failed: host is gone.',
        'permission.contender.failed: Asking user failed: host is gone.',
      ])
    },
  )

  test.each<Way>(ways)(
    'when a question is shown leaves the question open for the others, when it %s',
    async (_, onQuestion) => {
      const told = { contenders: [yes('person')], onQuestion: nonsense(onQuestion) }
      const answered = await (await here()).authorize(bash('ls'), told)
      await settled()
      expect(answered).toMatchObject({ behavior: 'allow', by: 'phone', notices: [NAMED('onQuestion')] })
    },
  )

  test.each<Way>(ways)(
    'about the focus takes the question away as if nobody looked, when it %s',
    async (_, hasFocus) => {
      const clock = fakeClock(0)
      const keepVisible = { hasFocus: nonsense(hasFocus), unfocusedMs: 1000 }
      const answered = await (await here({ keepVisible, clock })).authorize(bash('ls'), {
        contenders: [yes('automation'), never],
      })
      await settled()
      expect(answered).toMatchObject({ behavior: 'allow', by: 'robot', notices: [NAMED('keepVisible.hasFocus')] })
      clock.advance(1000)
      expect(clock.pending).toBe(0)
    },
  )

  test.each<Way>(ways)('about who may remember remembers nothing, when it %s', async (_, mayRemember) => {
    const asked = await here({ mayRemember: nonsense(mayRemember) })
    const answered = await asked.authorize(bash('npm test'), { contenders: [yes('automation', ['Bash(npm test)'])] })
    await settled()
    expect(answered.behavior).toBe('allow')
    expect(answered.notices).toContainEqual(NAMED('mayRemember'))
    expect(asked.remembered).toEqual([])
  })

  test.each([...ways, ['gives a promise of yes', async () => true] as Way])(
    'about an approval approves nothing, and stands in the diagnostics, when it %s',
    async (_, approved) => {
      const permission = await permissionWith({
        approved: nonsense(approved),
        layers: [rulesOf({ allow: ['Bash(npm test)'] }, 'project')],
      })
      await settled()
      expect(permission.session(session()).decide(bash('npm test')).behavior).toBe('ask')
      const found = permission.diagnostics.filter(({ code }) => code === 'permission.port.failed')
      expect(found).toMatchObject([{ message: expect.stringContaining('`approved`'), source: { layer: 'project' } }])
    },
  )

  test.each<Way>(ways)('about links denies the call, whoever would have said yes, when it %s', async (_, realPath) => {
    const files = { ...memoryFiles({}), realPath: nonsense(realPath) }
    const permission = await permissionWith({ files, graceMs: 0, rules: { allow: ['Read'] } })
    const asked = permission.session(session())
    const read = request('Read', { file_path: '/repo/a' })
    const answered = await asked.authorize(read, { contenders: [yes('person')] })
    expect(answered).toMatchObject({
      behavior: 'deny',
      decision: { behavior: 'deny', decidedBy: { layer: 'default' } },
      answeredBy: 'rules',
      notices: [NAMED('ports.files')],
    })
    await expect(asked.explain(read)).rejects.toMatchObject({ code: 'permission.port.failed' })
    await expect(asked.remember(read, { scope: 'session' })).rejects.toMatchObject({ code: 'permission.port.failed' })
    expect(permission.diagnostics.map(({ message }) => message)).toEqual(['`ports.files` failed: host is gone.'])
  })

  test.each<Way>(ways)(
    'about a file to remember in leaves the rule to the session, when it %s',
    async (_, edit): Promise<void> => {
      const asked = await here({ rememberIn: { user: '/home/u/.ext/config.yaml', files: { edit: nonsense(edit) } } })
      const { rules, file, diagnostics } = await asked.remember(bash('npm test'), { scope: 'user' })
      expect([rules, file]).toEqual([['Bash(npm test)'], undefined])
      expect(diagnostics).toMatchObject([
        {
          code: 'permission.remember.failed',
          message: expect.stringContaining('`rememberIn.files` failed: host is gone'),
        },
      ])
    },
  )
})

describe('a clock', () => {
  const broken = [
    ['that throws', { now: fails }],
    ['that rejects', { now: rejects }],
    ['that gives no number', { now: () => Number.NaN }],
  ] as const

  test.each([...broken, ['that can not wait', { after: fails }] as const])(
    '%s keeps a question from being answered with yes, and is named',
    async (_, parts) => {
      for (const contender of [yes('person'), never]) {
        const clock = nonsense({ ...fakeClock(0), ...parts })
        const answered = await (await here({ clock })).authorize(bash('ls'), { contenders: [contender] })
        expect(answered).toMatchObject({ behavior: 'deny', answeredBy: 'nobody' })
        expect(answered.notices).toContainEqual(NAMED('ports.clock'))
        expect(Number.isFinite(answered.waitMs)).toBe(true)
      }
    },
  )

  test.each(broken)('%s ends what has an end, in files and in the session', async (_, parts) => {
    const clock = fakeClock(0)
    const ports = { ...clock }
    const rules = [{ effect: 'allow', tool: 'Bash', command: 'id', expires: '2099-01-01T00:00:00Z' }]
    const permission = await permissionWith({ clock: nonsense(ports), rules: { rules, allow: ['Bash(wc)'] } })
    const asked = permission.session(session())
    await asked.remember(bash('npm test'), { scope: 'session', expiresAt: 5000 })
    await asked.remember(bash('npm ci'), { scope: 'session' })
    const verdicts = () => ['id', 'wc', 'npm test', 'npm ci'].map((line) => asked.decide(bash(line)).behavior)
    expect(verdicts()).toEqual(['allow', 'allow', 'allow', 'allow'])
    Object.assign(ports, parts)
    expect(verdicts()).toEqual(['ask', 'allow', 'ask', 'allow'])
    expect(asked.remembered.map(({ rule }) => rule)).toEqual(['Bash(npm ci)'])
    expect(permission.diagnostics.map(({ code }) => code)).toContain('permission.port.failed')
  })

  test('that stops to work while a question is open lets no answer pass', async () => {
    const ports = { ...fakeClock(0) }
    const slow: Contender = {
      ...yes('person'),
      async answer() {
        Object.assign(ports, { now: fails })
        return { behavior: 'allow' }
      },
    }
    const answered = await (await here({ clock: nonsense(ports) })).authorize(bash('ls'), { contenders: [slow] })
    expect(answered).toMatchObject({ behavior: 'deny', answeredBy: 'nobody' })
    expect(answered.notices).toContainEqual(NAMED('ports.clock'))
  })
})
