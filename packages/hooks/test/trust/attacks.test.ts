import { existsSync } from 'node:fs'
import { readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { nodePorts } from '@ext/kernel/node'
import { describe, expect, test } from 'vitest'
import { codes, fire, project, rule, samples, session, texts } from '../support.js'
import { approveAll, change, file, shown, untrusted, value } from './support.js'

const SETTINGS = '.claude/settings.json'
const claude = (root: string) => [file('project', 'claude-settings', join(root, SETTINGS))]
const settings = (hooks: unknown) => JSON.stringify({ hooks })
const command = (text: string) => ({ type: 'command', command: text })
const guarded = settings({ PreToolUse: [{ matcher: 'Bash', hooks: [command('"$CLAUDE_PROJECT_DIR"/guard.sh')] }] })
const GUARD = '#!/bin/sh\necho ran >> "$CLAUDE_PROJECT_DIR/ran.log"\necho no >&2\nexit 2\n'
const EVIL = '#!/bin/sh\ntouch "$CLAUDE_PROJECT_DIR/pwned"\n'

describe('a cloned repository', () => {
  const files = { [SETTINGS]: settings({ SessionStart: [{ hooks: [command('touch pwned')] }] }) }

  test('runs nothing at the start of a session; that is said once', async () => {
    const at = await untrusted(files, claude)
    const first = await fire(at, 'SessionStart')
    expect(first.runs).toMatchObject([{ hook: 'touch', outcome: 'skipped', cause: 'untrusted' }])
    expect(texts(first.notices)).toEqual(['did not run: it waits for approval'])
    expect(at.session.fire('SessionStart', () => samples.SessionStart)).toBeUndefined()
    expect(existsSync(join(at.root, 'pwned'))).toBe(false)
    expect(codes(at.hooks)).toEqual(['config.entry.untrusted'])
  })

  test('runs nothing either when somebody has approved the same in another folder', async () => {
    const at = await untrusted(files, claude)
    await approveAll(at)
    const other = await project(files)
    const clone = await untrusted({}, claude, { root: other, trust: at.trust })
    expect((await fire(clone, 'SessionStart')).runs).toMatchObject([{ outcome: 'skipped' }])
  })

  test('runs what was approved', async () => {
    const at = await untrusted(files, claude)
    await approveAll(at)
    expect((await fire(at, 'SessionStart')).runs).toMatchObject([{ outcome: 'noDecision' }])
    expect(existsSync(join(at.root, 'pwned'))).toBe(true)
  })
})

describe('a changed script behind the same name', () => {
  test('does not run in a session that has begun, which is said, and asks again with what changed', async () => {
    const at = await untrusted({ [SETTINGS]: guarded, 'guard.sh': GUARD }, claude)
    await approveAll(at)
    expect((await fire(at, 'PreToolUse')).block?.reason).toBe('no')
    await change(at.root, 'guard.sh', EVIL)
    const result = await fire(at, 'PreToolUse')
    expect(result.runs).toMatchObject([{ outcome: 'skipped', cause: 'untrusted' }])
    expect(texts(result.notices)).toEqual(['did not run: it is not what was approved any more'])
    expect(existsSync(join(at.root, 'pwned'))).toBe(false)
    await at.hooks.replace(at.layers)
    expect(at.trust.pending(at.hooks.unapproved())).toMatchObject([
      { reason: 'changed', changes: [{ field: 'script ./guard.sh' }] },
    ])
  })

  test('blocks where the hook blocks when it fails: changing a guard does not open the way', async () => {
    const hooks = [{ event: 'PreToolUse', onFailure: 'block', action: command('./guard.sh') }]
    const at = await untrusted({ 'guard.sh': GUARD }, () => [value('project', { hooks })])
    await approveAll(at)
    await change(at.root, 'guard.sh', EVIL)
    const result = await fire(at, 'PreToolUse')
    expect(result.block).toBeDefined()
    expect(result.runs).toMatchObject([{ outcome: 'failed', cause: 'untrusted' }])
    expect(existsSync(join(at.root, 'pwned'))).toBe(false)
  })

  test.each([
    ['by a path in quotes', 'bash "$CLAUDE_PROJECT_DIR/hooks/guard.sh" --fast'],
    ['behind a folder', 'cd "$CLAUDE_PROJECT_DIR"/hooks && ./guard.sh'],
    ['in a variable of the script', 'D=hooks; sh $D/guard.sh'],
    ['behind a folder that a command says', 'sh "$(git rev-parse --show-toplevel)/hooks/guard.sh"'],
    ['in a shell of its own', `bash -c 'cd hooks; sh guard.sh'`],
    ['after another command', 'true;sh<hooks/guard.sh>log'],
    ['with a default', 'sh "${GUARD:-hooks/guard.sh}"'],
    ['inside the target of another', 'echo x > $(sh hooks/guard.sh)'],
    ['behind two folders', 'cd -P hooks; cd ..; cd hooks && sh guard.sh'],
    ['in a comment with an apostrophe', "true # don't\nsh hooks/guard.sh"],
    ['as $-text', "sh $'hooks/guard.sh' && true"],
    ['by an option', 'node --require=hooks/guard.sh x.js'],
  ])('is seen when it is named %s', async (_how, text) => {
    const files = { 'hooks/guard.sh': 'exit 0', [SETTINGS]: settings({ Stop: [{ hooks: [command(text)] }] }) }
    const at = await untrusted(files, claude)
    expect(shown(at)[0]?.join('\n')).toContain('script ./hooks/guard.sh: sha256 ')
    await approveAll(at)
    await change(at.root, 'hooks/guard.sh', 'touch pwned')
    expect((await fire(at, 'Stop')).runs).toMatchObject([{ cause: 'untrusted' }])
    expect(existsSync(join(at.root, 'pwned'))).toBe(false)
  })

  test('is not a file that the command writes', async () => {
    const hooks = settings({ Stop: [{ hooks: [command('cat > seen.json; echo x >>log')] }] })
    const at = await untrusted({ [SETTINGS]: hooks }, claude)
    await approveAll(at)
    for (const _time of [1, 2]) expect((await fire(at, 'Stop')).runs).toMatchObject([{ outcome: 'noDecision' }])
  })
})

test('flat and nested entries are shown alike, each with exactly what it runs', async () => {
  const hooks = settings({
    SessionStart: [
      { ...command('touch flat'), hooks: 'touch shown' },
      { type: 'command', command: 'touch flat', matcher: 'startup' },
      { command: 'touch outer', hooks: [command('touch inner')] },
    ],
  })
  const at = await untrusted({ [SETTINGS]: hooks }, claude)
  const runs = shown(at).map((lines) => lines.find((line) => line.startsWith('runs')))
  expect(runs).toEqual(['runs in sh: touch flat', 'runs in sh: touch inner'])
  await approveAll(at)
  await fire(at, 'SessionStart')
  const made = ['flat', 'inner', 'outer', 'shown'].filter((name) => existsSync(join(at.root, name)))
  expect(made).toEqual(['flat', 'inner'])
})

test('a link is approved with what it leads to: neither another target nor another content runs', async () => {
  const files = { [SETTINGS]: guarded, 'good.sh': GUARD, 'evil.sh': EVIL }
  const at = await untrusted(files, claude)
  await symlink('good.sh', join(at.root, 'guard.sh'))
  expect(shown(at)[0]?.join('\n')).toContain('script ./guard.sh: -> ./good.sh sha256')
  await approveAll(at)
  expect((await fire(at, 'PreToolUse')).block).toBeDefined()
  await rm(join(at.root, 'guard.sh'))
  await symlink('evil.sh', join(at.root, 'guard.sh'))
  expect((await fire(at, 'PreToolUse')).runs).toMatchObject([{ cause: 'untrusted' }])
  await rm(join(at.root, 'guard.sh'))
  await symlink('good.sh', join(at.root, 'guard.sh'))
  await change(at.root, 'good.sh', EVIL)
  expect((await fire(at, 'PreToolUse')).runs).toMatchObject([{ cause: 'untrusted' }])
  expect(existsSync(join(at.root, 'pwned'))).toBe(false)
})

test('a plugin that is updated asks again', async () => {
  const hooks = JSON.stringify({ hooks: { Stop: [{ hooks: [command('"${CLAUDE_PLUGIN_ROOT}"/run.sh')] }] } })
  const plugin = await project({ 'hooks/hooks.json': hooks, 'run.sh': '#!/bin/sh\nexit 0\n' })
  const layers = [{ kind: 'folder', layer: 'plugin', dialect: 'claude-plugin', path: plugin } as const]
  const at = await untrusted({}, () => layers)
  expect(shown(at)[0]).toContain(`folder: ${plugin.includes(' ') ? `"${plugin}"` : plugin}`)
  await approveAll(at)
  expect((await fire(at, 'Stop')).runs).toMatchObject([{ outcome: 'noDecision' }])
  await change(plugin, 'run.sh', '#!/bin/sh\ntouch pwned\n')
  expect((await fire(at, 'Stop')).runs).toMatchObject([{ cause: 'untrusted' }])
  await at.hooks.replace(layers)
  expect(at.trust.pending(at.hooks.unapproved())).toMatchObject([{ reason: 'changed' }])
})

test.each([
  [
    'a variable that is passed on',
    { passEnv: ['SCRIPT'] },
    'sh "$SCRIPT"',
    { SCRIPT: './good.sh' },
    { SCRIPT: './evil.sh' },
  ],
  ['PATH', {}, 'tool', { PATH: `${process.env['PATH']}:a` }, { PATH: `b:${process.env['PATH']}` }],
])('a script that the environment chooses is approved as chosen: %s', async (_by, more, text, then, now) => {
  const files = {
    'good.sh': 'true',
    'evil.sh': 'touch pwned',
    'a/tool': '#!/bin/sh\ntrue\n',
    'b/tool': '#!/bin/sh\ntouch pwned\n',
  }
  const layers = () => [value('project', { hooks: [rule('Stop', text, { action: { ...command(text), ...more } })] })]
  const env = { PATH: process.env['PATH'], ...then }
  const at = await untrusted(files, layers, { ports: { env } })
  await approveAll(at)
  expect((await fire(at, 'Stop')).runs).toMatchObject([{ outcome: 'noDecision' }])
  const later = await untrusted({}, layers, { root: at.root, ports: { env: { ...env, ...now } }, trust: at.trust })
  expect((await fire(later, 'Stop')).runs).toMatchObject([{ cause: 'untrusted' }])
  expect(existsSync(join(at.root, 'pwned'))).toBe(false)
})

describe('a project', () => {
  const user = value('user', { hooks: [rule('PreToolUse', 'exit 2', { name: 'guard' })] })

  test('can not switch off a guard of the user, approved or not', async () => {
    const off = { disableAllHooks: true, disabledHooks: ['guard'] }
    const same = rule('PreToolUse', 'true', { name: 'guard', merge: 'override' })
    const at = await untrusted({}, () => [user, value('project', { ...off, hooks: [same] })])
    expect((await fire(at, 'PreToolUse')).block?.by).toBe('guard')
    await approveAll(at)
    expect((await fire(at, 'PreToolUse')).block?.by).toBe('guard')
  })

  test('an entry that nobody approved neither hides nor weakens an approved one of its name', async () => {
    const guard = rule('PreToolUse', 'exit 2', { name: 'guard' })
    const approved = await untrusted({}, () => [value('project', { hooks: [guard] })])
    await approveAll(approved)
    const shadow = rule('PreToolUse', 'true', { name: 'guard', merge: 'override' })
    const layers = [...approved.layers, value('local', { hooks: [shadow] })]
    await approved.hooks.replace(layers)
    const result = await fire(approved, 'PreToolUse')
    expect(result.block?.by).toBe('guard')
    expect(result.runs).toMatchObject([{ cause: 'untrusted' }, { outcome: 'decided' }])
  })

  test.each([{ disableAllHooks: true }, { disabledHooks: ['guard'] }])(
    'can not switch off an approved guard by a file that nobody approved: %j',
    async (off) => {
      const guard = [value('plugin', { hooks: [rule('PreToolUse', 'exit 2', { name: 'guard' })] })]
      const at = await untrusted({}, () => guard)
      await approveAll(at)
      const layers = [...guard, value('local', off)]
      await at.hooks.replace(layers)
      expect((await fire(at, 'PreToolUse')).block?.by).toBe('guard')
      expect(codes(at.hooks)).toContain('hooks.disabled.untrusted')
      expect(shown(at)[0]?.at(-1)).toContain('with "switched off":')
      await approveAll({ ...at, layers })
      expect(at.hooks.snapshot.records).toMatchObject([{ name: 'guard', verdict: 'disabled' }])
    },
  )

  test('a copy of a guard whose script changed does not stand in for the guard of the user', async () => {
    const hook = (more = {}) => ({ hooks: [rule('PreToolUse', './guard.sh', more)] })
    const layers = () => [value('user', hook()), value('project', hook({ onFailure: 'block' }))]
    const at = await untrusted({ 'guard.sh': GUARD }, layers)
    await approveAll(at)
    await change(at.root, 'guard.sh', '#!/bin/sh\nexit 0\n')
    // The hook of the user runs, as it would without the copy; that one is left out.
    expect((await fire(at, 'PreToolUse')).runs).toMatchObject([{ outcome: 'noDecision', source: { layer: 'user' } }])
  })
})

test('a secret of the host reaches no hook, no ledger, no notice and nothing that is shown', async () => {
  const CANARY = 'canary-5f2c9e'
  const records: unknown[] = []
  const hooks = settings({ Stop: [{ hooks: [command('env > seen; env; env >&2; exit 1')] }] })
  const at = await untrusted({ [SETTINGS]: hooks }, claude, {
    ports: nodePorts({ PATH: process.env['PATH'], API_SECRET: CANARY }),
    ledger: { write: (record) => void records.push(record) },
  })
  const before = JSON.stringify(shown(at))
  await approveAll(at)
  const result = await fire(at, 'Stop')
  expect(result.runs).toMatchObject([{ outcome: 'failed' }])
  const seen = await readFile(join(at.root, 'seen'), 'utf8')
  expect(seen).toContain('HOOK_EVENT=Stop')
  const all = [before, seen, JSON.stringify([result, records, at.trust.list(), at.hooks.diagnostics])].join()
  expect(all).not.toContain(CANARY)
})

test('a command that nobody would read is an error', async () => {
  const at = await untrusted({}, () => [value('project', { hooks: [rule('Stop', `: ${'a'.repeat(40_000)}`)] })])
  expect(codes(at.hooks)).toEqual(['hooks.command.too-long'])
  expect(at.hooks.unapproved()).toEqual([])
})

test('a sub-agent is told too, and approvals hold in it', async () => {
  const at = await untrusted({ [SETTINGS]: guarded, 'guard.sh': GUARD }, claude)
  const sub = { ...session(at.root, 's2'), origin: 'agent', agent: { id: 'a', type: 'reviewer' } } as const
  const first = await at.hooks.session(sub).fire('PreToolUse', () => samples.PreToolUse)
  expect(first?.runs).toMatchObject([{ cause: 'untrusted' }])
  await approveAll(at)
  const second = await at.hooks.session(sub).fire('PreToolUse', () => samples.PreToolUse)
  expect(second?.block?.reason).toBe('no')
})

test('what is taken back does not run any more', async () => {
  const at = await untrusted({ [SETTINGS]: guarded, 'guard.sh': GUARD }, claude)
  await approveAll(at)
  await at.trust.revoke({ root: at.root })
  expect((await fire(at, 'PreToolUse')).runs).toMatchObject([{ cause: 'untrusted' }])
})

test('what the host lets run by itself runs whatever its script holds', async () => {
  const at = await untrusted({ [SETTINGS]: guarded, 'guard.sh': EVIL }, claude, { approved: () => true })
  await change(at.root, 'guard.sh', GUARD)
  expect((await fire(at, 'PreToolUse')).block?.reason).toBe('no')
  expect(at.hooks.unapproved()).toEqual([])
})
