import { formatPlace, setInYaml } from '@ext/kernel'
import type { JsonValue } from '@ext/kernel/contract'
import { nodeFiles } from '@ext/kernel/node'
import { diagnose } from '../../doctor/diagnose.js'
import type { Io } from '../../io.js'
import { shorten } from '../../render/diagnostics.js'
import { count, countSeverity, indent, printable } from '../../render/words.js'
import { withExtensions } from '../read-extensions.js'
import { configuredValues, type ShownValue } from './values.js'

export interface ShowOptions {
  readonly project: string
  readonly trustProject?: boolean
  readonly all?: boolean
  readonly json?: boolean
}

/** The configuration that holds, value by value, with the place of each. */
export async function show(options: ShowOptions, io: Io): Promise<number> {
  return withExtensions(options, io, async (extensions) => {
    const { entries, diagnostics } = await diagnose(extensions)
    const values = await configuredValues(extensions, entries, nodeFiles())
    const code = countSeverity(diagnostics, 'error') > 0 ? 1 : 0
    if (options.json) {
      const shown = values.map(({ path, ...rest }) => ({ path: path.join('.'), ...rest }))
      io.out(JSON.stringify({ values: shown, diagnostics }, null, 2))
      return code
    }
    const holding = values.filter(({ verdict }) => verdict === 'loaded')
    const short = shorten(extensions.locations.project)
    for (const value of options.all ? values : holding) io.out(printable(short(await describe(value))))
    const idle = values.length - holding.length
    const rest = idle > 0 && !options.all ? `; ${idle} more without effect, see --all` : ''
    const errors = code === 0 ? '' : '. Something is broken: run ext doctor'
    io.out(`${count(holding.length, 'value')}${rest}${errors}.`)
    return code
  })
}

/** The place, and below it the value as it would stand in a file alone. */
async function describe({ path, value, verdict, source }: ShownValue): Promise<string> {
  const at = path.findIndex((key) => /^\d+$/.test(key))
  const keys = at === -1 ? path : path.slice(0, at)
  const inside = path
    .slice(keys.length)
    .reduceRight<unknown>((inner, key) => (/^\d+$/.test(key) ? [inner] : { [key]: inner }), value)
  const { text = '' } = await setInYaml('', keys, inside as JsonValue)
  const word = verdict === 'loaded' ? '' : `  ${verdict}`
  return `${formatPlace(source)}${word}\n${indent(text.trimEnd())}`
}
