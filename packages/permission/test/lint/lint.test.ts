import { readFileSync } from 'node:fs'
import type { LayerName } from '@ext/kernel'
import { memoryFiles } from '@ext/kernel/testing'
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
})
