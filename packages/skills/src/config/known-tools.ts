import { suggest } from '@ext/kernel'
import type { CompileContext } from './context.js'

/**
 * Tools that skills of other programs name. A skill may well be written for several of them, so none is a mistake.
 * Names in the tools reference of Claude Code (docs/tools-reference.md, as of August 2026), and former ones.
 */
export const WELL_KNOWN_TOOLS: readonly string[] = `
  Agent Artifact AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EndConversation
  EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillShell LS LSP ListAgents
  ListMcpResourcesTool Monitor MultiEdit NotebookEdit NotebookRead PowerShell PushNotification Read
  ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup SendFeedback SendMessage SendUserFile
  ShareOnboardingGuide Skill SlashCommand SubagentHandback Task TaskCreate TaskGet TaskList TaskOutput TaskStop
  TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WaitForMcpServers WebFetch WebSearch Workflow
  Write
`
  .trim()
  .split(/\s+/)

/** @param own names of the tools of the host */
export function knownToolNames(
  own: () => readonly string[],
): Required<Pick<CompileContext, 'isKnownTool' | 'suggestTool'>> {
  return {
    // Whoever writes a skill can't know which servers there are.
    isKnownTool: (name) =>
      name.startsWith('mcp__') || name.includes('*') || WELL_KNOWN_TOOLS.includes(name) || own().includes(name),
    suggestTool: (name) => suggest(name, [...own(), ...WELL_KNOWN_TOOLS]),
  }
}
