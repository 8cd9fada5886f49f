import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toolName } from '../../src/registry/names.js'

const server = fc.stringMatching(/^[ab_-]{1,6}$/)
const tool = fc.oneof(
  fc.stringMatching(/^[ab_./é-]{1,6}$/),
  fc.string({ minLength: 1, maxLength: 100, unit: 'binary' }),
  fc.constantFrom('x'.repeat(60), `${'x'.repeat(60)}.`, `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`),
)

test('an ordinary tool is named after its server and itself', () => {
  expect(toolName('fs', 'read_file')).toBe('mcp__fs__read_file')
})

test('dots and slashes, which providers refuse, are mapped, and a hash tells the results apart', () => {
  expect(toolName('a', 'admin.tools.list')).toMatchInlineSnapshot(`"mcp__a__admin_tools_list_bqqqfv7s"`)
  expect(toolName('a', 'admin/tools/list')).toMatchInlineSnapshot(`"mcp__a__admin_tools_list_wkjom288"`)
})

test('two servers whose names run into their tools get different names', () => {
  expect(toolName('a', 'b__c')).not.toBe(toolName('a__b', 'c'))
  expect(toolName('a', '_b')).not.toBe(toolName('a_', 'b'))
})

test('different pairs of server and tool never get the same name', () => {
  fc.assert(
    fc.property(server, tool, server, tool, (server1, tool1, server2, tool2) => {
      fc.pre(server1 !== server2 || tool1 !== tool2)
      expect(toolName(server1, tool1)).not.toBe(toolName(server2, tool2))
    }),
    { numRuns: 2000 },
  )
})

test('a hundred thousand tools on one server get a hundred thousand names', () => {
  const made = new Set<string>()
  for (let index = 0; index < 100_000; index++) made.add(toolName('server', `${'deep/'.repeat(20)}${index}`))
  expect(made.size).toBe(100_000)
})

test('every name is one that all providers take', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), tool, (server, tool) => {
      expect(toolName(server, tool)).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/)
    }),
  )
})
