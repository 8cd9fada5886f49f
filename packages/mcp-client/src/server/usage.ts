import { compareText } from '@ext/kernel'
import type { ToolUse } from '../types.js'

/** Counts the calls of tools, by server and tool, as long as the client lives. */
export class Usage {
  readonly #servers = new Map<string, Map<string, ToolUse>>()

  count(server: string, tool: string, succeeded: boolean): void {
    const tools = this.#servers.get(server) ?? new Map<string, ToolUse>()
    this.#servers.set(server, tools)
    const before = tools.get(tool)
    tools.set(tool, {
      tool,
      calls: (before?.calls ?? 0) + 1,
      succeeded: (before?.succeeded ?? 0) + (succeeded ? 1 : 0),
    })
  }

  of(server: string, tool: string): ToolUse | undefined {
    return this.#servers.get(server)?.get(tool)
  }

  /** Sorted by name. */
  ofServer(server: string): readonly ToolUse[] {
    return [...(this.#servers.get(server)?.values() ?? [])].sort((a, b) => compareText(a.tool, b.tool))
  }
}
