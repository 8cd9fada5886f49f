import { nodePorts } from '@ext/kernel/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMcpClient, type McpClient } from '../../src/index.js'
import type { McpClientOptions } from '../../src/types.js'
import { inMemory, PATIENCE, textOf } from '../helpers.js'
import { CONTEXT, catalog, REF, requests, SERVERS, search, tokensOf } from './many.js'

const TOKENS = 10_000
const CORE = ['mcp__filesystem__edit_file', 'mcp__filesystem__read_text_file', 'mcp__jira__get_issue']

async function many(options: Partial<McpClientOptions>): Promise<McpClient> {
  const entries = SERVERS.map((name) => [
    name,
    { ...catalog(name), ...(name === 'jira' ? { tools: { always: 'get_issue' } } : {}) },
  ])
  const client = await createMcpClient({
    layers: [inMemory(Object.fromEntries(entries))],
    cwd: process.cwd(),
    clientInfo: { name: 'test', version: '1.0.0' },
    ports: nodePorts(),
    ...options,
  })
  await client.ready({ within: 60_000 })
  return client
}

let client: McpClient
beforeAll(async () => {
  client = await many({
    search: { tokens: TOKENS, always: ['mcp__filesystem__read_text_file', 'mcp__filesystem__edit*'] },
  })
})
afterAll(() => client.close())

const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name)

