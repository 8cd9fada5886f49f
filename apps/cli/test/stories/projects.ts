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
  /** Hooks that it switches off: all, or the first of a file. Only in files of our own. */
  readonly off?: 'all' | FileName
}

export interface Call {
  readonly tool: string
  readonly input: JsonObject
}

export interface Server {
  readonly file: '.mcp.json' | FileName
  readonly entry: JsonObject
}

/** A project with its person, as random as it can be while each part still means something. */
export interface Project {
  readonly files: Readonly<Record<FileName, ConfigFile>>
  readonly calls: readonly Call[]
  readonly server?: Server
  /** The hooks of the project's settings stand in the local ones, too. */
  readonly copied: boolean
  /** A file that is cut off in its middle. */
  readonly broken?: FileName
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
      off: fc.constantFrom<'all' | FileName>('all', ...FILES, ...FILES),
      hooks: fc.array(hook, { maxLength: 2 }),
    },
    { requiredKeys: ['allow', 'ask', 'deny', 'hooks'] },
  ),
)

export const project: fc.Arbitrary<Project> = fc.record(
  {
    files: fc.record(Object.fromEntries(FILES.map((name) => [name, file])) as Record<FileName, typeof file>),
    calls: fc.subarray([...CALLS], { minLength: 4, maxLength: 5 }),
    server: fc.record({
      file: fc.constantFrom<Server['file']>('.mcp.json', '.mcp.json', '.ext/config.yaml', '~/.ext/config.yaml'),
      entry: fc.constantFrom<JsonObject>(
        {},
        {},
        { enabled: false },
        { tools: { deny: ['change'] } },
        { tools: { allow: ['look'], perTool: { '*': { readOnly: true } } } },
        { trust: true },
      ),
    }),
    copied: fc.boolean(),
    broken: fc.constantFrom(...FILES),
    skill: fc.constantFrom(...SKILLS),
  },
  { requiredKeys: ['files', 'calls', 'copied'] },
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
  const { server, broken, copied } = drawn
  for (const name of FILES) {
    const { allow, ask, deny, mode, off, hooks } = drawn.files[name]
    const scripts = isOfPerson(name) ? join(home, 'hooks') : join(root, 'hooks')
    const commandOf = (file: FileName, index: number) =>
      join(isOfPerson(file) ? join(home, 'hooks') : join(root, 'hooks'), hookName(file, index))
    for (const [index, { saying }] of hooks.entries()) {
      await mkdir(scripts, { recursive: true })
      await writeFile(commandOf(name, index), `#!/bin/sh\ncat > /dev/null\n${SAYINGS[saying]}\n`)
      await chmod(commandOf(name, index), 0o755)
    }
    const ours = name.endsWith('.yaml')
    const inSettings = (file: FileName) =>
      drawn.files[file].hooks.map(({ matcher }, index) => ({
        matcher,
        hooks: [{ type: 'command', command: commandOf(file, index) }],
      }))
    const copies = copied && name === '.claude/settings.local.json' ? inSettings('.claude/settings.json') : []
    const written = ours
      ? hooks.map(({ matcher, if: condition, failureBlocks }, index) => ({
          name: hookName(name, index),
          event: 'PreToolUse',
          matcher,
          ...(condition === undefined ? {} : { if: condition }),
          ...(failureBlocks ? { onFailure: 'block' } : {}),
          action: { type: 'command', command: commandOf(name, index) },
        }))
      : { PreToolUse: [...inSettings(name), ...copies] }
    const modes = mode === undefined ? {} : ours ? { mode } : { defaultMode: mode }
    const switches =
      off === undefined || !ours
        ? {}
        : off === 'all'
          ? { disableAllHooks: true }
          : { disabledHooks: [hookName(off, 0)] }
    const servers = server?.file === name ? { mcpServers: { one: small(root, server.entry) } } : {}
    const text = JSON.stringify(
      { permissions: { allow, ask, deny, ...modes }, ...switches, hooks: written, ...servers },
      null,
      2,
    )
    const isEmpty = allow.length + ask.length + deny.length + hooks.length + copies.length === 0
    if (isEmpty && mode === undefined && off === undefined && server?.file !== name) continue
    await write(name, broken === name ? text.slice(0, text.length / 2) : text)
  }
  await write('secret/x', 'x\n')
  await write('notes/old', 'x\n')
  if (server) {
    const tools = ['look', 'change'].map((tool) => ({
      name: tool,
      description: tool,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: tool === 'look' },
    }))
    await write('tools.json', JSON.stringify(tools))
    if (server.file === '.mcp.json')
      await write('.mcp.json', JSON.stringify({ mcpServers: { one: small(root, server.entry) } }))
  }
  if (drawn.skill !== undefined)
    await write('.claude/skills/it/SKILL.md', `---\nname: it\ndescription: Does it.\n${drawn.skill}\n---\nDo it.\n`)
  // A model that calls three tools in a row that there are not is stopped; beside one that there is it is not.
  const beside = { tool: 'task_list', input: {} }
  const turns = [...playedCalls(drawn).map((call) => ({ calls: [call, beside] })), { say: 'bye' }]
  await write('script.json', JSON.stringify({ turns }))
}

function small(root: string, entry: JsonObject): JsonObject {
  return { command: process.execPath, args: [SERVER, join(root, 'tools.json')], ...entry }
}
