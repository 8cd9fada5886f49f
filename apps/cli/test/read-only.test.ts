import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './bin.js'
import { runEvents } from './events.js'

const AGENT =
  '---\nname: scout\ndescription: Looks.\nprofile: read-only\nskills: notes\nhooks:\n  SubagentStop:\n    - hooks: [{type: command, command: "echo stopped > hook.txt"}]\n---\nLook.\n'
const SKILL = '---\nname: notes\ndescription: How notes are written.\n---\nWrite NOTES-IN-CAPITALS.\n'
const CONFIG = `model: scripted:.ext/script.yaml
permissions:
  allow: [Bash, Write, Edit, Read, 'mcp__files']
  defaultMode: acceptEdits
mcpServers:
  files: {command: node, args: [SERVER, .]}
`
const SCRIPT = `
turns:
  - calls: [{tool: agent, input: {type: scout, prompt: have a look}}]
  - say: Done.
agents:
  - when: {contains: have a look}
    turns:
      - calls:
          - {tool: Bash, input: {command: echo hello}}
          - {tool: Bash, input: {command: echo hello > written.txt}}
          - {tool: Bash, input: {command: "sh -c 'touch written.txt'"}}
          - {tool: Bash, input: {command: touch written.txt, run_in_background: true}}
          - {tool: Read, input: {file_path: .ext/script.yaml}}
          - {tool: Write, input: {file_path: written.txt, content: x}}
          - {tool: mcp__files__write_file, input: {path: written.txt, content: x}}
      - say: I looked.
`

it('a read-only agent writes through no tool, whatever the rules allow; its skills and hooks take effect', async () => {
  const folder = await temporaryFolder()
  await Promise.all(
    ['.ext/agents', '.claude/skills/notes'].map((path) => mkdir(join(folder, path), { recursive: true })),
  )
  const server = import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js').replace('file://', '')
  const files = {
    '.ext/config.yaml': CONFIG.replace('SERVER', server),
    '.ext/script.yaml': SCRIPT,
    '.ext/agents/scout.md': AGENT,
    '.claude/skills/notes/SKILL.md': SKILL,
  }
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(folder, path), text)))
  const { code, of } = await runEvents(folder)
  expect(code).toBe(0)
  const [start] = of('agent_start')
  expect(start?.tools).toEqual(expect.arrayContaining(['Bash', 'Glob', 'Grep', 'Read', 'load_skill']))
  for (const tool of ['Write', 'Edit', 'WebFetch', 'mcp__files__write_file']) expect(start?.tools).not.toContain(tool)
  const ends = [...of('tool_result'), ...of('tool_rejected')].filter(({ agent_type }) => agent_type === 'scout')
  const ran = ends.flatMap((end) => ('executed' in end && end.executed && !end.is_error ? [end.tool] : []))
  // What an untrusted server says of its tools is not believed, so none of them is there.
  expect(ran).toEqual(['Bash', 'Read'])
  expect(start?.tools.filter((name) => name.startsWith('mcp__'))).toEqual([])
  expect(of('tool_rejected').map(({ tool }) => tool)).toEqual(['Write', 'mcp__files__write_file'])
  expect(existsSync(join(folder, 'written.txt'))).toBe(false)
  expect(existsSync(join(folder, 'hook.txt'))).toBe(true)
  expect(
    of('context')
      .filter(({ agent_type }) => agent_type === 'scout')
      .map(({ by }) => by),
  ).toContain('skill notes')
}, 60_000)
