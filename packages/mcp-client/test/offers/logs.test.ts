import { expect, test } from 'vitest'
import type { LogLevel } from '../../src/types.js'
import { hostile, only, PATIENCE, settled } from '../helpers.js'

const patience = { timeout: PATIENCE }

test('what servers log over MCP is heard with its level, line by line, masked and without escape sequences', async () => {
  const heard: string[] = []
  const onLog = (server: string, line: string, level?: LogLevel) => {
    if (level) heard.push(`${server} ${level} ${line}`)
  }
  const entry = { ...hostile('library'), env: { API_TOKEN: 'tops3cret-value' } }
  const made = await settled({ s: entry }, { onLog })
  await made.call('mcp__s__echo', { data: 'one\n\u001b[31mtwo tops3cret-value' })
  await made.call('mcp__s__echo', { data: { user: 'ada', password: 'hunter2', nested: { key: 'tops3cret-value' } } })
  await made.call('mcp__s__echo', { data: 'x'.repeat(100_000) })
  await made.call('mcp__s__echo', { data: JSON.parse('['.repeat(100) + ']'.repeat(100)) })
  await expect.poll(() => heard.length, patience).toBe(5)
  expect(heard[4]).toContain('[left out: JSON nested more than 64 deep]')
  const [first, second, third = '', fourth = ''] = heard
  expect([first, second]).toEqual(['s warning shelf: one', expect.stringMatching(/^s warning two /)])
  expect(third).toContain('"user":"ada"')
  expect(heard.join()).not.toMatch(/tops3cret|hunter2|\u001b/)
  expect(fourth.length).toBeLessThan(8300)
})

test('servers are told from which level on, also after they were started again', async () => {
  const made = await settled({ s: hostile('library'), plain: hostile('echo') }, { logLevel: 'warning' })
  await expect.poll(() => made.status()[1]?.stderrTail, patience).toBe('level warning\n')
  expect(made.diagnostics).toEqual([])
})

test('a server that is told nothing logs as it likes; one that refuses is said', async () => {
  const made = await settled({ s: hostile('library') }, { logLevel: 'emergency' })
  await expect.poll(() => made.diagnostics.length, patience).toBe(1)
  expect(only(made, 'mcp.log.refused').message).toContain('refused logging/setLevel: MCP error -32603: not that one')
  const silent = await settled({ s: hostile('library') })
  await silent.call('mcp__s__echo', {})
  expect(silent.status()[0]?.stderrTail ?? '').not.toContain('level')
})
