import { readFileSync } from 'node:fs'
import type { LayerName } from '@ext/kernel'
import type { ToolTable } from '@ext/kernel/contract'
import { memoryFiles } from '@ext/kernel/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lintPermissions } from '../../src/lint/index.js'

interface Settings {
  readonly layer: LayerName
  readonly dialect: 'ext' | 'claude-settings'
  readonly permissions: Readonly<Record<string, unknown>>
}

interface Fault extends Settings {
  readonly id: string
  readonly code: string
  /** The rule that the finding is about; of two with the same text the later one. `null`: something else. */
  readonly at: string | null
}

function rowsOf<T>(file: string): readonly T[] {
  return readFileSync(new URL(`../data/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

const FILES: Readonly<Record<string, string>> = {
  'user claude-settings': '/home/u/.claude/settings.json',
  'project claude-settings': '/repo/.claude/settings.json',
  'local claude-settings': '/repo/.claude/settings.local.json',
  'user ext': '/home/u/.ext/config.yaml',
  'project ext': '/repo/.ext/config.yaml',
}

async function lint(settings: readonly Settings[]) {
  const layers = settings.map(({ layer, dialect }) => {
    return { kind: 'file', layer, dialect, path: FILES[`${layer} ${dialect}`] ?? '' } as const
  })
  const texts = settings.map(({ permissions }) => JSON.stringify({ permissions }, null, 2))
  const files = memoryFiles(Object.fromEntries(layers.map(({ path }, index) => [path, texts[index] ?? ''])))
  const ports = { files, home: '/home/u', platform: 'linux' }
  const report = await lintPermissions({ layers, cwd: '/repo', ports })
  return { ...report, lines: texts.map((text) => text.split('\n')) }
}

describe('lint', () => {
  const faults = rowsOf<Fault>('rule-faults.jsonl')
  const clean = rowsOf<Settings & { readonly name: string }>('clean-settings.jsonl')

  test('finds at least 95 % of the seeded faults, each at its place and with a way to fix it', async () => {
    expect(faults.length).toBeGreaterThanOrEqual(50)
    const missed: string[] = []
    for (const fault of faults) {
      const { diagnostics, lines } = await lint([fault])
      const found = diagnostics.find(({ code }) => code === fault.code)
      const line = lines[0]?.[(found?.source.line ?? 0) - 1]
      const inPlace = fault.at === null || line?.includes(JSON.stringify(fault.at))
      if (!found || !inPlace || !found.hint)
        missed.push(`${fault.id}: ${diagnostics.map(({ code }) => code).join(', ')}`)
    }
    expect(missed).toEqual([])
  })

  test('says nothing about at least 98 % of the rules of clean settings', async () => {
    expect(clean.length).toBeGreaterThanOrEqual(30)
    let rules = 0
    const alarms: string[] = []
    for (const settings of clean) {
      const report = await lint([settings])
      rules += report.rules
      alarms.push(...report.diagnostics.map(({ code, message }) => `${settings.name}: ${code}: ${message}`))
    }
    expect(rules).toBeGreaterThanOrEqual(100)
    expect(alarms).toEqual([])
  })

  const settings = (permissions: Settings['permissions'], layer: LayerName = 'project'): Settings => ({
    layer,
    dialect: 'claude-settings',
    permissions,
  })

  test('compares the rules of all files, and shows the rule that decides', async () => {
    const { diagnostics } = await lint([
      settings({ deny: ['Bash(git push:*)'] }, 'user'),
      settings({ allow: ['Bash(git push origin main)', 'Bash(git pull:*)'] }),
    ])
    expect(diagnostics).toMatchObject([
      {
        code: 'permission.lint.unreachable',
        source: { file: '/repo/.claude/settings.json', line: 4, column: 7 },
        related: [{ source: { file: '/home/u/.claude/settings.json', line: 4 } }],
      },
    ])
  })

  test('takes the same rule in two files for what it is: each file may be read without the other', async () => {
    const twice = { allow: ['Bash(npm test:*)'], deny: ['Read(./.env)'] }
    const { diagnostics } = await lint([settings(twice, 'user'), settings(twice), settings(twice, 'local')])
    expect(diagnostics).toEqual([])
  })

  test('does not compare what it can not compare', async () => {
    const { diagnostics } = await lint([
      settings({
        allow: ['Bash(echo "$HOME" *)', 'Read(./src/[ab]/**)'],
        deny: ['Bash(echo "$HOME" x *)', 'Edit(./src/**)'],
      }),
    ])
    expect(diagnostics).toEqual([])
  })

  test('knows the tools that a host names', async () => {
    const layers = [
      { kind: 'value', layer: 'user', dialect: 'ext', name: 'x', value: { permissions: { allow: ['deploy'] } } },
    ] as const
    const ports = { files: memoryFiles({}), home: '/home/u', platform: 'linux' }
    const codes = async (options: { knownTools?: readonly string[]; tools?: ToolTable }) =>
      (await lintPermissions({ layers, cwd: '/repo', ports, ...options })).diagnostics.map(({ code }) => code)
    expect(await codes({})).toEqual(['permission.lint.unknown-tool'])
    expect(await codes({ knownTools: ['deploy'] })).toEqual([])
    expect(await codes({ tools: { deploy: { as: 'Bash', command: 'script' } } })).toEqual([])
  })

  test('looks at the same host as the engine: a command of a tool that is like Bash is one', async () => {
    const permissions = { allow: ['shell(python3 *)'] }
    const layers = [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'x', value: { permissions } }] as const
    const ports = { files: memoryFiles({}), home: '/home/u', platform: 'linux' }
    const tools = { shell: { as: 'Bash', command: 'line' } }
    const { diagnostics } = await lintPermissions({ layers, cwd: '/repo', ports, tools })
    expect(diagnostics).toMatchObject([{ code: 'permission.lint.too-broad' }])
  })

  test('has something to say, or nothing, about whatever stands in a list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(ruleText, fc.string({ unit: 'binary' }), fc.jsonValue()), { maxLength: 6 }),
        fc.array(ruleText, { maxLength: 6 }),
        async (allow, deny) => {
          const { rules, diagnostics } = await lint([settings({ allow, deny })])
          expect(rules).toBeLessThanOrEqual(allow.length + deny.length)
          for (const { hint, source } of diagnostics)
            expect([hint, source.line]).toEqual([expect.any(String), expect.any(Number)])
        },
      ),
      { numRuns: 300 },
    )
  })
})

const ruleText = fc
  .tuple(
    fc.constantFrom('Bash', 'Read', 'Edit', 'Write', 'WebFetch', 'Agent', 'mcp__a__b', 'mcp__*', '*', 'Nothing'),
    fc.oneof(
      fc.stringMatching(/^[a-z*:/.~ |&"'()^$[\]{},!-]{0,16}$/),
      fc.constantFrom('git push *', './src/**', 'domain:a.b', 'x:*', 'a b:* c'),
    ),
  )
  .map(([tool, specifier]) => (specifier === '' ? tool : `${tool}(${specifier})`))
