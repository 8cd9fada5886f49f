import { writeFile } from 'node:fs/promises'
import type { ConfigSource, LayerName } from '@ext/kernel'
import { describe, expect, test } from 'vitest'
import { claudeSource, codes, fire, load, only, project, rule, scene } from '../support.js'

const LAYERS: readonly LayerName[] = ['plugin', 'user', 'project', 'local', 'command-line', 'managed']

/** A layer whose file holds a hook named after it, unless it is named otherwise. */
function layer(name: LayerName, more: Readonly<Record<string, unknown>> = {}, hook = {}): ConfigSource {
  const hooks = [rule('Stop', `true # ${name}`, { name, ...hook })]
  return { kind: 'value', layer: name, dialect: 'ext', name, value: { hooks, ...more } }
}

async function active(layers: readonly ConfigSource[]): Promise<readonly string[]> {
  const hooks = await load(layers, { approved: () => true })
  return hooks.snapshot.entries.map(({ source }) => source.layer)
}

/** All layers; one of them switches everything off. */
const offIn = (off: LayerName) => LAYERS.map((name) => layer(name, name === off ? { disableAllHooks: true } : {}))

describe('disableAllHooks', () => {
  test.each([
    ['plugin', ['user', 'project', 'local', 'command-line', 'managed']],
    ['project', ['plugin', 'user', 'local', 'command-line', 'managed']],
    ['local', ['user', 'command-line', 'managed']],
    ['user', ['command-line', 'managed']],
    ['command-line', ['managed']],
    ['managed', []],
  ] as const)('in the %s layer leaves those that are trusted more', async (off, left) => {
    expect((await active(offIn(off))).toSorted()).toEqual(left.toSorted())
  })

  test('is a record of each hook and a word about how many', async () => {
    const hooks = await load(offIn('user'), { approved: () => true })
    const off = hooks.snapshot.records.filter(({ verdict }) => verdict === 'disabled')
    expect(off.map(({ name }) => name).toSorted()).toEqual(['local', 'plugin', 'project', 'user'])
    expect(only(hooks)).toMatchObject({ code: 'hooks.disabled', severity: 'info' })
    expect(only(hooks).message).toContain('switches off 4 hooks')
    expect(only(hooks).hint).toContain('disabledHooks')
  })

  test('needs nobody to approve what it switches off', async () => {
    const hooks = await load([layer('project', { disableAllHooks: true })])
    expect(hooks.snapshot.records).toMatchObject([{ verdict: 'disabled' }])
    expect(codes(hooks)).toEqual(['hooks.disabled'])
  })

  test('that is no boolean is said, and the hooks run', async () => {
    const hooks = await load([layer('user', { disableAllHooks: 'yes please' })])
    expect(only(hooks)).toMatchObject({ code: 'config.shape', hint: expect.stringContaining('true or false') })
    expect(hooks.snapshot.entries).toHaveLength(1)
  })

  test('of a file that is broken now holds on, as the hooks of that file do', async () => {
    const root = await project()
    const file = { kind: 'file', layer: 'user', dialect: 'ext', path: `${root}/user.yaml` } as const
    await writeFile(file.path, 'disableAllHooks: true')
    const hooks = await load([file, layer('project')], { root, approved: () => true })
    expect(hooks.snapshot.entries).toEqual([])
    await writeFile(file.path, 'disableAllHooks: [')
    await hooks.replace([file, layer('project')])
    expect(hooks.snapshot.entries).toEqual([])
    await writeFile(file.path, 'disableAllHooks: false')
    await hooks.replace([file, layer('project')])
    expect(hooks.snapshot.entries).toHaveLength(1)
  })
})

