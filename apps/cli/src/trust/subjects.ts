import { isAbsolute, relative, resolve } from 'node:path'
import { canonicalJson, type Located } from '@ext/kernel'
import type { Runs, TrustSubject } from '@ext/kernel/trust'
import type { ServerEntry } from '@ext/mcp-client/types'
import type { PermissionEntry } from '@ext/permission/types'
import { keyVariable } from '../models/open.js'
import type { ModelEntry } from '../models/pipeline.js'
import { describeSpec, type ProviderSpec } from '../models/spec.js'

/** What a person agrees to when a server of a project is approved. */
export function serverSubject({ value }: Located<ServerEntry>, project: string): TrustSubject {
  const { name, command = '', args, env, cwd, trust } = value
  // A bare name is looked up on PATH; anything else is a path in the project, as the client has it.
  const file = /[\\/]/.test(command) && !isAbsolute(command) ? resolve(project, command) : command
  return {
    kind: 'servers',
    name,
    root: project,
    runs: {
      command: { file, args },
      ...(cwd === undefined ? {} : { cwd }),
      ...(Object.keys(env).length > 0 ? { env } : {}),
      believesAnnotations: trust,
    },
  }
}

/** What a person agrees to when something of a project makes permission looser. */
export function permissionSubject({ value, pointer, source }: Located<PermissionEntry>, project: string): TrustSubject {
  const { also, ...runs } = loosens(value)
  // Paths in rules start at the file that they stand in.
  const from = source.file === undefined ? {} : { file: relative(project, source.file) }
  return {
    kind: 'permissions',
    name: nameOf(value, pointer),
    root: project,
    runs: { ...runs, also: { ...also, ...from } },
  }
}

/** What a person agrees to when a project chooses who gets the conversation, and which key. */
export function modelSubject({ value }: Located<ModelEntry>, project: string): TrustSubject {
  return { kind: 'models', name: value.name, root: project, runs: asks(value.means) }
}

function asks(means: ModelEntry['means']): Runs {
  if (typeof means === 'string') return { sends: 'everything', also: { model: means } }
  if (means.provider === 'scripted') return { scripts: [means.file], also: { model: describeSpec(means) } }
  const { baseURL, options } = means
  const key = keyVariable(means)
  return {
    ...(baseURL === undefined ? { host: OWN_HOSTS[means.provider] ?? means.provider } : { url: baseURL }),
    ...(key === undefined ? {} : { passEnv: [key] }),
    sends: 'everything',
    also: { model: describeSpec(means), ...(options ? { options: canonicalJson(options) } : {}) },
  }
}

const OWN_HOSTS: Readonly<Partial<Record<ProviderSpec['provider'], string>>> = {
  anthropic: 'api.anthropic.com',
  openai: 'api.openai.com',
}

function nameOf(entry: PermissionEntry, pointer: string): string {
  if (entry.kind !== 'rule') return entry.kind
  return entry.written?.name ?? (entry.text === '' ? pointer : entry.text)
}

function loosens(entry: PermissionEntry): Runs {
  switch (entry.kind) {
    case 'rule': {
      const { effect, text, written } = entry
      return { tools: [text], also: { effect, ...(written ? { rule: canonicalJson(written) } : {}) } }
    }
    case 'mode':
      return { also: { mode: entry.mode } }
    case 'directory':
      return { also: { folder: entry.path } }
    case 'read-only-commands':
      return { also: { 'commands that only read': entry.run ? 'run' : 'are asked' } }
    case 'managed-only':
      return { also: { rules: 'only managed ones' } }
  }
}
