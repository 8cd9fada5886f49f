import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ConfigSource, Diagnostic, HostPorts } from '@ext/kernel'
import type { EventResult, LifecyclePayloads, SessionRef } from '@ext/kernel/contract'
import { nodePorts } from '@ext/kernel/node'
import { onTestFinished } from 'vitest'
import { createHooks, type HookSession, type Hooks, type HooksOptions } from '../src/index.js'

/** A folder with these files; scripts are executable. Removed when the test ends. */
export async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ext hooks-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text, { mode: 0o755 })
  }
  return root
}

export function session(root: string, id = 'session-1'): SessionRef {
  return { id, cwd: root, origin: 'main', permissionMode: 'default' }
}

/** A native rule that runs a shell script. */
export function rule(event: string, command: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { event, action: { type: 'command', command }, ...more }
}

export function extSource(...rules: unknown[]): ConfigSource {
  return { kind: 'value', layer: 'user', dialect: 'ext', name: 'test', value: { hooks: rules } }
}

export function claudeSource(hooks: unknown, more: Readonly<Record<string, unknown>> = {}): ConfigSource {
  return { kind: 'value', layer: 'user', dialect: 'claude-settings', name: 'test', value: { hooks, ...more } }
}

export interface Setup extends Partial<Omit<HooksOptions, 'layers' | 'ports'>> {
  readonly ports?: Partial<HostPorts>
}

export async function load(layers: readonly ConfigSource[], { ports, ...options }: Setup = {}): Promise<Hooks> {
  const hooks = await createHooks({
    layers,
    root: options.root ?? '/project',
    ports: { ...nodePorts({ PATH: process.env['PATH'], HOME: '/home/someone' }), ...ports },
    ...options,
  })
  onTestFinished(() => hooks.close())
  return hooks
}

export interface Scene {
  readonly root: string
  readonly hooks: Hooks
  readonly session: HookSession
}

/** A project whose hooks are loaded and whose session has started. */
export async function scene(
  layers: readonly ConfigSource[],
  setup: Setup & { files?: Record<string, string> } = {},
): Promise<Scene> {
  const { files, ...options } = setup
  const root = options.root ?? (await project(files))
  const hooks = await load(layers, { ...options, root })
  return { root, hooks, session: hooks.session(session(root)) }
}

const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'call-1' }
const reviewer = { agent_id: 'agent-1', agent_type: 'reviewer' }

export const samples: { readonly [E in keyof LifecyclePayloads]: LifecyclePayloads[E] } = {
  SessionStart: { source: 'startup', model: 'some-model' },
  SessionEnd: { reason: 'logout' },
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
    usage: { input_tokens: 40, output_tokens: 8 },
    duration_ms: 900,
    ttft_ms: 300,
    cost_usd: 0.01,
  },
  PreToolUse: { ...bash, tool_input: { command: 'git push origin main' } },
  PermissionRequest: { ...bash, reason: 'no rule allows it', suggestions: ['Bash(ls)'] },
  PermissionDenied: { ...bash, reason: 'a rule denies it' },
  PostToolUse: { ...bash, tool_response: 'a.txt', duration_ms: 5 },
  PostToolUseFailure: {
    ...bash,
    error: 'no such folder',
    cause: 'crashed',
    executed: true,
    wait_ms: 0,
    duration_ms: 5,
  },
  PostToolBatch: { tool_calls: [{ ...bash, is_error: false, executed: true, tool_response: 'a.txt' }] },
  PreCompact: { trigger: 'auto', before_tokens: 160_000 },
  PostCompact: { trigger: 'manual', before_tokens: 160_000, after_tokens: 12_000, summary: 'The tests are fixed.' },
  SubagentStart: reviewer,
  SubagentStop: { ...reviewer, last_assistant_message: 'Looks good.', stop_hook_active: false },
  TaskCreated: { task_id: 'task-1', task_subject: 'npm test', task_kind: 'command' },
  TaskCompleted: { task_id: 'task-1', task_subject: 'npm test', task_kind: 'command', task_state: 'completed' },
  Stop: { stop_hook_active: false, last_assistant_message: 'Done.', iteration: 1 },
  StopFailure: { error: 'rate_limit', error_details: 'too many requests' },
  AfterAgent: { last_assistant_message: 'Done.', iterations: 2, usage: { input_tokens: 90, output_tokens: 20 } },
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

export async function fire<E extends keyof LifecyclePayloads>(
  { session }: Pick<Scene, 'session'>,
  event: E,
  payload: Partial<LifecyclePayloads[E]> = {},
): Promise<EventResult> {
  const result = await session.fire(event, () => ({ ...samples[event], ...payload }))
  if (!result) throw new Error(`no hook ran for ${event}`)
  return result
}

/** Runs one native rule at an event and returns what came of it. */
export async function runRule(
  event: keyof LifecyclePayloads,
  command: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<EventResult> {
  return fire(await scene([extSource(rule(event, command, { name: 'guard', ...more }))]), event)
}

export function texts(list: readonly { readonly text: string }[]): readonly string[] {
  return list.map(({ text }) => text)
}

export function codes(hooks: Pick<Hooks, 'diagnostics'>): readonly string[] {
  return hooks.diagnostics.map(({ code }) => code)
}

export function only(hooks: Pick<Hooks, 'diagnostics'>): Diagnostic {
  const [first, ...others] = hooks.diagnostics
  if (!first || others.length > 0) throw new Error(`expected one diagnostic, found: ${codes(hooks).join(', ')}`)
  return first
}
