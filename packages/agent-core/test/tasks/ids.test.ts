import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { minimalEnv } from '@ext/kernel/env'
import { nodeClock, nodePorts, nodeProcess } from '@ext/kernel/node'
import { describe, expect, it } from 'vitest'
import { createAgent, defineTool } from '../../src/index.js'
import { fileSessionStore, taskFiles } from '../../src/node/index.js'
import { shellTool } from '../../src/tools/index.js'
import type { AgentDefinition, SessionHeader, SessionStore } from '../../src/types.js'
import { END, scripted } from '../handoff/kit.js'
import { gate, hooks, resultTexts, setUp } from '../kit.js'
import { killedProgram, store, temporaryFolder } from '../sessions/kit.js'

const worker: AgentDefinition = { name: 'worker', description: 'Works.', prompt: 'You work.', model: 'child' }
const calls = (tool: string, input: Record<string, string | boolean> = {}) => ({ calls: [{ tool, input }] })
const inFront = calls('agent', { type: 'worker', prompt: 'work' })
const behind = calls('agent', { type: 'worker', prompt: 'work', background: true })

/** Starts something in the background that is done at once. */
const quick = defineTool({
  name: 'Quick',
  description: 'Goes on.',
  kind: 'exec',
  inputSchema: { type: 'object' },
  async run(_input, { background }) {
    const run = async () => ({ failed: false, how: 'done' })
    const answer = await background?.({ kind: 'command', subject: 'quick', run })
    return answer?.id ?? `no: ${answer?.problem}`
  },
})

/** The next process, and the id of the first task that it begins. */
async function nextId(kept: SessionStore, id: string, options: { readonly fork?: boolean } = {}) {
  const { agent } = await setUp({ model: scripted(calls('Quick'), END), tools: [quick], tasks: {}, store: kept })
  const session = await agent.resume(id, options)
  await session.run('on').result
  await agent.close()
  return { id: resultTexts(session).at(-1), session: session.id }
}

/** A store of which it is known in what order everything was written, whatever log it is in. */
function recording(kept: SessionStore) {
  const lines: { readonly log: string; readonly line: unknown }[] = []
  const recorded: SessionStore = {
    ...kept,
    async create(header: SessionHeader) {
      const writer = await kept.create(header)
      lines.push({ log: header.id, line: header })
      return {
        ...writer,
        async append(events) {
          await writer.append(events)
          for (const line of events) lines.push({ log: header.id, line })
        },
      }
    },
  }
  return { lines, recorded }
}

/** A session in which the main agent, one in front and one behind have begun tasks, and a hook has refused one. */
async function busy(kept: SessionStore, heard: (task: string) => void) {
  const refusing = hooks({
    TaskCreated: ({ task_id }) => {
      heard(task_id)
      return task_id === 'task-2' || task_id === 'task-5' ? { block: { by: 'h', reason: 'no' } } : undefined
    },
  })
  const child = scripted(calls('Quick'), END, calls('Quick'), END)
  const { agent, session } = await setUp({
    model: scripted(calls('Quick'), calls('Quick'), inFront, behind, calls('Quick'), END, calls('Quick'), END),
    models: () => child,
    agents: [worker],
    tools: [quick],
    interceptor: refusing,
    tasks: {},
    store: kept,
  })
  await session.run('go').result
  return { agent, session }
}

describe('an id of a task', () => {
  it('is not given again after a restart, whoever had it: a sub-agent, or one that a hook has refused', async () => {
    const heard: string[] = []
    const kept = store()
    const { agent, session } = await busy(kept, (task) => heard.push(task))
    await agent.close()
    expect(heard.length).toBeGreaterThan(4)
    expect(new Set(heard).size).toBe(heard.length)
    expect((await nextId(kept, session.id)).id).toBe(`task-${heard.length + 1}`)
    expect((await nextId(kept, session.id)).id).toBe(`task-${heard.length + 2}`)
  })

  it('goes on behind the highest one that a log names which an older program has written', async () => {
    const kept = store()
    const { agent, session } = await busy(kept, () => {})
    await agent.close()
    const file = kept.place(session.id)
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(file, lines.filter((line) => !line.includes('"taken":true')).join('\n'))
    const begun = lines.flatMap((line) => /^{"type":"task",.*"task":"task-(\d+)"/.exec(line)?.[1] ?? [])
    const highest = Math.max(...begun.map(Number))
    expect((await nextId(kept, session.id)).id).toBe(`task-${highest + 1}`)
  })

  it('is none of those that a conversation names which is a copy, also once the copy is resumed itself', async () => {
    const kept = store()
    const heard: string[] = []
    const { agent, session } = await busy(kept, (task) => heard.push(task))
    const last = heard.length
    const copy = session.fork()
    await copy.run('on').result
    expect(resultTexts(copy).at(-1)).toBe(`task-${last + 1}`)
    await agent.close()
    const ofLog = await nextId(kept, session.id, { fork: true })
    expect(ofLog.id).toBe(`task-${last + 1}`)
    expect((await nextId(kept, ofLog.session)).id).toBe(`task-${last + 2}`)
    expect((await nextId(kept, ofLog.session, { fork: true })).id).toBe(`task-${last + 3}`)
  })

  it('is not given again wherever in its logs the process is killed', async () => {
    const { lines, recorded } = recording(store())
    const heard: { readonly task: string; readonly behind: number }[] = []
    const { agent, session } = await busy(recorded, (task) => heard.push({ task, behind: lines.length }))
    await agent.close()
    for (let count = 1; count <= lines.length; count++) {
      const kept = store(temporaryFolder())
      mkdirSync(dirname(kept.place('s')), { recursive: true })
      for (const { log, line } of lines.slice(0, count)) appendFileSync(kept.place(log), `${JSON.stringify(line)}\n`)
      const known = heard.flatMap(({ task, behind }) => (behind <= count ? [task] : []))
      const { id } = await nextId(kept, session.id)
      expect([count, id]).toEqual([count, expect.stringMatching(/^task-\d+$/)])
      expect([count, known]).toEqual([count, expect.not.arrayContaining([id])])
    }
  })

  it('of a killed process is nobody’s, so that the output of the next task has a file of its own', async () => {
    const folder = await killedProgram('killed-tasks.mjs')
    const env = minimalEnv(nodePorts().env, 'linux')
    const agent = await createAgent({
      model: scripted(
        calls('Bash', { command: 'yes no | head -c 90000', run_in_background: true }),
        { calls: [{ tool: 'task_output', input: { task_id: 'task-3', wait_ms: 30_000 } }] },
        END,
      ),
      tools: [shellTool({ process: nodeProcess(), env, background: true })],
      gate: gate(),
      tasks: { files: taskFiles(join(folder, 'tasks')) },
      store: fileSessionStore({ folder: join(folder, 'sessions') }),
      ports: { clock: nodeClock() },
    })
    const session = await agent.resume('s')
    await session.run('on').result
    const [, started, shown = ''] = resultTexts(session)
    expect(started).toContain('Started in the background as task-3.')
    const [, file = ''] = /all of it is in (.*)\]/.exec(shown) ?? []
    expect(readFileSync(file, 'utf8')).toBe('no\n'.repeat(30_000))
    expect(readFileSync(join(folder, 'tasks/s-task-2.log'), 'utf8')).toBe('y\n'.repeat(50_000))
    await agent.close()
  })
})
