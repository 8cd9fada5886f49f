import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeEditFiles, nodePorts } from '@ext/kernel/node'
import { fakeClock } from '@ext/kernel/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { createPermission } from '../src/index.js'
import { bash, permissionWith, request, rulesOf, serverTool, session, tool } from './support.js'

describe('remembering a yes', () => {
  test('once is remembering nothing; for the session it holds there and nowhere else', async () => {
    const permission = await permissionWith()
    const [here, other] = [permission.session(session()), permission.session(session())]
    expect(await here.remember(bash('npm test'), { scope: 'once' })).toEqual({ rules: [], diagnostics: [] })
    expect(here.decide(bash('npm test')).behavior).toBe('ask')
    expect(await here.remember(bash('npm test | wc'), { scope: 'session' })).toEqual({
      rules: ['Bash(npm test)', 'Bash(wc)'],
      diagnostics: [],
    })
    expect(here.decide(bash('wc | npm test')).behavior).toBe('allow')
    expect(here.decide(bash('npm test x')).behavior).toBe('ask')
    expect(other.decide(bash('npm test')).behavior).toBe('ask')
    expect(permission.snapshot.records.map(({ name }) => name)).not.toContain('allow Bash(npm test)')
  })

  test('ends when it is said to, by the clock of the host', async () => {
    const clock = fakeClock(1000)
    const here = (await permissionWith({ clock })).session(session())
    await here.remember(bash('npm test'), { scope: 'session', expiresAt: 5000 })
    clock.advance(3999)
    expect(here.decide(bash('npm test')).behavior).toBe('allow')
    clock.advance(1)
    expect(here.decide(bash('npm test')).behavior).toBe('ask')
  })

  test('is listed with what it allows and how it came about, for as long as it counts', async () => {
    const clock = fakeClock(1000)
    const permission = await permissionWith({ clock })
    const [here, other] = [permission.session(session()), permission.session(session())]
    expect(here.remembered).toEqual([])
    const asked = bash('npm test')
    await here.authorize(asked, {
      contenders: [
        {
          name: 'phone',
          kind: 'person',
          answer: async () => ({ behavior: 'allow', rules: ['Bash(npm test)', 'Bash(npm *)'] }),
        },
      ],
      graceMs: 0,
    })
    clock.advance(1000)
    await here.remember(bash('wc'), { scope: 'session', expiresAt: 5000 })
    const alsoAllows = 'The same command in every folder, with any redirect into the workspace.'
    const first = { rule: 'Bash(npm test)', alsoAllows, by: 'phone', at: 1000, call: asked.call }
    expect(here.remembered).toEqual([
      first,
      { rule: 'Bash(wc)', alsoAllows, by: 'user', at: 2000, call: bash('wc').call, expiresAt: 5000 },
    ])
    expect(other.remembered).toEqual([])
    clock.advance(3000)
    expect(here.remembered).toEqual([first])
    await permission.replace([rulesOf({ managedRulesOnly: true }, 'managed')])
    expect(here.remembered).toEqual([])
  })

  test('is found again by the same session in another object, with its ends, and by no other session', async () => {
    const clock = fakeClock(1000)
    const permission = await permissionWith({ clock })
    const before = permission.session(session({ user: 'kim' }))
    await before.remember(bash('npm test'), { scope: 'session' })
    await before.remember(bash('wc'), { scope: 'session', expiresAt: 5000 })
    await before.remember(bash('id'), { scope: 'session', expiresAt: 1500 })
    clock.advance(1000)
    const after = permission.session(session({ user: 'kim', permissionMode: 'plan' }), { continues: before })
    expect([after.mode, after.remembered]).toEqual(['plan', before.remembered])
    expect(after.remembered.map(({ rule }) => rule)).toEqual(['Bash(npm test)', 'Bash(wc)'])
    after.setMode('default')
    const verdicts = () => ['npm test', 'wc', 'id'].map((line) => after.decide(bash(line)).behavior)
    expect(verdicts()).toEqual(['allow', 'allow', 'ask'])
    clock.advance(3000)
    expect(verdicts()).toEqual(['allow', 'ask', 'ask'])
    await after.remember(bash('uptime'), { scope: 'session' })
    expect(before.decide(bash('uptime')).behavior).toBe('ask')

    const others: readonly Parameters<typeof session>[0][] = [
      { user: 'kim', id: 'other' },
      { user: 'kim', cwd: '/elsewhere' },
      { user: 'kim', origin: 'agent' },
      { user: 'kim', agent: { type: 'reader' } },
      { user: 'sam' },
      {},
    ]
    for (const other of others) {
      expect(() => permission.session(session(other), { continues: before }), JSON.stringify(other)).toThrow(
        expect.objectContaining({ code: 'permission.session.other' }),
      )
    }
    const engine = await permissionWith({ clock })
    expect(() => engine.session(session({ user: 'kim' }), { continues: before })).toThrow('another engine')
    await permission.replace([rulesOf({ managedRulesOnly: true }, 'managed')])
    const managed = permission.session(session({ user: 'kim' }), { continues: before })
    expect([managed.remembered, managed.decide(bash('npm test')).behavior]).toEqual([[], 'ask'])
  })

  test('remembers nothing where no rule can allow the call', async () => {
    const here = (await permissionWith({ rules: { ask: ['Bash(git push *)'] } })).session(session())
    for (const line of ['rm -rf /', 'git push', 'npm test $(']) {
      expect((await here.remember(bash(line), { scope: 'session' })).rules, line).toEqual([])
    }
  })

  test('never loosens what configuration denies or asks later', async () => {
    const permission = await permissionWith()
    const here = permission.session(session())
    await here.remember(bash('npm test'), { scope: 'session' })
    await permission.replace([rulesOf({ deny: ['Bash(npm *)'] })])
    expect(here.decide(bash('npm test')).behavior).toBe('deny')
  })

  test('counts for nothing where only managed rules do', async () => {
    const permission = await permissionWith({
      layers: [
        rulesOf({ managedRulesOnly: true, allow: ['Bash(ls *)'] }, 'managed'),
        rulesOf({ allow: ['Bash(id)'], deny: ['Bash(ls -R *)'] }),
      ],
    })
    const here = permission.session(session())
    expect((await here.remember(bash('npm test'), { scope: 'session' })).rules).toEqual([])
    const verdicts = ['ls', 'id', 'ls -R x'].map((line) => here.decide(bash(line)).behavior)
    expect(verdicts).toEqual(['allow', 'ask', 'deny'])
  })
})

