import type { JsonObject, LifecycleEvent, LifecyclePayloads } from '@ext/kernel/contract'
import type { HookEntry } from './config/entry.js'
import { events } from './events.js'
import { fileNames } from './match/files.js'
import { parseMatcher } from './match/matcher.js'

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'call-1' }
const AGENT = { agent_id: 'agent-1', agent_type: 'reviewer' }
const TASK = { task_id: 'task-1', task_subject: 'npm test', task_kind: 'command' } as const
const USAGE = { input_tokens: 90, output_tokens: 20 }

/** A payload of each event, as it could come. */
const SAMPLES: LifecyclePayloads = {
  SessionStart: { source: 'startup', model: 'some-model' },
  SessionEnd: { reason: 'other' },
  InstructionsLoaded: { file_path: '/srv/app/AGENTS.md', memory_type: 'Project', load_reason: 'session_start' },
  UserPromptSubmit: { prompt: 'Fix the tests' },
  UserPromptExpansion: {
    expansion_type: 'slash_command',
    command_name: 'release',
    command_args: '1.2.0',
    command_source: 'project',
    prompt: '/release 1.2.0',
  },
  BeforeModel: {
    iteration: 1,
    model: 'some-model',
    request: {
      system: 'Be brief.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Fix the tests' }] }],
      tools: [{ name: 'Bash', description: 'Runs a command.', inputSchema: { type: 'object' } }],
    },
    totals: { tokens: 0, cost_usd: 0, turns: 0 },
  },
  AfterModel: {
    iteration: 1,
    model: 'some-model',
    response: { text: 'I look around.', calls: [{ id: 'call-1', name: 'Bash', input: { command: 'ls' } }] },
    usage: USAGE,
    duration_ms: 900,
  },
  PreToolUse: CALL,
  PermissionRequest: { ...CALL, reason: 'no rule allows it', suggestions: ['Bash(ls)'] },
  PermissionDenied: { ...CALL, reason: 'a rule denies it' },
  PostToolUse: { ...CALL, tool_response: 'a.txt', duration_ms: 5 },
  PostToolUseFailure: {
    ...CALL,
    error: 'no such folder',
    cause: 'crashed',
    executed: true,
    wait_ms: 0,
    duration_ms: 5,
  },
  PostToolBatch: { tool_calls: [{ ...CALL, is_error: false, executed: true, tool_response: 'a.txt' }] },
  PreCompact: { trigger: 'auto', before_tokens: 160_000 },
  PostCompact: { trigger: 'auto', before_tokens: 160_000, after_tokens: 12_000, summary: 'The tests are fixed.' },
  SubagentStart: AGENT,
  SubagentStop: { ...AGENT, last_assistant_message: 'Looks good.', stop_hook_active: false },
  Stop: { stop_hook_active: false, last_assistant_message: 'Done.', iteration: 1 },
  StopFailure: { error: 'rate_limit', error_details: 'too many requests' },
  AfterAgent: { last_assistant_message: 'Done.', iterations: 2, usage: USAGE },
  TaskCreated: TASK,
  TaskCompleted: { ...TASK, task_state: 'completed' },
  Notification: { notification_type: 'permission_prompt', message: 'May Bash run `ls`?' },
  Elicitation: {
    mcp_server_name: 'github',
    mode: 'form',
    message: 'Which account?',
    requested_schema: { type: 'object', properties: { account: { type: 'string' } }, required: ['account'] },
  },
  ElicitationResult: { mcp_server_name: 'github', mode: 'form', action: 'accept', content: { account: 'work' } },
  ConfigChange: { source: 'project_settings', file_path: '/srv/app/.ext/config.yaml' },
  FileChanged: { file_path: '/srv/app/.env', change: 'change', event: 'change' },
}

/** Inputs of well-known tools, where theirs is not that of Bash. */
const INPUTS: Readonly<Record<string, JsonObject>> = {
  Read: { file_path: 'src/example.ts' },
  Write: { file_path: 'src/example.ts', content: 'export {}\n' },
  Edit: { file_path: 'src/example.ts', old_string: 'a', new_string: 'b' },
  MultiEdit: { file_path: 'src/example.ts', edits: [] },
  Glob: { pattern: '**/*.ts' },
  Grep: { pattern: 'TODO' },
  WebFetch: { url: 'https://example.com/', prompt: 'Read it' },
}

/**
 * A payload that a hook could get: of the first name in its matcher, and with a command or path that a simple `if` fits.
 */
export function samplePayload(event: LifecycleEvent, hook: Pick<HookEntry, 'matcher' | 'condition'>): JsonObject {
  const sample = SAMPLES[event] as unknown as JsonObject
  const { matcherField } = events[event]
  const form = parseMatcher(hook.matcher)
  const names = matcherField === 'file_path' ? fileNames(hook.matcher) : form.kind === 'names' ? form.names : []
  const [name] = names
  if (matcherField === 'none') return sample
  if (matcherField !== 'tool_name') return name === undefined ? sample : { ...sample, [matcherField]: name }
  const [, ruleTool, specifier] =
    /^(\w+)\((.*)\)$/s.exec(typeof hook.condition === 'string' ? hook.condition : '') ?? []
  const tool = name ?? ruleTool ?? CALL.tool_name
  const input = Object.hasOwn(INPUTS, tool) ? INPUTS[tool] : tool === CALL.tool_name ? CALL.tool_input : {}
  return { ...sample, tool_name: tool, tool_input: { ...input, ...fitting(specifier, input ?? {}) } }
}

/** The input field that a rule is about, with a value that fits. */
function fitting(specifier: string | undefined, input: JsonObject): JsonObject {
  if (specifier === undefined) return {}
  const value = specifier.replace(/:\*$/, ' example').replaceAll(/\*+/g, 'example')
  const field = ['command', 'file_path'].find((name) => Object.hasOwn(input, name))
  return field === undefined ? {} : { [field]: value.replace(/^\/(?=\w)/, '') }
}
