import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeHash } from '../../src/node/index.js'
import { fakeClock, memoryTrustStore } from '../../src/testing/index.js'
import { createTrust, type Trust, type TrustStore, type TrustSubject } from '../../src/trust/index.js'
import { guard, project } from './project.js'

const START = Date.parse('2026-01-01T00:00:00Z')

function open(store: TrustStore = memoryTrustStore()): Promise<Trust> {
  return createTrust({ store, hash: nodeHash(), clock: fakeClock(START) })
}

/** What a person does who reads everything and agrees. */
async function agree(trust: Trust, ...subjects: readonly TrustSubject[]) {
  return trust.approve(trust.pending(subjects))
}

describe('approvals', () => {
  it('begin with nothing, and hold from the moment somebody agrees', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const trust = await open()
    expect(trust.isApproved(guard(root))).toBe(false)
    expect(trust.list()).toEqual([])
    const pending = trust.pending([guard(root)])
    expect(pending).toMatchObject([{ name: 'guard', root, reason: 'new', changes: [], problems: [] }])

    const { approved, refused, pruned } = await trust.approve(pending, { by: 'ada' })
    expect([refused, pruned]).toEqual([[], []])
    expect(trust.isApproved(guard(root))).toBe(true)
    expect(trust.pending([guard(root)])).toEqual([])
    expect(trust.list()).toEqual(approved)
    expect(approved).toMatchObject([
      { kind: 'hooks', name: 'guard', root, approvedAt: '2026-01-01T00:00:00.000Z', by: 'ada', hash: pending[0]?.hash },
    ])
  })

  it('come from `approve` alone: asking, listing and reading again add nothing', async () => {
    const store = memoryTrustStore()
    const root = project({ 'guard.mjs': 'one' })
    const trust = await open(store)
    trust.isApproved(guard(root))
    trust.pending([guard(root)])
    trust.list()
    await trust.reload()
    await trust.revoke({})
    await trust.approve([])
    expect((await store.load()).approvals).toEqual([])
    expect(trust.isApproved(guard(root))).toBe(false)
  })

  it('are recorded once, however often somebody agrees', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const trust = await open()
    const [consent] = trust.pending([guard(root)])
    if (!consent) throw new Error('nothing is pending')
    await trust.approve([consent, consent])
    expect(await trust.approve([consent])).toMatchObject({ approved: [{ name: 'guard' }], refused: [] })
    expect(trust.list()).toHaveLength(1)
  })

  it('hold for one name, one kind, one folder, in exactly this case', async () => {
    const root = project({ 'guard.mjs': 'one', 'Sub/guard.mjs': 'one', 'sub/guard.mjs': 'one' })
    const trust = await open()
    const subject = guard(join(root, 'Sub'))
    await agree(trust, subject)
    expect(trust.isApproved(subject)).toBe(true)
    for (const other of [
      { ...subject, name: 'Guard' },
      { ...subject, kind: 'servers' },
      { ...subject, root },
      { ...subject, root: join(root, 'sub') },
    ]) {
      expect(trust.isApproved(other)).toBe(false)
      expect(trust.pending([other])).toMatchObject([{ reason: 'new' }])
    }
  })

  it('of two entries of one name do not replace each other', async () => {
    const root = project({ 'a.mjs': 'a', 'b.mjs': 'b' })
    const trust = await open()
    await agree(trust, guard(root, 'a.mjs'))
    await agree(trust, guard(root, 'b.mjs'))
    expect([guard(root, 'a.mjs'), guard(root, 'b.mjs')].map(trust.isApproved)).toEqual([true, true])
  })

  it('hold for the project behind a link, until the link leads elsewhere', async () => {
    const real = project({ 'guard.mjs': 'one' })
    const other = project({ 'guard.mjs': 'one' })
    const link = join(project(), 'link')
    symlinkSync(real, link)
    const trust = await open()
    await agree(trust, guard(link))
    expect([guard(link), guard(real), guard(`${link}/`)].map(trust.isApproved)).toEqual([true, true, true])
    rmSync(link)
    symlinkSync(other, link)
    expect([guard(link), guard(real)].map(trust.isApproved)).toEqual([false, true])
    expect(await trust.revoke({ root: link })).toEqual({ revoked: [] })
    expect((await trust.revoke({ root: `${real}/` })).revoked).toHaveLength(1)
  })
})

