import { describe, expect, test } from 'vitest'
import { codes, hostile, names, only, settled, textOf } from '../helpers.js'

const PLAIN = { type: 'object', properties: { a: { type: 'string' } } }
const ONE_OF = {
  type: 'object',
  properties: { id: { type: 'string' }, name: { type: 'string' } },
  oneOf: [{ required: ['id'] }, { required: ['name'] }],
}
const LOSSLESS = { type: 'object', properties: { list: { type: 'array' } } }
const REFUSED = { type: 'object', properties: { größe: { type: 'string' } }, required: ['größe'] }
const server = hostile('typed', ...[PLAIN, ONE_OF, LOSSLESS, REFUSED].map((schema) => JSON.stringify(schema)))
const toolOf = (made: Awaited<ReturnType<typeof settled>>, number: number) =>
  made.tools().find(({ name }) => name === `mcp__s__tool-${number}`)

describe('a provider', () => {
  test('nobody names leaves schemas as the server has them', async () => {
    const made = await settled({ s: server })
    expect(toolOf(made, 2)).toMatchObject({ inputSchema: ONE_OF })
    expect(made.tools().some(({ modelSchema }) => modelSchema)).toBe(false)
    expect(made.status()).toMatchObject([{ tools: 4, adapted: 0 }])
    expect(made.diagnostics).toEqual([])
  })

  test('is given the form that it takes, beside the schema of the server, and what is lost is said once per tool', async () => {
    const made = await settled({ s: server }, { provider: 'anthropic' })
    expect(names(made)).toEqual(['mcp__s__tool-1', 'mcp__s__tool-2', 'mcp__s__tool-3'])
    expect(toolOf(made, 1)?.modelSchema).toBeUndefined()
    expect(toolOf(made, 2)).toMatchObject({
      inputSchema: ONE_OF,
      modelSchema: { type: 'object', description: 'Give exactly one of: id; or name.' },
    })
    expect(toolOf(made, 2)?.modelSchema).not.toHaveProperty('oneOf')
    expect(made.status()).toMatchObject([{ tools: 3, adapted: 1 }])
    expect(only(made, 'mcp.tool.adapted')).toMatchObject({
      severity: 'info',
      message:
        'The tool "tool-2" of `s` has another form for anthropic: dropped at /oneOf: that exactly one of its 2 alternatives holds; it is said in words.',
    })
    expect(only(made, 'mcp.tool.quarantined').message).toBe(
      'The tool "tool-4" of `s` is left out: for anthropic, it needs the property "größe", whose name the provider refuses.',
    )
    expect(textOf(await made.call('mcp__s__tool-2', { id: 'x' }))).toBe('{"id":"x"}')
  })

  test('that needs another form in which nothing is lost has nothing to be told about', async () => {
    const made = await settled({ s: server }, { provider: 'openai' })
    expect(toolOf(made, 3)?.modelSchema).toEqual({ type: 'object', properties: { list: { type: 'array', items: {} } } })
    expect(codes(made.diagnostics)).toEqual(['mcp.tool.adapted'])
    expect(names(made)).toContain('mcp__s__tool-4')
  })
})

test('names of tools are the same for every provider, so that rules about them hold whichever model is used', async () => {
  const all = await Promise.all(
    ([undefined, 'openai', 'gemini'] as const).map(async (provider) =>
      names(await settled({ s: server }, provider ? { provider } : {})),
    ),
  )
  expect(new Set(all.map(String)).size).toBe(1)
})
