import { mkdir, writeFile } from 'node:fs/promises'
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
