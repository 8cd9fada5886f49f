import { checkSchema, createReporter, type Outcome, parseDocument } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import { validateScript } from '../config/validators.generated.js'
import type { Script, ScriptTurn } from './script.js'

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
  const early = [
    ...earlyLoops(script.turns, '/turns'),
    ...(script.agents ?? []).flatMap(({ turns }, index) => earlyLoops(turns, `/agents/${index}/turns`)),
  ]
  if (early.length === 0) return { value: script, diagnostics }
  const problems = early.map(({ turn, pointer }) =>
    report.error('script.loop.not-last', entry.at(pointer, 'key'), `Turn ${turn} repeats but is not the last.`, {
      entry: entry.id,
      pointer,
      hint: 'Move `loop: true` to the last turn, or remove the turns behind this one.',
    }),
  )
  return { diagnostics: [...diagnostics, ...problems] }
}

/** Turns that repeat for ever although others stand behind them. */
function earlyLoops(turns: readonly ScriptTurn[], pointer: string) {
  return turns.flatMap(({ loop }, index) =>
    loop === true && index < turns.length - 1 ? [{ turn: index + 1, pointer: `${pointer}/${index}/loop` }] : [],
  )
}
