import { compileNameGlob } from '@ext/kernel/match'
import type { RuleProblem } from './parse.js'
import type { RuleTool } from './tools.js'

const PREFIX = 'mcp__'
const SEPARATOR = '__'

export type ToolTest = (tool: RuleTool) => boolean

export function isServerRule(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Why a server rule can't allow anything; `undefined` when it can. */
export function serverRuleProblem(name: string): RuleProblem | undefined {
  const star = name.search(/[*?]/)
  if (star === -1 || name.slice(PREFIX.length, star).lastIndexOf(SEPARATOR) > 0) return undefined
  return {
    problem: 'a wildcard in the server name of an allow rule would trust servers that are not known yet',
    hint: 'Name the server, for example `mcp__github__*`.',
  }
}

/**
 * The test of a rule such as `mcp__github`, `mcp__github__*` or `mcp__github__get_issue`. Servers and tools may hold
 * `__` themselves, so a tool's full name is never split: the rule is held against the server that the tool comes from.
 */
export function compileServerRule(name: string, wide: boolean): ToolTest {
  const text = name.slice(PREFIX.length)
  const wild = /[*?]/.test(text)
  const whole = compileNameGlob(name)
  // Narrowest reading of `git__hub__*`: the server is `git__hub`, not `git` with tools called `hub__…`.
  const onlyServer = wild && !wide ? text.slice(0, text.lastIndexOf(SEPARATOR, text.search(/[*?]/))) : undefined
  return ({ name: full, source: { server, tool } }) => {
    if (wide && whole(full)) return true
    if (server === undefined || (onlyServer !== undefined && server !== onlyServer)) return false
    if (text === server) return true
    if (wide && whole(`${PREFIX}${server}${SEPARATOR}${tool}`)) return true
    return text.startsWith(server + SEPARATOR) && compileNameGlob(text.slice(server.length + SEPARATOR.length))(tool)
  }
}
