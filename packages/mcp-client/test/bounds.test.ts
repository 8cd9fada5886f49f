import { fileURLToPath } from 'node:url'
import type { JsonObject } from '@ext/kernel/contract'
import { describe, expect, test } from 'vitest'
import { client, inMemory, only, PATIENCE, settled, textOf } from './helpers.js'

const CROOKED = fileURLToPath(new URL('fixtures/crooked.mjs', import.meta.url))
const SECRET = 's3cr3t-of-the-host'

function crooked(mode: string) {
  return { command: process.execPath, args: [CROOKED, mode], env: { API_TOKEN: SECRET }, reconnect: false }
}

describe('a result', () => {
  const call = async (what: string) => (await settled({ it: crooked('calls') })).call('mcp__it__echo', { what })

  test.each(['deep', 'deepBlock'])('that is nested without end is a failure, and no throw: %s', async (what) => {
    const result = await call(what)
    expect(textOf(result)).toContain('nested more than 500 deep')
    expect(result.meta).toMatchObject({ phase: 'call', kind: 'protocol' })
  })

  test.each(['aside', 'mime', 'error'])('is cut wherever in it the server puts its megabytes: %s', async (what) => {
    const result = await call(what)
    expect(JSON.stringify(result).length).toBeLessThan(64 * 1024)
    expect(textOf(result)).toContain('[cut: ')
    expect(result.isError).toBe(what === 'error')
  })

  test('is not asked for with an input that is no JSON, and the text says so', async () => {
    const made = await settled({ it: crooked('calls') })
    const result = await made.call('mcp__it__echo', { number: 1n } as unknown as JsonObject)
    expect(textOf(result)).toMatch(/^The server `it` was not asked, since the input can't be sent: .*BigInt/)
    expect(result.meta).toMatchObject({ kind: 'protocol' })
    expect((await made.call('mcp__it__echo', {})).isError).toBe(false)
  })
})

test('notices and questions that are nested without end end neither the program nor the connection', async () => {
  const made = await settled({ it: crooked('calls') })
  expect(textOf(await made.call('mcp__it__echo', { what: 'notices' }))).toBe('after')
  expect(made.status()[0]?.state).toBe('ready')
})

test('a server that asks without end and reads no answers gets few of them, and works once it reads', async () => {
  const made = await settled({ it: crooked('flood') })
  // Of 40,000: what waits, and what fits into the pipe, which is more with Node 24.
  const answers = Number(textOf(await made.call('mcp__it__echo', {})))
  expect(answers).toBeGreaterThan(0)
  expect(answers).toBeLessThan(30_000)
})

describe('what a server says of itself', () => {
  test.each(['refuses', 'unlisted'])('in an error is one short line without secrets: %s', async (mode) => {
    const made = await settled({ it: crooked(mode) })
    const cause = made.status()[0]?.cause ?? ''
    expect(cause).toMatch(/^refused (initialize|tools\/list): MCP error -32000: bad key \[redacted\] ready github x+…$/)
    const { message } = only(made, 'mcp.server.failed')
    expect(message).toContain(cause)
    expect(message.length).toBeLessThan(600)
  })

  test('as its name is one short line without control characters', async () => {
    const made = await settled({ it: crooked('named') })
    expect(made.status()[0]?.server?.name).toMatch(/^bad key \S+ ready github x+…$/)
    expect(made.status()[0]?.server?.name.length).toBeLessThan(120)
  })

  test('as a cursor that comes twice is cut', async () => {
    const made = await settled({ it: crooked('cursor') })
    const { message } = only(made, 'mcp.tools.incomplete')
    expect(message).toMatch(/it sent the cursor "31mc+…\.$/)
    expect(message.length).toBeLessThan(600)
  })
})

test('of a list of huge tools so much is read that nobody runs out of memory', async () => {
  const made = await settled({ it: crooked('fat') })
  expect(only(made, 'mcp.tools.incomplete').message).toContain('it has more than 33554432 characters')
  expect(made.diagnostics.filter(({ code }) => code === 'mcp.tool.quarantined')).toHaveLength(3)
})

test('of a list without end so much is read that nobody runs out of memory', async () => {
  const made = await client({ layers: [inMemory({ it: crooked('crowd') })] })
  await made.ready({ within: PATIENCE })
  expect(only(made, 'mcp.tools.incomplete').message).toContain('it has more than 10000 entries')
  expect(made.diagnostics.length).toBeLessThan(10_010)
})
