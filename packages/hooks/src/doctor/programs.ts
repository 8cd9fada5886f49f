import type { HostPorts } from '@ext/kernel'
import { childEnv, type EnvPreset } from '@ext/kernel/env'
import { resolvePath } from '@ext/kernel/match'
import type { CommandAction } from '../config/actions.js'
import type { HookEntry } from '../config/entry.js'
import { folderVariables } from '../config/folders.js'
import { simpleCommands, type Words } from './simple-commands.js'

/** A program that a command starts, and the script that it is given. */
export interface Started {
  /** As it is written, with variables put in. */
  readonly program: string
  /** Absolute; absent for a name that is looked for in PATH. */
  readonly path?: string
  /** Of a script that `program` runs, absolute. */
  readonly script?: string
  /** What the script or program itself gets as arguments. */
  readonly args: readonly string[]
}

/** What decides what a command starts. */
export interface CommandHost {
  readonly root: string
  readonly ports: Pick<HostPorts, 'files' | 'env' | 'platform' | 'home'>
  readonly envPresets: readonly EnvPreset[]
}

const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ksh']
const INTERPRETERS = [...SHELLS, 'python', 'python3', 'node', 'bun', 'ruby', 'perl', 'php']

/** The variables of a command that are known before it runs. */
export function commandVariables(
  hook: Pick<HookEntry, 'dialect' | 'owner'>,
  action: CommandAction,
  { root, ports, envPresets: presets }: CommandHost,
): Readonly<Record<string, string>> {
  const declared = { ...action.env, ...folderVariables(hook, root) }
  return childEnv({ host: ports.env, platform: ports.platform, passEnv: action.passEnv, presets, declared }).env
}

/** What a command starts, as far as can be told for sure. */
export function startedBy(hook: HookEntry, action: CommandAction, host: CommandHost): readonly Started[] {
  const variables = commandVariables(hook, action, host)
  const { root, ports } = host
  const cwd = action.cwd === undefined ? root : resolvePath(action.cwd, { cwd: root, home: ports.home })
  const absolute = (path: string) => resolvePath(path, { cwd, home: ports.home })
  const fill = (text: string) => text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole)
  const commands: readonly Words[] = action.args
    ? [[fill(action.command), ...action.args.map(fill)]]
    : simpleCommands(action.command, variables)
  // A dollar that is left is one in single quotes, and the loader has said so.
  const known = commands.filter((words) => !words.some((word) => word.includes('$') && word.includes('/')))
  return known.map(([program, ...args]) => {
    const path = /[/\\]/.test(program) ? { path: absolute(program) } : {}
    const at = scriptAt(baseName(program), args)
    const script = at === undefined ? undefined : args[at]
    if (at === undefined || script === undefined) return { program, ...path, args }
    return { program, ...path, script: absolute(script), args: args.slice(at + 1) }
  })
}

/** Which argument of an interpreter is the script; none where it gets the text itself or a module. */
function scriptAt(program: string, args: readonly string[]): number | undefined {
  if (!INTERPRETERS.includes(program)) return undefined
  const harmless = isShell(program) ? /^-[euxv]+$/ : program.startsWith('python') ? /^-[uBEs]+$/ : /^$/
  const at = args.findIndex((word) => !harmless.test(word))
  const word = args[at]
  return word === undefined || word.startsWith('-') || /[<>$]/.test(word) ? undefined : at
}

export function isShell(program: string): boolean {
  return SHELLS.includes(baseName(program))
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether a name is a program that the command would find. */
export async function isOnPath(
  name: string,
  variables: Readonly<Record<string, string>>,
  { ports }: CommandHost,
): Promise<boolean> {
  for (const folder of (variables['PATH'] ?? '').split(':')) {
    if (folder !== '' && (await ports.files.isExecutable(`${folder}/${name}`))) return true
  }
  return false
}
