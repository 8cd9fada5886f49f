import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createAgent } from '@ext/agent-core'
import { type ScriptTurn, scriptedModel } from '@ext/agent-core/scripted'
import { shellTool } from '@ext/agent-core/tools'
import type { Agent, Model, ModelRequest, RunEvent, RunOptions } from '@ext/agent-core/types'
import { nodePorts } from '@ext/kernel/node'
import { createPermission } from '@ext/permission'
import { loadSkills, skillCommand } from '@ext/skills'
import type { SkillSession } from '@ext/skills/types'
import { describe, expect, it } from 'vitest'
import { sharedGate } from '../../src/skills/host.js'
import { toolTable } from '../../src/tool-table.js'
import { temporaryFolder } from '../bin.js'

const call = (tool: string, input: Record<string, string>): ScriptTurn => ({ calls: [{ tool, input }] })
const LOAD = call('load_skill', { name: 'it' })
const TOUCH = call('Bash', { command: 'touch made' })
const END: ScriptTurn = { say: 'Done.' }

/** The libraries put together as an embedder does: a real shell, real files, real rules. */
async function host(header: string, turns: readonly ScriptTurn[], sub: readonly ScriptTurn[] = []) {
  const project = await temporaryFolder()
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }
  await write('skills/it/SKILL.md', `---\ndescription: Does it.\n${header}\n---\nDo $ARGUMENTS.\n`)
  const ports = nodePorts({ PATH: process.env['PATH'] })
  const tools = toolTable([], (server, tool) => `${server}_${tool}`)
  const permission = await createPermission({ layers: [], tools, cwd: project, ports })
  const gate = sharedGate(() => permission)
  let agent: Agent | undefined
  const skills = await loadSkills({
    layers: [{ kind: 'folder', layer: 'user', dialect: 'skills', path: join(project, 'skills') }],
    ports,
    projectDir: project,
    tools,
    permission: gate,
    runner: {
      run: async (order, options) =>
        agent?.runner.run(order, options) ?? { done: false, text: '', problem: 'There is no agent.' },
    },
  })
  const requests: ModelRequest[] = []
  const agents = sub.length > 0 ? [{ when: { contains: '# Skill it' }, turns: sub }] : []
  const script = scriptedModel({ turns, agents })
  const model: Model = {
    id: 'scripted',
    stream(request, options) {
      requests.push(request)
      return script.stream(request, options)
    },
  }
  const sessions: SkillSession[] = []
  agent = await createAgent({
    model,
    tools: [shellTool({ process: ports.process, env: { PATH: process.env['PATH'] ?? '' } })],
    extensions: [
      {
        session(ref) {
          const session = skills.session(ref)
          sessions.push(session)
          return session
        },
      },
    ],
    gate,
    toolTable: tools,
    agents: [{ name: 'helper', description: 'Helps.', prompt: 'Help.' }],
    ports,
  })
  const session = agent.session({ cwd: project })
  const run = async (prompt: string, options: RunOptions = {}) => {
    const events: RunEvent[] = []
    const started = session.run(prompt, options)
    for await (const event of started) events.push(event)
    const behaviors = events.flatMap((event) => (event.type === 'permission' ? [event.behavior] : []))
    return { events, behaviors, result: await started.result }
  }
  const main = () => sessions.find((_, index) => index === sessions.length - 1) as SkillSession
  return { agent, session, run, requests, sessions, main, skills, write }
}

