import type { RunEvent } from '@ext/agent-core/types'
import { type Diagnostic, formatPlace, isMap } from '@ext/kernel'
import type { ContentBlock } from '@ext/kernel/contract'
import { oneLine } from '../render/words.js'

/** What was seen during the demo's session. */
export interface DemoFacts {
  readonly events: readonly RunEvent[]
  /** What the model reads about skills before it loads one. */
  readonly catalog: string
  readonly diagnostics: readonly Diagnostic[]
  /** Content of the file that the hook after an edit leaves behind; `undefined` if there is none. */
  readonly edits: string | undefined
}

export interface DemoPoint {
  readonly claim: string
  /** What shows it; `undefined` when it was not seen, and then the demo has failed. */
  readonly evidence: string | undefined
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

/** The seven things that the demo promises, each judged by what really happened. */
export function judge(facts: DemoFacts): readonly DemoPoint[] {
  return [
    { claim: 'A real MCP server connects and one of its tools reads a file.', evidence: serverRead(facts) },
    {
      claim: 'A skill is listed by name and description, loaded with an argument, and followed.',
      evidence: skill(facts),
    },
    { claim: 'A hook blocks `git push`, and the model takes another way.', evidence: blockedPush(facts) },
    { claim: 'A hook runs after each edit.', evidence: hookAfterEdit(facts) },
    { claim: "A hook's allow does not get past a deny rule.", evidence: overruled(facts) },
    { claim: 'A question is answered by the user.', evidence: asked(facts) },
    { claim: 'Broken parts are named with place and fix, and cost nothing else.', evidence: broken(facts) },
  ]
}

function serverRead({ events }: DemoFacts): string | undefined {
  const tools = events.find(is('session_start'))?.tools.filter((tool) => tool.startsWith('mcp__fs__')) ?? []
  const result = events.filter(is('tool_result')).find((event) => event.tool === 'mcp__fs__read_text_file')
  if (tools.length === 0 || !result || result.is_error) return undefined
  return `${tools.length} tools as mcp__fs__*; notes/change.txt says: ${oneLine(textOf(result.content))}`
}

function skill({ events, catalog }: DemoFacts): string | undefined {
  const listed = catalog.includes('release-notes') && catalog.includes('How this project writes its release notes')
  const bodyHidden = !catalog.includes('Write the file')
  const loaded = events.filter(is('tool_result')).find((event) => event.tool === 'load_skill')
  const instructions = events.filter(is('context')).find((event) => event.by === 'skill release-notes')
  const followed = events.filter(is('tool_call')).find((call) => field(call, 'path') === 'RELEASE-1.2.0.md')
  if (!listed || !bodyHidden || !loaded || loaded.is_error || !followed) return undefined
  return instructions?.text.includes('RELEASE-1.2.0.md')
    ? 'release-notes with the argument 1.2.0 names RELEASE-1.2.0.md, which the model then writes'
    : undefined
}

function blockedPush({ events }: DemoFacts): string | undefined {
  const push = events.filter(is('tool_call')).find((call) => field(call, 'command') === 'git push origin main')
  const hook = events.filter(is('hook')).find((event) => event.tool_use_id === push?.tool_use_id && event.reason)
  const result = events.filter(is('tool_result')).find((event) => event.tool_use_id === push?.tool_use_id)
  const otherWay = events.filter(is('tool_call')).find((call) => field(call, 'path') === 'PUSH_REQUEST.md')
  if (!push || !hook?.reason || !result?.is_error || result.executed || !otherWay) return undefined
  return textOf(result.content).includes(hook.reason)
    ? `the model was told "${hook.reason}" and wrote PUSH_REQUEST.md`
    : undefined
}

function hookAfterEdit({ events, edits }: DemoFacts): string | undefined {
  const ran = events.filter(is('hook')).filter((event) => event.event === 'PostToolUse' && event.outcome !== 'failed')
  return ran.length > 0 && edits ? `edits.log holds: ${edits.trim().split('\n').join(', ')}` : undefined
}

function overruled({ events }: DemoFacts): string | undefined {
  const denied = events.filter(is('permission')).find((event) => event.decidedBy.rule === 'Edit(.env)')
  const hook = events.filter(is('hook')).find((event) => event.tool_use_id === denied?.tool_use_id)
  const notice = events.filter(is('notice')).find((event) => /overrule/i.test(event.text))
  return denied?.behavior === 'deny' && hook?.outcome === 'decided' ? notice?.text : undefined
}

function asked({ events }: DemoFacts): string | undefined {
  const answered = events.filter(is('permission')).find((event) => event.answeredBy === 'user')
  const result = events.filter(is('tool_result')).find((event) => event.tool_use_id === answered?.tool_use_id)
  if (answered?.behavior !== 'allow' || !result || result.is_error) return undefined
  return `rule ${answered.decidedBy.rule} asked, the user allowed it, it printed: ${textOf(result.content).trim().split('\n')[0]}`
}

function broken({ events, diagnostics }: DemoFacts): string | undefined {
  const found = ['.mcp.json', '.claude/settings.json', 'half-written/SKILL.md'].map((file) =>
    diagnostics.find(
      ({ severity, hint, source }) =>
        severity === 'error' && hint && source.file?.endsWith(file) && source.line && source.column,
    ),
  )
  const done = events.find(is('result'))?.reason === 'done'
  if (!done || found.some((diagnostic) => !diagnostic)) return undefined
  return found.map((diagnostic) => diagnostic && formatPlace(diagnostic.source)).join(', ')
}

function is<T extends RunEvent['type']>(type: T): (event: RunEvent) => event is Of<T> {
  return (event): event is Of<T> => event.type === type
}

function field(call: Of<'tool_call'>, name: string): unknown {
  return isMap(call.input) ? call.input[name] : undefined
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}
