import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeHash, nodePorts } from '@ext/kernel/node'
import { describe, expect, test } from 'vitest'
import { codes, fire, load, project, rule, type Setup, samples, scene, texts } from '../support.js'
import { change, file, value } from '../trust/support.js'

const managed = (content: unknown) => value('managed', content)
const LOWER = ['user', 'project', 'local', 'plugin', 'command-line'] as const
const all: Setup = { approved: () => true, hash: nodeHash() }
const names = (hooks: { snapshot: { entries: readonly { name: string }[] } }) =>
  hooks.snapshot.entries.map(({ name }) => name)
const hook = (name: string, command = 'true', more = {}) => rule('PreToolUse', command, { name, ...more })

/** Everything that a lower layer could write to undo a policy. */
const UNDO = {
  allowManagedHooksOnly: false,
  disableAllHooks: false,
  allowedHookSources: [...LOWER],
  allowedHookCommands: ['true', 'exit 2'],
  allowedHttpHookUrls: ['https://evil.example/*'],
  httpHookAllowedEnvVars: ['TOKEN'],
  maxHookTimeout: '1h',
  defaultOnFailure: 'continue',
}

async function under(policy: unknown, hooks: readonly unknown[], layer: (typeof LOWER)[number], setup: Setup = {}) {
  return load([managed(policy), value(layer, { ...UNDO, hooks })], { ...all, ...setup })
}

describe.each(LOWER)('what a %s file says can not undo', (layer) => {
  test('allowManagedHooksOnly', async () => {
    const own = { hooks: [hook('ours')] }
    const hooks = await under({ allowManagedHooksOnly: true, ...own }, [hook('theirs')], layer)
    expect(names(hooks)).toEqual(['ours'])
    expect(codes(hooks)).toContain('hooks.policy.refused')
    expect(codes(hooks).filter((code) => code === 'hooks.policy.misplaced')).toHaveLength(7)
  })

  test('disableAllHooks', async () => {
    expect(names(await under({ disableAllHooks: true }, [hook('theirs')], layer))).toEqual([])
  })

  test('allowedHookSources', async () => {
    const other = layer === 'user' ? 'project' : 'user'
    expect(names(await under({ allowedHookSources: [other] }, [hook('theirs')], layer))).toEqual([])
    expect(names(await under({ allowedHookSources: [layer] }, [hook('theirs')], layer))).toEqual(['theirs'])
    expect(names(await under({ allowedHookSources: [] }, [hook('theirs')], layer))).toEqual([])
  })

  test('allowedHookCommands', async () => {
    const hooks = await under({ allowedHookCommands: ['echo ok'] }, [hook('a', 'true'), hook('b', 'echo ok')], layer)
    expect(names(hooks)).toEqual(['b'])
  })

  test('allowedHttpHookUrls and httpHookAllowedEnvVars', async () => {
    const http = (url: string) => ({
      name: new URL(url).host,
      event: 'Stop',
      action: { type: 'http', url, headers: { A: '$TOKEN$OTHER' }, allowedEnvVars: ['TOKEN', 'OTHER'] },
    })
    const policy = { allowedHttpHookUrls: ['https://good.example/*'], httpHookAllowedEnvVars: ['OTHER'] }
    const hooks = await under(policy, [http('https://evil.example/x'), http('https://good.example/x')], layer)
    expect(hooks.snapshot.entries.map(({ value }) => value.action)).toMatchObject([
      { url: 'https://good.example/x', allowedEnvVars: ['OTHER'] },
    ])
    expect(codes(hooks)).toEqual(expect.arrayContaining(['hooks.policy.env', 'hooks.policy.refused']))
  })

  test('maxHookTimeout', async () => {
    const written = await under({ maxHookTimeout: '5s' }, [hook('a', 'true', { timeout: '10s' }), hook('b')], layer)
    expect(written.snapshot.entries.map(({ value }) => value.timeoutMs)).toEqual([5000, 5000])
    expect(codes(written).filter((code) => code === 'hooks.policy.timeout')).toHaveLength(1)
  })

  test('defaultOnFailure', async () => {
    const hooks = await under({ defaultOnFailure: 'block' }, [hook('a')], layer)
    expect(hooks.snapshot.entries.map(({ value }) => value.onFailure)).toEqual(['block'])
  })
})

