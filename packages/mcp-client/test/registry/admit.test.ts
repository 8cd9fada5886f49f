import { createSchemaValidator } from '@ext/kernel/ajv'
import { expect, test } from 'vitest'
import type { CompiledServer } from '../../src/compiled.js'
import { admitTools } from '../../src/registry/admit.js'
import type { PinnedTools } from '../../src/types.js'
import { BROKEN_SCHEMAS, GOOD_SCHEMAS } from './schemas.js'

const validator = await createSchemaValidator()

interface Rules {
  readonly trusted?: boolean
  readonly pinned?: PinnedTools
  readonly offers?: CompiledServer['offers']
  readonly readOnly?: boolean
  readonly idleRules?: CompiledServer['idleRules']
}

function admit(sent: readonly unknown[], { trusted = false, pinned, offers, readOnly, idleRules }: Rules = {}) {
  return admitTools({
    mirrors: false,
    owner: { name: 's', trusted, entry: 'entry', place: { layer: 'user', name: 'the test' } },
    server: {
      offers: offers ?? (() => ({ offered: true })),
      idleRules: idleRules ?? (() => []),
      tool: () => ({ callMs: 1, ...(readOnly === undefined ? {} : { readOnly }) }),
    },
    sent,
    pinned,
    validator,
  })
}

const good = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  ...more,
})
const deep = (levels: number) => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

test('one server with every broken schema there is: each is left out with its reason, and every good tool is offered', () => {
  const broken = BROKEN_SCHEMAS.map(([, inputSchema], index) => good(`broken-${index}`, { inputSchema }))
  const fine = GOOD_SCHEMAS.map(([, inputSchema], index) => good(`fine-${index}`, { inputSchema }))
  const { tools, diagnostics } = admit(
    [...broken, ...fine].sort((a, b) => (a.name.slice(-1) < b.name.slice(-1) ? -1 : 1)),
  )
  expect(tools.map(({ source }) => source.tool).sort()).toEqual(fine.map(({ name }) => name).sort())
  const reasons = diagnostics.filter(({ code }) => code === 'mcp.tool.quarantined').map(({ message }) => message)
  for (const [index, [, , reason]] of BROKEN_SCHEMAS.entries()) {
    const own = reasons.filter((message) => message.startsWith(`The tool "broken-${index}" of`))
    expect(own).toHaveLength(1)
    expect(own[0]).toContain(reason)
  }
  expect(BROKEN_SCHEMAS.length).toBeGreaterThanOrEqual(50)
})

test.each([
  ['a name that is longer than any', good('n'.repeat(600)), 'its name has 600 characters'],
  ['a description of a megabyte', good('big', { description: 'x'.repeat(1 << 20) }), 'its definition has'],
  [
    'a schema that is nested without end',
    good('deep', { inputSchema: { type: 'object', properties: deep(50_000) } }),
    'is nested more than 64 deep',
  ],
  [
    'annotations that are nested without end',
    good('deep', { annotations: deep(50_000) }),
    'is nested more than 64 deep',
  ],
])('%s costs its tool only', (_what, tool, reason) => {
  const { tools, diagnostics } = admit([tool, good('other')])
  expect(tools.map(({ name }) => name)).toEqual(['mcp__s__other'])
  expect(diagnostics.map(({ message }) => message).join()).toContain(reason)
})

test('a tool that rules leave out is not offered, and it is known why', () => {
  const offers: CompiledServer['offers'] = (tool) =>
    tool === 'rm' ? { offered: false, why: 'deny: rm' } : { offered: true }
  const { tools, hidden, diagnostics } = admit([good('rm'), good('ls')], { offers })
  expect(tools.map(({ name }) => name)).toEqual(['mcp__s__ls'])
  expect(hidden).toEqual([{ tool: 'rm', why: 'deny: rm' }])
  expect(diagnostics).toEqual([])
})

test('a tool that changed after approval is held with a warning that names what changed', () => {
  const { pins } = admit([good('a'), good('b')])
  const changed = admit([good('a', { description: 'Sends your keys.' }), good('b')], pins ? { pinned: pins } : {})
  expect(changed.tools.map(({ name }) => name)).toEqual(['mcp__s__b'])
  expect(changed.held.map(({ name }) => name)).toEqual(['mcp__s__a'])
  expect(changed.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'mcp.tool.held: The tool "a" of `s` is held back: since it was approved it has changed in description.',
  ])
})

test('only a trusted server is believed that a tool only reads, and configuration has the last word', () => {
  const tool = good('a', { annotations: { readOnlyHint: true } })
  const kind = (rules: Rules) => admit([tool], rules).tools[0]?.kind
  expect([
    kind({}),
    kind({ trusted: true }),
    kind({ trusted: true, readOnly: false }),
    kind({ readOnly: true }),
  ]).toEqual(['exec', 'read', 'exec', 'read'])
})

test('a schema of an object that says nothing about what is in it says so, and others pass as they are', () => {
  const whole = { type: 'object', properties: { a: { type: 'string', 'x-note': 1 } }, $comment: 'kept' }
  const { tools } = admit([good('a'), good('b', { inputSchema: whole })])
  expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([{ type: 'object', properties: {} }, whole])
})

test('a rule that fits none of the tools is said, with what was meant', () => {
  const idleRules: CompiledServer['idleRules'] = (tools) =>
    tools.includes('delete_file') ? [{ pointer: '/tools/deny/0', text: 'delte_file' }] : []
  const { diagnostics } = admit([good('delete_file'), good('other')], { idleRules })
  expect(diagnostics).toMatchObject([
    {
      code: 'mcp.tools.idle',
      severity: 'warning',
      message: '`delte_file` in `tools.deny` fits no tool of `s`.',
      hint: 'Did you mean `delete_file`?',
    },
  ])
  expect(admit([], { idleRules: () => [{ pointer: '/tools/deny', text: 'x' }] }).diagnostics).toEqual([])
})
