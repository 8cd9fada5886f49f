import { createReporter, type Diagnostic } from '@ext/kernel'
import type { JsonSchema, ToolInfo } from '@ext/kernel/contract'
import { diagnosticCodes } from '../codes.js'
import { adaptSchema } from '../profiles/adapt.js'
import type { Provider, SchemaChange } from '../profiles/adapted.js'
import { quarantine, type ToolOwner } from './tools.js'

const report = createReporter(diagnosticCodes)

/** More changes of one schema than this are counted. */
const MAX_SHOWN = 8

/** A tool as it is offered, with the form of its input schema that the provider takes, if that is another one. */
export interface OfferedTool extends ToolInfo {
  readonly modelSchema?: JsonSchema
}

/** Gives tools the form that a provider takes. One that has none is left out with a reason; what another form lacks is said. */
export function fitToProvider(
  owner: ToolOwner,
  tools: readonly ToolInfo[],
  provider: Provider | undefined,
): { readonly tools: readonly OfferedTool[]; readonly diagnostics: readonly Diagnostic[] } {
  if (!provider) return { tools, diagnostics: [] }
  const diagnostics: Diagnostic[] = []
  const fitted = tools.flatMap((tool): readonly OfferedTool[] => {
    const { schema, changes, unusable } = adaptSchema(tool.inputSchema, provider)
    const what = `The tool ${JSON.stringify(tool.source.tool)}`
    if (unusable !== undefined) {
      diagnostics.push(quarantine(owner, what, `for ${provider}, ${unusable}`))
      return []
    }
    if (changes.length > 0) diagnostics.push(adapted(owner, what, provider, changes))
    const isSame = JSON.stringify(schema) === JSON.stringify(tool.inputSchema)
    return [isSame ? tool : Object.freeze({ ...tool, modelSchema: schema })]
  })
  return { tools: fitted, diagnostics }
}

function adapted(owner: ToolOwner, what: string, provider: Provider, changes: readonly SchemaChange[]): Diagnostic {
  const shown = changes.slice(0, MAX_SHOWN).map(({ effect, pointer, what: part }) => {
    return `${effect} at ${pointer === '' ? 'the top' : pointer}: ${part}`
  })
  const more = changes.length > MAX_SHOWN ? [`and ${changes.length - MAX_SHOWN} more`] : []
  const message = `${what} of \`${owner.name}\` has another form for ${provider}: ${[...shown, ...more].join('; ')}.`
  const hint =
    'It works: input is checked against the schema of the server. What the form lacks, a model can only guess.'
  return report.info('mcp.tool.adapted', owner.place, message, { entry: owner.entry, hint })
}
