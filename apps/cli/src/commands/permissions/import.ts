import { resolve } from 'node:path'
import { nodePorts } from '@ext/kernel/node'
import type { Io } from '../../io.js'
import { describeDiagnostics } from '../../render/diagnostics.js'
import { jsonDiagnostics } from '../../render/json.js'
import { count } from '../../render/words.js'

export interface ImportOptions {
  readonly json?: boolean
}

/** Prints, and writes nothing: where the rules go is for a person to say. */
export async function importFile(path: string, options: ImportOptions, io: Io): Promise<number> {
  const file = resolve(path)
  const ports = nodePorts()
  const read = await ports.files.readText(file)
  if (read.failure) {
    io.err(`ext: ${file} can't be read: ${read.message} Name a settings file, such as .claude/settings.json.`)
    return 2
  }
  const { importPermissions } = await import('@ext/permission/import')
  const { yaml, rules, diagnostics } = await importPermissions({ file, ports })
  if (options.json) {
    io.out(JSON.stringify({ yaml: yaml ?? null, rules, diagnostics: jsonDiagnostics(diagnostics) }, null, 2))
  } else {
    if (yaml !== undefined) io.out(yaml.trimEnd())
    for (const text of await describeDiagnostics(diagnostics, (each) => each)) io.err(`${text}\n`)
    if (yaml !== undefined)
      io.err(`${count(rules, 'rule')} imported. Put them into .ext/config.yaml and run ext permissions lint.`)
  }
  return diagnostics.some(({ severity }) => severity !== 'info') ? 1 : 0
}
