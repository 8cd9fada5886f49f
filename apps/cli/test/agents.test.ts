import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RunEvent } from '@ext/agent-core/types'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

it('starts an agent that a file of the project describes, with the tools of its list and no others', async () => {
  const project = await temporaryFolder()
  await mkdir(join(project, '.claude/agents'), { recursive: true })
  await writeFile(
    join(project, '.claude/agents/reviewer.md'),
    '---\nname: Reviewer\ndescription: Reviews.\ntools: Bash\n---\nReview it.\n',
  )
  // Both play the same script: what the main agent may start, the sub-agent tries in vain.
  const script = 'turns:\n  - calls: [{tool: agent, input: {type: reviewer, prompt: Look.}}]\n  - say: Looked.\n'
  await writeFile(join(project, 'script.yaml'), script)
  const { stdout, code } = await ext(['run', 'go', '--model', 'scripted:script.yaml', '--output', 'stream-json'], {
    cwd: project,
  })
  expect(code).toBe(0)
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent)
  expect(events.find(({ type }) => type === 'agent_start')).toMatchObject({
    agent_type: 'Reviewer',
    tools: ['Bash', 'task_list', 'task_output', 'task_stop'],
  })
  expect(events.filter(({ type }) => type === 'tool_rejected')).toMatchObject([
    { tool: 'agent', agent_type: 'Reviewer' },
  ])
  expect(events.find(({ type }) => type === 'agent_end')).toMatchObject({ reason: 'done', text: 'Looked.' })
})

describe('an agent to which conversations may be handed over', () => {
  const SCRIPT = `
turns:
  - calls: [{tool: handoff, input: {to: biling}}]
  - calls: [{tool: handoff, input: {to: billing, reason: It is about money.}}]
  - calls: [{tool: Bash, input: {command: 'echo x > here'}}]
  - say: It was for March.
  - say: And for April.
  - say: And for May.
`
  const AGENT = `---
name: Billing
description: Answers questions about money.
tools: Bash, Read
permissionMode: plan
handoff: true
hooks:
  Stop:
    - hooks: [{type: command, command: 'echo stopped >> stops'}]
---
You are billing.
`
  async function project(files: Readonly<Record<string, string>> = {}) {
    const folder = await temporaryFolder()
    const home = await temporaryFolder()
    const all = { 'script.yaml': SCRIPT, '.ext/agents/billing.md': AGENT, ...files }
    for (const [path, text] of Object.entries(all)) {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const run = (...args: readonly string[]) =>
      ext(
        [
          'run',
          '--project',
          folder,
          '--model',
          `scripted:${folder}/script.yaml`,
          '--trust-project',
          '--allow',
          'Bash(echo *)',
          ...args,
        ],
        {
          home,
        },
      )
    const events = async (...args: readonly string[]) => {
      const { stdout } = await run('--output', 'stream-json', ...args)
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as RunEvent)
    }
    return { folder, run, events }
  }

  it('gets it from the model, with its limits and hooks, and has it in the next run as well', async () => {
    const { folder, events } = await project()
    const first = await events('Why 12 dollars?')
    expect(first.filter(({ type }) => type === 'handoff')).toMatchObject([
      { from: 'main', to: 'Billing', reason: 'It is about money.' },
    ])
    expect(first.find((event) => event.type === 'tool_result' && event.is_error)).toMatchObject({
      content: [{ text: 'There is no agent biling to hand over to. Did you mean Billing?' }],
    })
    // In mode plan nothing is written, whatever the flag allows.
    expect(first.findLast(({ type }) => type === 'permission')).toMatchObject({ behavior: 'deny' })
    expect(existsSync(join(folder, 'here'))).toBe(false)
    expect(first.at(-1)).toMatchObject({ type: 'result', text: 'It was for March.' })
    expect(await readFile(join(folder, 'stops'), 'utf8')).toBe('stopped\n')
    const second = await events('--continue', 'And then?')
    expect(second[0]).toMatchObject({ type: 'session_start', agent: 'Billing' })
    expect(second.find(({ type }) => type === 'result')).toMatchObject({ text: 'And for April.' })
  })

  it('is shown in the transcript, and when the session goes on', async () => {
    const { run } = await project()
    const { stdout } = await run('Why 12 dollars?')
    expect(stdout).toContain('agent       main hands over to Billing: It is about money.\n')
    expect((await run('--continue', 'And then?')).stdout).toContain('resumed, Billing has it, ')
  })

  it('that is gone keeps its session from going on, until that is given back', async () => {
    const { folder, run, events } = await project()
    await run('Why 12 dollars?')
    await writeFile(join(folder, '.ext/agents/billing.md'), '---\ndescription: D.\nmaxTurns: many\n---\nX.\n')
    const refused = await run('--continue', 'And then?')
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('was handed over to the agent Billing, and there is none of this name')
    expect(refused.stderr).toContain('Here that is --hand-back.')
    const back = await events('--continue', '--hand-back', 'And then?')
    expect(back[0]).toMatchObject({ type: 'session_start' })
    expect(back[0]).not.toHaveProperty('agent')
    expect((await run('--hand-back', 'x')).stderr).toContain('--hand-back needs a session that goes on')
  })

  it('may be called main without costing anything', async () => {
    const { run } = await project({ '.ext/agents/main.md': '---\ndescription: D.\n---\nX.\n' })
    expect((await run('Why 12 dollars?')).stdout).toContain('main-agent hands over to Billing')
  })
})

