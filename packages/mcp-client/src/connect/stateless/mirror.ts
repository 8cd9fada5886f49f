import { isMap, valueAt } from '@ext/kernel'
import type { JsonObject } from '@ext/kernel/contract'
import { type ParamHeader, paramHeaders } from '../../registry/param-headers.js'
import { headerText } from './headers.js'

type Headers = Readonly<Record<string, string>>

/** Arguments that a tool wants as headers as well (`x-mcp-header`), by what its server has listed. */
export class Mirror {
  readonly #tools = new Map<string, readonly ParamHeader[]>()

  /** Remembers what the tools of a page want. */
  learn(page: unknown): void {
    const tools = isMap(page) && Array.isArray(page['tools']) ? page['tools'] : []
    for (const tool of tools) {
      if (!isMap(tool) || typeof tool['name'] !== 'string') continue
      const { headers = [] } = paramHeaders(tool['inputSchema'])
      if (headers.length > 0) this.#tools.set(tool['name'], headers)
      else this.#tools.delete(tool['name'])
    }
  }

  headersFor(tool: string, input: JsonObject): Headers {
    const found = (this.#tools.get(tool) ?? []).flatMap(({ name, pointer }) => {
      const text = textOf(valueAt(input, pointer))
      return text === undefined ? [] : [[`Mcp-Param-${name}`, headerText(text)] as const]
    })
    return Object.fromEntries(found)
  }
}

/** `undefined` for what no header is sent for: nothing, or a value that is not of the kind that was announced. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value)
  return undefined
}
