import { expect, test } from 'vitest'
import type { ConnectTracer } from '../src/types.js'
import { codes, hostile, names, settled } from './helpers.js'

test('each attempt to connect is a span that ends as the attempt does', async () => {
  const ended: Record<string, string>[] = []
  const tracer: ConnectTracer = {
    start: (name, { attributes }) => ({
      end: (error = 'ok') => void ended.push({ name, ...attributes, end: error }),
    }),
  }
  await settled({ good: hostile('echo'), gone: { command: '/no/such/program' } }, { tracer })
  const attempts = ended.sort((a, b) => String(a['ext.mcp.server']).localeCompare(String(b['ext.mcp.server'])))
  expect(attempts.slice(-1)).toEqual([
    { name: 'ext.mcp.connect', 'ext.mcp.server': 'good', 'ext.mcp.transport': 'stdio', end: 'ok' },
  ])
  expect(attempts[0]).toMatchObject({ 'ext.mcp.server': 'gone', end: expect.not.stringMatching(/^ok$/) })
})

test('a tracer that fails costs no connection', async () => {
  const made = await settled(
    { good: hostile('echo') },
    {
      tracer: {
        start() {
          throw new Error('no room')
        },
      },
    },
  )
  expect(names(made)).toEqual(['mcp__good__echo'])
  expect(codes(made.diagnostics)).toEqual(['mcp.listener.failed'])
})
