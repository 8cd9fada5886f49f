import { suggest } from '@ext/kernel'

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

/** Whether a list may name this tool. Whoever writes a skill can't know which servers there are. */
export function isKnownTool(name: string, own: readonly string[]): boolean {
  return name.startsWith('mcp__') || name.includes('*') || WELL_KNOWN_TOOLS.includes(name) || own.includes(name)
}

/** The tool that is probably meant. */
export function suggestTool(name: string, own: readonly string[]): string | undefined {
  return suggest(name, [...own, ...WELL_KNOWN_TOOLS])
}
