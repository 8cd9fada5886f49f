import { createReporter, type Diagnostic, parsePointer, suggest } from '@ext/kernel'
import type { SchemaValidator } from '@ext/kernel/ajv'
import { diagnosticCodes } from '../codes.js'
import type { CompiledServer } from '../compiled.js'
import type { HeldTool, PinnedTools, Provider } from '../types.js'
import { type Candidate, comparePins } from './pins.js'
import { fitToProvider, type OfferedTool } from './provider.js'
import { readTools, type ToolOwner } from './tools.js'

const report = createReporter(diagnosticCodes)

/** What is known when a server has sent its list of tools. */
export interface Admission {
  readonly owner: ToolOwner
  readonly server: Pick<CompiledServer, 'offers' | 'tool' | 'idleRules'>
  /** As the server sent them; nothing about them is checked. */
  readonly sent: readonly unknown[]
  /** Whether arguments of calls are also sent as headers, so that a tool has to ask for that in a right way. */
  readonly mirrors: boolean
  /** What was approved. `undefined`: nothing yet, so all that comes now is. */
  readonly pinned: PinnedTools | undefined
  readonly validator: Pick<SchemaValidator, 'check'>
  /** Whose models the tools are for. */
  readonly provider?: Provider | undefined
}

/** What of a list of tools is offered. */
export interface Admitted {
  readonly tools: readonly OfferedTool[]
  /** Left out by the rules of the configuration. */
  readonly hidden: readonly { readonly tool: string; readonly why: string }[]
  readonly held: readonly HeldTool[]
  /** The held ones as they are now, to be approved. */
  readonly waiting: readonly Candidate[]
  /** What is approved now, if that has changed. */
  readonly pins?: PinnedTools
  readonly diagnostics: readonly Diagnostic[]
}

/** From what a server sent to what is offered: usable, not left out by a rule, and as it was approved. */
export function admitTools({ owner, server, sent, mirrors, pinned, validator, provider }: Admission): Admitted {
  const { tools, diagnostics } = readTools(owner, sent, { server, validator, mirrors })
  const offers = (tool: string) => server.offers(tool).offered
  const { held, next } = comparePins(owner.name, pinned, tools, offers)
  const isHeld = new Set(held.map(({ tool }) => tool))
  const offered = tools.filter(({ tool }) => offers(tool) && !isHeld.has(tool)).map(({ info }) => info)
  // What is approved is what the server says, whichever form of it a provider takes.
  const fitted = fitToProvider(owner, offered, provider)
  return {
    tools: fitted.tools,
    hidden: tools.flatMap(({ tool }) => {
      const verdict = server.offers(tool)
      return verdict.offered ? [] : [{ tool, why: verdict.why }]
    }),
    held,
    waiting: tools.filter(({ tool }) => isHeld.has(tool)),
    ...(next ? { pins: next } : {}),
    diagnostics: [
      ...diagnostics,
      ...fitted.diagnostics,
      ...held.map((each) => heldBack(owner, each)),
      ...idleRules(owner, server, tools),
    ],
  }
}

function heldBack(owner: ToolOwner, { tool, changes, copyOf }: HeldTool): Diagnostic {
  const what = `The tool ${JSON.stringify(tool)} of \`${owner.name}\` is held back`
  const why =
    copyOf === undefined
      ? `since it was approved it has changed in ${changes.map(({ field }) => field).join(', ')}`
      : `it is new and the same as ${JSON.stringify(copyOf)}, which is not offered`
  return report.warning('mcp.tool.held', owner.place, `${what}: ${why}.`, {
    entry: owner.entry,
    hint: 'Look at what is different, and approve the tool if it is what you want; the other tools of the server are used.',
  })
}

/** A rule that is misspelt leaves out or opens nothing; only the real names can tell. */
function idleRules(
  owner: ToolOwner,
  server: Pick<CompiledServer, 'idleRules'>,
  tools: readonly { readonly tool: string }[],
): readonly Diagnostic[] {
  const names = tools.map(({ tool }) => tool)
  if (names.length === 0) return []
  return server.idleRules(names).map(({ pointer, text }) => {
    const meant = suggest(text, names)
    const message = `\`${text}\` in \`${parsePointer(pointer).slice(0, 2).join('.')}\` fits no tool of \`${owner.name}\`.`
    return report.warning('mcp.tools.idle', owner.place, message, {
      entry: owner.entry,
      hint: meant ? `Did you mean \`${meant}\`?` : `It has: ${names.slice(0, 20).join(', ').slice(0, 400)}.`,
    })
  })
}