describe('a script that changes after it was approved', () => {
  it('asks again and says what changed, and is fine when it is back to what was approved', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const trust = await open()
    await agree(trust, guard(root))
    writeFileSync(join(root, 'guard.mjs'), 'two')
    expect(trust.isApproved(guard(root))).toBe(false)
    const sha256 = (text: string) => `sha256 ${nodeHash().sha256(text)}`
    expect(trust.pending([guard(root)])).toMatchObject([
      { reason: 'changed', changes: [{ field: 'script ./guard.mjs', before: sha256('one'), after: sha256('two') }] },
    ])
    writeFileSync(join(root, 'guard.mjs'), 'one')
    expect(trust.isApproved(guard(root))).toBe(true)
  })

  it('is compared with the latest approval of that entry', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const trust = await open()
    await agree(trust, guard(root))
    const subject: TrustSubject = {
      ...guard(root),
      runs: { prompt: `${'long '.repeat(200)}end`, passEnv: ['TOKEN'], tools: ['Read'] },
    }
    await agree(trust, subject)
    const [pending] = trust.pending([{ ...subject, runs: { ...subject.runs, passEnv: ['TOKEN', 'SECRET'] } }])
    expect(pending?.changes).toEqual([{ field: 'passes', before: 'TOKEN', after: 'SECRET TOKEN' }])
    const { tools: _, ...rest } = subject.runs
    expect(trust.pending([{ ...subject, runs: { ...rest, host: 'x' } }])[0]?.changes).toEqual([
      { field: 'host', after: 'x' },
      { field: 'tools', before: 'Read' },
    ])
    const prompt = `${'long '.repeat(200)}End`
    const [changed] = trust.pending([{ ...subject, runs: { ...subject.runs, prompt } }])
    expect(changed?.changes).toMatchObject([{ field: 'prompt' }])
    expect(changed?.facts[0]?.value).toBe(prompt)
  })

  it('is found when it hides behind a link, and when the link is led elsewhere', async () => {
    const root = project({ 'real.mjs': 'one', 'copy.mjs': 'one', 'out/x.mjs': 'x' })
    const outside = project({ 'shared.mjs': 'one' })
    symlinkSync('real.mjs', join(root, 'guard.mjs'))
    symlinkSync(join(outside, 'shared.mjs'), join(root, 'shared.mjs'))
    const subjects = [guard(root), guard(root, 'shared.mjs', 'shared')]
    const trust = await open()
    await agree(trust, ...subjects)
    expect(subjects.map(trust.isApproved)).toEqual([true, true])
    writeFileSync(join(root, 'real.mjs'), 'two')
    writeFileSync(join(outside, 'shared.mjs'), 'two')
    expect(subjects.map(trust.isApproved)).toEqual([false, false])
    writeFileSync(join(root, 'real.mjs'), 'one')
    expect(trust.isApproved(guard(root))).toBe(true)
    rmSync(join(root, 'guard.mjs'))
    symlinkSync('copy.mjs', join(root, 'guard.mjs'))
    expect(trust.isApproved(guard(root))).toBe(false)
  })

  it('is not approved when it is gone, or became a folder, a pipe or a circle of links', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const listed: TrustSubject = {
      ...guard(root),
      runs: { command: { shell: 'sh', script: './guard.mjs' }, scripts: ['guard.mjs'] },
    }
    const trust = await open()
    await agree(trust, guard(root), listed)
    expect([guard(root), listed].map(trust.isApproved)).toEqual([true, true])

    renameSync(join(root, 'guard.mjs'), join(root, 'away.mjs'))
    expect([guard(root), listed].map(trust.isApproved)).toEqual([false, false])
    expect(trust.pending([listed])[0]?.problems).toMatchObject([{ failure: 'missing' }])
    expect(await agree(trust, listed)).toMatchObject({
      approved: [],
      refused: [{ reason: 'unusable', message: `${root}/guard.mjs: The file does not exist.` }],
    })

    mkdirSync(join(root, 'guard.mjs'))
    expect([guard(root), listed].map(trust.isApproved)).toEqual([false, false])
    expect(trust.pending([listed])[0]?.problems).toMatchObject([{ failure: 'folder' }])

    const hasProblem = (failure: string) => {
      for (const subject of [guard(root), listed]) {
        expect(trust.isApproved(subject)).toBe(false)
        expect(trust.pending([subject])[0]?.problems).toMatchObject([{ failure }])
      }
    }
    rmSync(join(root, 'guard.mjs'), { recursive: true })
    execFileSync('mkfifo', [join(root, 'guard.mjs')])
    hasProblem('not-a-file')

    rmSync(join(root, 'guard.mjs'))
    symlinkSync('guard.mjs', join(root, 'guard.mjs'))
    hasProblem('unreadable')
  })

  it('can not be approved in a project that is gone', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const trust = await open()
    await agree(trust, guard(root))
    rmSync(root, { recursive: true })
    expect(trust.isApproved(guard(root))).toBe(false)
    expect(await agree(trust, guard(root))).toMatchObject({ refused: [{ reason: 'unusable' }] })
  })

  it('appears out of nowhere: a word that names a file now did not when it was approved', async () => {
    const root = project()
    const trust = await open()
    await agree(trust, guard(root))
    expect(trust.isApproved(guard(root))).toBe(true)
    writeFileSync(join(root, 'guard.mjs'), 'surprise')
    expect(trust.isApproved(guard(root))).toBe(false)
  })
})

