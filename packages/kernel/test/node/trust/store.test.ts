import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeHash, nodeTrustStore } from '../../../src/node/index.js'
import { fakeClock } from '../../../src/testing/index.js'
import { createTrust, describeSubject, type Trust, type TrustSubject } from '../../../src/trust/index.js'
import { guard, project } from '../../trust/project.js'

function open(file: string): Promise<Trust> {
  return createTrust({ store: nodeTrustStore({ file }), hash: nodeHash(), clock: fakeClock() })
}

async function agree(trust: Trust, ...subjects: readonly TrustSubject[]) {
  return trust.approve(trust.pending(subjects), { by: 'ada' })
}

/** A project with one approval in its own store. */
async function approved() {
  const root = project({ 'guard.mjs': 'one' })
  const file = join(root, 'home/.ext/trust.json')
  await agree(await open(file), guard(root))
  return { root, file, subject: guard(root) }
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('a trust store on disk', () => {
  it('is made with the first approval, for its owner alone, and read by the next process', async () => {
    const root = project({ 'guard.mjs': 'one' })
    const file = join(root, 'home/.ext/trust.json')
    const trust = await open(file)
    expect(trust.diagnostics).toMatchObject([{ code: 'trust.store.absent', severity: 'info', source: { file } }])
    await trust.revoke({})
    expect(existsSync(file)).toBe(false)

    expect((await agree(trust, guard(root))).refused).toEqual([])
    expect(trust.diagnostics).toEqual([])
    expect([modeOf(file), modeOf(join(root, 'home/.ext'))]).toEqual(['600', '700'])
    expect(readdirSync(join(root, 'home/.ext'))).toEqual(['trust.json'])

    const next = await open(file)
    expect(next.diagnostics).toEqual([])
    expect(next.isApproved(guard(root))).toBe(true)
    expect(next.list()).toEqual(trust.list())
    expect(next.list()[0]).toMatchObject({ by: 'ada', approvedAt: '1970-01-01T00:00:00.000Z' })
    expect(next.list().flatMap(describeSubject)).toContain('runs: node guard.mjs')
    await next.revoke({})
    expect((await open(file)).isApproved(guard(root))).toBe(false)
  })

  it('keeps what the folder was, and the approvals of others that came in between', async () => {
    const root = project({ 'guard.mjs': 'one', '.ext/config.yaml': 'hooks: []\n' })
    chmodSync(join(root, '.ext'), 0o755)
    const file = join(root, '.ext/trust.json')
    const [one, two] = [await open(file), await open(file)]
    await Promise.all([
      agree(one, guard(root, 'guard.mjs', 'a')),
      agree(two, guard(root, 'guard.mjs', 'b')),
      agree(one, guard(root, 'guard.mjs', 'c')),
    ])
    expect(modeOf(join(root, '.ext'))).toBe('755')
    expect(
      (await open(file))
        .list()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a', 'b', 'c'])
  })

  it('survives every character', async () => {
    const { file, root } = await approved()
    const subject: TrustSubject = {
      kind: '__proto__',
      name: 'a"\\\n\u2028\ud800',
      root,
      runs: { env: { ['__proto__']: '\u0000', constructor: 'x' }, prompt: '"}]\n{' },
    }
    const trust = await open(file)
    expect((await agree(trust, subject)).approved).toHaveLength(1)
    const next = await open(file)
    expect(next.isApproved(subject)).toBe(true)
    expect(next.list()).toEqual(trust.list())
  })

  it('is swapped in one step: whoever reads meanwhile sees the old or the new one', async () => {
    const { file, root } = await approved()
    const trust = await open(file)
    let isDone = false
    const sizes = new Set<number>()
    const reading = (async () => {
      while (!isDone) {
        const state = await nodeTrustStore({ file }).load()
        expect(state.diagnostics).toEqual([])
        sizes.add(state.approvals.length)
      }
    })()
    for (let index = 0; index < 20; index++) await agree(trust, guard(root, 'guard.mjs', `hook-${index}`))
    isDone = true
    await reading
    expect(Math.min(...sizes)).toBeGreaterThan(0)
  })

  it('takes an approval from a file that something else replaces all the time', async () => {
    const { file, root } = await approved()
    const store = nodeTrustStore({ file })
    let count = 0
    const before = readFileSync(file, 'utf8')
    const trust = await createTrust({
      hash: nodeHash(),
      clock: fakeClock(),
      store: {
        load: store.load,
        update: (change) =>
          store.update((current, fits) => {
            // Without the lock, right before the writing.
            if (++count < 4) writeFileSync(file, before.replace('"ada"', `"ada ${count}"`))
            return change(current, fits)
          }),
      },
    })
    expect((await agree(trust, guard(root, 'guard.mjs', 'b'))).refused).toEqual([])
    expect(count).toBe(4)
    expect((await open(file)).list().map(({ name, by }) => [name, by])).toEqual([
      ['guard', 'ada 3'],
      ['b', 'ada'],
    ])
    count = Number.NEGATIVE_INFINITY
    const endless = () => agree(trust, guard(root, 'guard.mjs', 'c'))
    expect(await endless()).toMatchObject({ refused: [{ reason: 'not-written' }] })
  })

  it('holds 1 MiB; then an approval is refused until something is taken back', async () => {
    const { file, root } = await approved()
    const many = Array.from({ length: 1400 }, (_, index): TrustSubject => {
      const env = Object.fromEntries([1, 2].map((part) => [`NAME_${part}`, 'x'.repeat(300)]))
      return { kind: 'hooks', name: `hook-${index}`, root, runs: { env } }
    })
    const trust = await open(file)
    expect((await agree(trust, ...many.slice(0, 1200))).refused).toEqual([])
    expect(statSync(file).size).toBeLessThan(1024 * 1024)
    const result = await agree(trust, ...many.slice(1200))
    expect(result.refused).toHaveLength(200)
    expect(result.refused[0]).toMatchObject({ reason: 'full' })
    expect((await trust.revoke({ name: 'hook-1' })).revoked).toHaveLength(1)
    expect((await agree(trust, ...many.slice(1, 2))).refused).toEqual([])
  })
})

describe('a trust store that can not be believed approves nothing', () => {
  async function isRefused(file: string, subject: TrustSubject, code: string, hint: RegExp) {
    const before = existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : undefined
    const trust = await open(file)
    expect(trust.isApproved(subject)).toBe(false)
    expect(trust.list()).toEqual([])
    expect(trust.diagnostics).toMatchObject([
      { code, severity: 'error', message: expect.stringMatching(/^Nothing is approved: /) },
    ])
    expect(trust.diagnostics[0]?.hint).toMatch(hint)
    const { approved: none, refused } = await agree(trust, subject)
    expect(none).toEqual([])
    expect(refused).toMatchObject([{ reason: 'not-written', message: expect.stringContaining('Nothing is approved') }])
    expect(await trust.revoke({})).toMatchObject({
      revoked: [],
      failure: expect.stringContaining('Nothing is approved'),
    })
    if (before !== undefined) expect(readFileSync(file, 'utf8')).toBe(before)
  }

  it('when others can write to the file', async () => {
    for (const mode of [0o620, 0o602, 0o666]) {
      const { file, subject } = await approved()
      chmodSync(file, mode)
      await isRefused(
        file,
        subject,
        'trust.store.writable',
        /^Check what is in the store, then: chmod go-w '.*trust\.json'$/,
      )
      chmodSync(file, 0o644)
      expect((await open(file)).isApproved(subject)).toBe(true)
    }
  })

  it('when others can write to its folder', async () => {
    for (const mode of [0o770, 0o707, 0o1777]) {
      const { file, subject } = await approved()
      chmodSync(join(file, '..'), mode)
      await isRefused(file, subject, 'trust.store.writable', /chmod go-w '.*\.ext'$/)
    }
  })

  it.runIf(process.getuid?.() === 0)('when it or its folder belongs to somebody else', async () => {
    const { file, subject } = await approved()
    chownSync(file, 65_534, 65_534)
    await isRefused(file, subject, 'trust.store.owner', /owner/)
    chownSync(file, 0, 0)
    chownSync(join(file, '..'), 65_534, 65_534)
    await isRefused(file, subject, 'trust.store.owner', /owner/)
  })

  it.runIf(process.getuid?.() !== 0)('when it belongs to root', async () => {
    await isRefused('/etc/passwd', guard(project({ 'guard.mjs': 'one' })), 'trust.store.owner', /owner/)
  })

  it('when it is a link, also one that leads nowhere', async () => {
    const { file, subject } = await approved()
    renameSync(file, `${file}.real`)
    symlinkSync(`${basename(file)}.real`, file)
    await isRefused(file, subject, 'trust.store.link', /file itself/)
    rmSync(`${file}.real`)
    await isRefused(file, subject, 'trust.store.link', /file itself/)
  })

  it('when it is no file, or its folder is none', async () => {
    const { file, subject, root } = await approved()
    rmSync(file)
    mkdirSync(file)
    await isRefused(file, subject, 'trust.store.unreadable', /move it away/)
    await isRefused(join(root, 'guard.mjs', 'trust.json'), subject, 'trust.store.unreadable', /move it away/)
  })

  it('when it is of a later version', async () => {
    const { file, subject } = await approved()
    writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":2'))
    await isRefused(file, subject, 'trust.store.version', /newer version/)
  })

  it('when it is too large', async () => {
    const { file, subject } = await approved()
    writeFileSync(file, readFileSync(file, 'utf8') + ' '.repeat(1024 * 1024))
    await isRefused(file, subject, 'trust.store.too-large', /Move the file away/)
  })

  it('when it is damaged; the next approval keeps it aside, and nothing else touches it', async () => {
    const good = await approved()
    const [approval] = JSON.parse(readFileSync(good.file, 'utf8')).approvals
    const broken = (change: object) => JSON.stringify({ version: 1, approvals: [approval, { ...approval, ...change }] })
    const contents: readonly (string | Buffer)[] = [
      '',
      'null',
      '[]',
      '{"version":1}',
      '{"approvals":[]}',
      '{"version":"1","approvals":[]}',
      '{"version":1,"approvals":{}}',
      '{"version":1,"approvals":[null]}',
      readFileSync(good.file, 'utf8').slice(0, -10),
      Buffer.concat([Buffer.from(broken({}).replace('ada', '')), Buffer.from([0xff])]),
      ...['kind', 'name', 'root', 'hash', 'approvedAt', 'facts', 'by'].map((field) => broken({ [field]: 1 })),
      broken({ facts: { runs: 1 } }),
      broken({ facts: [] }),
      broken({ hash: undefined }),
    ]
    for (const content of contents) {
      const { file, subject } = await approved()
      const folder = join(file, '..')
      writeFileSync(file, content)
      const trust = await open(file)
      expect(trust.isApproved(subject)).toBe(false)
      expect(trust.diagnostics).toMatchObject([{ code: 'trust.store.corrupt', hint: expect.stringContaining('aside') }])
      await trust.reload()
      expect(await trust.revoke({})).toEqual({ revoked: [] })
      await trust.approve([])
      expect(readdirSync(folder)).toEqual(['trust.json'])
      expect(readFileSync(file)).toEqual(Buffer.from(content))

      expect((await agree(trust, subject)).refused).toEqual([])
      expect(trust.isApproved(subject)).toBe(true)
      const [, aside = ''] = readdirSync(folder).sort()
      expect(aside).toMatch(/^trust\.json\.corrupt-/)
      expect(trust.diagnostics).toMatchObject([
        { code: 'trust.store.put-aside', message: expect.stringContaining(aside) },
      ])
      expect(readFileSync(join(folder, aside))).toEqual(Buffer.from(content))
      expect((await open(file)).list()).toHaveLength(1)
    }
  })
})
