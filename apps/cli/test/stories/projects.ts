import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '@ext/kernel/contract'
import fc from 'fast-check'

const SERVER = fileURLToPath(new URL('../fixtures/server.mjs', import.meta.url))

/** What the script of a hook says. `rude` fails. */
export type Saying = 'nothing' | 'deny' | 'allow' | 'ask' | 'rude'

export interface Hook {
  readonly saying: Saying
  readonly matcher: string
  /** Only in files of our own. */
  readonly if?: string
  readonly failureBlocks: boolean
}

export interface ConfigFile {
  readonly allow: readonly string[]
  readonly ask: readonly string[]
  readonly deny: readonly string[]
  readonly mode?: string
  readonly hooks: readonly Hook[]
}

export interface Call {
  readonly tool: string
  readonly input: JsonObject
}

/** A project with its person, as random as it can be while each part still means something. */
export interface Project {
  readonly files: Readonly<Record<FileName, ConfigFile>>
  readonly calls: readonly Call[]
  readonly server: boolean
  /** A skill, by what its header says of tools; absent: there is none. */
  readonly skill?: string
}

export const FILES = [
  '~/.ext/config.yaml',
  '~/.claude/settings.json',
  '.ext/config.yaml',
  '.ext/config.local.yaml',
  '.claude/settings.json',
  '.claude/settings.local.json',
] as const
export type FileName = (typeof FILES)[number]

export function isOfPerson(file: string): boolean {
  return file.startsWith('~/')
}

const RULES = [
  ...['Bash', 'Bash(touch a)', 'Bash(touch:*)', 'Bash(touch notes/*)', 'Bash(ls)', 'Bash(git push:*)', 'Bash(make)'],
  ...['Edit', 'Edit(notes/**)', 'Edit(/notes/n.txt)', 'Write', 'Read', 'Read(secret/**)', 'Read(./secret/x)'],
  ...['mcp__one', 'mcp__one__look', 'mcp__one__*', 'mcp__two', 'load_skill', 'Skill(it)'],
  // Not understood.
  ...['Bash(', 'Read(./../x)'],
]
const MATCHERS = [
  'Bash',
  '*',
  '',
  'Edit|Write',
  'Write',
  'mcp__one__.*',
  'mcp__one__look',
  'bash',
  'Nothing',
  'load_skill',
]
const CONDITIONS = ['Bash(touch *)', 'Bash(git *)', 'Edit(notes/**)', 'Read']
const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'odd']
const CALLS: readonly Call[] = [
  { tool: 'Bash', input: { command: 'touch a' } },
  { tool: 'mcp__one__look', input: { x: 1 } },
  { tool: 'Bash', input: { command: 'touch notes/b && ls' } },
  { tool: 'Write', input: { file_path: 'notes/n.txt', content: 'n' } },
  { tool: 'agent', input: { type: 'nobody', prompt: 'x' } },
  { tool: 'Bash', input: { command: 'ls' } },
  { tool: 'Bash', input: { command: 'git push origin' } },
  { tool: 'mcp__one__change', input: {} },
  { tool: 'task_list', input: {} },
  { tool: 'Bash', input: { command: 'cat secret/x' } },
  { tool: 'Bash', input: { command: 'make > notes/log' } },
  { tool: 'NotebookEdit', input: { notebook_path: 'notes/n.ipynb', new_source: '' } },
  { tool: 'Bash', input: { command: 'touch ../outside' } },
  { tool: 'Write', input: { file_path: '.ext/config.yaml', content: '' } },
  { tool: 'Read', input: { file_path: 'secret/x' } },
  { tool: 'Read', input: { file_path: '/etc/hostname' } },
  { tool: 'Grep', input: { pattern: 'x', path: 'secret' } },
  { tool: 'load_skill', input: { name: 'it' } },
]
const SKILLS = [
  'allowed-tools: Bash(touch a)',
  'allowed-tools: Read, Write',
  'disallowed-tools: Bash',
  'restrict: [Read, "Bash(ls)"]',
  'restrict: "Bash("',
]

const rules = (max: number) => fc.subarray(RULES, { maxLength: max })
const hook: fc.Arbitrary<Hook> = fc.record(
  {
    saying: fc.constantFrom<Saying>('nothing', 'nothing', 'deny', 'allow', 'ask', 'rude'),
    matcher: fc.constantFrom(...MATCHERS),
    if: fc.constantFrom(...CONDITIONS),
    failureBlocks: fc.boolean(),
  },
  { requiredKeys: ['saying', 'matcher', 'failureBlocks'] },
)
const file: fc.Arbitrary<ConfigFile> = fc.oneof(
  fc.constant({ allow: [], ask: [], deny: [], hooks: [] }),
  fc.record(
    {
      allow: rules(5),
      ask: rules(1),
      deny: rules(1),
      mode: fc.constantFrom(...MODES),
      hooks: fc.array(hook, { maxLength: 2 }),
    },
    { requiredKeys: ['allow', 'ask', 'deny', 'hooks'] },
  ),
)

