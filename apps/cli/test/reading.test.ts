import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withExtensions } from '../src/commands/read-extensions.js'
import type { Extensions } from '../src/compose.js'
import { ext, temporaryFolder } from './bin.js'

/** A project whose server and hook leave a file behind when they are started. */
async function project(): Promise<{ readonly folder: string; readonly started: string }> {
  const folder = await temporaryFolder()
  const started = join(folder, 'started')
  await Promise.all(['.ext', '.claude/skills/fold'].map((path) => mkdir(join(folder, path), { recursive: true })))
  const touch = { command: 'touch', args: [started] }
  const files = {
    '.ext/config.yaml': JSON.stringify({
      permissions: { deny: ['Bash(rm *)'] },
      mcpServers: { harbour: touch },
      hooks: [{ name: 'guard', event: 'PreToolUse', action: { type: 'command', command: `touch ${started}` } }],
    }),
    '.claude/skills/fold/SKILL.md': '---\nname: fold\ndescription: How boats are folded.\n---\nFold.\n',
  }
  await Promise.all(Object.entries(files).map(([path, text]) => writeFile(join(folder, path), text)))
  return { folder, started }
}

it('every command that only reads ends by itself, whatever it finds, and has started nothing', async () => {
  const { folder, started } = await project()
  const home = await temporaryFolder()
  const code = async (...args: string[]) => {
    const ran = await ext(args, { cwd: folder, home, openStdin: true })
    return [args.join(' '), ran.code, ran.stdout + ran.stderr] as const
  }
  for (const [line, expected, shown] of [
    ['explain Bash --input {"command":"rm_x"}', 0, 'Bash: ask'],
    ['explain Nope --input {}', 2, 'No tool is known by the name `Nope`'],
    ['permissions test', 0, 'No rule has tests'],
    ['permissions lint', 0, '1 rule read'],
    ['skills search fold', 0, 'fold: How boats are folded.'],
    ['skills show fold', 0, 'How boats are folded.'],
    ['skills show fodl', 2, 'Did you mean `fold`?'],
    ['config show', 0, '2 more without effect'],
    ['hooks test guard', 2, '`guard` is not approved.'],
    ['hooks test --event PreToolUse', 0, ''],
    ['hooks doctor', 0, 'untrusted'],
    ['hooks stats', 0, 'never fired'],
    ['complete -- mcp test ', 0, 'harbour'],
    ['complete -- hooks test ', 0, 'guard'],
    ['complete -- trust approve ', 0, 'harbour'],
    ['trust list', 0, 'harbour'],
    ['init --json', 1, '"written": false'],
  ] as const) {
    expect(await code(...line.split(' '))).toEqual([line, expected, expect.stringContaining(shown)])
  }
  await expect(stat(started)).rejects.toThrow('ENOENT')
}, 60_000)

it('what was read is closed once it was used, also where that fails', async () => {
  const { folder } = await project()
  const io = { out() {}, err() {}, signal: new AbortController().signal, interrupt() {} }
  for (const fails of [false, true]) {
    let kept: Extensions | undefined
    const used = withExtensions({ project: folder, trustProject: true }, io, async (extensions) => {
      kept = extensions
      if (fails) throw new Error('It was no use.')
      return extensions.hooks.list().length
    })
    await (fails ? expect(used).rejects.toThrow('It was no use.') : expect(used).resolves.toBe(1))
    const session = kept?.hooks.session({ id: '1', cwd: folder, origin: 'main', permissionMode: 'default' })
    const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: '1' }
    expect(() => session?.fire('PreToolUse', () => call)).toThrow('The hooks were closed.')
  }
})
