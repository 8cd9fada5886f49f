import { isMap, joinPointer } from '@ext/kernel'
import { anyOf, compileNameGlob, type Matcher } from '@ext/kernel/match'
import type { PerTool, RulePattern, ToolRules } from './entry.js'
import { dotted, type Notes } from './notes.js'
import { type Parts, present } from './parts.js'

/** Reads which tools are offered. */
export function readRules(parts: Parts, server: string): ToolRules {
  const allow = readNames(parts, '/tools/allow')
  const deny = readNames(parts, '/tools/deny')
  const always = readNames(parts, '/tools/always')
  const perTool = readPerTool(parts)
  const settings = perTool.map(({ tool }): RulePattern => ({ pointer: joinPointer('/tools/perTool', tool.text), tool }))
  const patterns = [...(allow ?? []), ...(deny ?? []), ...(always ?? []), ...settings]
  for (const pattern of patterns) warnOfUnlikely(pattern, server, parts.notes)
  if (allow?.length === 0) {
    const hint = 'Remove `allow` to offer all, or write `enabled: false` to leave the server off.'
    parts.notes.warning(
      'mcp.tools.never',
      '/tools/allow',
      `No tool of \`${server}\` is offered: the list is empty.`,
      hint,
    )
  }
  const denied = matcherOf(deny)
  for (const { pointer, tool } of [...(allow ?? []), ...(always ?? []), ...settings]) {
    if (!denied || !isCovered(tool, denied, deny ?? [])) continue
    const message = `${dotted(pointer)} names \`${tool.text}\`, and \`tools.deny\` takes it out.`
    parts.notes.warning('mcp.tools.never', pointer, message, 'Remove it from one of the two.')
  }
  return { ...present({ allow: matcherOf(allow), deny: denied, always: matcherOf(always) }), perTool, patterns }
}

function readNames(parts: Parts, pointer: string): readonly RulePattern[] | undefined {
  const written = parts.at(pointer)
  if (typeof written === 'string') return written === '' ? undefined : [{ pointer, tool: compileNameGlob(written) }]
  if (!Array.isArray(written)) return undefined
  return written.flatMap((name, index) =>
    typeof name === 'string' ? [{ pointer: joinPointer(pointer, index), tool: compileNameGlob(name) }] : [],
  )
}

/** An empty list to allow allows nothing; an empty one to deny says nothing. */
function matcherOf(patterns: readonly RulePattern[] | undefined): Matcher | undefined {
  return patterns && anyOf(patterns.map(({ tool }) => tool))
}

function readPerTool(parts: Parts): readonly PerTool[] {
  const written = parts.at('/tools/perTool')
  return Object.entries(isMap(written) ? written : {}).map(([name, settings]) => {
    const readOnly = isMap(settings) ? settings['readOnly'] : undefined
    return {
      tool: compileNameGlob(name),
      ...present({
        callMs: parts.duration(joinPointer('/tools/perTool', name, 'timeout')),
        readOnly: typeof readOnly === 'boolean' ? readOnly : undefined,
      }),
    }
  })
}

/** Whether everything that a pattern can fit is denied; where that is not plain, it is not. */
function isCovered(pattern: Matcher, denied: Matcher, deny: readonly RulePattern[]): boolean {
  return (
    deny.some(({ tool }) => tool.text === pattern.text || tool.text === '*') ||
    (isName(pattern) && denied.test(pattern.text))
  )
}

function isName({ text }: Matcher): boolean {
  return !/[*?]/.test(text)
}

/** Names of tools can be almost anything, but these are what people write who mean something else. */
function warnOfUnlikely({ pointer, tool: { text } }: RulePattern, server: string, notes: Notes): void {
  const prefix = `mcp__${server}__`
  const warn = (what: string, hint: string) =>
    notes.warning('mcp.tools.never', pointer, `\`${text}\` in ${dotted(pointer)} ${what}.`, hint)
  if (text.startsWith(prefix)) {
    warn('is the full name of a tool; here it is called as the server does', `Write \`${text.slice(prefix.length)}\`.`)
  } else if (/[,|\s]/.test(text)) {
    warn('is one name, and hardly that of a tool', 'Write a list with one name per item.')
  } else if (/\(.*\)$/.test(text)) {
    warn('is one name, not a rule about inputs', 'Write the name only; rules about inputs go into `permissions`.')
  }
}