export const project: fc.Arbitrary<Project> = fc.record(
  {
    files: fc.record(Object.fromEntries(FILES.map((name) => [name, file])) as Record<FileName, typeof file>),
    calls: fc.subarray([...CALLS], { minLength: 4, maxLength: 6 }),
    server: fc.integer({ max: 2, min: 0 }).map((drawn) => drawn === 0),
    skill: fc.constantFrom(...SKILLS),
  },
  { requiredKeys: ['files', 'calls', 'server'] },
)

/** What a hook is called in every report, whichever file it stands in. */
export function hookName(file: FileName, index: number): string {
  return `${FILES.indexOf(file)}-${index}.sh`
}

export function hooksOf({ files }: Project): readonly (Hook & { readonly name: string; readonly file: FileName })[] {
  return FILES.flatMap((name) =>
    files[name].hooks.map((each, index) => ({ ...each, name: hookName(name, index), file: name })),
  )
}

const SAYINGS: Readonly<Record<Saying, string>> = {
  nothing: 'exit 0',
  deny: 'echo no >&2; exit 2',
  allow: say('allow'),
  ask: say('ask'),
  rude: 'exit 1',
}

function say(permissionDecision: string): string {
  return `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } })}'`
}

/** What the model calls, in order: what a skill changes shows in the calls that are made again once it is loaded. */
export function playedCalls({ calls, skill }: Project): readonly Call[] {
  const load = calls.findIndex(({ tool }) => tool === 'load_skill')
  return skill === undefined || load === -1 ? calls : [...calls, ...calls.slice(0, load)]
}

/** Writes it down, with a script that makes its calls, loads its skill and makes them again. */
export async function writeProject(drawn: Project, root: string, home: string): Promise<void> {
  const write = async (path: string, text: string) => {
    const place = path.startsWith('~/') ? join(home, path.slice(2)) : join(root, path)
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, text)
  }
  for (const name of FILES) {
    const { allow, ask, deny, mode, hooks } = drawn.files[name]
    if (allow.length + ask.length + deny.length + hooks.length === 0 && mode === undefined) continue
    const scripts = isOfPerson(name) ? join(home, 'hooks') : join(root, 'hooks')
    for (const [index, { saying }] of hooks.entries()) {
      const script = join(scripts, hookName(name, index))
      await mkdir(scripts, { recursive: true })
      await writeFile(script, `#!/bin/sh\ncat > /dev/null\n${SAYINGS[saying]}\n`)
      await chmod(script, 0o755)
    }
    const ours = name.endsWith('.yaml')
    const written = ours
      ? hooks.map(({ matcher, if: condition, failureBlocks }, index) => ({
          name: hookName(name, index),
          event: 'PreToolUse',
          matcher,
          ...(condition === undefined ? {} : { if: condition }),
          ...(failureBlocks ? { onFailure: 'block' } : {}),
          action: { type: 'command', command: join(scripts, hookName(name, index)) },
        }))
      : {
          PreToolUse: hooks.map(({ matcher }, index) => ({
            matcher,
            hooks: [{ type: 'command', command: join(scripts, hookName(name, index)) }],
          })),
        }
    const modes = mode === undefined ? {} : ours ? { mode } : { defaultMode: mode }
    await write(name, JSON.stringify({ permissions: { allow, ask, deny, ...modes }, hooks: written }, null, 2))
  }
  await write('secret/x', 'x\n')
  await write('notes/old', 'x\n')
  if (drawn.server) {
    const tools = ['look', 'change'].map((tool) => ({
      name: tool,
      description: tool,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: tool === 'look' },
    }))
    await write('tools.json', JSON.stringify(tools))
    const one = { command: process.execPath, args: [SERVER, join(root, 'tools.json')] }
    await write('.mcp.json', JSON.stringify({ mcpServers: { one } }))
  }
  if (drawn.skill !== undefined)
    await write('.claude/skills/it/SKILL.md', `---\nname: it\ndescription: Does it.\n${drawn.skill}\n---\nDo it.\n`)
  // A model that calls three tools in a row that there are not is stopped; beside one that there is it is not.
  const beside = { tool: 'task_list', input: {} }
  const turns = [...playedCalls(drawn).map((call) => ({ calls: [call, beside] })), { say: 'bye' }]
  await write('script.json', JSON.stringify({ turns }))
}
