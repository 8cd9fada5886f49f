import { describe, expect, test } from 'vitest'
import { ofFile, one } from './helpers.js'

describe('tools that are offered', () => {
  test('are all of them, unless something is said', async () => {
    const server = (await one('{ command: a }')).server('a')
    expect(server.offers('anything')).toEqual({ offered: true })
    expect(server.tool('anything')).toEqual({ callMs: 60_000 })
  })

  test('are those that `allow` names and `deny` does not', async () => {
    const server = (await one('{ command: a, tools: { allow: [read_*, "list?"], deny: read_secret* } }')).server('a')
    expect(server.offers('read_file')).toEqual({ offered: true })
    expect(server.offers('lists')).toEqual({ offered: true })
    expect(server.offers('list')).toEqual({ offered: false, why: '`tools.allow` has only `read_*, list?`' })
    expect(server.offers('READ_FILE')).toMatchObject({ offered: false })
    expect(server.offers('read_secrets')).toEqual({ offered: false, why: '`tools.deny` has `read_secret*`' })
  })

  test.each([
    ['allow: []', 'the list is empty'],
    ['allow: "a, b"', 'hardly that of a tool'],
    ['deny: "a|b"', 'hardly that of a tool'],
    ['deny: [mcp__a__rm]', 'full name of a tool'],
    ['deny: ["rm(-rf)"]', 'not a rule about inputs'],
    ['allow: [rm], deny: [r*]', 'takes it out'],
    ['allow: [r*], deny: ["*"]', 'takes it out'],
    ['perTool: { rm: { timeout: 5s } }, deny: rm', 'takes it out'],
  ])('{ %s } can never fit, and it is said', async (tools, message) => {
    const found = (await one(`{ command: a, tools: { ${tools} } }`)).only('mcp.tools.never')
    expect(found.severity).toBe('warning')
    expect(found.message).toContain(message)
  })

  test.each(['deny: []', 'allow: ["*"]', 'allow: [a.b/c], deny: [a.b]', 'allow: [a*], deny: [ab]'])(
    '{ %s } may be meant',
    async (tools) => {
      expect((await one(`{ command: a, tools: { ${tools} } }`)).diagnostics).toEqual([])
    },
  )

  test('patterns that fit none of the real tools can be asked for, with their places', async () => {
    const loaded = await one('{ command: a, tools: { deny: [rm, delte_*], perTool: { list: { timeout: 5s } } } }')
    expect(loaded.server('a').idleRules(['rm', 'delete_all'])).toEqual([
      { pointer: '/tools/deny/1', text: 'delte_*' },
      { pointer: '/tools/perTool/list', text: 'list' },
    ])
    expect(loaded.server('a').idleRules(['rm', 'delte_x', 'list'])).toEqual([])
  })
})

describe('what is said of single tools', () => {
  test('is the last that fits, field by field', async () => {
    const perTool = '{ "*": { timeout: 5s, readOnly: false }, get_*: { readOnly: true }, get_slow: { timeout: 2m } }'
    const server = (await one(`{ command: a, trust: true, tools: { perTool: ${perTool} } }`)).server('a')
    expect(server.tool('put')).toEqual({ callMs: 5000, readOnly: false })
    expect(server.tool('get_x')).toEqual({ callMs: 5000, readOnly: true })
    expect(server.tool('get_slow')).toEqual({ callMs: 120_000, readOnly: true })
  })

  test('opens nothing for a server that is not trusted, and always closes', async () => {
    const perTool = '{ look: { readOnly: true }, rm: { readOnly: false } }'
    const loaded = await one(`{ command: a, tools: { perTool: ${perTool} } }`)
    expect(loaded.server('a').tool('look')).toEqual({ callMs: 60_000 })
    expect(loaded.server('a').tool('rm')).toEqual({ callMs: 60_000, readOnly: false })
    expect(loaded.only('mcp.tools.not-believed')).toMatchObject({
      severity: 'warning',
      pointer: '/mcpServers/a/tools/perTool/look/readOnly',
    })
  })

  test('is not to be had from an .mcp.json, which can not raise trust', async () => {
    const a = { command: 'a', trust: true, tools: { perTool: { look: { readOnly: true } } } }
    const loaded = await ofFile('.mcp.json', JSON.stringify({ mcpServers: { a } }))
    expect(loaded.server('a').tool('look').readOnly).toBeUndefined()
    expect(loaded.said('warning').map((text) => text.split(':')[0])).toEqual([
      'mcp.field.unsupported',
      'mcp.tools.not-believed',
    ])
  })
})
