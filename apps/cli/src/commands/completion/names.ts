import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Io } from '../../io.js'
import { oneLine } from '../../render/words.js'
import type { Candidate } from './complete.js'
import type { Kind } from './kinds.js'
import type { Typed } from './typed.js'

/** The names that the files of the project and the person hold. Nothing is started. */
export async function namesOf(kind: Kind, typed: Typed, io: Io): Promise<readonly Candidate[]> {
  const project = folderOf(typed.given.get('--project') ?? '.')
  switch (kind) {
    case 'server':
      return unique(await servers(project, typed.given.get('--config'), io))
    case 'session':
      return sessions(project)
    case 'waiting':
    case 'approved': {
      const { projectTrust } = await import('../trust/waiting.js')
      const { pending, approved } = await projectTrust(project, io)
      const names = kind === 'waiting' ? pending : approved
      return unique(names.map((each) => ({ value: each.name, about: each.kind })))
    }
    case 'event': {
      const { events } = await import('@ext/hooks')
      return Object.keys(events).map((value) => ({ value }))
    }
    case 'tool': {
      const { OWN_TOOL_NAMES } = await import('../../own-tools.js')
      return OWN_TOOL_NAMES.map((value) => ({ value }))
    }
    case 'skill':
    case 'prompt':
    case 'hook':
    case 'agent':
    case 'model':
      return unique(await ofExtensions(kind, project, typed, io))
    default:
      return []
  }
}

async function servers(project: string, config: string | undefined, io: Io): Promise<readonly Candidate[]> {
  const { openServers } = await import('../mcp/open.js')
  const { snapshot } = await openServers({ project, ...(config === undefined ? {} : { config }) }, io)
  return snapshot.records.map(({ name, verdict }) => ({ value: name, about: verdict }))
}

async function sessions(project: string): Promise<readonly Candidate[]> {
  const { openSessions } = await import('../sessions/open.js')
  const { store, project: cwd } = openSessions({ project })
  const found = await store.list({ cwd, limit: 50 })
  return found.map(({ id, title }) => ({ value: id, about: title }))
}

async function ofExtensions(
  kind: 'skill' | 'prompt' | 'hook' | 'agent' | 'model',
  project: string,
  typed: Typed,
  io: Io,
): Promise<readonly Candidate[]> {
  // A prompt is a free text, but for the one that starts a skill.
  if (kind === 'prompt' && !typed.current.startsWith('/')) return []
  const { withExtensions } = await import('../read-extensions.js')
  return withExtensions({ project }, io, async (extensions): Promise<readonly Candidate[]> => {
    switch (kind) {
      case 'skill':
      case 'prompt':
        return extensions.skills.snapshot.entries.map(({ value: { name, description } }) => ({
          value: kind === 'prompt' ? `/${name}` : name,
          about: description,
        }))
      case 'hook':
        return extensions.hooks.list().map(({ name, hook }) => ({
          value: name,
          about: oneLine([hook?.event ?? '', hook?.action ?? ''].join(' ')),
        }))
      default:
        return extensions.records
          .filter(({ axis }) => axis === (kind === 'agent' ? 'agents' : 'models'))
          .map(({ name, verdict }) => ({ value: name.replace(/^models\./, ''), about: verdict }))
          .filter(({ value }) => value !== 'model')
    }
  })
}

/** What the shell would have made of it, had it got so far. */
function folderOf(written: string): string {
  return resolve(written.replace(/^~(?=\/|$)/, () => homedir()))
}

function unique(found: readonly Candidate[]): readonly Candidate[] {
  return [...new Map(found.map((each) => [each.value, each])).values()]
}
