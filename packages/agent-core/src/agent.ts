import { ExtError } from '@ext/kernel'
import type { SessionRef } from '@ext/kernel/contract'
import { noGate } from './no-gate.js'
import type { StartedRun } from './run.js'
import type { AgentContext } from './run-context.js'
import { createSession } from './session.js'
import type { Agent, AgentLimits, AgentOptions } from './types.js'

const DEFAULT_LIMITS: Required<AgentLimits> = {
  maxTurns: 50,
  unknownToolsInARow: 3,
  maxStopBlocks: 8,
  toolTimeoutMs: 120_000,
  maxResultBytes: 256 * 1024,
  modelRetries: 0,
}

/** Limits for which 0 means something: never. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set(['maxStopBlocks', 'modelRetries'])

/**
 * Makes an agent: a model with tools, in which hooks, permission and skills meet behind ports.
 * Rejects with `agent-core.limit` for a limit that is not a whole number in range.
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const limits = checkLimits({ ...DEFAULT_LIMITS, ...options.limits })
  const { createSchemaValidator } = await import('@ext/kernel/ajv')
  const { ids = () => crypto.randomUUID(), gate = noGate, interceptor, extensions = [] } = options
  const agent: AgentContext = {
    model: options.model,
    system: options.system ?? '',
    tools: [...(options.tools ?? [])],
    clock: options.ports.clock,
    validator: await createSchemaValidator(),
    limits,
    diagnostics: options.diagnostics ?? { errors: 0, warnings: 0 },
    newId: ids,
  }
  const running = { runs: new Set<StartedRun>(), closed: false }

  return {
    session({ id = ids(), cwd, permissionMode = 'default', user }) {
      if (running.closed) throw new ExtError('agent-core.closed', 'The agent is closed.')
      if (id === '') throw new ExtError('agent-core.session.id', 'The `id` of a session must not be empty.')
      const ref: SessionRef = {
        id,
        cwd,
        origin: 'main',
        permissionMode,
        ...(user === undefined ? {} : { user }),
      }
      const state = {
        ref,
        messages: [],
        interceptor: interceptor?.session(ref),
        gate: gate.session(ref),
        extensions: extensions.map((extension) => extension.session(ref)),
        started: false,
        pending: [],
        toolbox: undefined,
        system: undefined,
        inEffect: new Set<string>(),
        said: new Set<string>(),
      }
      return createSession(agent, state, running)
    },
    async close() {
      running.closed = true
      const reason = new ExtError('agent-core.closed', 'The agent was closed.')
      const started = [...running.runs]
      for (const each of started) each.abort(reason)
      await Promise.all(started.map(({ run }) => run.result))
    },
  }
}

function checkLimits(limits: Required<AgentLimits>): Required<AgentLimits> {
  for (const [name, value] of Object.entries(limits)) {
    const least = MAY_BE_ZERO.has(name) ? 0 : 1
    if (!Number.isSafeInteger(value) || value < least) {
      throw new ExtError(
        'agent-core.limit',
        `The limit \`${name}\` must be a whole number from ${least} up; it is ${value}.`,
      )
    }
  }
  return limits
}
