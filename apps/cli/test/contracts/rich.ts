import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../bin.js'

const SERVER = fileURLToPath(new URL('../fixtures/server.mjs', import.meta.url))
const bash = (command: string, more: object = {}) => ({ tool: 'Bash', input: { command, ...more } })
const hook = (event: string, command: string, matcher?: string) => ({
  event,
  ...(matcher === undefined ? {} : { matcher }),
  action: { type: 'command', command },
})
const say = (reply: object) => `echo '${JSON.stringify(reply)}'`

// Whether a hook that does not read its input is told of it depends on how fast it is.
const IDLE = 'cat > /dev/null'

const RULES = [
  hook('PreToolUse', 'if grep -q "git push"; then echo "Only the release manager pushes." >&2; exit 2; fi', 'Bash'),
  hook('PreToolUse', `${IDLE}; exit 3`, 'Read'),
  hook('PermissionRequest', IDLE),
  hook(
    'PostToolUse',
    `if grep -q secret; then ${say({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'cut out' } })}; fi`,
    'Bash',
  ),
  hook('SessionStart', `${IDLE}; ${say({ systemMessage: 'Welcome.' })}`),
  hook('Stop', IDLE),
  hook('SessionEnd', IDLE),
]

/** What happens in a session, as far as a script can bring it about: the turns that come before and after a compaction. */
const TURNS = [
  {
    think: 'Where do I begin?',
    say: 'First I look\naround.\n',
    calls: [bash('sleep 0.3; echo one'), bash('echo two')],
  },
  { calls: [bash('git push'), { tool: 'Read', input: { file_path: 'notes.txt' } }] },
  { say: 'Then I try things.', calls: [bash('make'), bash('touch .env'), bash('sh -c "exit 3"')] },
  { calls: [bash('echo secret'), { tool: 'Nothing', input: {} }, { tool: 'Read', input: 'no map' }] },
  { calls: [{ tool: 'load_skill', input: { name: 'notes', arguments: 'a b' } }] },
  { calls: [{ tool: 'mcp__one__slow', input: { x: 1 } }] },
  {
    say: 'A helper shall look.',
    calls: [{ tool: 'agent', input: { type: 'helper', prompt: 'HELP: look' } }],
  },
  { calls: [bash('sleep 0.6; echo behind', { run_in_background: true })] },
  { calls: [{ tool: 'task_output', input: { task_id: 'task-1', wait_ms: 5000 } }] },
  { calls: [bash('sleep 60', { run_in_background: true })] },
  { fail: { kind: 'context_length', message: 'too long' } },
]

const AGENTS = [
  { when: { contains: 'Summarize the conversation below' }, turns: [{ say: 'SUMMED UP: all was tried.' }] },
  {
    when: { contains: 'HELP: look' },
    turns: [{ say: 'I look.', calls: [bash('echo helped')] }, { say: 'All is well.' }],
  },
  {
    when: { contains: 'SUMMED UP' },
    turns: [
      { say: 'kept' },
      { say: 'kept' },
      { say: 'Nearly', calls: [bash('echo last'), { tool: 'handoff', input: { to: 'desk' } }] },
      { say: 'Done.\n' },
    ],
  },
]

/** A project in which a scripted session shows every kind of event that one process can bring about by itself. */
export async function richProject(turns: readonly object[] = TURNS): Promise<{ project: string; home: string }> {
  const project = await temporaryFolder()
  const files: Readonly<Record<string, string>> = {
    '.ext/config.yaml': JSON.stringify({
      model: 'scripted:.ext/script.json',
      hooks: RULES,
      mcpServers: { one: { command: process.execPath, args: [SERVER, join(project, 'tools.json')] } },
      permissions: {
        allow: ['Bash(sleep:*)', 'Bash(sh:*)', 'mcp__one', 'Read', 'load_skill', 'agent', 'handoff'],
        ask: ['Bash(make:*)'],
        deny: ['Edit(.env)'],
      },
    }),
    '.ext/script.json': JSON.stringify({ turns, agents: AGENTS }),
    'tools.json': JSON.stringify(
      ['slow', 'hang'].map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
    ),
    '.ext/skills/notes/SKILL.md': '---\nname: notes\ndescription: Notes.\n---\nWrite $ARGUMENTS down.\n',
    '.ext/agents/helper.md': '---\nname: helper\ndescription: Helps.\n---\nHelp.\n',
    '.ext/agents/desk.md': '---\nname: desk\ndescription: Takes over.\nhandoff: true\n---\nGo on.\n',
    'AGENTS.md': 'Be brief.\n',
    'notes.txt': 'a note\n',
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }
  return { project, home: await temporaryFolder() }
}
