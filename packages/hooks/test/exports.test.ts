import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as author from '../src/author/index.js'
import { eventNamed, KNOWN_EVENT_NAMES } from '../src/event-names.js'
import * as follow from '../src/follow/index.js'
import * as hooks from '../src/index.js'
import * as types from '../src/types.js'

test('the index exports these names', () => {
  expect(Object.keys(hooks).sort()).toMatchInlineSnapshot(`
    [
      "createHooks",
      "defineHook",
      "diagnosticCodes",
      "events",
      "summarizeLedger",
      "unfiredEvents",
    ]
  `)
  expect(Object.keys(types)).toEqual([])
  expect(Object.keys(author)).toEqual(['answerEvent', 'runHook'])
  expect(Object.keys(follow)).toEqual(['followConfig', 'followFiles'])
})

test('every diagnostic code is reported somewhere', () => {
  const sources = readdirSync(new URL('../src', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('codes.ts'))
    .map((name) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8'))
    .join('\n')
  for (const code of Object.keys(hooks.diagnosticCodes)) expect(sources).toContain(`'${code}'`)
})

test('every event name that is known means something', () => {
  for (const name of KNOWN_EVENT_NAMES) expect(eventNamed(name)).toBeDefined()
})

test('the README shows the table of events as it is', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  for (const [name, { owner, matcherField, tier, plainStdout, outputs }] of Object.entries(hooks.events)) {
    const cells = [
      name,
      owner,
      matcherField === 'none' ? '–' : matcherField,
      tier,
      plainStdout,
      outputs.join(', ') || '–',
    ]
    const row = readme.split('\n').find((line) => line.startsWith(`| ${name} `)) ?? ''
    expect(
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ).toEqual(cells)
  }
})
