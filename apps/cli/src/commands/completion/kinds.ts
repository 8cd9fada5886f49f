import { Option } from 'commander'
import type { Typed } from './typed.js'

/** What a value is, where the shell or the configuration knows which there are. */
export type Kind =
  | 'file'
  | 'folder'
  | 'server'
  | 'skill'
  | 'hook'
  | 'agent'
  | 'session'
  | 'model'
  | 'event'
  | 'tool'
  | 'prompt'
  | 'waiting'
  | 'approved'

const OPTIONS: Readonly<Record<string, Kind>> = {
  '--model': 'model',
  '--event': 'event',
  '--server': 'server',
  '--session': 'session',
  '--resume': 'session',
  '--tool': 'tool',
}

/** What arguments of these names are in any command, in those of a group, and in one command. */
const ARGUMENTS: Readonly<Record<string, Kind>> = {
  file: 'file',
  path: 'file',
  prompt: 'prompt',
  'explain tool': 'tool',
  'permissions tool': 'tool',
  'hooks hook': 'hook',
  'sessions id': 'session',
  'skills name': 'skill',
  'agents name': 'agent',
  'trust approve names': 'waiting',
  'trust revoke names': 'approved',
  'mcp name': 'server',
  'mcp names': 'server',
  'mcp server': 'server',
  // What is started by it is somebody's program, and often a file.
  'mcp command': 'file',
}

/** Arguments that name something new. */
const NEW: readonly string[] = ['mcp add name', 'skills install name']

/** `undefined` for what is free text, and where no value is typed. */
export function kindOf({ of, path }: Typed): Kind | undefined {
  if (!of || of.argChoices) return undefined
  if (of instanceof Option) {
    const [, placeholder = ''] = /[<[]([^>\]]+)[>\]]/.exec(of.flags) ?? []
    if (placeholder === 'dir') return 'folder'
    if (placeholder === 'file') return 'file'
    return OPTIONS[of.long ?? '']
  }
  const name = of.name()
  if (NEW.includes(`${path} ${name}`)) return undefined
  return ARGUMENTS[`${path} ${name}`] ?? ARGUMENTS[`${path.split(' ')[0]} ${name}`] ?? ARGUMENTS[name]
}