describe('a skill in a session', () => {
  it('grants for the rest of the run, and not for the next one', async () => {
    const { run } = await host('allowed-tools: Bash(touch *)', [TOUCH, LOAD, TOUCH, END, TOUCH, END])
    expect((await run('one')).behaviors).toEqual(['deny', 'allow', 'allow'])
    expect((await run('two')).behaviors).toEqual(['deny'])
  })

  it('grants nothing after a run that was aborted in the middle', async () => {
    const sleep = call('Bash', { command: 'sleep 20' })
    const { run } = await host('allowed-tools: Bash(sleep *), Bash(touch *)', [LOAD, sleep, TOUCH, END])
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 300)
    const first = await run('one', { signal: controller.signal })
    expect(first.result.reason).toBe('aborted')
    expect(first.behaviors).toEqual(['allow', 'allow'])
    expect((await run('two')).behaviors).toEqual(['deny'])
  })

  it('limits beyond the run, until the session is cleared', async () => {
    const { run, session, main } = await host('restrict: Read', [LOAD, TOUCH, END, TOUCH, END])
    const denied = ({ events }: Awaited<ReturnType<typeof run>>) =>
      events.flatMap((event) => (event.type === 'permission' ? [event.decidedBy.layer] : []))
    expect(denied(await run('one')).at(-1)).toBe('terms')
    expect(denied(await run('two'))).toEqual(['terms'])
    await session.clear()
    expect(main().active()).toEqual([])
    expect(main().terms()).toEqual([])
  })

  it('leaves the system prompt as it is, byte for byte, and goes with every turn', async () => {
    const { run, requests } = await host('', [LOAD, TOUCH, END, END])
    await run('one')
    await run('two')
    expect(new Set(requests.map(({ system }) => system)).size).toBe(1)
    const shown = requests.map(({ messages }) => JSON.stringify(messages.at(-1)).includes('# Skill it'))
    expect(shown).toEqual([false, true, true, true])
    expect(requests.map(({ tools }) => JSON.stringify(tools)).every((each, _, [first]) => each === first)).toBe(true)
  })

  it('is back in a session that is resumed', async () => {
    const { run, main, agent, requests } = await host('restrict: Read', [LOAD, END])
    await run('one')
    const state = JSON.parse(JSON.stringify(main().state()))
    const resumed = agent.session({ cwd: '/' })
    expect(main().active()).toEqual([])
    main().restore(state)
    await resumed.run('go').result
    expect(JSON.stringify(requests.at(-1)?.messages.at(-1))).toContain('# Skill it')
  })

  it('has its new instructions from the next activation on, and its last good ones when an edit breaks it', async () => {
    const again = call('load_skill', { name: 'it', arguments: 'more' })
    const { run, write, requests } = await host('', [LOAD, END, again, END, again, END])
    const shown = () => JSON.stringify(requests.at(-1)?.messages.at(-1))
    await run('one')
    await write('skills/it/SKILL.md', '---\ndescription: Does it.\n---\nBetter: $ARGUMENTS.\n')
    await run('two')
    expect(shown()).toContain('Better: more.')
    await write('skills/it/SKILL.md', '---\ndescr')
    const { events } = await run('three')
    expect(shown()).toContain('Better: more.')
    expect(JSON.stringify(events.find(({ type }) => type === 'tool_result'))).toContain('the file is broken now')
  })

  it('that is forked is limited to its list even when the model of the sub-agent tries more', async () => {
    const other = call('Bash', { command: 'mkdir other' })
    const sub = [
      TOUCH,
      other,
      call('agent', { type: 'helper', prompt: 'x' }),
      call('Write', { path: 'x' }),
      { say: 'Sub.' },
    ]
    const { run } = await host('mode: fork\nallowed-tools: Bash(touch *)', [LOAD, END], sub)
    const { events, behaviors, result } = await run('one')
    expect(result.reason).toBe('done')
    expect(behaviors).toEqual(['allow', 'allow', 'deny'])
    expect(events.flatMap((event) => (event.type === 'tool_rejected' ? [event.tool] : []))).toEqual(['agent', 'Write'])
  })

  it('is started by its user in the run that it is for', async () => {
    const { run, main } = await host('allowed-tools: Bash(touch *)', [TOUCH, END, TOUCH, END])
    const command = skillCommand('/it now')
    if (!command) throw new Error('It is a command.')
    const first = await run('/it now', { expand: (options) => main().expand(command, options) })
    expect(first.behaviors).toEqual(['allow'])
    expect((await run('go on')).behaviors).toEqual(['deny'])
  })
})
