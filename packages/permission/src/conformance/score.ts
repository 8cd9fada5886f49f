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

/** A file system in which everything exists, and some of it is links. As in a real one, `..` goes up from where a link leads. */
function linkedFiles({ symlinks = {} }: ConformanceContext): FilesPort {
  const links = new Map(Object.entries(symlinks))
  const follow = (path: string, left: number): string => {
    let at = ''
    for (const name of path.split('/')) {
      if (name === '..') at = at.slice(0, Math.max(0, at.lastIndexOf('/')))
      else if (name !== '' && name !== '.') at += `/${name}`
      const target = links.get(at)
      if (target !== undefined && left > 0) at = follow(target, left - 1)
    }
    return at === '' ? '/' : at
  }
  return {
    readText: async () => ({ failure: 'missing', message: 'The file does not exist.' }),
    list: async () => [],
    realPath: async (path) => follow(path, MAX_LINKS),
    isExecutable: async () => false,
  }
}

/** A chain is followed as far as a system follows one. */
const MAX_LINKS = 40

const STOPPED: ClockPort = { now: () => 0, after: () => () => {} }
