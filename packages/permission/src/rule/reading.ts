import { isMap } from '@ext/kernel'
import type { ToolTable } from '@ext/kernel/contract'
import type { PathAnchors } from '@ext/kernel/match'
import { type CommandReading, readCommand } from './command/read.js'
import { readPaths } from './path.js'
import { type CalledTool, likenessOf, type RuleTool } from './tools.js'

/** A call that rules are held against. */
export interface RuleCall {
  readonly tool: RuleTool
  readonly input: unknown
  /**
   * Where the call's paths really lead, links followed. An allow rule has to match these as well, a deny or ask rule
   * any of them. Links are not looked up here. Default: none.
   */
  readonly realPaths?: readonly string[]
}

/** A call, read once for all rules. */
export interface CallReading extends CalledTool {
  /** For tools that run command lines. */
  readonly command: CommandReading | undefined
  /** For tools with a path; `undefined` also when the path can't be judged. */
  readonly paths: readonly string[] | undefined
}

export interface ReadingContext {
  readonly anchors: Pick<PathAnchors, 'cwd' | 'home' | 'ignoreCase'>
  readonly tools: ToolTable
}

const NO_COMMAND: CommandReading = { words: [], widest: [], unclear: 'the call has no text for it', opaque: true }

/** The paths of a call alone: its command line costs more to read. */
export function readPathsOf(
  { tool, input }: RuleCall,
  { anchors, tools }: ReadingContext,
): readonly string[] | undefined {
  const like = likenessOf(tool.name, tools, tool.source.server)
  return like && readPaths(isMap(input) ? input : {}, like, anchors)
}

export function readCall({ tool, input, realPaths = [] }: RuleCall, { anchors, tools }: ReadingContext): CallReading {
  const like = likenessOf(tool.name, tools, tool.source.server)
  const fields = isMap(input) ? input : {}
  const line = like?.command !== undefined && Object.hasOwn(fields, like.command) ? fields[like.command] : undefined
  const paths = like && readPaths(fields, like, anchors)
  return {
    tool,
    like,
    command:
      like?.command === undefined
        ? undefined
        : typeof line === 'string'
          ? readCommand(line, anchors.ignoreCase)
          : NO_COMMAND,
    paths: paths && [...paths, ...realPaths],
  }
}
