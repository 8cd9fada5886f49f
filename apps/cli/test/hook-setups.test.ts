import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

/** The official filesystem server, whose tools stand for Read and Edit. */
function filesystemServer(): string {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')
  return join(dirname(manifest), 'dist/index.js')
}

/** Settings as people have them for Claude Code, and a model that plays a script. */
async function runWith(settings: unknown, script: string, files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder()
  const all = {
    '.claude/settings.json': JSON.stringify(settings, null, 2),
    '.ext/config.yaml': 'model: scripted:.ext/script.yaml\npermissions: {allow: [Bash, mcp__fs]}\n',
    '.ext/script.yaml': script,
    '.mcp.json': JSON.stringify({ mcpServers: { fs: { command: 'node', args: [filesystemServer(), '.'] } } }),
    ...files,
  }
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
    if (path.endsWith('.sh')) await chmod(join(folder, path), 0o755)
  }
  const ran = await ext(['run', '--project', folder, '--trust-project', 'Go on.'])
  return { folder, ...ran }
}

const command = (text: string, more = {}) => ({ type: 'command', command: text, ...more })

describe('a setup for Claude Code, unchanged, in ext run', () => {
  it('formats what the model has written', async () => {
    const settings = {
      hooks: {
        PostToolUse: [
          {
            matcher: 'Edit|MultiEdit|Write',
            hooks: [command('"$CLAUDE_PROJECT_DIR"/.claude/hooks/format.sh', { timeout: 60 })],
          },
        ],
      },
    }
    const script = `
turns:
  - calls: [{tool: mcp__fs__write_file, input: {path: notes.txt, content: "one   \\ntwo\\t\\n"}}]
  - when: {tool: mcp__fs__write_file, isError: false}
    calls: [{tool: mcp__fs__read_text_file, input: {path: notes.txt}}]
  - when: {tool: mcp__fs__read_text_file, contains: "one\\ntwo\\n"}
    say: It is clean.
`
    const format = `#!/bin/sh
cat > /dev/null
cd "$CLAUDE_PROJECT_DIR" && for file in *.txt; do sed -i 's/[[:blank:]]*$//' "$file" && echo "formatted $file"; done
`
    const { folder, code, stdout, stderr } = await runWith(settings, script, { '.claude/hooks/format.sh': format })
    expect([code, stderr]).toEqual([0, ''])
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(stdout).toMatch(/hook +PostToolUse format\.sh/)
    expect(stdout).toContain('formatted notes.txt')
    expect(stdout).toContain('It is clean.')
  }, 30_000)

  it('keeps a push from happening, by an if, and nothing else', async () => {
    const settings = {
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [command('echo "Pushing is for people." >&2; exit 2', { if: 'Bash(git push *)' })],
          },
        ],
      },
    }
    const script = `
turns:
  - calls: [{tool: Bash, input: {command: "cd . && FORCE=1 git push origin main"}}]
  - when: {tool: Bash, isError: true, contains: Pushing is for people.}
    calls: [{tool: Bash, input: {command: echo git is fine}}]
  - when: {tool: Bash, isError: false, contains: git is fine}
    say: I leave the push to you.
`
    const { code, stdout, stderr } = await runWith(settings, script)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/hook +PreToolUse echo/)
    expect(stdout).toContain('Pushing is for people.')
    expect(stdout).toContain('I leave the push to you.')
    // The second command was none of its business.
    expect(stdout.match(/hook +PreToolUse/g)).toHaveLength(1)
  }, 30_000)

  it('adds a line to each prompt', async () => {
    const settings = {
      hooks: { UserPromptSubmit: [{ hooks: [command('echo "Current branch: $(cat branch.txt)"')] }] },
    }
    const script = `
turns:
  - when: {contains: "Current branch: feature/boats"}
    say: We are on a branch.
`
    const { code, stdout, stderr } = await runWith(settings, script, { 'branch.txt': 'feature/boats' })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/hook +UserPromptSubmit echo/)
    expect(stdout).toContain('We are on a branch.')
  }, 30_000)
})

describe('the rest of what hooks are made of, in ext run', () => {
  it('ends a run whose Stop hook always refuses, and says so', async () => {
    const settings = { hooks: { Stop: [{ hooks: [command('echo x >> count; wc -l < count >&2; exit 2')] }] } }
    const turns = Array.from({ length: 12 }, (_, at) => `  - say: Done ${at}.`).join('\n')
    const { code, stdout } = await runWith(settings, `turns:\n${turns}\n`)
    expect(code).toBe(0)
    expect(stdout).toContain('refused the end 8 times in a row, so the run ends')
    expect(stdout).toContain('Done 8.')
    expect(stdout).not.toContain('Done 9.')
  }, 30_000)

  it('lets hooks of a skill count once the skill is loaded, and those of an agent in that agent', async () => {
    const script = `
turns:
  - calls: [{tool: Bash, input: {command: echo before}}]
  - when: {tool: Bash, isError: false}
    calls: [{tool: load_skill, input: {name: careful}}]
  - calls: [{tool: Bash, input: {command: echo after}}]
  - when: {tool: Bash, isError: true, contains: the skill forbids it}
    calls: [{tool: agent, input: {type: helper, prompt: help me}}]
  - say: Done.
agents:
  - when: {contains: help me}
    turns:
      - calls: [{tool: Bash, input: {command: echo in the agent}}]
      - when: {tool: Bash, isError: true, contains: "the skill forbids it\\nthe agent forbids it"}
        say: I could not.
`
    const guard = (name: string, whose: string) => `---
name: ${name}
description: Is careful.
hooks:
  PreToolUse:
    - matcher: Bash
      hooks: [{type: command, command: 'echo the ${whose} forbids it >&2; exit 2'}]
---
Be careful.
`
    const { code, stdout, stderr } = await runWith({}, script, {
      '.claude/skills/careful/SKILL.md': guard('careful', 'skill'),
      '.claude/agents/helper.md': guard('helper', 'agent'),
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('I could not.')
    expect(stdout).toContain('Done.')
  }, 30_000)

  it('starts nothing with --strict while a hook can’t be loaded, and lets failing hooks block', async () => {
    const broken = await temporaryFolder()
    await mkdir(join(broken, '.ext'))
    const config = (command: string) => `model: scripted:.ext/script.yaml
hooks:
  - {event: UserPromptSubmit, action: {type: command, ${command}}}
`
    await writeFile(join(broken, '.ext/script.yaml'), 'turns: [{say: Hello.}]')
    const run = () => ext(['run', '--project', broken, '--trust-project', '--strict', 'Go on.'])
    await writeFile(join(broken, '.ext/config.yaml'), config('comand: x'))
    const refused = await run()
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('ext: A hook can’t be loaded, so nothing is run.')
    await writeFile(join(broken, '.ext/config.yaml'), config('command: exit 1'))
    const blocked = await run()
    expect(blocked.code).toBe(1)
    expect(blocked.stdout).toContain('The hook failed (exit 1), and it is set to block when it fails.')
  }, 30_000)
})