describe('ext agents list', () => {
  async function setup() {
    const home = await temporaryFolder()
    const project = await temporaryFolder()
    const write = async (file: string, header: string) => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, header.startsWith('agents:') ? header : `---\n${header}\n---\nWork.\n`)
    }
    await write(join(home, '.claude/agents/Reviewer.md'), 'description: Of the person.')
    await write(
      join(project, '.claude/agents/reviewer.md'),
      'name: Reviewer\ndescription: Reviews a change.\ntools: Read, Bash\nmodel: opus\npermissionMode: plan\nmaxTurns: 3',
    )
    await write(join(project, '.ext/agents/writer.md'), 'description: Writes.')
    return { home, project, write }
  }

  it('shows each with its limits, its place and what became of it, and those that another one hides', async () => {
    const { home, project } = await setup()
    const { stdout, code } = await ext(['agents', 'list', '--project', project], { home })
    expect(stdout).toBe(
      [
        'loaded     project  Reviewer: Reviews a change.  .claude/agents/reviewer.md',
        '  model opus · tools Read, Bash · mode plan · at most 3 turns',
        `shadowed   user     reviewer  ${home}/.claude/agents/Reviewer.md`,
        'loaded     project  writer: Writes.  .ext/agents/writer.md',
        '  model inherit · tools all',
        '2 agents, 0 errors',
        '',
      ].join('\n'),
    )
    expect(code).toBe(0)
    const json = await ext(['agents', 'list', '--json', '--project', project], { home })
    expect(JSON.parse(json.stdout)).toMatchObject({
      agents: [
        { name: 'Reviewer', verdict: 'loaded', agent: { tools: ['Read', 'Bash'], permissionMode: 'plan' } },
        { name: 'reviewer', verdict: 'shadowed', source: { layer: 'user' } },
        { name: 'writer', verdict: 'loaded', source: { file: join(project, '.ext/agents/writer.md') } },
      ],
      diagnostics: [{ code: 'config.entry.shadowed', severity: 'info' }],
    })
  })

  it('shows what configuration switches off, and names that switch off nothing; no session has them', async () => {
    const { home, project, write } = await setup()
    await write(join(project, '.ext/config.yaml'), 'agents:\n  disabled: [REVIEWER, writr]\n  disable: [x]\n')
    const { stdout, code } = await ext(['agents', 'list', '--json', '--project', project], { home })
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [
        { name: 'reviewer', verdict: 'disabled' },
        { name: 'reviewer', verdict: 'shadowed' },
        { name: 'writer', verdict: 'loaded' },
      ],
      diagnostics: [
        { code: 'cli.agents.setting', hint: 'Did you mean `disabled`?', source: { line: 3 } },
        { code: 'cli.agents.nothing-disabled', hint: 'Did you mean `writer`?', source: { line: 2 } },
        { code: 'config.entry.shadowed', severity: 'info' },
      ],
    })
    expect(code).toBe(1)
    await writeFile(
      join(project, 'script.yaml'),
      'turns:\n  - calls: [{tool: agent, input: {type: Reviewer, prompt: Look.}}]\n  - say: Looked.\n',
    )
    const run = ['run', 'go', '--model', 'scripted:script.yaml', '--output', 'stream-json']
    const events = await ext(run, { home, cwd: project })
    expect(events.stdout).not.toContain('"agent_start"')
  })

  it('exits with 1 if one is broken', async () => {
    const { home, project, write } = await setup()
    await write(join(project, '.ext/agents/bad.md'), 'description: Bad.\nallowedTool: Read')
    const { stdout, code } = await ext(['agents', 'list', '--project', project], { home })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^broken {5}project {2}bad /m)
    expect(stdout).toContain('agents.')
  })
})