describe('in a file', () => {
  let folder: string
  let file: string
  const TEXT = '# mine\npermissions:\n  deny:\n    # never\n    - Bash(rm *)\n  allow:\n    - Bash(ls)\n'
  const open = async (rememberIn = {}) =>
    createPermission({
      layers: [{ kind: 'file', layer: 'user', dialect: 'ext', path: file }],
      cwd: '/repo',
      ports: { ...nodePorts(), home: '/home/u' },
      rememberIn: { user: file, files: nodeEditFiles(), ...rememberIn },
    })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ext-remember-'))
    file = join(folder, 'config.yaml')
    await writeFile(file, TEXT)
  })

  test('each command is a rule, its comments stay, and all sessions know at once', async () => {
    const permission = await open()
    const other = permission.session(session())
    const remembered = await permission.session(session()).remember(bash("npm test && echo 'a b'"), { scope: 'user' })
    expect(remembered).toEqual({ rules: ['Bash(npm test)', "Bash(echo 'a b')"], file, diagnostics: [] })
    expect(await readFile(file, 'utf8')).toBe(`${TEXT}    - Bash(npm test)\n    - Bash(echo 'a b')\n`)
    expect(other.decide(bash('npm test'))).toMatchObject({
      behavior: 'allow',
      decidedBy: { source: { file, line: 8, column: 7 } },
    })
  })

  test('a rule that ends is written with its end, and ends', async () => {
    const permission = await open()
    const past = Date.now() - 1000
    const future = Date.now() + 3_600_000
    const here = permission.session(session())
    await here.remember(bash('npm test'), { scope: 'user', expiresAt: past })
    await here.remember(request('WebFetch', { url: 'https://a.test/x' }), { scope: 'user', expiresAt: future })
    await here.remember(request('Read', { file_path: '/etc/hosts' }), { scope: 'user', expiresAt: future })
    const skill = request(tool('Skill', { kind: 'exec' }), { skill: 'deploy', args: 'now' })
    await here.remember(skill, { scope: 'user', expiresAt: future })
    await here.remember(request(serverTool('db', 'query')), { scope: 'user', expiresAt: future })
    const later = (await open()).session(session())
    expect(later.decide(bash('npm test')).behavior).toBe('ask')
    expect(later.decide(request('WebFetch', { url: 'https://a.test/y' })).behavior).toBe('allow')
    expect(later.decide(request('Read', { file_path: '/etc/hosts' })).behavior).toBe('allow')
    expect(later.decide(skill).behavior).toBe('allow')
    expect(later.decide(request(serverTool('db', 'query'))).behavior).toBe('allow')
    expect(await readFile(file, 'utf8')).toContain(`expires: ${new Date(past).toISOString()}`)
  })

  test('a file that can not be changed is a diagnostic, and the rule holds for the session', async () => {
    await writeFile(file, 'permissions:\n  allow: all\n')
    const here = (await open()).session(session())
    const { rules, diagnostics, file: written } = await here.remember(bash('npm test'), { scope: 'user' })
    expect([rules, written]).toEqual([['Bash(npm test)'], undefined])
    expect(diagnostics).toMatchObject([
      { code: 'permission.remember.failed', message: expect.stringContaining('holds something other than a list') },
    ])
    expect(here.decide(bash('npm test')).behavior).toBe('allow')
    expect((await here.remember(bash('npm run x'), { scope: 'local' })).diagnostics).toMatchObject([
      { code: 'permission.remember.failed', message: expect.stringContaining('no file for the scope') },
    ])
  })
})

describe('the mode of a session', () => {
  test('can be changed for this session alone, and questions carry it', async () => {
    const permission = await permissionWith()
    const [here, other] = [permission.session(session()), permission.session(session())]
    here.setMode('acceptEdits')
    expect([here.mode, other.mode]).toEqual(['acceptEdits', 'default'])
    expect(here.decide(request('Edit', { file_path: 'a' })).behavior).toBe('allow')
    let asked: string | undefined
    await here.authorize(bash('ls'), {
      contenders: [
        {
          name: 'phone',
          kind: 'person',
          answer: async ({ session: ref }) => {
            asked = ref.permissionMode
            return { behavior: 'deny' }
          },
        },
      ],
      graceMs: 0,
    })
    expect(asked).toBe('acceptEdits')
  })
})
