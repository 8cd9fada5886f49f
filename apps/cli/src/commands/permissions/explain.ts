import { isMap, suggest } from '@ext/kernel'
import type { JsonObject, PermissionMode, SessionRef, ToolInfo } from '@ext/kernel/contract'
import type { Extensions } from '../../compose.js'
import type { Io } from '../../io.js'
import { META_NAMES } from '../../own-tools.js'
import { shorten } from '../../render/diagnostics.js'
import { describeExplanation, describeHooks } from '../../render/explanation.js'
import { printable, singleLine } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'
import { modeOff } from '../run-session.js'
import { metaTool, whyNotOffered } from './explain-offer.js'
import { describeServer, explainServer, settledTool } from './explain-server.js'

export interface ExplainOptions {
  readonly input: string
  readonly project: string
  readonly trustProject?: boolean
  readonly permissionMode?: PermissionMode
  readonly json?: boolean
}

/** What would happen to a call, with everything that bears on it. Nothing runs and nobody is asked. */
export async function explain(name: string, options: ExplainOptions, io: Io): Promise<number> {
  const input = readInput(options.input)
  if (typeof input === 'string') {
    io.err(`ext: ${printable(input)}`)
    return 2
  }
  return withExtensions(options, io, async (extensions) => {
    const { permission, locations } = extensions
    const cwd = locations.project
    const off = modeOff(options.permissionMode, permission)
    if (off !== undefined) {
      io.err(printable(`ext: ${off}`))
      return 2
    }
    const permissionMode = options.permissionMode ?? permission.defaultMode
    const ref: SessionRef = { id: 'explain', cwd, origin: 'main', permissionMode }
    const tool = await findTool(name, extensions, ref)
    if (typeof tool === 'string') {
      io.err(`ext: ${printable(tool)}`)
      return 2
    }
    const { toolName } = await import('@ext/mcp-client')
    const server = explainServer(name, tool, extensions.servers, toolName)
    const settled = settledTool(tool, server)
    const call = { id: 'explain', name, input }
    const explanation = await permission.session(ref).explain({ call, tool: settled })
    const { source } = settled
    const hooks = extensions.hooks.explain('PreToolUse', {
      tool_name: name,
      tool_input: input,
      tool_use_id: 'explain',
      ...(source.server === undefined ? {} : { server: source.server, server_tool: source.tool }),
    })
    const notOffered = whyNotOffered(name, server, extensions, ref)
    if (options.json) {
      const { decision, ...facts } = explanation
      const said = { tool: name, input, hooks, permission: { ...decision, ...facts }, ...(server ? { server } : {}) }
      io.out(JSON.stringify({ ...said, ...(notOffered === undefined ? {} : { notOffered }) }, null, 2))
    } else {
      const short = shorten(cwd)
      const lines = [
        ...(notOffered === undefined ? [] : [`The model is not offered ${name}: ${notOffered}. If it were:`, '']),
        ...describeHooks(hooks),
        ...describeExplanation(name, explanation),
        ...describeServer(server),
      ]
      for (const line of lines) io.out(printable(short(singleLine(line))))
    }
    return 0
  })
}

/** The input, or what is wrong with it. */
function readInput(text: string): JsonObject | string {
  const example = `Write one object in quotes: --input '{"command":"git status"}'.`
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `--input is not valid JSON: ${why}. ${example}`
  }
  // Parsed from JSON, so it can hold nothing else.
  return isMap(value) ? (value as JsonObject) : `--input holds no object, but ${text.slice(0, 60)}. ${example}`
}

/** The tool as it would be called, or what is wrong with its name. */
async function findTool(name: string, { tools, skills }: Extensions, ref: SessionRef): Promise<ToolInfo | string> {
  const { KNOWN_TOOLS, wellKnownTool } = await import('@ext/permission/conformance')
  const own = skills.session(ref).tools()
  const found = own.find((tool) => tool.name === name)
  if (found) return found
  const meta = metaTool(name)
  if (meta) return meta
  const known = [...KNOWN_TOOLS, ...Object.keys(tools), ...META_NAMES]
  if (known.includes(name) || /^mcp__.+__./.test(name)) return wellKnownTool(name)
  const typo = suggest(name, known)
  const hint = typo
    ? `Did you mean \`${typo}\`?`
    : `Known are ${KNOWN_TOOLS.join(', ')}, and tools of servers as mcp__server__tool.`
  return `No tool is known by the name \`${name}\`. ${hint}`
}
