import { existsSync } from 'node:fs'
import type { ConfigSource } from '@ext/kernel'
import { describe, expect, test } from 'vitest'
import type { DoctorReport } from '../../src/types.js'
import { claudeSource, extSource, load, project, rule, type Setup } from '../support.js'

async function examine(layers: readonly ConfigSource[], setup: Setup = {}): Promise<DoctorReport> {
  return (await load(layers, setup)).doctor()
}

const effects = ({ hooks }: DoctorReport) => hooks.map(({ name, effect }) => `${name} ${effect}`)

describe('the doctor', () => {
  test('says of each hook whether it can take effect', async () => {
    const waiting = { ...extSource(rule('Stop', 'true', { name: 'waits' })), layer: 'project' as const }
    const absent = { field: 'nothing', match: { type: 'exact', value: 'x' } }
    const present = { field: 'iteration', match: { type: 'exact', value: '1' } }
    const report = await examine(
      [
        extSource(
          rule('PreToolUse', 'true', { name: 'fires', matcher: 'Bash' }),
          rule('PreToolUse', 'true', { name: 'nothing', matcher: 'Bsah' }),
          rule('PreToolUse', 'true', { name: 'open', if: 'Bash(git' }),
          rule('Stop', 'true', { name: 'ignored', matcher: 'Bash' }),
          rule('Stop', 'true', { name: 'absent', if: { all_of: [present, absent] } }),
          rule('Stop', 'true', { name: 'some', if: { any_of: [present, absent] } }),
          rule('TeammateIdle', 'true', { name: 'elsewhere' }),
          rule('Stop', 'no-such-program', { name: 'fails' }),
          rule('Stopp', 'true', { name: 'broken' }),
          { name: 'asks', event: 'Stop', action: { type: 'prompt', prompt: 'Is it good?' } },
        ),
        waiting,
      ],
      { knownTools: () => ['Bash'] },
    )
    expect(effects(report).toSorted()).toEqual([
      '8 never',
      'absent never',
      'asks unsupported',
      'elsewhere unsupported',
      'fails never',
      'fires can-fire',
      'ignored always',
      'nothing never',
      'open always',
      'some can-fire',
      'waits untrusted',
    ])
    // What is not well formed, and what waits, has said so by its verdict.
    const faults = report.hooks.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name} ${fault}`]))
    expect(faults.toSorted()).toEqual([
      'absent never fires',
      'asks cannot run',
      'elsewhere never fires',
      'fails cannot run',
      'nothing never fires',
    ])
  })

  test('judges by the events that the host fires', async () => {
    const hooks = await load([extSource(rule('Stop', 'true'), rule('SubagentStop', 'true'))])
    const { hooks: judged } = await hooks.doctor({ events: ['Stop', 'PreToolUse'] })
    expect(judged.map(({ effect }) => effect)).toEqual(['can-fire', 'unsupported'])
    expect(judged[1]?.reasons).toMatchObject([{ code: 'hooks.event.not-fired', hint: 'Use one of: PreToolUse, Stop.' }])
  })

  test('says who switched a hook off', async () => {
    const { hooks } = await examine([
      { ...extSource(rule('Stop', 'true', { name: 'theirs' })), layer: 'project' },
      { kind: 'value', layer: 'user', dialect: 'ext', name: 'mine', value: { disabledHooks: ['theirs'] } },
    ])
    expect(hooks).toMatchObject([
      {
        effect: 'never',
        reasons: [
          {
            code: 'hooks.off',
            hint: 'Remove `disabledHooks` or `disableAllHooks` in mine if it is to run.',
            related: [{ source: { name: 'mine' } }],
          },
        ],
      },
    ])
  })

  test('leaves the word to an administrator who keeps a hook off', async () => {
    const managed: ConfigSource = {
      kind: 'value',
      layer: 'managed',
      dialect: 'ext',
      name: 'managed',
      value: { allowManagedHooksOnly: true },
    }
    const { hooks } = await examine([extSource(rule('Stop', 'true')), managed])
    expect(hooks).toMatchObject([{ effect: 'never', reasons: [{ code: 'hooks.policy.refused' }] }])
  })

  test('says nothing of programs that others have written', async () => {
    const tool = '#!/bin/sh\necho no >&2\nexit 1\n'
    const root = await project({ 'node_modules/.bin/tool': tool, 'outside/tool': tool, 'app/x': '' })
    const command = '../outside/tool; "$HOOK_PROJECT_DIR"/../node_modules/.bin/tool'
    const { hooks } = await examine([extSource(rule('PreToolUse', command))], { root: `${root}/app` })
    expect(hooks).toMatchObject([{ effect: 'can-fire', reasons: [] }])
  })

  test('names the place in a script, and a file that was meant', async () => {
    const root = await project({ 'guard.sh': '#!/bin/sh\n# Looks at the call.\ngrep -q x && exit 1\n' })
    const { hooks } = await examine([extSource(rule('PreToolUse', './guard.sh'), rule('Stop', './gaurd.sh'))], { root })
    expect(hooks.map(({ reasons }) => reasons)).toMatchObject([
      [{ code: 'hooks.exit.one', source: { file: `${root}/guard.sh`, line: 3 } }],
      [{ code: 'hooks.script.missing', hint: 'Did you mean `guard.sh`?' }],
    ])
  })

  test('tells the wrong case of a tool also where not all tools are known', async () => {
    const settings = { PreToolUse: [{ matcher: 'bash|Other', hooks: [{ type: 'command', command: 'true' }] }] }
    const { hooks } = await examine([claudeSource(settings)], { tools: { run: { as: 'Bash' } } })
    expect(hooks[0]?.reasons).toMatchObject([{ code: 'hooks.matcher.case', hint: 'Write Bash; case matters.' }])
  })

  test('runs nothing, and looks at scripts that wait for approval too', async () => {
    const root = await project({ 'guard.sh': '#!/bin/sh\ntouch ran\nexit 1\n' })
    const layer = { ...extSource(rule('PreToolUse', './guard.sh')), layer: 'project' as const }
    const hooks = await load([layer], { root })
    const { hooks: judged } = await hooks.doctor()
    expect(judged).toMatchObject([{ effect: 'untrusted' }])
    expect(judged[0]?.reasons.map(({ code }) => code)).toContain('hooks.exit.one')
    expect(existsSync(`${root}/ran`)).toBe(false)
  })

  test('is not kept busy by a script of a stranger', async () => {
    const parts = [
      ' ',
      'test ',
      ';test ',
      '"',
      'a',
      '\\',
      "jq '.",
      'sleep  ',
      ' #',
      '\n',
      '>>',
      '$',
      'export $A ',
      "'$1",
    ]
    const files = Object.fromEntries(
      parts.map((part, at) => [`${at}.sh`, `#!/bin/sh\n${part.repeat(Math.ceil(900_000 / part.length))}`]),
    )
    const root = await project(files)
    const rules = Object.keys(files).flatMap((file) => [rule('PreToolUse', `./${file}`), rule('Stop', `./${file} x`)])
    const started = performance.now()
    await examine([extSource(...rules)], { root })
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