describe('disabledHooks', () => {
  test('switches off hooks by name where the file has a say', async () => {
    const layers = [layer('plugin', {}, { name: 'lint' }), layer('user', { disabledHooks: ['lint'] })]
    const hooks = await load(layers, { approved: () => true })
    expect(hooks.snapshot.records.map(({ name, verdict }) => [name, verdict]).toSorted()).toEqual([
      ['lint', 'disabled'],
      ['user', 'loaded'],
    ])
    expect(hooks.diagnostics).toEqual([])
  })

  test.each(['project', 'plugin'] as const)('of a %s never touches what is trusted more', async (weak) => {
    for (const strong of ['user', 'local', 'managed', 'command-line'] as const) {
      const hooks = await load([layer(strong, {}, { name: 'guard' }), layer(weak, { disabledHooks: ['guard'] })], {
        approved: () => true,
      })
      expect(hooks.snapshot.entries).toHaveLength(2)
      expect(only(hooks)).toMatchObject({
        code: 'hooks.disabled.refused',
        severity: 'error',
        related: [{ source: { layer: strong } }],
      })
    }
  })

  test('of one plugin has no say over another', async () => {
    const plugin = (name: string, more = {}): ConfigSource =>
      ({ ...layer('plugin', more, { name }), name }) as ConfigSource
    const hooks = await load([plugin('guard'), plugin('other', { disabledHooks: ['guard'], disableAllHooks: true })], {
      approved: () => true,
    })
    expect(hooks.snapshot.entries.map(({ name }) => name)).toEqual(['guard'])
    expect(codes(hooks)).toContain('hooks.disabled.refused')
  })

  test('names what there is', async () => {
    const root = await project({ 'a.yaml': `disabledHooks: [user2, 5]\nhooks: []` })
    const file = { kind: 'file', layer: 'user', dialect: 'ext', path: `${root}/a.yaml` } as const
    const hooks = await load([file, layer('user')], { root })
    expect(hooks.diagnostics.map(({ code, source, hint }) => [code, source.line, source.column, hint])).toEqual([
      ['config.shape', 1, 24, expect.any(String)],
      ['hooks.disabled.unknown', 1, 17, 'Did you mean `user`?'],
    ])
  })
})

describe('merge: override', () => {
  const named = (name: LayerName, hook = {}) => layer(name, {}, { name: 'lint', ...hook })
  const override = { merge: 'override' }

  test('without it, hooks of the same name all run', async () => {
    expect(await active([named('user'), named('local')])).toEqual(['user', 'local'])
  })

  test('replaces hooks of that name in layers that are trusted less', async () => {
    expect(await active([named('plugin'), named('user', override)])).toEqual(['user'])
    expect(await active([named('plugin'), named('project'), named('local', override)])).toEqual(['local'])
    expect(await active([named('user'), named('managed', override)])).toEqual(['managed'])
  })

  test('needs a written name, and without one the hook runs beside the others', async () => {
    const unnamed = (name: LayerName, more: object = {}): ConfigSource => ({
      kind: 'value',
      layer: name,
      dialect: 'ext',
      name,
      value: { hooks: [{ event: 'Stop', action: { type: 'command', command: `./guard.sh ${name}` }, ...more }] },
    })
    const hooks = await load([unnamed('project'), unnamed('user', override)], { approved: () => true })
    expect(hooks.snapshot.entries.map(({ source }) => source.layer)).toEqual(['user', 'project'])
    expect(only(hooks)).toMatchObject({ code: 'hooks.merge.unnamed', severity: 'error' })
  })

  test('never replaces what is trusted more, which is an error', async () => {
    for (const weak of ['project', 'local'] as const) {
      const hooks = await load([named('user'), named(weak, override)], { approved: () => true })
      expect(hooks.snapshot.entries.map(({ source }) => source.layer)).toEqual(['user'])
      expect(only(hooks)).toMatchObject({ code: 'config.entry.replace-refused', severity: 'error' })
    }
  })

  test('of a hook that nobody has approved, or that is switched off, replaces nothing', async () => {
    const unapproved = await load([named('project'), named('local', override)], {
      approved: ({ source }) => source.layer === 'project',
    })
    expect(unapproved.snapshot.entries.map(({ source }) => source.layer)).toEqual(['project'])
    const off = await load(
      [named('project'), layer('local', { disabledHooks: ['other'] }, { name: 'other', ...override }), named('plugin')],
      { approved: () => true },
    )
    expect(off.snapshot.entries.map(({ source }) => source.layer)).toEqual(['plugin', 'project'])
  })
})

