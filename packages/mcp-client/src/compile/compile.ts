import { canonicalJson, joinPointer, type Located, type Outcome } from '@ext/kernel'
import type { CompiledServer, Endpoint } from '../compiled.js'
import type { ServerEntry } from '../config/entry.js'
import { dotted, type Notes, notesOn } from '../config/notes.js'
import type { ServerDefaults } from '../types.js'
import { launch } from './launch.js'
import { remote } from './remote.js'
import { alwaysOf, idleRulesOf, offersOf, toolOf } from './rules.js'
import { secretsOf } from './secrets.js'
import { settleAll } from './settle.js'
import { Variables } from './variables.js'

export interface CompileContext {
  /** Where relative commands and folders start. */
  readonly cwd: string
  /** The host's variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly defaults: ServerDefaults
}

/** Says what an entry means: what is started or reached, which of its tools are offered, within which limits. */
export function compile(entry: Located<ServerEntry>, context: CompileContext): Outcome<CompiledServer> {
  const { name, transport, trust, lazy, tools, required } = entry.value
  const notes = notesOn(entry)
  const variables = new Variables(entry, context, notes)
  variables.require(required)
  const endpoint = transport && toEndpoint(transport, context, variables, notes)
  if (!endpoint || notes.failed) return { diagnostics: notes.diagnostics }
  warnOfUnbelieved(entry.value, notes)
  const settled = settleAll(entry.value, context.defaults)
  const endpointKey = canonicalJson(endpoint)
  const entryKey = canonicalJson([name, trust, lazy, settled, rulesAsText(tools), endpointKey])
  const secrets = secretsOf(endpoint, variables.used, context)
  return {
    value: {
      name,
      trusted: trust,
      lazy,
      ...settled,
      offers: offersOf(tools),
      always: alwaysOf(tools),
      tool: toolOf(tools, settled.callMs, trust),
      idleRules: idleRulesOf(tools),
      endpoint: () => endpoint,
      endpointKey: () => endpointKey,
      entryKey: () => entryKey,
      secrets: () => secrets,
    },
    diagnostics: notes.diagnostics,
  }
}

/** What an entry starts or reaches, if that can be said. */
export function endpointOf(entry: Located<ServerEntry>, context: CompileContext): Endpoint | undefined {
  const { transport, required } = entry.value
  const notes = notesOn(entry)
  const variables = new Variables(entry, context, notes)
  variables.require(required)
  const endpoint = transport && toEndpoint(transport, context, variables, notes)
  return notes.failed ? undefined : endpoint
}

function toEndpoint(
  transport: NonNullable<ServerEntry['transport']>,
  context: CompileContext,
  variables: Variables,
  notes: Notes,
): Endpoint {
  return transport.kind === 'stdio' ? launch(transport, context, variables, notes) : remote(transport, variables, notes)
}

/** The word of configuration that a tool only reads opens the way past questions, like the tool's own. */
function warnOfUnbelieved({ name, trust, tools }: ServerEntry, notes: Notes): void {
  for (const { tool, readOnly } of tools.perTool) {
    if (readOnly !== true || trust) continue
    const pointer = joinPointer('/tools/perTool', tool.text, 'readOnly')
    const message = `${dotted(pointer)} has no effect, since \`${name}\` is not marked as trusted.`
    notes.warning(
      'mcp.tools.not-believed',
      pointer,
      message,
      'Write `trust: true` as well, or a rule in `permissions`.',
    )
  }
}

function rulesAsText({ allow, deny, always, perTool }: ServerEntry['tools']): unknown {
  return [
    allow?.text ?? null,
    deny?.text ?? null,
    always?.text ?? null,
    perTool.map(({ tool, ...rest }) => [tool.text, rest]),
  ]
}
