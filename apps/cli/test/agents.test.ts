import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunEvent } from '@ext/agent-core/types'
import { expect, it } from 'vitest'
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
