import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { createReporter, type Diagnostic } from '@ext/kernel'
import { diagnosticCodes } from '../codes.js'
import type { Extensions } from '../compose.js'

const report = createReporter(diagnosticCodes)

/** Servers that would be started and whose program is not there, so that no start can succeed. Runs nothing. */
export function missingPrograms({ servers }: Pick<Extensions, 'servers'>): readonly Diagnostic[] {
  // There, names get endings that this does not know.
  if (process.platform === 'win32') return []
  return servers.entries.flatMap(({ id, name, value, at }): readonly Diagnostic[] => {
    const endpoint = value.endpoint()
    if (endpoint.kind !== 'stdio' || !('file' in endpoint.command)) return []
    const { file } = endpoint.command
    const isPath = file.includes('/')
    const folders = isPath ? [''] : (endpoint.env['PATH'] ?? '').split(':')
    if (folders.some((folder) => isExecutable(isPath ? file : join(folder, file)))) return []
    const where = isPath ? `There is no program ${file}` : `\`${file}\` is not on PATH`
    const message = `${where}, so \`${name}\` can't be started.`
    const hint = isPath ? 'Correct the path, or make the file executable.' : 'Install it, or write its path.'
    return [report.error('cli.server.program', at('/command'), message, { entry: id, hint })]
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    // With `bigint`, since Node takes a pipe in the plain result for the end of a path that it resolves next.
    return statSync(path, { bigint: true }).isFile()
  } catch {
    return false
  }
}
