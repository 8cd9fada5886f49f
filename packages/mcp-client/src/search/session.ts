import { compareText } from '@ext/kernel'
import type { Tool, ToolResult } from '@ext/kernel/contract'
import type { SessionTools, ToolUse } from '../types.js'
import { fitFound } from './fit.js'
import { renderFound } from './render.js'
import { SEARCH_NAME, searchTool, type ToolQuery } from './tool.js'
import { tokensOf, type View } from './view.js'

export interface SearchHost {
  /** The same object until something changes. */
  view(): View
  search(query: ToolQuery): Promise<readonly Tool[]>
  usage(tool: Tool): ToolUse | undefined
}

/** What one session is shown of many tools. */
export class SearchSession implements SessionTools {
  readonly #host: SearchHost
  /** Full names, the newest last. */
  #found: readonly string[] = []
  #shown: { readonly view: View; readonly found: readonly string[]; readonly tools: readonly Tool[] } | undefined

  constructor(host: SearchHost) {
    this.#host = host
  }

  tools(): readonly Tool[] {
    const view = this.#host.view()
    if (!view.searched) return view.all
    if (this.#shown?.view !== view || this.#shown.found !== this.#found) {
      this.#shown = { view, found: this.#found, tools: this.#list(view, view.searched) }
    }
    return this.#shown.tools
  }

  tool(name: string): Tool | undefined {
    const { byName, searched } = this.#host.view()
    const tool = byName.get(name)
    if (!tool || !searched) return tool
    // To be asked for it is not to be called.
    return Object.freeze({
      ...tool,
      run: (...call: Parameters<Tool['run']>) => {
        this.#add([name])
        return tool.run(...call)
      },
    })
  }

  #list({ core, byName }: View, { servers, room }: NonNullable<View['searched']>): readonly Tool[] {
    const listed = new Set(core)
    const { listed: found } = fitFound(this.#found, (name) => sizeOf(byName.get(name), listed), room)
    for (const name of found) {
      const tool = byName.get(name)
      if (tool) listed.add(tool)
    }
    const search = searchTool(servers, (query) => this.#search(query))
    return Object.freeze([...listed, search].sort((a, b) => compareText(a.name, b.name)))
  }

  async #search(query: ToolQuery): Promise<Pick<ToolResult, 'content' | 'isError' | 'structured'>> {
    const found = await this.#host.search(query)
    if (found.length === 0) return answer('No tool fits. Try other words, or do without a tool.', [])
    const names = found.map(({ name }) => name)
    const dropped = this.#add(names.toReversed())
    const isNew = new Set(names)
    const notListed = dropped.filter((name) => isNew.has(name))
    const noMore = dropped.filter((name) => !isNew.has(name))
    return answer(
      [
        'These can be called from the next turn on.',
        renderFound(found, (tool) => this.#host.usage(tool)),
        ...(notListed.length > 0
          ? [`No room to list ${notListed.join(', ')}; call it by its name all the same, if it is what you want.`]
          : []),
        ...(noMore.length > 0
          ? [`Not listed any more, to make room: ${noMore.join(', ')}. Search again when you want it.`]
          : []),
      ].join('\n\n'),
      names,
    )
  }

  /** @returns what is not listed for want of room */
  #add(names: readonly string[]): readonly string[] {
    const { core, byName, searched } = this.#host.view()
    const listed = new Set(core)
    const others = names.filter((name) => {
      const tool = byName.get(name)
      return tool !== undefined && name !== SEARCH_NAME && !listed.has(tool)
    })
    const all = [...this.#found.filter((name) => !others.includes(name)), ...others]
    const { listed: kept, dropped } = fitFound(all, (name) => sizeOf(byName.get(name), listed), searched?.room ?? 0)
    this.#found = kept
    return dropped
  }
}

/** Nothing for a tool that is gone, or is listed anyway. */
function sizeOf(tool: Tool | undefined, core: ReadonlySet<Tool>): number {
  return tool && !core.has(tool) ? tokensOf(tool) : 0
}

function answer(text: string, tools: readonly string[]): Pick<ToolResult, 'content' | 'isError' | 'structured'> {
  return { content: [{ type: 'text', text }], isError: false, structured: { tools: [...tools] } }
}
