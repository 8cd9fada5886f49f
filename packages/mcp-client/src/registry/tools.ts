import { createReporter, type Diagnostic, isMap } from '@ext/kernel'
import type { SchemaValidator } from '@ext/kernel/ajv'
import type { JsonSchema, ToolAnnotations, ToolInfo } from '@ext/kernel/contract'
import type { Source } from '@ext/kernel/types'
import { diagnosticCodes } from '../codes.js'
import type { CompiledServer } from '../compiled.js'
import { isDeeperThan } from '../depth.js'
import { definitionOf } from './definition.js'
import { toolName } from './names.js'
import { paramHeaders } from './param-headers.js'
import type { Candidate } from './pins.js'
import { schemaFault } from './schema-fault.js'

const report = createReporter(diagnosticCodes)

/** The server whose tools are read, and where its entry stands. */
export interface ToolOwner {
  readonly name: string
  readonly trusted: boolean
  readonly entry: string
  readonly place: Source
}

/** A tool that can be used, as it came and as agents know it. */
export interface UsableTool extends Candidate {
  readonly info: ToolInfo
}

export interface ReadTools {
  /** In the order in which they were sent. */
  readonly tools: readonly UsableTool[]
  readonly diagnostics: readonly Diagnostic[]
}

/** A definition may have this many characters of JSON; a model reads all of them in every turn. */
const MAX_DEFINITION = 256 * 1024
const MAX_NAME = 512
/** Deeper than this no provider takes it. */
const MAX_DEPTH = 64

interface Reading {
  readonly server: Pick<CompiledServer, 'tool'>
  readonly validator: Pick<SchemaValidator, 'check'>
  /** Whether arguments of calls are also sent as headers. */
  readonly mirrors: boolean
}

/** Turns what a server sent into tools. One that can't be used is left out with a reason; the others live. */
export function readTools(
  owner: ToolOwner,
  sent: readonly unknown[],
  { server, validator, mirrors }: Reading,
): ReadTools {
  const tools = new Map<string, UsableTool>()
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
    const fault =
      sizeFault(name, tool) ??
      schemaFault(tool['inputSchema'], validator) ??
      (mirrors ? paramHeaders(tool['inputSchema']).fault : undefined)
    if (fault !== undefined) {
      diagnostics.push(quarantine(owner, `The tool ${JSON.stringify(name.slice(0, MAX_NAME))}`, fault))
      continue
    }
    if (tool['inputSchema'] === undefined) {
      const message = `The tool ${JSON.stringify(name)} of \`${owner.name}\` has no input schema; any object is accepted.`
      const hint = 'It works, but the model has to guess its input; tell the author of the server.'
      diagnostics.push(report.info('mcp.tool.no-schema', owner.place, message, { entry: owner.entry, hint }))
    }
    tools.set(name, { tool: name, definition: definitionOf(tool), info: toolInfo(owner, name, tool, server) })
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

function sizeFault(name: string, tool: Readonly<Record<string, unknown>>): string | undefined {
  if (name.length > MAX_NAME) return `its name has ${name.length} characters, more than ${MAX_NAME}`
  // First, since nothing else here has to expect a depth that overflows the stack.
  if (isDeeperThan(tool, MAX_DEPTH)) return `its definition is nested more than ${MAX_DEPTH} deep`
  const size = JSON.stringify(definitionOf(tool)).length
  return size > MAX_DEFINITION ? `its definition has ${size} characters, more than ${MAX_DEFINITION}` : undefined
}

function toolInfo(
  owner: ToolOwner,
  name: string,
  tool: Readonly<Record<string, unknown>>,
  server: Pick<CompiledServer, 'tool'>,
): ToolInfo {
  const hints = isMap(tool['annotations']) ? tool['annotations'] : {}
  const title = [tool['title'], hints['title']].find((text) => typeof text === 'string' && text !== '')
  const description = tool['description']
  const { readOnly } = server.tool(name)
  const said = believed(owner.trusted ? hints : {})
  const annotations = readOnly === undefined ? said : { ...said, readOnly }
  return Object.freeze({
    name: toolName(owner.name, name),
    ...(typeof title === 'string' ? { title } : {}),
    description:
      typeof description === 'string' && description.trim() !== ''
        ? description
        : `Tool ${name} of server ${owner.name}`,
    inputSchema: withProperties((tool['inputSchema'] ?? { type: 'object' }) as JsonSchema),
    kind: annotations.readOnly ? 'read' : 'exec',
    annotations,
    source: { server: owner.name, tool: name, trusted: owner.trusted },
  })
}

/** Providers refuse a schema of an object that does not say what is in it; without this it means the same. */
function withProperties(schema: JsonSchema): JsonSchema {
  return Object.hasOwn(schema, 'properties') ? schema : { ...schema, properties: {} }
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
