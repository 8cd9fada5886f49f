import { joinPointer, parsePointer } from '@ext/kernel'
import { walkSchema } from './walk-schema.js'

const KEYWORD = 'x-mcp-header'
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean']

/** An argument that is also sent as the header `Mcp-Param-<name>`. */
export interface ParamHeader {
  readonly name: string
  /** From the input to the value. */
  readonly pointer: string
}

/**
 * The arguments that a tool wants as headers, by its input schema, or why it may not want them so, as the rest of a
 * sentence about the tool. MCP 2026-07-28, "Custom Headers from Tool Parameters".
 */
export function paramHeaders(
  schema: unknown,
):
  | { readonly headers: readonly ParamHeader[]; readonly fault?: undefined }
  | { readonly headers?: undefined; readonly fault: string } {
  const headers = new Map<string, ParamHeader>()
  // The walk has no order; what is sent and said has one.
  const found = [...walkSchema(schema)].filter(({ value }) => value[KEYWORD] !== undefined)
  for (const { value, pointer } of found.sort((a, b) => (a.pointer < b.pointer ? -1 : 1))) {
    const name = value[KEYWORD]
    const fault = (what: string) => ({ fault: `its \`${KEYWORD}\` at ${pointer || 'the top'} ${what}` })
    if (typeof name !== 'string' || !/^[!#$%&'*+\-.^`|~\w]+$/.test(name)) {
      return fault(`is ${JSON.stringify(name)}, which can't be part of a header's name`)
    }
    if (!TYPES.includes(value['type'])) {
      return fault(
        `stands at a value of type ${JSON.stringify(value['type'] ?? null)}; text, integer and boolean can be headers`,
      )
    }
    const path = propertyPath(pointer)
    if (path === undefined) return fault('can not be reached through `properties` alone')
    const twin = headers.get(name.toLowerCase())
    if (twin) return fault(`is the header ${JSON.stringify(name)}, as is ${twin.pointer}`)
    headers.set(name.toLowerCase(), { name, pointer: path })
  }
  return { headers: [...headers.values()] }
}

/** From an input to the value that this part of its schema is about, if the way leads from property to property only. */
function propertyPath(pointer: string): string | undefined {
  const segments = parsePointer(pointer)
  if (segments.length === 0 || segments.length % 2 !== 0) return undefined
  const path = segments.filter((_, index) => index % 2 === 1)
  const isPath = segments.every((segment, index) => index % 2 === 1 || segment === 'properties')
  return isPath ? joinPointer('', ...path) : undefined
}
