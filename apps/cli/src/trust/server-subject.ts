import { isAbsolute, resolve } from 'node:path'
import type { Located } from '@ext/kernel'
import type { Runs, TrustSubject } from '@ext/kernel/trust'
import type { HttpEntry, ServerEntry, StdioEntry, ToolRules } from '@ext/mcp-client/types'

/**
 * What a person agrees to when a server of a project is approved: what is started or reached, what it gets of this
 * machine, and what is believed of it. Values stand there as they are written, so a secret is shown by its name.
 */
export function serverSubject(entry: Located<ServerEntry>, project: string): TrustSubject {
  const { name, transport, variables, trust, tools } = entry.value
  const endpoint = transport?.kind === 'http' ? reached(transport) : transport && started(transport, entry, project)
  const also = {
    ...endpoint?.also,
    ...(variables.length > 0 ? { 'variables put in': variables } : {}),
    ...rules(tools, trust),
  }
  return {
    kind: 'servers',
    name,
    root: project,
    runs: { ...endpoint, believesAnnotations: trust, ...(Object.keys(also).length > 0 ? { also } : {}) },
  }
}

function started(
  { command, args, env, cwd, inheritEnv }: StdioEntry,
  entry: Located<ServerEntry>,
  project: string,
): Runs {
  const placed = (text: string) => withProject(text, entry, project)
  const program = placed(command)
  // A bare name is looked up on PATH; anything else is a path in the project, as the client has it.
  const file = /[\\/]/.test(program) && !isAbsolute(program) ? resolve(project, program) : program
  return {
    command: { file, args: args.map(placed) },
    ...(cwd === undefined ? {} : { cwd }),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(inheritEnv === 'all' || inheritEnv.length === 0 ? {} : { passEnv: inheritEnv }),
    ...(inheritEnv === 'all' ? { also: { 'variables passed': 'all of this machine, secrets included' } } : {}),
  }
}

/** Scripts in the project are found, and their content is covered, only where the path is one. */
function withProject(text: string, { source }: Located<ServerEntry>, project: string): string {
  return source.dialect === 'claude-mcp' ? text.replaceAll('${CLAUDE_PROJECT_DIR}', () => project) : text
}

function reached({ url, headers }: HttpEntry): Runs {
  return { url, ...(Object.keys(headers).length > 0 ? { headers } : {}) }
}

/** What the server may do with its tools: an entry that says something else later was not approved. */
function rules({ allow, deny, perTool }: ToolRules, trust: boolean): NonNullable<Runs['also']> {
  const readOnly = trust ? perTool.flatMap((each) => (each.readOnly === true ? [each.tool.text] : [])) : []
  return {
    ...(allow ? { 'only tools': allow.text } : {}),
    ...(deny ? { 'tools left out': deny.text } : {}),
    ...(readOnly.length > 0 ? { 'tools that only read': readOnly } : {}),
  }
}
