import type { ClockPort, FilesPort } from '@ext/kernel'
import type { Behavior, Decision } from '@ext/kernel/contract'
import { openPermission } from '../engine.js'
import type { ConformanceContext, ConformanceRow } from './rows.js'
import { wellKnownTool } from './tool.js'

/** What the engine made of a corpus. */
export interface ConformanceScore {
  readonly total: number
  /** Rows whose verdict can be defended. */
  readonly right: number
  /** Ids of rows that were allowed and must not be. */
  readonly unsafeAllow: readonly string[]
  /** Ids of rows that should be allowed and were not. */
  readonly overBlock: readonly string[]
  /** Rows whose verdict can't be defended. */
  readonly wrong: readonly WrongRow[]
}

/** A row whose verdict can't be defended. */
export interface WrongRow {
  readonly id: string
  readonly expected: Behavior
  readonly accept: readonly Behavior[]
  readonly got: Behavior
  /** Of the decision, for people. */
  readonly reason: string
}

/** Decides every row, each with its own rules in its own world, and scores the verdicts. Touches nothing. */
export async function runConformance(rows: readonly ConformanceRow[]): Promise<ConformanceScore> {
  const unsafeAllow: string[] = []
  const overBlock: string[] = []
  const wrong: WrongRow[] = []
  for (const row of rows) {
    const { id, expected, accept } = row
    const { behavior, reason } = await decideRow(row)
    const defended = behavior === expected || accept.includes(behavior)
    if (!defended) wrong.push({ id, expected, accept, got: behavior, reason })
    if (behavior === 'allow' && !defended) unsafeAllow.push(id)
    if (behavior !== 'allow' && expected === 'allow') overBlock.push(id)
  }
  return { total: rows.length, right: rows.length - wrong.length, unsafeAllow, overBlock, wrong }
}

async function decideRow({ rules, tool: name, input, context }: ConformanceRow): Promise<Decision> {
  const { cwd = '/repo', home = '/home/u', mode = 'default', platform = 'linux', shell, mcpServer, mcpTool } = context
  const permission = await openPermission({
    layers: [
      { kind: 'value', layer: 'user', dialect: 'ext', name: 'the rules of the row', value: { permissions: rules } },
    ],
    cwd,
    ...(shell === undefined ? {} : { shell }),
    ports: { files: linkedFiles(context), clock: STOPPED, home, platform },
  })
  const session = permission.session({ id: 'conformance', cwd, origin: 'main', permissionMode: mode })
  const tool = wellKnownTool(name, {
    ...(mcpServer === undefined ? {} : { server: mcpServer }),
    ...(mcpTool === undefined ? {} : { tool: mcpTool }),
  })
  // Only an authorization follows links. Nobody is there to be asked, so it ends at once.
  const { decision } = await session.authorize({ call: { id: 'conformance', name, input }, tool })
  return decision
}

/** A file system in which everything exists, and some of it is links. */
function linkedFiles({ symlinks = {} }: ConformanceContext): FilesPort {
  const links = Object.entries(symlinks)
  // A chain is followed as far as a system follows one.
  const follow = (path: string, left = 40): string => {
    const link = links.find(([from]) => path === from || path.startsWith(`${from}/`))
    return link === undefined || left === 0 ? path : follow(link[1] + path.slice(link[0].length), left - 1)
  }
  return {
    readText: async () => ({ failure: 'missing', message: 'The file does not exist.' }),
    list: async () => [],
    realPath: async (path) => follow(path),
    isExecutable: async () => false,
  }
}

const STOPPED: ClockPort = { now: () => 0, after: () => () => {} }
