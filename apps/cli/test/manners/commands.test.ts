import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ext } from '../bin.js'
import { everyCommand, isGroup } from './tree.js'

/** Shown in the transcript of its own test. */
const ELSEWHERE = ['demo', 'help']

const leaves = everyCommand().filter((each) => !isGroup(each) && !ELSEWHERE.includes(each.path))

/** What a command can't do without. */
function needs({ command }: (typeof leaves)[number]): readonly string[] {
  return [
    ...command.registeredArguments.flatMap(({ required }) => (required ? ['nope'] : [])),
    ...command.options.flatMap(({ mandatory, long }) => (mandatory && long ? [long, '{}'] : [])),
    ...command.options.flatMap(({ long }) => (long === '--json' ? ['--json'] : [])),
  ]
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

let project: string
let home: string

beforeAll(async () => {
  project = await brokenProject()
  home = await mkdtemp(join(tmpdir(), 'ext-home-'))
})

afterAll(() => Promise.all([project, home].map((folder) => rm(folder, { recursive: true, force: true }))))

// Whoever starts it may force colours on programs that can't know better, and leave standard input open.
it.concurrent.each(leaves)(
  'ext $path works among broken files: results or a message, the code that says which, nothing else',
  async (leaf) => {
    const env = { FORCE_COLOR: '3', COLORTERM: 'truecolor' }
    const args = [...leaf.path.split(' '), ...needs(leaf)]
    const { code, stdout, stderr } = await ext(args, { cwd: project, home, env, openStdin: true })
    const ran = { args, code, stdout, stderr }
    expect(ran).toMatchObject({ code: expect.toBeOneOf([0, 1, 2]) })
    expect(stdout + stderr, JSON.stringify(ran)).not.toMatch(/\u001b|\n\s+at \S+ \(|node:internal|undefined|\[object/)
    // What was not understood has no results, and a message that says more than that.
    if (code === 2) expect(ran).toMatchObject({ stdout: '', stderr: expect.stringMatching(/^(?:ext|error): .{20}/m) })
    if (code === 0) expect(stderr, JSON.stringify(ran)).not.toMatch(/^error/m)
    if (args.includes('--json') && stdout !== '') {
      const lines = stdout.trimEnd().split('\n')
      expect(isJson(stdout) || lines.every(isJson), stdout).toBe(true)
    }
  },
)

/** What can be wrong with files, one of each axis. */
async function brokenProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ext-broken-'))
  await Promise.all(
    ['.ext/config.yaml', '.claude/skills/odd', '.claude/agents'].map((path) =>
      mkdir(join(folder, path), { recursive: true }),
    ),
  )
  const files = {
    '.claude/skills/odd/SKILL.md': '---\nname: [odd\n---\nx\n',
    '.claude/agents/odd.md': 'no header\n',
    '.claude/settings.json': '{"hooks": {"Nope": 1}, "permissions": {"allow": [1, "Bash(\\u001b[31m"]}}',
    '.mcp.json': '{"mcpServers": {"odd\\u001b[2J": {"command": ""}}',
  }
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(folder, path), text)))
  return folder
}