describe('a list of commands', () => {
  const guard = '#!/bin/sh\nexit 2\n'
  const sha = `sha256:${createHash('sha256').update(guard).digest('hex')}`

  test.each([
    ['sh guard.sh', true],
    ['./guard.sh --fast', true],
    ['"$HOOK_PROJECT_DIR"/guard.sh', true],
    ['"${HOOK_PROJECT_DIR}/guard.sh"', true],
    ['./guard.sh; touch pwned', false],
    ['./guard.sh && touch pwned', false],
    ['sh -c ./guard.sh', false],
    ['sh other.sh guard.sh', false],
    ['touch pwned # ./guard.sh', false],
    ['$(touch pwned) ./guard.sh', false],
    ['"$(touch pwned)" ./guard.sh', false],
    ['./guard.sh\ntouch pwned', false],
    ['./guard.sh > ~/.profile', false],
    ['BASH_ENV=./other.sh bash guard.sh', false],
    ['./guard.sh `touch pwned`', false],
    ['./guard.sh "', false],
    [`./guard.sh ${'$aa'.repeat(200)}!`, false],
    [`./guard.sh "${'$aa'.repeat(200)}!"`, false],
    ['./guard.sh \'a b\' "c d"', true],
  ])('by the hash of a script: %s is %s', async (command, allowed) => {
    const root = await project({ 'guard.sh': guard, 'other.sh': 'touch pwned' })
    const layers = [managed({ allowedHookCommands: [sha] }), value('user', { hooks: [hook('guard', command)] })]
    expect(names(await load(layers, { ...all, root }))).toEqual(allowed ? ['guard'] : [])
  })

  test('looks at the script again before it starts', async () => {
    const layers = [managed({ allowedHookCommands: [sha] }), value('user', { hooks: [hook('guard', './guard.sh')] })]
    const at = await scene(layers, { ...all, files: { 'guard.sh': guard } })
    expect((await fire(at, 'PreToolUse')).block).toBeDefined()
    await change(at.root, 'guard.sh', '#!/bin/sh\ntouch pwned\n')
    const result = await fire(at, 'PreToolUse')
    expect(result.runs).toMatchObject([{ outcome: 'skipped', cause: 'untrusted' }])
    expect(texts(result.notices)).toEqual(['did not run: it is not what was listed by the administrator any more'])
  })

  test('by the program of an argument list; one that sets variables is not named by it', async () => {
    const action = { type: 'command', command: '/opt/guard', args: ['--all'] }
    const hooks = [
      { name: 'a', event: 'Stop', action },
      { name: 'b', event: 'Stop', action: { ...action, env: { LD_PRELOAD: './evil.so' } } },
      { name: 'c', event: 'Stop', action: { ...action, command: '/opt/guard2' } },
    ]
    const loaded = await load([managed({ allowedHookCommands: ['/opt/guard'] }), value('user', { hooks })], all)
    expect(names(loaded)).toEqual(['a'])
  })

  test('knows no hash where the host gives no way to make one', async () => {
    const layers = [managed({ allowedHookCommands: [sha] }), value('user', { hooks: [hook('guard', './guard.sh')] })]
    const root = await project({ 'guard.sh': guard })
    expect(names(await load(layers, { approved: () => true, root }))).toEqual([])
  })
})

test.each([
  ['https://hooks.example.com/*', ['https://hooks.example.com/', 'https://hooks.example.com/a/b'], []],
  ['https://*.example.com/in', ['https://a.example.com/in', 'https://a.b.example.com/in'], []],
  [
    'https://hooks.example.com/*',
    [],
    [
      'http://hooks.example.com/a',
      'https://hooks.example.com:8443/a',
      'https://evil.example/https://hooks.example.com/a',
      'https://hooks.example.com.evil.example/a',
      'https://hooks.example.com/a?to=x',
      'https://evilhooks.example.com/a',
    ],
  ],
  [
    'https://*.example.com/*',
    [],
    ['https://example.com/a', 'https://evilexample.com/a', 'https://evil.example/a.example.com/'],
  ],
  ['https://hooks.example.com', ['https://hooks.example.com/'], ['https://hooks.example.com/a']],
])('the address %s allows %j and not %j', async (pattern, good, bad) => {
  const hooks = [...good, ...bad].map((url) => ({ name: url, event: 'Stop', action: { type: 'http', url } }))
  const loaded = await load([managed({ allowedHttpHookUrls: [pattern] }), value('user', { hooks })], all)
  expect(names(loaded)).toEqual(good)
})

