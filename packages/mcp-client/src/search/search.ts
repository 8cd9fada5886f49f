import { createReporter, type Diagnostic, type Snapshot } from '@ext/kernel'
import type { Tool } from '@ext/kernel/contract'
import { anyOf, compileNameGlob } from '@ext/kernel/match'
import { diagnosticCodes } from '../codes.js'
import type { CompiledServer } from '../compiled.js'
import type { Catalog } from '../registry/catalog.js'
import type { SessionTools, ToolSearchOptions, ToolUse } from '../types.js'
import { ToolLookup } from './lookup.js'
import { SearchSession } from './session.js'
import { type View, viewOf } from './view.js'

const report = createReporter(diagnosticCodes)

export interface ToolSearchHost {
  /** Another `tools` when something about them is different. */
  catalog(): Catalog
  snapshot(): Snapshot<CompiledServer>
  instructions(server: string): string | undefined
  usage(tool: Tool): ToolUse | undefined
}

/** Lets the model search tools where not all of them can be listed. */
export class ToolSearch {
  readonly #host: ToolSearchHost
  readonly #budget: number
  readonly #always: (tool: Tool) => boolean
  #view: { readonly view: View; readonly snapshot: Snapshot<CompiledServer> } | undefined
  #lookup: { readonly tools: readonly Tool[]; readonly ready: Promise<ToolLookup> } | undefined

  constructor({ tokens, always = [] }: ToolSearchOptions, host: ToolSearchHost) {
    const named = anyOf(always.map(compileNameGlob))
    this.#host = host
    this.#budget = tokens
    this.#always = ({ name }) => named.test(name)
  }

  session(): SessionTools {
    return new SearchSession({
      view: () => this.#current(),
      search: async ({ query, limit, server }) => (await this.#index()).search(query, limit, server),
      usage: this.#host.usage,
    })
  }

  get diagnostics(): readonly Diagnostic[] {
    const { core, excess } = this.#current()
    if (excess === 0) return []
    const message = `The ${core.length} tools that are always listed are ${Math.ceil(excess)} tokens over the ${this.#budget} that all tools may take, so there is no room for those that are found.`
    const hint = 'List fewer with `tools.always` and `search.always`, or raise `search.tokens`.'
    return [report.warning('mcp.search.over-budget', { layer: 'session', name: 'search' }, message, { hint })]
  }

  /** The same view as long as tools and configuration are the same. */
  #current(): View {
    const catalog = this.#host.catalog()
    const snapshot = this.#host.snapshot()
    if (this.#view?.view.all !== catalog.tools || this.#view.snapshot !== snapshot) {
      const servers = new Map(snapshot.entries.map(({ name, value }) => [name, value]))
      const isCore = (tool: Tool) =>
        this.#always(tool) || servers.get(tool.source.server ?? '')?.always(tool.source.tool) === true
      this.#view = { view: viewOf(catalog, this.#budget, isCore), snapshot }
    }
    return this.#view.view
  }

  /** Made with the first search, and again when the tools are others. */
  #index(): Promise<ToolLookup> {
    const { tools } = this.#host.catalog()
    if (this.#lookup?.tools !== tools) this.#lookup = { tools, ready: ToolLookup.of(tools, this.#host.instructions) }
    return this.#lookup.ready
  }
}
