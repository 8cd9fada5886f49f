import { describe, expect, it } from 'vitest'
import { defineTool } from '../src/index.js'

const schema = { type: 'object' } as const
const define = (kind: 'read' | 'edit' | 'exec' | 'network' | 'meta') =>
  defineTool({ name: 'T', description: 'd', kind, inputSchema: schema, run: async () => 'ok' })

describe('a defined tool', () => {
  it('is trusted code of the host', () => {
    expect(define('read').source).toEqual({ tool: 'T', trusted: true })
  })

  it.each([
    ['read', { readOnly: true, destructive: false, idempotent: true, openWorld: false }],
    ['edit', { readOnly: false, destructive: true, idempotent: false, openWorld: false }],
    ['exec', { readOnly: false, destructive: true, idempotent: false, openWorld: true }],
    ['network', { readOnly: false, destructive: false, idempotent: false, openWorld: true }],
    ['meta', { readOnly: false, destructive: false, idempotent: false, openWorld: false }],
  ] as const)('of kind %s has annotations on the careful side', (kind, annotations) => {
    expect(define(kind).annotations).toEqual(annotations)
  })

  it('can say better what it does', () => {
    const tool = defineTool({
      name: 'T',
      description: 'd',
      kind: 'edit',
      inputSchema: schema,
      annotations: { destructive: false },
      run: async () => 'ok',
    })
    expect(tool.annotations).toEqual({ readOnly: false, destructive: false, idempotent: false, openWorld: false })
  })

  it('may answer with a text', async () => {
    expect(await define('read').run({}, {} as never)).toEqual({
      content: [{ type: 'text', text: 'ok' }],
      isError: false,
    })
  })
})
