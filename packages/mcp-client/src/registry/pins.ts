import type { HeldTool, PinnedTool, PinnedTools } from '../types.js'
import { changesOf, contentKey } from './definition.js'
import { toolName } from './names.js'

/** A tool that could be offered, by the name that the server uses. */
export interface Candidate {
  readonly tool: string
  readonly definition: PinnedTool
}

/** What approval says of the tools of one server. */
export interface Pinning {
  /** Names of tools that are not to be offered. */
  readonly held: readonly HeldTool[]
  /** What is approved now, if it is not what was approved before. */
  readonly next?: PinnedTools
}

/**
 * Compares tools with what was approved. All tools of a server that was never seen are approved with it; later a tool that
 * is different is held, and so is a new one that is a copy of one that is denied or held, which would come back under
 * another name. Other new tools are taken in. A tool that is gone stays approved as it was, for when it comes back.
 * @param offers what the rules of the configuration say
 */
export function comparePins(
  server: string,
  pinned: PinnedTools | undefined,
  sent: readonly Candidate[],
  offers: (tool: string) => boolean,
): Pinning {
  if (!pinned) return { held: [], next: pinsOf(sent) }
  const approved = (tool: string) => (Object.hasOwn(pinned, tool) ? pinned[tool] : undefined)
  const held: HeldTool[] = []
  const hold = (tool: string, more: Pick<HeldTool, 'changes' | 'copyOf'>) =>
    held.push({ server, tool, name: toolName(server, tool), ...more })

  // By what they say of themselves: the tools that are not to be had under another name.
  const refused = new Map<string, string>()
  const refuse = (tool: string, definition: PinnedTool) => {
    const key = contentKey(definition)
    if (key !== undefined) refused.set(key, tool)
  }
  // One that rules deny can be gone and come back under another name, so what it was counts as well.
  for (const [tool, definition] of Object.entries(pinned)) if (!offers(tool)) refuse(tool, definition)
  const fresh: Candidate[] = []
  for (const candidate of sent) {
    const { tool, definition } = candidate
    const before = approved(tool)
    if (!offers(tool)) {
      refuse(tool, definition)
      if (!before) fresh.push(candidate)
    } else if (before) {
      const changes = changesOf(before, definition)
      if (changes.length === 0) continue
      refuse(tool, definition)
      hold(tool, { changes })
    }
  }
  for (const candidate of sent) {
    const { tool, definition } = candidate
    if (!offers(tool) || approved(tool)) continue
    const key = contentKey(definition)
    const copyOf = key === undefined ? undefined : refused.get(key)
    if (copyOf === undefined) fresh.push(candidate)
    else hold(tool, { changes: changesOf(EMPTY, definition), copyOf })
  }
  return { held, ...(fresh.length === 0 ? {} : { next: withApproved(pinned, fresh) }) }
}

const EMPTY: PinnedTool = { description: '', inputSchema: {} }

/** What is approved once these tools are. */
export function withApproved(pinned: PinnedTools | undefined, approved: readonly Candidate[]): PinnedTools {
  return { ...pinned, ...pinsOf(approved) }
}

function pinsOf(tools: readonly Candidate[]): PinnedTools {
  return Object.fromEntries(tools.map(({ tool, definition }) => [tool, definition]))
}