describe('a session that has moved to another folder', () => {
  it('runs what was approved, not a file of the same name that lies there', async () => {
    const root = project({ 'guard.mjs': 'one', 'sub/guard.mjs': 'written by the agent', 'same/guard.mjs': 'one' })
    const at = (runs: TrustSubject['runs'], cwd: string): TrustSubject => ({
      ...guard(root),
      runs: { ...runs, sessionCwd: cwd },
    })
    const relative = guard(root).runs
    const absolute = { command: { file: 'node', args: [join(root, 'guard.mjs')] } }
    const nothing = { command: { file: 'git', args: ['status'] } }
    const trust = await open()
    await agree(trust, at(relative, root), at(absolute, root), at(nothing, root))
    for (const folder of ['sub', 'same', 'gone']) {
      const verdicts = [relative, absolute, nothing].map((runs) => trust.isApproved(at(runs, join(root, folder))))
      expect(verdicts).toEqual([false, true, true])
    }
    expect(trust.isApproved(guard(root))).toBe(true)
  })
})

describe('what was shown is what is approved', () => {
  it('a script that was swapped between the showing and the answer is refused, its siblings are not', async () => {
    const root = project({ 'a.mjs': 'a', 'b.mjs': 'b' })
    const trust = await open()
    const pending = trust.pending([guard(root, 'a.mjs', 'a'), guard(root, 'b.mjs', 'b')])
    writeFileSync(join(root, 'a.mjs'), 'evil')
    const { approved, refused } = await trust.approve(pending)
    expect(approved.map(({ name }) => name)).toEqual(['b'])
    expect(refused).toMatchObject([
      { consent: { name: 'a' }, reason: 'changed', changes: [{ field: 'script ./a.mjs' }] },
    ])
    expect(refused[0]?.message).toBe('It is not as it was shown any more (script ./a.mjs). Look at it again.')
    expect(trust.isApproved(guard(root, 'a.mjs', 'a'))).toBe(false)
    writeFileSync(join(root, 'a.mjs'), 'a')
    expect(trust.isApproved(guard(root, 'a.mjs', 'a'))).toBe(false)
  })

  it('a script that is swapped while the store waits for its lock is refused too', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const store = memoryTrustStore()
    const slow: TrustStore = {
      load: store.load,
      async update(change) {
        writeFileSync(join(root, 'guard.mjs'), 'evil')
        return store.update(change)
      },
    }
    const trust = await open(slow)
    expect(await agree(trust, guard(root))).toMatchObject({ approved: [], refused: [{ reason: 'changed' }] })
  })

  it('a consent may travel as JSON, but nothing can be put under an old hash', async () => {
    const root = project({ 'guard.mjs': 'one', 'evil.mjs': 'two' })
    const trust = await open()
    const [consent] = trust.pending([guard(root)])
    const copy = JSON.parse(JSON.stringify(consent))
    expect(await trust.approve([{ ...copy, subject: guard(root, 'evil.mjs') }])).toMatchObject({
      refused: [
        {
          reason: 'changed',
          changes: [{ field: 'runs' }, { field: 'script ./evil.mjs' }, { field: 'script ./guard.mjs' }],
        },
      ],
    })
    expect((await trust.approve([copy])).approved).toHaveLength(1)
  })
})