describe('the same hook in several files', () => {
  const same = (name: LayerName, hook = {}): ConfigSource => ({
    kind: 'value',
    layer: name,
    dialect: 'ext',
    name,
    value: { hooks: [rule('Stop', 'echo x >> log', hook)] },
  })

  test('runs once, which is said', async () => {
    const at = await scene([same('user'), same('project')], { approved: () => true })
    expect(only(at.hooks)).toMatchObject({ code: 'hooks.duplicate', severity: 'info', source: { layer: 'project' } })
    expect((await fire(at, 'Stop')).runs).toMatchObject([{ source: { layer: 'user' } }])
  })

  test('runs as the most trusted layer has it, and blocks on failure when a copy of it does', async () => {
    const failing = (name: LayerName, hook = {}): ConfigSource => ({
      kind: 'value',
      layer: name,
      dialect: 'ext',
      name,
      value: { hooks: [rule('PreToolUse', 'exit 1', hook)] },
    })
    const layers = [failing('user'), failing('project', { onFailure: 'block', timeout: '1s' })]
    const result = await fire(await scene(layers, { approved: () => true }), 'PreToolUse')
    expect(result.runs).toMatchObject([{ source: { layer: 'user' } }])
    expect(result.block?.reason).toContain('it is set to block when it fails')
  })

  test.each([
    ['user', 'project'],
    ['project', 'user'],
  ] as const)('runs each time when only the copy of the %s layer is for once', async (once, always) => {
    const hook = (name: LayerName, more = {}): ConfigSource => ({
      kind: 'value',
      layer: name,
      dialect: 'ext',
      name,
      value: { hooks: [rule('PreToolUse', 'echo no >&2; exit 2', more)] },
    })
    const layers = [hook(once, { once: true, onFailure: 'block' }), hook(always)]
    const at = await scene(layers, { approved: () => true })
    for (const time of ['first', 'second']) {
      const result = await fire(at, 'PreToolUse')
      expect(result.block?.reason, time).toBe('no')
      expect(result.runs).toMatchObject([{ source: { layer: 'user' } }])
    }
  })

  test('is another one in another format, whose folders its command may name', async () => {
    const command = 'test -z "$CLAUDE_PROJECT_DIR" || { echo no >&2; exit 2; }'
    const claude = { PreToolUse: [{ hooks: [{ type: 'command', command }] }] }
    const at = await scene([
      { kind: 'value', layer: 'user', dialect: 'ext', name: 'a', value: { hooks: [rule('PreToolUse', command)] } },
      claudeSource(claude),
    ])
    expect((await fire(at, 'PreToolUse')).block?.reason).toBe('no')
  })

  test('is another one in the header of another agent, which is no duplicate', async () => {
    const header = (name: string) =>
      `---\nname: ${name}\ndescription: x\nhooks:\n  PreToolUse:\n    - hooks: [{ type: command, command: "exit 2" }]\n---\nDo it.`
    const root = await project({ 'a.md': header('a'), 'b.md': header('b') })
    const agent = (name: string) =>
      ({ kind: 'file', layer: 'user', dialect: 'agent', path: `${root}/${name}.md` }) as const
    expect((await load([agent('a'), agent('b')], { root })).diagnostics).toEqual([])
  })

  test('is another one with another `if`, event, environment or folder', async () => {
    const push = { if: 'Bash(git push *)' }
    const at = (hook: Readonly<Record<string, unknown>>) => rule('PreToolUse', 'true', hook)
    const value = { hooks: [at({}), at(push), rule('PostToolUse', 'true')] }
    const hooks = await load([{ kind: 'value', layer: 'user', dialect: 'ext', name: 'x', value }])
    expect(hooks.diagnostics).toEqual([])
  })

  test('does not hide an approved one when it waits for approval', async () => {
    const at = await scene([same('project'), same('local')], { approved: ({ source }) => source.layer === 'local' })
    expect((await fire(at, 'Stop')).runs).toMatchObject([
      { source: { layer: 'project' }, outcome: 'skipped', cause: 'untrusted' },
      { source: { layer: 'local' }, outcome: 'noDecision' },
    ])
  })
})
