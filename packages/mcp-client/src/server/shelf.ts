import { canonicalJson } from '@ext/kernel'
import type { JsonObject, Tool, ToolContext, ToolInfo, ToolResult } from '@ext/kernel/contract'
import type { OfferedTool } from '../registry/provider.js'

/** Runs a tool of one server. */
export type RunTool = (tool: ToolInfo, input: JsonObject, context: ToolContext) => Promise<ToolResult>

/**
 * The tools of one server as objects. A tool that is what it was keeps its object, and a list that is what it was is the
 * same list, so that whoever compares by identity sees only what is different.
 */
export class Shelf {
  readonly #run: RunTool
  #tools: readonly Tool[] = Object.freeze([])
  #marked: { readonly cause: string; readonly of: readonly Tool[]; readonly tools: readonly Tool[] } | undefined

  constructor(run: RunTool) {
    this.#run = run
  }

  get tools(): readonly Tool[] {
    return this.#tools
  }

  put(infos: readonly OfferedTool[]): void {
    const before = new Map(this.#tools.map((tool) => [tool.name, tool]))
    const next = infos.map((info) => {
      const old = before.get(info.name)
      return old && canonicalJson(old) === canonicalJson(info) ? old : this.#toTool(info)
    })
    const same = next.length === this.#tools.length && next.every((tool, index) => tool === this.#tools[index])
    if (!same) this.#tools = Object.freeze(next)
  }

  /** The tools with a word about a server that is down. The same list for the same cause. */
  marked(server: string, cause: string): readonly Tool[] {
    if (this.#marked?.cause !== cause || this.#marked.of !== this.#tools) {
      const note = `[Not available now: the server ${server} is down, it ${cause}.]`
      const tools = this.#tools.map((tool) => Object.freeze({ ...tool, description: `${note} ${tool.description}` }))
      this.#marked = { cause, of: this.#tools, tools: Object.freeze(tools) }
    }
    return this.#marked.tools
  }

  #toTool(info: OfferedTool): Tool {
    return Object.freeze({ ...info, run: (input: JsonObject, context: ToolContext) => this.#run(info, input, context) })
  }
}
