import { hostileServer } from '@ext/mcp-client/testing'
import { describe, expect, it } from 'vitest'
import { compose } from '../../src/compose.js'
import { ext } from '../bin.js'
import { runEvents } from '../events.js'
import { setup, tool } from './setup.js'

const ABOUT = 'It does so with great care, and says in many words what it has done, to whom, when, and why. '

/** So many that no prompt has room for them. */
const MANY = [
  ...Array.from({ length: 200 }, (_, index) =>
    tool(`work_${index}`, `Does the work number ${index}. ${ABOUT.repeat(5)}`),
  ),
  tool('create_invoice', 'Creates an invoice for a customer.'),
  tool('delete_invoice', 'Deletes an invoice.'),
]

const SCRIPT = `
turns:
  - say: Let me look for a tool.
    calls: [{tool: tool_search, input: {query: write a bill for a customer}}]
  - calls: [{tool: mcp__many__create_invoice, input: {customer: Ann}}]
  - calls: [{tool: mcp__many__work_7, input: {now: true}}]
  - calls: [{tool: mcp__many__delete_invoice, input: {number: 1}}]
  - say: Done.
`

const OWN = ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'WebFetch', 'Write']

describe('more tools than a prompt has room for', () => {
  it('are searched by the model, and called by their names past hooks and rules', async () => {
    const { project, write, read, small } = await setup()
    await write('tools.json', JSON.stringify(MANY))
    await write('.ext/script.yaml', SCRIPT)
    const server = JSON.stringify(small())
    await write(
      '.ext/config.yaml',
      `model: scripted:.ext/script.yaml
mcpServers: {many: ${server}}
permissions:
  allow: [mcp__many__create_invoice, 'mcp__many__work_*']
  deny: [mcp__many__delete_invoice]
hooks:
  - {name: see, event: PreToolUse, matcher: 'mcp__many__.*', action: {type: command, command: 'cat >> seen.jsonl; echo >> seen.jsonl'}}
`,
    )
    const { of, code } = await runEvents(project)
    expect(code).toBe(0)
    expect(of('session_start')[0]?.tools).toEqual([...OWN, 'tool_search'])
    const results = of('tool_result').map((result) => [result.tool, result.is_error])
    expect(results).toEqual([
      ['tool_search', false],
      ['mcp__many__create_invoice', false],
      ['mcp__many__work_7', false],
      ['mcp__many__delete_invoice', true],
    ])
    const texts = of('tool_result').map(({ content }) =>
      content.map((block) => ('text' in block ? block.text : '')).join(),
    )
    expect(texts[0]).toContain('## many\n- mcp__many__create_invoice: Creates an invoice for a customer.')
    expect(texts[1]).toBe('create_invoice {"customer":"Ann"}')
    // It was never shown.
    expect(texts[2]).toBe('work_7 {"now":true}')
    expect(of('permission').map(({ behavior, decidedBy: { rule } }) => [behavior, rule])).toEqual([
      ['allow', undefined],
      ['allow', 'mcp__many__create_invoice'],
      ['allow', 'mcp__many__work_*'],
      ['deny', 'mcp__many__delete_invoice'],
    ])
    const seen = (await read('seen.jsonl')).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    expect(seen.map(({ tool_name, tool_input }) => [tool_name, tool_input])).toEqual([
      ['mcp__many__create_invoice', { customer: 'Ann' }],
      ['mcp__many__work_7', { now: true }],
      ['mcp__many__delete_invoice', { number: 1 }],
    ])
  })
})

describe('a lazy server', () => {
  it('is started by ext mcp commands, which keep what it says; a run in which nobody calls it does not start it', async () => {
    const { project, home, mcp, write, small } = await setup()
    await write('tools.json', JSON.stringify([tool('one', 'Does one thing.')]))
    await write('.ext/script.yaml', 'turns: [{say: Hello.}]')
    await write('~/.ext/config.yaml', `mcpServers: {small: ${JSON.stringify({ ...small(), lazy: true })}}\n`)
    const tested = await mcp(['test', 'small'])
    expect(tested.stdout).toMatch(/^ready +small +1 tool /)
    const logs = async () => (await mcp(['logs', 'small'])).stdout.match(/started with/g)?.length
    expect(await logs()).toBe(1)
    await write('.ext/config.yaml', 'model: scripted:.ext/script.yaml\n')
    const ran = await ext(['run', 'hi', '--output', 'stream-json'], { cwd: project, home })
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toMatch(/"tools":\[[^\]]*"mcp__small__one"/)
    expect(await logs()).toBe(1)
    expect((await mcp(['status', 'small'])).stdout).toMatch(/^ready +small/)
    expect(await logs()).toBe(2)
  })
})

it('the tools of servers have the schemas that the provider of the model takes', async () => {
  const { project, home, write } = await setup()
  const schema = JSON.stringify({ type: 'object', properties: { list: { type: 'array' } } })
  await write('.ext/config.yaml', `mcpServers: {typed: ${JSON.stringify(hostileServer('typed', schema))}}\n`)
  const before = process.env['EXT_HOME']
  process.env['EXT_HOME'] = home
  try {
    const composed = await compose({
      project,
      trustProject: true,
      connect: true,
      model: 'openai/gpt-5',
      report: () => {},
    })
    expect(composed.mcp?.tools()).toMatchObject([
      { name: 'mcp__typed__tool-1', modelSchema: { properties: { list: { type: 'array', items: {} } } } },
    ])
    await composed.close()
  } finally {
    if (before === undefined) delete process.env['EXT_HOME']
    else process.env['EXT_HOME'] = before
  }
})
