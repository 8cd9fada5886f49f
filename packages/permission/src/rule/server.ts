import { compileNameGlob, type Matcher } from '@ext/kernel/match'
import type { RuleProblem } from './parse.js'
import type { ToolTest } from './tools.js'

const PREFIX = 'mcp__'
const SEPARATOR = '__'

export function isGlob(name: string): boolean {
  return /[*?]/.test(name)
}

export function isServerRule(name: string): boolean {
  return name.startsWith(PREFIX)
}

/** Why a server rule can't allow anything; `undefined` when it can. */
export function serverRuleProblem(name: string): RuleProblem | undefined {
  const text = name.slice(PREFIX.length)
  if (!isGlob(text) || readingsOf(text).some(({ server }) => server !== '' && !isGlob(server))) return undefined
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
  const whole = wide ? compileNameGlob(name) : undefined
  const all = readingsOf(text)
  // Narrowest, `git__hub__*` allows the tools of `git__hub`, and not those of `git` that are called `hub__…`.
  const readings = wide || !isGlob(text) ? all : all.filter(({ server }) => !isGlob(server)).slice(-1)
  return ({ tool: { name: full, source } }) => {
    const { server, tool } = source
    if (whole?.test(full)) return true
    if (server === undefined) return false
    if (text === server || whole?.test(`${PREFIX}${server}${SEPARATOR}${tool}`)) return true
    return readings.some((reading) => reading.server === server && reading.tools.test(tool))
  }
}

interface ServerReading {
  readonly server: string
  readonly tools: Matcher
}

/** Every way to read the text as a server and its tools. */
function readingsOf(text: string): readonly ServerReading[] {
  const readings: ServerReading[] = []
  for (let at = text.indexOf(SEPARATOR); at !== -1; at = text.indexOf(SEPARATOR, at + 1)) {
    readings.push({ server: text.slice(0, at), tools: compileNameGlob(text.slice(at + SEPARATOR.length)) })
  }
  return readings
}