describe('taking back', () => {
  it('works by folder, kind, name, hash, and for all', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const other = project({ 'guard.mjs': 'one' })
    const subjects = [guard(root), guard(root, 'guard.mjs', 'b'), { ...guard(root), kind: 'servers' }, guard(other)]
    const trust = await open()
    const fill = () => agree(trust, ...subjects)
    const names = (list: readonly { readonly kind: string; readonly name: string }[]) =>
      list.map(({ kind, name }) => `${kind} ${name}`)
    await fill()
    expect(names((await trust.revoke({ root, kind: 'hooks', name: 'guard' })).revoked)).toEqual(['hooks guard'])
    expect(subjects.map(trust.isApproved)).toEqual([false, true, true, true])
    expect(names((await trust.revoke({ hash: trust.list()[0]?.hash ?? '' })).revoked)).toEqual(['hooks b'])
    expect(await trust.revoke({ name: 'nobody' })).toEqual({ revoked: [] })
    await fill()
    expect((await trust.revoke({})).revoked).toHaveLength(4)
    expect(trust.list()).toEqual([])
  })

  it('comes after what was asked before, so that nothing slow brings an approval back', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const store = memoryTrustStore()
    const slowLoad: TrustStore = {
      update: store.update,
      async load() {
        const state = await store.load()
        await new Promise((resolve) => setTimeout(resolve, 20))
        return state
      },
    }
    const trust = await open(slowLoad)
    await agree(trust, guard(root))
    await Promise.all([trust.reload(), trust.revoke({})])
    expect(trust.isApproved(guard(root))).toBe(false)
  })

  it('by somebody else counts once the store was read again', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const store = memoryTrustStore()
    const [mine, theirs] = [await open(store), await open(store)]
    await agree(theirs, guard(root))
    expect(mine.isApproved(guard(root))).toBe(false)
    await mine.reload()
    expect(mine.isApproved(guard(root))).toBe(true)
    await theirs.revoke({})
    await mine.reload()
    expect(mine.isApproved(guard(root))).toBe(false)
  })
})

describe('a store that fails', () => {
  it('of a host that breaks its word costs that call only', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const store = memoryTrustStore()
    let isBroken = true
    const trust = await open({
      load: store.load,
      update: async (change) => {
        if (isBroken) throw new Error('no database')
        return store.update(change)
      },
    })
    await expect(agree(trust, guard(root))).rejects.toThrow('no database')
    isBroken = false
    expect((await agree(trust, guard(root))).approved).toHaveLength(1)
  })

  it('by its own word leaves nothing approved in memory either', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const failure = {
      code: 'host.database',
      severity: 'error',
      message: 'The database is gone.',
      hint: 'Start it.',
      source: { layer: 'user', name: 'database' },
    } as const
    const failing = { approvals: [], diagnostics: [failure] }
    const trust = await open({
      load: async () => failing,
      update: async (change) => {
        change([], () => true)
        return { ...failing, failure }
      },
    })
    expect(trust.diagnostics).toEqual([failure])
    expect(await agree(trust, guard(root))).toMatchObject({
      approved: [],
      refused: [{ reason: 'not-written', message: 'The database is gone. Start it.' }],
    })
    expect(trust.isApproved(guard(root))).toBe(false)
    expect(await trust.revoke({})).toEqual({ revoked: [], failure: 'The database is gone. Start it.' })
  })

  it('is full: approvals of folders that are gone make room, others never do', async () => {
    const [gone, here] = [project({ 'guard.mjs': 'one' }), project({ 'guard.mjs': 'one', 'b.mjs': 'b', 'c.mjs': 'c' })]
    const store = memoryTrustStore()
    const trust = await open({
      load: store.load,
      update: (change) => store.update((current) => change(current, (approvals) => approvals.length <= 2)),
    })
    await agree(trust, guard(gone), guard(here))
    expect(await agree(trust, guard(here, 'b.mjs'))).toMatchObject({ refused: [{ reason: 'full' }], pruned: [] })
    rmSync(gone, { recursive: true })
    expect(await agree(trust, guard(here, 'b.mjs'))).toMatchObject({ refused: [], pruned: [{ root: gone }] })
    const [again] = trust.pending([guard(here, 'c.mjs')])
    if (!again) throw new Error('nothing is pending')
    const known = { ...again, ...trust.list().find(({ root }) => root === here), subject: guard(here) }
    expect(await trust.approve([known, again])).toMatchObject({
      approved: [{ name: 'guard' }],
      refused: [{ reason: 'full', message: expect.stringContaining('Take back') }],
      pruned: [],
    })
    expect(trust.list()).toHaveLength(2)
  })
})
