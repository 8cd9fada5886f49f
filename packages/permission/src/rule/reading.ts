import { isMap } from '@ext/kernel'
import type { ToolTable } from '@ext/kernel/contract'
import type { PathAnchors } from '@ext/kernel/match'
import type { ShellContext } from '../shell/index.js'
import { type CommandReading, readCommand } from './command/read.js'
import { type Destination, readDestination } from './domain.js'
import { type NamedPath, readPaths } from './path.js'
import { type CalledTool, likenessOf, type RuleTool } from './tools.js'

/** A call that rules are held against. */
export interface RuleCall {
  readonly tool: RuleTool
  readonly input: unknown
  /**
   * Where paths of the call really lead, links followed, by the absolute path that the call names. An allow rule has to
   * match both, a deny or ask rule one of them. Links are not looked up here. Default: none is known.
   */
  readonly links?: Links
}

/** By a path as text has it: where it really leads, if that is elsewhere. */
export type Links = ReadonlyMap<string, readonly string[]>

/** A call, read once for all rules. */
export interface CallReading extends CalledTool {
  readonly input: Readonly<Record<string, unknown>>
  readonly links: Links | undefined
  /** For tools that run command lines; `unreadable` when the call has no text for it. */
  readonly command: CommandReading | 'unreadable' | undefined
  /** For tools with a path, with where they lead; `undefined` also when a path can't be judged. */
  readonly paths: readonly string[] | undefined
  /** For tools with a path: what the call names. */
  readonly named: readonly NamedPath[]
  /** For tools that fetch; without hosts when the call names none. */
  readonly destination: Destination | undefined
  /** For tools that start something by its name; `undefined` also when the call has no text for it. */
  readonly target: Target | undefined
}

/** What a call starts. */
export interface Target {
  readonly name: string
  /** With what it is called with behind it. */
  readonly line: string
}

/** How a call is read. */
export interface ReadingContext {
  readonly anchors: Pick<PathAnchors, 'cwd' | 'home' | 'ignoreCase'>
  /** Which tools of the host are like which of the rule language, and where they hold command, path and URL. */
  readonly tools: ToolTable
  /** What command lines run in. Default: bash on Linux, or on macOS where case is ignored. */
  readonly shell?: Partial<Pick<ShellContext, 'shell' | 'platform' | 'roots' | 'programs' | 'env'>>
}

const NOWHERE: Destination = { hosts: [], plain: false }

/** Reads a call once, so that many rules can be held against it. Never throws. */
export function readCall(call: RuleCall, context: ReadingContext): CallReading {
  const { tool } = call
  const like = likenessOf(tool.name, context.tools, tool.source.server)
  return readCallLike(call, like, context.anchors, (line) => readCommand(line, shellContext(context)))
}

/**
 * @param like what is known of the tool
 * @param read a memory of command lines, for whoever reads many calls
 */
export function readCallLike(
  { tool, input, links }: RuleCall,
  like: CallReading['like'],
  anchors: ReadingContext['anchors'],
  read: (command: string) => CommandReading,
): CallReading {
  const fields = isMap(input) ? input : {}
  const field = (name: string | undefined) =>
    name !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined
  const line = field(like?.command)
  const url = field(like?.url)
  const named = like && readPaths(fields, like, anchors)
  return {
    tool,
    like,
    input: fields,
    links,
    command: like?.command === undefined ? undefined : typeof line === 'string' ? read(line) : 'unreadable',
    paths:
      named &&
      withLinks(
        named.map(({ path }) => path),
        links,
      ),
    named: named ?? [],
    destination: like?.url === undefined ? undefined : typeof url === 'string' ? readDestination(url) : NOWHERE,
    target: like?.target && readTarget(like.target, like.targetArgs ?? [], fields),
  }
}

export function shellContext({ anchors, shell }: ReadingContext): ShellContext {
  const { cwd, home, ignoreCase } = anchors
  return { cwd, home, shell: 'bash', platform: ignoreCase ? 'darwin' : 'linux', ...shell }
}

/** Paths, and where they lead. */
export function withLinks(paths: readonly string[], links: Links | undefined): readonly string[] {
  return links && links.size > 0 ? paths.flatMap((path) => [path, ...(links.get(path) ?? [])]) : paths
}

/** Two fields that name different things are not understood. */
function readTarget(
  names: readonly string[],
  args: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): Target | undefined {
  const valuesOf = (keys: readonly string[]) => keys.flatMap((key) => (Object.hasOwn(fields, key) ? [fields[key]] : []))
  const found = valuesOf(names)
  const [target] = found
  if (typeof target !== 'string' || !found.every((each) => each === target)) return undefined
  const name = target.replace(/^\//, '')
  const words = valuesOf(args).flatMap((each) =>
    each === undefined || each === null || each === '' ? [] : [String(each)],
  )
  return { name, line: [name, ...words].join(' ') }
}
