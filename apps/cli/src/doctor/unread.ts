import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createReporter, type Diagnostic, isMap, joinPointer, openDocument, valueAt } from '@ext/kernel'
import { nodeFiles } from '@ext/kernel/node'
import { diagnosticCodes } from '../codes.js'
import type { Locations, UnreadFile } from '../locations.js'
import { count } from '../render/words.js'

const report = createReporter(diagnosticCodes)

/** Files of Claude Code that hold servers or settings and are not read. */
export async function unreadFiles({
  claudeUnread,
  project,
  repository,
}: Pick<Locations, 'claudeUnread' | 'project' | 'repository'>): Promise<readonly Diagnostic[]> {
  const found = await Promise.all(
    claudeUnread.map((file) =>
      file.holds === 'state' ? serversInState(file, [...new Set([project, repository])]) : unreadOfAdministrator(file),
    ),
  )
  return found.flat()
}

/**
 * Claude Code keeps servers that were added for a person or for one project in the file of its own state, which it writes all
 * the time and which can be large; so it is looked at only when somebody asks what is wrong.
 */
async function serversInState(
  { path, layer }: UnreadFile,
  projects: readonly string[],
): Promise<readonly Diagnostic[]> {
  const pointers = ['/mcpServers', ...projects.map((project) => joinPointer('/projects', project, 'mcpServers'))]
  const state = await parsed(path)
  if (!pointers.some((pointer) => namesAt(state, pointer).length > 0)) return []
  const source = { kind: 'file', layer, dialect: 'ext', path } as const
  const { document } = await openDocument(source, nodeFiles())
  return pointers.flatMap((pointer) => {
    const names = namesAt(state, pointer)
    if (names.length === 0) return []
    const message = `Claude Code has ${count(names.length, 'server')} here, which ext does not read: ${names.join(', ')}.`
    const hint = 'Add those that you want: `ext mcp add NAME -- COMMAND …`, or `ext mcp add NAME --url URL`.'
    const place = document?.at(pointer, 'key') ?? { layer, file: path }
    return report.warning('cli.file.not-read', place, message, { hint })
  })
}

function unreadOfAdministrator({ path, layer, holds }: UnreadFile): readonly Diagnostic[] {
  if (!existsSync(path)) return []
  const message = `These ${holds} of the administrator for Claude Code are not read, so nothing of them holds here.`
  const where = holds === 'servers' ? '`mcpServers` in /etc/ext/config.yaml' : 'managed-settings.json beside it'
  const hint = `Have the administrator write them into ${where}.`
  return [report.warning('cli.file.not-read', { layer, file: path }, message, { hint })]
}

function namesAt(state: unknown, pointer: string): readonly string[] {
  const servers = valueAt(state, pointer)
  return isMap(servers) ? Object.keys(servers) : []
}

async function parsed(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    // Not there, or just being written; it is not for us to judge.
    return undefined
  }
}
