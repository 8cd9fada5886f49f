import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from '@ext/agent-core/scripted'
import { temporaryFolder } from '../bin.js'

/** A server of the test for MCP: it answers, or it does so late, or never. */
const SERVER = fileURLToPath(new URL('../fixtures/server.mjs', import.meta.url))

export interface BoatProject {
  /** Holds the project, so that it is shown as `~/paper-boat`. */
  readonly home: string
  readonly project: string
}

export type Files = Readonly<Record<string, string>>

/** A project below a home of its own, with a hook that keeps pushes back. */
export async function boatProject(script: Script, files: Files = {}): Promise<BoatProject> {
  const home = await temporaryFolder()
  const project = join(home, 'paper-boat')
  const all: Files = {
    '.ext/script.json': JSON.stringify(script),
    '.ext/config.yaml': 'model: scripted:.ext/script.json\n',
    'notes/change.txt': 'Boats no longer sink when they are folded twice.\n',
    'check.mjs': "console.log('well formed')\n",
    '.claude/settings.json': JSON.stringify({
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: '.claude/hooks/no-push.sh' }] }] },
    }),
    '.claude/hooks/no-push.sh': NO_PUSH,
    '.claude/skills/fold/SKILL.md':
      '---\nname: fold\ndescription: How boats are folded.\n---\nFold $ARGUMENTS twice.\n',
    '.claude/agents/reader.md': '---\nname: reader\ndescription: Reads notes.\ntools: Read\n---\nYou read.\n',
    ...files,
  }
  for (const [name, content] of Object.entries(all)) {
    const file = join(project, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    if (name.endsWith('.sh')) await chmod(file, 0o755)
  }
  return { home, project }
}

const NO_PUSH = `#!/bin/sh
grep -q '"git push' || exit 0
echo 'Only the release manager pushes.' >&2
exit 2
`

/** Three servers: one that is up at once, one that takes a while, and one that can't be started. */
export const SERVERS: Files = {
  'tools.json': JSON.stringify([{ name: 'fold', description: 'Folds a boat.', inputSchema: { type: 'object' } }]),
  '.mcp.json': JSON.stringify({
    mcpServers: {
      harbour: { command: process.execPath, args: [SERVER, 'tools.json'] },
      slow: {
        command: 'sh',
        args: ['-c', `echo $$ > slow.pid; sleep 2; exec "${process.execPath}" "${SERVER}" tools.json`],
      },
      broken: { command: 'sh', args: ['-c', 'echo the harbour is frozen >&2; exit 3'] },
    },
  }),
}

/** What the model of the screens does. */
export const RELEASE: Script = {
  turns: [
    {
      say: 'I look at what has changed.',
      calls: [{ tool: 'Read', input: { file_path: 'notes/change.txt' } }],
    },
    { say: 'Now the check of the release.', calls: [{ tool: 'Bash', input: { command: 'node check.mjs 1.2.0' } }] },
    { say: 'It is well formed, so I push.', calls: [{ tool: 'Bash', input: { command: 'git push origin main' } }] },
    {
      say: 'Paper Boat 1.2.0 is checked, and the push is left to the release manager: a hook of this project keeps it back.\n\n- notes/change.txt says what is new\n- the check found nothing',
      usage: { inputTokens: 1200, outputTokens: 80 },
    },
    { say: 'Anything else?', loop: true },
  ],
}