describe('a managed file', () => {
  test.each([
    { allowManagedHooksOnly: 'yes' },
    { allowedHookSources: 'user' },
    { allowedHookSources: ['users'] },
    { allowedHookCommands: ['sha256:abc'] },
    { allowedHttpHookUrls: ['*'] },
    { allowedHttpHookUrls: ['https://*/x'] },
    { httpHookAllowedEnvVars: ['$TOKEN'] },
    { maxHookTimeout: 30 },
    { defaultOnFailure: 'blok' },
    { allowedHookComands: ['x'] },
    { disableAllHooks: 'true' },
    { hooks: [{ event: 'Nothing' }] },
  ])('that is broken closes: %j', async (policy) => {
    const layers = LOWER.map((layer) => value(layer, { hooks: [hook(layer)] }))
    const hooks = await load([managed(policy), ...layers], all)
    expect(hooks.snapshot.managedBroken).toBe(true)
    expect(names(hooks).filter((name) => name !== 'command-line')).toEqual([])
  })

  test('that can not be parsed closes, also when it breaks later, and keeps its own hooks and policies', async () => {
    const root = await project({
      'managed.yaml':
        'maxHookTimeout: 5s\nhooks:\n  - {name: ours, event: Stop, action: {type: command, command: "true"}}\n',
    })
    const layers = [file('managed', 'ext', join(root, 'managed.yaml')), value('user', { hooks: [hook('theirs')] })]
    const at = await scene(layers, { ...all, root })
    expect(names(at.hooks)).toEqual(['theirs', 'ours'])
    await writeFile(join(root, 'managed.yaml'), 'maxHookTimeout: [')
    await at.hooks.replace(layers)
    expect(names(at.hooks)).toEqual(['ours'])
    const result = await fire(at, 'PreToolUse')
    expect(result.runs).toMatchObject([{ hook: 'theirs', cause: 'untrusted' }])
    expect(texts(result.notices)).toEqual(['did not run: a managed file is broken'])
  })

  test('judges neither its own hooks nor the functions of the embedder', async () => {
    const policy = {
      allowManagedHooksOnly: true,
      allowedHookCommands: [],
      maxHookTimeout: '1s',
      allowedHookSources: [],
    }
    const { defineHook } = await import('../../src/index.js')
    const functions = [defineHook('Stop', () => {}, { name: 'fn' })]
    const hooks = await load([managed({ ...policy, hooks: [hook('ours', 'true', { timeout: '9s' })] })], {
      ...all,
      functions,
    })
    expect(hooks.snapshot.entries.map(({ name, value }) => [name, value.timeoutMs])).toEqual([
      ['fn', 30_000],
      ['ours', 9000],
    ])
  })

  test('of two each has to allow a hook, and the shorter time counts', async () => {
    const second = value('managed', { allowedHookSources: ['user', 'project'], maxHookTimeout: '2s' })
    const first = managed({ allowedHookSources: ['user'], maxHookTimeout: '3s' })
    const layers = [first, second, value('user', { hooks: [hook('a')] }), value('project', { hooks: [hook('b')] })]
    const hooks = await load(layers, all)
    expect(hooks.snapshot.entries.map(({ name, value }) => [name, value.timeoutMs])).toEqual([['a', 2000]])
  })

  test('of Claude Code is read alike, and a folder is a source', async () => {
    const root = await project({
      'a/x.yaml': 'hooks: [{name: a, event: Stop, action: {type: command, command: "true"}}]',
    })
    const policy = value('managed', { allowedHookSources: [join(root, 'a')] }, 'claude-settings')
    const layers = [policy, file('user', 'ext', join(root, 'a/x.yaml')), value('user', { hooks: [hook('b')] })]
    expect(names(await load(layers, { ...all, root }))).toEqual(['a'])
  })

  test('that blocks on failure makes a crashing guard block', async () => {
    const layers = [managed({ defaultOnFailure: 'block' }), value('user', { hooks: [hook('guard', 'exit 1')] })]
    const at = await scene(layers, all)
    expect((await at.session.fire('PreToolUse', () => samples.PreToolUse))?.block).toBeDefined()
  })
})

test('what is strict stays strict, unless a hook itself says what follows when it fails', async () => {
  const hooks = [hook('silent', 'exit 1'), hook('said', 'exit 1', { onFailure: 'continue' })]
  const layers = [managed({ defaultOnFailure: 'continue' }), value('user', { hooks })]
  const at = await scene(layers, { ...all, strict: true })
  const result = await fire(at, 'PreToolUse')
  expect(result.block?.by).toBe('silent')
  expect(at.hooks.snapshot.entries.map(({ value }) => value.onFailure)).toEqual(['block', 'continue'])
})

test('a variable that may not stand in headers is empty there', async () => {
  const requests: { headers?: unknown }[] = []
  const hooks = [
    {
      event: 'Stop',
      action: { type: 'http', url: 'https://x.example/', headers: { A: 'a$TOKEN' }, allowedEnvVars: ['TOKEN'] },
    },
  ]
  const at = await scene([managed({ httpHookAllowedEnvVars: [] }), value('user', { hooks })], {
    ...all,
    ports: {
      ...nodePorts({ TOKEN: 'canary' }),
      fetch: async (request) => {
        requests.push(request)
        return { outcome: 'failed', reason: 'connection', message: 'no' }
      },
    },
  })
  await fire(at, 'Stop')
  expect(requests).toMatchObject([{ headers: { A: 'a' } }])
})
