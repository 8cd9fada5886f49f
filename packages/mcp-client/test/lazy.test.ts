import { expect, test, vi } from 'vitest'
import { client, hostile, inMemory, names, PATIENCE } from './helpers.js'

const loads = vi.hoisted(() => ({ count: 0 }))

vi.mock('@modelcontextprotocol/sdk/client/index.js', (load) => {
  loads.count++
  return load()
})

test('the SDK is loaded when the first server is started, and not before', async () => {
  const none = await client({ layers: [inMemory({ a: hostile('echo') }, { layer: 'project' })] })
  await none.ready()
  expect(loads.count).toBe(0)

  const one = await client({ layers: [inMemory({ a: hostile('echo') })] })
  await one.ready({ within: PATIENCE })
  expect(names(one)).toEqual(['mcp__a__echo'])
  expect(loads.count).toBe(1)
})
