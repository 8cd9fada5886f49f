import { ExtError } from '@ext/kernel'

/** Limits of an agent. Whole numbers, but for `maxCostUsd`; `Infinity` is none. */
export interface AgentLimits {
  /** Model calls of one run; those of a sub-agent count for themselves. Default 50. */
  readonly maxTurns?: number
  /** Tokens in and out of one run, with its sub-agents, as far as the model reports them. Default none. */
  readonly maxTokens?: number
  /** US dollars of one run, with its sub-agents, as far as the model reports them. Default none. */
  readonly maxCostUsd?: number
  /** Wall clock of one run, in milliseconds. Default none. */
  readonly maxRunMs?: number
  /** Calls of tools that do not exist, in a row, until the run ends. Default 3. */
  readonly unknownToolsInARow?: number
  /** The very same call, in a row and with nothing between, until the run ends; more of them are not run. Default 20. */
  readonly sameCallsInARow?: number
  /** Calls of one turn that are looked at; the rest is rejected. Default 128. */
  readonly maxCallsPerTurn?: number
  /** How often in one run a hook may refuse its end. Default 8. */
  readonly maxStopBlocks?: number
  /**
   * How deep sub-agents may start sub-agents: 1 is none below the first, 0 no sub-agents at all, not even for hooks.
   * Default 1.
   */
  readonly maxAgentDepth?: number
  /** How often the conversation may be handed over in one run; 0: never, and there is no tool for it. Default 8. */
  readonly maxHandoffs?: number
  /** What runs in the background of a session at the same time, its sub-agents' included. Default 8. */
  readonly maxTasks?: number
  /** Running time of one tool call, in milliseconds; a sub-agent has its own limits instead. Default 120,000. */
  readonly toolTimeoutMs?: number
  /** How long a model may be silent in the middle of a call. Default 300,000. */
  readonly modelSilenceMs?: number
  /** How long all hooks of one event may take, whatever their own limits are. Default 660,000. */
  readonly hooksTimeoutMs?: number
  /** How long the gate may take, whatever its own limits are, and a durable run waits for an answer. Default 1,800,000. */
  readonly gateTimeoutMs?: number
  /** Text of one tool result that reaches the model, in bytes of UTF-8 and a thousand blocks at most. Default 256 KiB. */
  readonly maxResultBytes?: number
  /** One image or sound that reaches the model, in bytes of its base64 form. Default 5 MiB. */
  readonly maxMediaBytes?: number
  /**
   * How often a model call is repeated that failed before its first event because the model is overloaded, asks for a
   * slower pace, can't be reached or stays silent. After 1, 2, 4, … seconds, or as long as the model says. Default 3.
   */
  readonly modelRetries?: number
}

export type CheckedLimits = Required<AgentLimits>

interface LimitRow {
  readonly default: number
  readonly least: number
}

const LIMITS: Readonly<Record<keyof AgentLimits, LimitRow>> = {
  maxTurns: { default: 50, least: 1 },
  maxTokens: { default: Number.POSITIVE_INFINITY, least: 1 },
  maxCostUsd: { default: Number.POSITIVE_INFINITY, least: 0 },
  maxRunMs: { default: Number.POSITIVE_INFINITY, least: 1 },
  unknownToolsInARow: { default: 3, least: 1 },
  sameCallsInARow: { default: 20, least: 1 },
  maxCallsPerTurn: { default: 128, least: 1 },
  maxStopBlocks: { default: 8, least: 0 },
  maxAgentDepth: { default: 1, least: 0 },
  maxHandoffs: { default: 8, least: 0 },
  maxTasks: { default: 8, least: 0 },
  toolTimeoutMs: { default: 120_000, least: 1 },
  modelSilenceMs: { default: 300_000, least: 1 },
  hooksTimeoutMs: { default: 660_000, least: 1 },
  gateTimeoutMs: { default: 1_800_000, least: 1 },
  maxResultBytes: { default: 256 * 1024, least: 1 },
  maxMediaBytes: { default: 5 * 1024 * 1024, least: 1 },
  modelRetries: { default: 3, least: 0 },
}

/** Fills in the defaults. Throws `agent-core.limit` for a name that is no limit and for a number out of range. */
export function checkLimits(given: AgentLimits = {}): CheckedLimits {
  const limits = Object.fromEntries(
    Object.entries(LIMITS).map(([name, row]) => [name, given[name as keyof AgentLimits] ?? row.default]),
  )
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(LIMITS, name)) {
      throw new ExtError(
        'agent-core.limit',
        `There is no limit \`${name}\`; there are ${Object.keys(LIMITS).join(', ')}.`,
      )
    }
  }
  for (const [name, { least }] of Object.entries(LIMITS)) checkLimit(name, limits[name], least)
  return limits as CheckedLimits
}

/** Throws `agent-core.limit` for what is no amount. */
export function checkLimit(name: string, value: unknown, least: number): void {
  const isNumber = typeof value === 'number' && value >= least
  const isWhole = name === 'maxCostUsd' || value === Number.POSITIVE_INFINITY || Number.isSafeInteger(value)
  if (isNumber && isWhole) return
  const kind = name === 'maxCostUsd' ? 'number' : 'whole number'
  throw new ExtError('agent-core.limit', `The limit \`${name}\` must be a ${kind} from ${least} up; it is ${value}.`)
}
