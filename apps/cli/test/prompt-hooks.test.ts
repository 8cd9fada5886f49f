import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAgent } from '@ext/agent-core'
import { scriptedModel } from '@ext/agent-core/scripted'
import type { AgentLimits, Model, ModelRequest, RunEvent } from '@ext/agent-core/types'
import { createHooks } from '@ext/hooks'
import { nodePorts } from '@ext/kernel/node'
import { describe, expect, it } from 'vitest'
import { lateAgent } from '../src/compose/late-agent.js'
import { temporaryFolder } from './bin.js'
import { runEvents } from './events.js'

const OWN = { inputTokens: 10, outputTokens: 1, costUsd: 0.25 }
const JUDGES = { inputTokens: 1000, outputTokens: 20, costUsd: 0.5 }
const call = { tool: 'Look', input: {} }

/** Says yes to hooks, and calls a tool before it says goodbye. */
function judging(ok: boolean, onAsked: (request: ModelRequest) => void = () => {}): Model {
  const model = scriptedModel({
    turns: [
      { calls: [call], usage: OWN },
      { say: 'bye', usage: OWN },
    ],
    agents: [{ when: { contains: 'Is it safe?' }, turns: [{ say: `{"ok": ${ok}, "reason": "so"}`, usage: JUDGES }] }],
  })
  return {
    ...model,
    stream(request, options) {
      if (JSON.stringify(request.messages).includes('Is it safe?')) onAsked(request)
      return model.stream(request, options)
    },
  }
}

/** The hooks, the loop and what joins them, as the program composes them. */
async function run(events: readonly string[], model: Model, limits: AgentLimits = {}) {
  const running = lateAgent()
  const action = { type: 'prompt', prompt: 'Is it safe?' }
  const value = { hooks: events.map((event) => ({ name: `judge-${event}`, event, action })) }
  const ports = nodePorts()
  const cwd = await temporaryFolder()
  const hooks = await createHooks({
    layers: [{ kind: 'value', layer: 'user', dialect: 'ext', name: 'the test', value }],
    root: cwd,
    ports,
    host: running.host,
  })
  let looks = 0
  const look = {
    name: 'Look',
    description: 'Looks.',
    kind: 'read',
    inputSchema: { type: 'object' },
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    source: { tool: 'Look', trusted: true },
    async run() {
      looks++
      return { content: [], isError: false }
    },
  } as const
  const agent = await createAgent({ model, tools: [look], interceptor: hooks, limits, ports })
  running.set(agent, model)
  const started = agent.session({ cwd }).run('go')
  const all: RunEvent[] = []
  for await (const event of started) all.push(event)
  const result = await started.result
  const last = await agent.close()
  await hooks.close()
  return { events: all, result, last, looks }
}

describe('what a model is asked by hooks of the kind prompt', () => {
  it('is in the tokens and the cost of a run of ext', async () => {
    const folder = await temporaryFolder()
    const script = {
      turns: [
        { calls: [{ tool: 'Bash', input: { command: 'echo one' } }], usage: OWN },
        { say: 'bye', usage: OWN },
      ],
      agents: [{ when: { contains: 'Is it safe?' }, turns: [{ say: '{"ok": true, "reason": "so"}', usage: JUDGES }] }],
    }
    const config = {
      model: 'scripted:script.json',
      permissions: { allow: ['Bash(echo *)'] },
      hooks: ['PreToolUse', 'AfterAgent', 'SessionEnd'].map((event) => ({
        name: `judge-${event}`,
        event,
        action: { type: 'prompt', prompt: 'Is it safe?' },
        ...(event === 'SessionEnd' ? { timeout: '10s' } : {}),
      })),
    }
    await mkdir(join(folder, '.ext'))
    await writeFile(join(folder, '.ext/config.yaml'), JSON.stringify(config))
    await writeFile(join(folder, 'script.json'), JSON.stringify(script))
    const { code, of } = await runEvents(folder)
    expect([code, of('hook').map(({ hook, outcome }) => [hook, outcome])]).toEqual([
      0,
      ['PreToolUse', 'AfterAgent', 'SessionEnd'].map((event) => [`judge-${event}`, 'noDecision']),
    ])
    // That of the end of the session is of no run.
    const usage = { inputTokens: 2 * (OWN.inputTokens + JUDGES.inputTokens), outputTokens: 2 * (1 + 20) }
    expect(of('result')).toMatchObject([{ reason: 'done', usage, costUsd: 1.5 }])
    expect(of('model_end').map(({ by = 'the agent', cost_usd }) => [by, cost_usd])).toEqual([
      ['the agent', 0.25],
      ['hook judge-PreToolUse', 0.5],
      ['the agent', 0.25],
      ['hook judge-AfterAgent', 0.5],
    ])
  })

  it('is in the budget, which ends the run and not the hooks: a guard is still asked', async () => {
    const { result, looks } = await run(['BeforeModel', 'PreToolUse'], judging(false), { maxTokens: 1500 })
    expect([result.reason, looks]).toEqual(['blocked', 0])
    let asked = 0
    const judged = await run(
      ['PreToolUse', 'PostToolUse'],
      judging(true, () => asked++),
      { maxTokens: 1000 },
    )
    expect([judged.result.reason, judged.looks, asked]).toEqual(['budget', 1, 2])
    expect(judged.result).toMatchObject({ turns: 1, usage: { inputTokens: 2010 }, costUsd: 1.25 })
  })

  it('is asked for outside of a run too, where there is nothing to count it in', async () => {
    let asked = 0
    const { result, last } = await run(
      ['SessionEnd'],
      judging(true, () => asked++),
    )
    expect([result.usage.inputTokens, asked]).toEqual([20, 1])
    expect(last).toMatchObject([
      { type: 'hook', hook: 'judge-SessionEnd', outcome: 'noDecision' },
      { type: 'session_end' },
    ])
  })

  it('makes a hook fail if the model fails', async () => {
    const model = judging(true)
    const failing: Model = {
      ...model,
      async *stream(request, options) {
        if (JSON.stringify(request.messages).includes('Is it safe?')) throw new Error('no such model')
        yield* model.stream(request, options)
      },
    }
    const { events } = await run(['PreToolUse'], failing)
    const hooks = events.flatMap((event) => (event.type === 'hook' ? [event] : []))
    expect(hooks).toMatchObject([{ hook: 'judge-PreToolUse', outcome: 'failed', cause: 'the model failed' }])
  })
})
