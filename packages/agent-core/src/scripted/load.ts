import { checkSchema, createReporter, type Outcome, parseDocument } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { validateScript } from '../config/validators.generated.js'
import type { Script } from './script.js'

const report = createReporter(diagnosticCodes)

/**
 * Reads a script. What is wrong with it is in the diagnostics; unknown keys are warnings.
 * @param options.file names the text in diagnostics; a name that ends in `.json` is read as JSON, any other as YAML
 */
export async function loadScript(text: string, options: { readonly file: string }): Promise<Outcome<Script>> {
  const { file } = options
  const format = file.endsWith('.json') ? 'json' : 'yaml'
  const parsed = await parseDocument(text, format, { layer: 'command-line', dialect: 'script', file })
  if (!parsed.document) return { diagnostics: parsed.diagnostics }
  const entry = parsed.document.located('', parsed.document.value)
  const checked = checkSchema<Script>(validateScript, entry)
  const diagnostics = [...parsed.diagnostics, ...checked.diagnostics]
  const script = checked.value
  if (!script) return { diagnostics }
  const early = script.turns.findIndex((turn, index) => turn.loop === true && index < script.turns.length - 1)
  if (early === -1) return { value: script, diagnostics }
  const pointer = `/turns/${early}/loop`
  return {
    diagnostics: [
      ...diagnostics,
      report.error('script.loop.not-last', entry.at(pointer, 'key'), `Turn ${early + 1} repeats but is not the last.`, {
        entry: entry.id,
        pointer,
        hint: 'Move `loop: true` to the last turn, or remove the turns behind this one.',
      }),
    ],
  }
}