describe('330 tools of 8 servers', () => {
  test('are not all listed: those that are always listed, and the search, within the budget', () => {
    expect(client.tools()).toHaveLength(330)
    expect(tokensOf(client.tools())).toBeGreaterThan(3 * TOKENS)
    const tools = client.session(REF).tools()
    expect(names(tools)).toEqual([...CORE, 'tool_search'])
    expect(tokensOf(tools)).toBeLessThan(TOKENS / 10)
    expect(tools.at(-1)).toMatchObject({ kind: 'meta', system: true, annotations: { readOnly: true } })
    expect(tools.at(-1)?.description).toContain(
      '327 tools that it finds are from these servers: browser (39), calendar (37)',
    )
    expect(client.diagnostics).toEqual([])
  })

  test('are all listed where the budget is large enough, and there is no search', async () => {
    const large = await many({ search: { tokens: 1_000_000 } })
    try {
      expect(large.session(REF).tools()).toBe(large.tools())
    } finally {
      await large.close()
    }
  })

  test.each([['requests'], ['holdout']] as const)(
    'the right one of %s is among the first three more often than a list that is cut off at the budget has it at all',
    async (file) => {
      const all = requests(file)
      expect(new Set(all.map(({ tool }) => tool)).size).toBe(all.length)
      let room = TOKENS
      const cut = new Set(
        client.tools().flatMap((tool) => {
          room -= tokensOf([tool])
          return room >= 0 ? [tool.name] : []
        }),
      )
      let hits = 0
      for (const { request, name } of all) {
        const { found } = await search(client.session(REF), request, { limit: 3 })
        if (found.includes(name)) hits++
      }
      const inCut = all.filter(({ name }) => cut.has(name)).length
      expect(cut.size).toBeGreaterThan(100)
      expect(hits).toBeGreaterThan(inCut * 1.5)
      expect(hits / all.length).toBeGreaterThan(0.6)
    },
  )

  test('are found by the words of a model', async () => {
    const { text } = await search(client.session(REF), 'create pull request', { limit: 2 })
    expect(text).toMatchInlineSnapshot(`
      "These can be called from the next turn on.

      ## github
      - mcp__github__create_pull_request: Create a new pull request in a GitHub repository. Parameters: owner: string, repo: string, title: string, head: string, base: string, body?: string, draft?: boolean.
      - mcp__github__add_pull_request_review_comment: Add a review comment to a specific line of the diff of a pull request. Parameters: owner: string, repo: string, pull_number: integer, path: string, line: integer, body: string."
    `)
    const ofOne = await search(client.session(REF), 'issue comments', { limit: 3, server: 'jira' })
    expect(ofOne.text.match(/^## .*/gm)).toEqual(['## jira'])
    expect(ofOne.found.every((name) => name.startsWith('mcp__jira__'))).toBe(true)
    expect((await search(client.session(REF), 'mcp__cloud__invoke_function')).found[0]).toBe(
      'mcp__cloud__invoke_function',
    )
  })

  test('a question that nobody can answer says so', async () => {
    const session = client.session(REF)
    expect((await search(session, 'xyzzy')).text).toContain('No tool fits.')
    expect((await search(session, 'what is it?')).text).toContain('No tool fits.')
    expect(await search(session, '  ')).toMatchObject({ result: { isError: true } })
    expect((await search(session, 'mail', { server: 'gmail' })).text).toContain('There is no server "gmail"')
    expect(names(session.tools())).toEqual([...CORE, 'tool_search'])
  })
})

describe('what a session has found', () => {
  test('is listed from then on, in that session only, and stays the same array until something changes', async () => {
    const [one, other] = [client.session(REF), client.session(REF)]
    const before = one.tools()
    expect(one.tools()).toBe(before)
    const { found } = await search(one, 'send an email', { limit: 2 })
    const after = one.tools()
    expect(names(after)).toEqual([...CORE, 'tool_search', ...found].toSorted())
    expect(one.tools()).toBe(after)
    await search(one, 'send an email', { limit: 2 })
    expect(JSON.stringify(one.tools())).toBe(JSON.stringify(after))
    expect(names(other.tools())).toEqual([...CORE, 'tool_search'])
    expect(after.find(({ name }) => name === found[0])).toBe(client.tools().find(({ name }) => name === found[0]))
  })

  test('is the same bytes for the same questions, whenever they are asked', async () => {
    const bytes = async () => {
      const session = client.session(REF)
      for (const query of ['slack message', 'jira sprint', 'file']) await search(session, query)
      return JSON.stringify(session.tools())
    }
    const first = await bytes()
    expect(await bytes()).toBe(first)
  })

  test('stays within the budget: what was found first makes room, and that is said', async () => {
    const session = client.session(REF)
    const found: string[] = []
    let said = ''
    for (let at = 0; !said && at < SERVERS.length; at++) {
      const { text, found: now } = await search(session, 'list get create update delete', {
        limit: 20,
        server: SERVERS[at] ?? '',
      })
      found.push(...now)
      expect(tokensOf(session.tools())).toBeLessThanOrEqual(TOKENS)
      said = /Not listed any more, to make room: (.*?)\. Search again/.exec(text)?.[1] ?? ''
      if (!said) expect(names(session.tools())).toEqual(expect.arrayContaining([...now]))
    }
    const gone = said.split(', ')
    // Of one answer the best come last.
    expect(found.slice(0, 20)).toEqual(expect.arrayContaining(gone))
    for (const name of gone) expect(names(session.tools())).not.toContain(name)
  })

  test('a tool that was not shown can be called by its name, and is listed from then on', async () => {
    const session = client.session(REF)
    const tool = session.tool('mcp__slack__set_status')
    expect(names(session.tools())).not.toContain('mcp__slack__set_status')
    expect(textOf((await tool?.run({ text: 'lunch' }, CONTEXT)) ?? { content: [], isError: true })).toBe(
      'set_status {"text":"lunch"}',
    )
    expect(names(session.tools())).toContain('mcp__slack__set_status')
    expect(session.tool('mcp__slack__no_such_tool')).toBeUndefined()
  })
})

test('calls and successes are counted, shown with what is found, and in the status', async () => {
  await client.call('mcp__github__create_issue', { owner: 'a', repo: 'b', title: 'ok' })
  await client.call('mcp__github__create_issue', { owner: 'a', repo: 'b', title: 'fail' })
  const { text } = await search(client.session(REF), 'create issue', { server: 'github' })
  expect(text).toMatch(/mcp__github__create_issue: .* Called 2 times, 1 with success\./)
  expect(client.status().find(({ name }) => name === 'github')?.used).toEqual([
    { tool: 'create_issue', calls: 2, succeeded: 1 },
  ])
})

test('what is always listed may be more than the budget, which is said; nothing else has room then', async () => {
  const small = await many({ search: { tokens: 500, always: ['mcp__jira__*'] } })
  try {
    const session = small.session(REF)
    const { found, text } = await search(session, 'slack reaction', { limit: 1 })
    expect(names(session.tools()).filter((name) => !name.startsWith('mcp__jira__'))).toEqual(['tool_search'])
    expect(text).toContain(`No room to list ${found[0]}; call it by its name all the same`)
    expect(small.diagnostics).toMatchObject([{ code: 'mcp.search.over-budget', severity: 'warning' }])
    // Servers join and leave in the middle of a session; what is gone takes no room and is not listed.
    await small.apply([inMemory({ slack: catalog('slack') })])
    await expect.poll(() => small.tools().length, { timeout: PATIENCE }).toBe(39)
    expect(names(session.tools())).toEqual(['tool_search'])
    expect(small.diagnostics).toEqual([])
  } finally {
    await small.close()
  }
})
