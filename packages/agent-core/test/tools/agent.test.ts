import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { memoryWorkFiles } from '@ext/kernel/testing'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../../src/index.js'
import { scriptedModel } from '../../src/scripted/index.js'
import { fileTools } from '../../src/tools/index.js'
import type { AgentOptions } from '../../src/types.js'
import { gate, resultTexts } from '../kit.js'
import { byName, contextOf, folderWith, line, PORTS, put, sessionIn, textOf } from './tool-kit.js'

const read = { tool: 'Read', input: { file_path: 'f.txt' } }
const edit = (old_string: string, new_string: string) => ({
  tool: 'Edit',
  input: { file_path: 'f.txt', old_string, new_string },
})

function agentWith(turns: readonly object[], options: Partial<AgentOptions> = {}) {
  return createAgent({
    model: scriptedModel({ turns: turns as never }),
    tools: fileTools({ ports: PORTS }),
    gate: gate(),
    ports: { clock: PORTS.clock },
    ...options,
  })
}

describe('an agent with the file tools', () => {
  it('reads, changes and finds again what it has changed', async () => {
    const cwd = folderWith({ 'f.txt': 'paper\n' })
    const agent = await agentWith([
      { calls: [read] },
      { when: { tool: 'Read', contains: 'paper' }, calls: [edit('paper', 'boat')] },
      { when: { tool: 'Edit', isError: false }, calls: [{ tool: 'Grep', input: { pattern: 'boat' } }] },
      { when: { tool: 'Grep', contains: 'f.txt' }, say: 'done' },
    ])
    const { reason, text } = await agent.session({ cwd }).run('go').result
    expect([reason, text]).toEqual(['done', 'done'])
  })

  it('is told of a change that somebody made in between, and goes on', async () => {
    const cwd = folderWith({ 'f.txt': 'paper\n' })
    const agent = await agentWith([
      { calls: [read] },
      { say: 'waits' },
      { calls: [edit('paper', 'boat')] },
      { when: { tool: 'Edit', isError: true, contains: 'line 2 is new' }, calls: [read] },
      { when: { tool: 'Read', contains: 'mine' }, calls: [edit('paper', 'boat')] },
      { when: { tool: 'Edit', isError: false }, say: 'done' },
    ])
    const session = agent.session({ cwd })
    await session.run('go').result
    put(cwd, { 'f.txt': 'paper\nmine\n' })
    expect((await session.run('go on').result).reason).toBe('done')
  })

  it('knows in no session what another one has read, nor what it had read itself before it was cleared', async () => {
    const cwd = folderWith({ 'f.txt': 'paper\n' })
    const change = [{ calls: [edit('paper', 'boat')] }, { say: 'tried' }]
    const model = scriptedModel({
      turns: [{ calls: [read] }, { say: 'read' }, ...change],
      agents: [{ when: { contains: 'change it' }, turns: change }],
    })
    const agent = await agentWith([], { model })
    const [reader, other] = [agent.session({ cwd }), agent.session({ cwd })]
    await reader.run('read it').result
    const says = async (session: typeof reader) => {
      await session.run('change it').result
      return resultTexts(session).at(-1)
    }
    expect(await says(other)).toContain('has not been read in this session')
    await reader.clear()
    expect(await says(reader)).toContain('has not been read in this session')
    const third = agent.session({ cwd })
    await third.run('read it').result
    await third.run('and now').result
    expect(resultTexts(third).at(-1)).toContain('is changed')
  })

  it('holds on to nothing of a session that is over', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const cwd = folderWith({ 'f.txt': 'a\n' })
    const tools = fileTools({ ports: PORTS })
    const session = await (async () => {
      const ref = sessionIn(cwd)
      await byName(tools, 'Read').run({ file_path: 'f.txt' }, contextOf(ref))
      return new WeakRef(ref)
    })()
    await expect
      .poll(() => {
        collectGarbage()
        // The value itself would be held for the message of a failure.
        return session.deref() === undefined
      })
      .toBe(true)
    expect(tools).toHaveLength(5)
  })

  it('runs calls that only read side by side, and changes in order', async () => {
    const cwd = folderWith({ 'f.txt': 'a\n' })
    const agent = await agentWith([
      { calls: [read, read, edit('a', 'b'), edit('b', 'c'), read] },
      { when: { tool: 'Read', contains: 'c' }, say: 'done' },
    ])
    const session = agent.session({ cwd })
    expect((await session.run('go').result).reason).toBe('done')
    expect(resultTexts(session).at(-1)).toBe(line(1, 'c'))
  })

  it('is told what does not fit an input', async () => {
    const cwd = folderWith()
    const calls = [
      { tool: 'Read', input: {} },
      { tool: 'Read', input: { file_path: 'f', offset: 0 } },
      { tool: 'Edit', input: { file_path: 'f', old_string: '', new_string: 'x' } },
      { tool: 'Grep', input: { pattern: 'x', output_mode: 'all' } },
      { tool: 'Grep', input: { pattern: 'x', multiline: true } },
    ]
    const agent = await agentWith([{ calls }, { say: 'end' }])
    const session = agent.session({ cwd })
    await session.run('go').result
    expect(resultTexts(session).every((text) => text.startsWith('The input does not fit the schema of'))).toBe(true)
  })

  it('stops a long search when the run is aborted', async () => {
    const cwd = folderWith(
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}.txt`, 'ab\n'.repeat(5000)])),
    )
    const agent = await agentWith([
      { calls: [{ tool: 'Grep', input: { pattern: '(a|b)*c$', output_mode: 'content' } }] },
    ])
    const controller = new AbortController()
    const run = agent.session({ cwd }).run('go', { signal: controller.signal })
    for await (const event of run) if (event.type === 'permission') setTimeout(() => controller.abort(), 5)
    expect((await run.result).reason).toBe('aborted')
  })
})

describe('the file tools without a machine', () => {
  it('work on files in memory just as well', async () => {
    const files = memoryWorkFiles({ '/work/src/a.ts': 'one\n', '/work/.gitignore': 'out\n', '/work/out/b.ts': 'one\n' })
    const tools = fileTools({ ports: { ...PORTS, files } })
    const session = sessionIn('/work')
    const call = async (name: string, input: never) =>
      textOf(await byName(tools, name).run(input, contextOf(session))).text
    expect(await call('Glob', { pattern: '*.ts' } as never)).toBe('src/a.ts')
    expect(await call('Grep', { pattern: 'one' } as never)).toBe('src/a.ts')
    await call('Read', { file_path: 'src/a.ts' } as never)
    await call('Edit', { file_path: 'src/a.ts', old_string: 'one', new_string: 'two' } as never)
    await call('Write', { file_path: 'src/deep/b.ts', content: 'new\n' } as never)
    expect([files.text('/work/src/a.ts'), files.text('/work/src/deep/b.ts')]).toEqual(['two\n', 'new\n'])
  })

  it.each([
    [{ readLines: 0 }, 'The limit `readLines` must be a whole number from 1 up; it is 0.'],
    [{ results: Number.NaN }, 'it is NaN'],
    [{ lines: 5 }, 'There is no limit `lines` of file tools; there are readLines, characters,'],
  ])('do not come into being with the limits %j', (limits, says) => {
    expect(() => fileTools({ ports: PORTS, limits: limits as object })).toThrow(says)
  })

  it('say of themselves what they do', () => {
    const about = fileTools({ ports: PORTS }).map(({ name, title, kind, annotations }) => [
      name,
      title,
      kind,
      annotations.readOnly,
      annotations.destructive,
    ])
    expect(about).toEqual([
      ['Read', 'Read a file', 'read', true, false],
      ['Write', 'Write a file', 'edit', false, true],
      ['Edit', 'Change a file', 'edit', false, true],
      ['Glob', 'Find files by name', 'read', true, false],
      ['Grep', 'Search in files', 'read', true, false],
    ])
  })
})
