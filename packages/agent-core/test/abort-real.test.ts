import { getEventListeners } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { minimalEnv } from '@ext/kernel/env'
import { nodeClock, nodePorts, nodeProcess } from '@ext/kernel/node'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../src/index.js'
import { shellTool } from '../src/tools/index.js'
import type { AgentOptions, Interceptor, Model } from '../src/types.js'
import { allowed, gate, never, scripted } from './kit.js'

// Real clock, real children: how long it takes until everything is over.

const SETTLE_MS = 200
/** Beyond that, what a busy machine may take. */
const SLACK_MS = 150

const ports = { process: nodeProcess(), env: minimalEnv(nodePorts().env, 'linux') }

/** Says its pid and then stays, whatever it is told if it is stubborn. */
const stay = (pidFile: string, stubborn: boolean) =>
  `${stubborn ? "trap '' TERM; " : ''}echo $$ > ${pidFile}; ${stubborn ? 'while :; do sleep 0.1; done' : 'exec sleep 30'}`

interface Scene {
  readonly pidFile: string
  readonly stubborn: boolean
}

/** A hook that is a child process, as those of `@ext/hooks` are. */
function childHook(event: string, { pidFile, stubborn }: Scene): Interceptor {
  return {
    session: () => ({
      fire(fired, _payload, { signal }) {
        if (fired !== event) return undefined
        const running = ports.process.run({
          command: { shell: 'sh', script: stay(pidFile, stubborn) },
          cwd: '/',
          env: ports.env,
          timeoutMs: 60_000,
          ...(signal ? { signal } : {}),
        })
        return running.then(() => ({ runs: [], context: [], notices: [] }))
      },
    }),
  }
}

const shellCall = ({ pidFile, stubborn }: Scene) =>
  scripted({ calls: [{ tool: 'Bash', input: { command: stay(pidFile, stubborn) } }] }, { say: 'done' })
const readCall = (count: number) =>
  scripted({ calls: Array.from({ length: count }, () => ({ tool: 'Bash', input: { command: 'true' } })) }, { say: 'x' })

const hung: Model = { id: 'm', stream: () => nothingComes() }

async function* nothingComes(): AsyncGenerator<never> {
  yield await never()
}

/** Each step of a run, hanging: what of the agent hangs there, and whether a child does. */
const steps: Readonly<Record<string, (scene: Scene) => Omit<AgentOptions, 'ports'>>> = {
  SessionStart: (scene) => ({ model: readCall(1), interceptor: childHook('SessionStart', scene) }),
  UserPromptSubmit: (scene) => ({ model: readCall(1), interceptor: childHook('UserPromptSubmit', scene) }),
  BeforeModel: (scene) => ({ model: readCall(1), interceptor: childHook('BeforeModel', scene) }),
  'the model': () => ({ model: hung }),
  AfterModel: (scene) => ({ model: readCall(1), interceptor: childHook('AfterModel', scene) }),
  PreToolUse: (scene) => ({ model: readCall(2), interceptor: childHook('PreToolUse', scene) }),
  'the gate': () => ({ model: readCall(1), gate: gate(never) }),
  'a tool': (scene) => ({ model: shellCall(scene) }),
  PostToolUse: (scene) => ({ model: readCall(2), interceptor: childHook('PostToolUse', scene) }),
  PostToolBatch: (scene) => ({ model: readCall(1), interceptor: childHook('PostToolBatch', scene) }),
  Stop: (scene) => ({ model: scripted({ say: 'done' }), interceptor: childHook('Stop', scene) }),
  AfterAgent: (scene) => ({ model: scripted({ say: 'done' }), interceptor: childHook('AfterAgent', scene) }),
  'a tool of a sub-agent': (scene) => ({
    model: scripted({ calls: [{ tool: 'agent', input: { type: 'w', prompt: 'x' } }] }),
    models: () => shellCall(scene),
    agents: [{ name: 'w', description: 'x', prompt: 'x', model: 'm' }],
  }),
}
const WITHOUT_CHILD = ['the model', 'the gate']

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // Without an init that collects it, a dead orphan stays as a zombie.
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

async function waitFor(what: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (!what()) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return true
}

const pidIn = (file: string): number => {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length

describe.each([
  ['that obey', false, SETTLE_MS + SLACK_MS],
  ['that ignore TERM', true, 1500 + SLACK_MS],
] as const)('an abort, with children %s,', (_, stubborn, goneMs) => {
  const those = Object.entries(steps).filter(([name]) => !stubborn || !WITHOUT_CHILD.includes(name))
  it.each(those)('in %s is over at once and leaves nothing', async (name, setup) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'abort-')))
    const pidFile = join(folder, 'pid')
    const options = setup({ pidFile, stubborn })
    const before = timers()
    const agent = await createAgent({
      gate: gate(() => allowed()),
      tools: [shellTool({ process: ports.process, env: ports.env })],
      ...options,
      ports: { clock: nodeClock() },
    })
    const controller = new AbortController()
    const run = agent.session({ cwd: folder }).run('go', { signal: controller.signal })
    const hasChild = !WITHOUT_CHILD.includes(name)
    if (hasChild) expect(await waitFor(() => pidIn(pidFile) > 0, 5000)).toBe(true)
    else await new Promise((resolve) => setTimeout(resolve, 50))
    const start = performance.now()
    controller.abort()
    const result = await run.result
    const settled = performance.now() - start
    expect(result.reason).toBe(name === 'AfterAgent' ? 'done' : 'aborted')
    expect(settled).toBeLessThan(SETTLE_MS + SLACK_MS)
    const pid = pidIn(pidFile)
    if (hasChild) expect(await waitFor(() => isGone(pid), goneMs - settled)).toBe(true)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    // The process port may hold its timers until its child is collected.
    expect(await waitFor(() => timers() <= before, 2000)).toBe(true)
  })
})
