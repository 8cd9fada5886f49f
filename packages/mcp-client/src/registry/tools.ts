import { createReporter, type Diagnostic, describe, isMap } from '@ext/kernel'
import type { JsonSchema, ToolAnnotations, ToolInfo } from '@ext/kernel/contract'
import type { Source } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import { toolName } from './names.js'
import { danglingReference } from './references.js'

const report = createReporter(diagnosticCodes)

/** The server whose tools are read, and where its entry stands. */
export interface ToolOwner {
  readonly name: string
  readonly trusted: boolean
  readonly entry: string
  readonly place: Source
}

export interface ReadTools {
  readonly tools: readonly ToolInfo[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Turns what a server sent into tools. One that can't be used is left out with a reason; the others live. */
export function readTools(owner: ToolOwner, sent: readonly unknown[]): ReadTools {
  const tools = new Map<string, ToolInfo>()
  const diagnostics: Diagnostic[] = []
  for (const [index, tool] of sent.entries()) {
    const name = isMap(tool) ? tool['name'] : undefined
    if (!isMap(tool) || typeof name !== 'string' || name === '') {
      diagnostics.push(quarantine(owner, `Tool number ${index + 1}`, 'it has no name'))
      continue
    }
    if (tools.has(name)) {
      diagnostics.push(quarantine(owner, `A second tool ${JSON.stringify(name)}`, 'its name is taken by the first'))
      continue
    }
    const fault = schemaFault(tool['inputSchema'])
    if (fault !== undefined) {
      diagnostics.push(quarantine(owner, `The tool ${JSON.stringify(name)}`, fault))
      continue
    }
    if (tool['inputSchema'] === undefined) {
      const message = `The tool ${JSON.stringify(name)} of \`${owner.name}\` has no input schema; any object is accepted.`
      const hint = 'It works, but the model has to guess its input; tell the author of the server.'
      diagnostics.push(report.info('mcp.tool.no-schema', owner.place, message, { entry: owner.entry, hint }))
    }
    tools.set(name, toolInfo(owner, name, tool))
  }
  return { tools: [...tools.values()], diagnostics }
}

/** The diagnostic of a tool that is left out. */
export function quarantine(owner: ToolOwner, what: string, why: string): Diagnostic {
  return report.warning('mcp.tool.quarantined', owner.place, `${what} of \`${owner.name}\` is left out: ${why}.`, {
    entry: owner.entry,
    hint: 'The other tools of the server are used; this one has to be fixed in the server.',
  })
}

function schemaFault(schema: unknown): string | undefined {
  if (schema === undefined) return undefined
  if (!isMap(schema)) return `its input schema is ${describe(schema)}, not a map`
  if (schema['type'] !== 'object') {
    return `the \`type\` of its input schema is ${describe(schema['type'])}, not the text "object"`
  }
  const dangling = danglingReference(schema)
  return dangling && `its input schema refers to ${JSON.stringify(dangling.ref)}, which leads nowhere`
}

function toolInfo(owner: ToolOwner, name: string, tool: Readonly<Record<string, unknown>>): ToolInfo {
  const hints = isMap(tool['annotations']) ? tool['annotations'] : {}
  const title = [tool['title'], hints['title']].find((text) => typeof text === 'string' && text !== '')
  const description = tool['description']
  const annotations = believed(owner.trusted ? hints : {})
  return Object.freeze({
    name: toolName(owner.name, name),
    ...(typeof title === 'string' ? { title } : {}),
    description:
      typeof description === 'string' && description.trim() !== ''
        ? description
        : `Tool ${name} of server ${owner.name}`,
    inputSchema: (tool['inputSchema'] ?? { type: 'object' }) as JsonSchema,
    kind: annotations.readOnly ? 'read' : 'exec',
    annotations,
    source: { server: owner.name, tool: name, trusted: owner.trusted },
  })
}

/** What is not said is the worst case, as MCP defines it. */
function believed(hints: Readonly<Record<string, unknown>>): ToolAnnotations {
  return {
    readOnly: hints['readOnlyHint'] === true,
    destructive: hints['destructiveHint'] !== false,
    idempotent: hints['idempotentHint'] === true,
    openWorld: hints['openWorldHint'] !== false,
  }
}
