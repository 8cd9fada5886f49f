import { createHash } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AuditRecord } from '@ext/agent-core/types'
import { canonicalJson } from '@ext/kernel'
import { hostileServer } from '@ext/mcp-client/testing'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

interface Call {
  readonly tool: string
  readonly input: object
}

/** A project with servers, a home, and a person who lets everything run. */
async function setup(config: object = {}) {
  const project = await temporaryFolder()
  const home = await temporaryFolder()
  const write = async (folder: string, path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const mcpServers = {
    echo: hostileServer('echo'),
    odd: hostileServer('odd'),
    slow: { ...hostileServer('slow'), timeout: { call: '1s' } },
    few: { ...hostileServer('echo'), limits: { rate: { perSecond: 0.001, burst: 1 } } },
    pull: hostileServer('rugpull'),
    die: { ...hostileServer('die'), reconnect: false },
  }
  const permissions = { allow: Object.keys(mcpServers).map((name) => `mcp__${name}`) }
  const model = `scripted:${join(project, 'script.yaml')}`
  await write(home, '.ext/config.yaml', JSON.stringify({ model, mcpServers, permissions, ...config }))
  const log = join(home, '.ext/audit.jsonl')
  return {
    log,
    project,
    home,
    write,
    async run(turns: readonly (readonly Call[])[], agents: readonly object[] = []) {
      const script = { turns: [...turns.map((calls) => ({ calls })), { say: 'Done.' }], agents }
      await write(project, 'script.yaml', JSON.stringify(script))
      return ext(['run', '--project', project, 'Go on.'], { home })
    },
    async records(): Promise<readonly AuditRecord[]> {
      const text = await readFile(log, 'utf8')
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditRecord)
    },
  }
}

const call = (server: string, input: object = {}, tool = 'echo'): Call => ({ tool: `mcp__${server}__${tool}`, input })
/** Without what differs from one run to the next, in as many columns where there are columns. */
const masked = (text: string, home: string) =>
  text
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}[\da-f]{8}/gm, 'TIME  SESSION')
    .replace(/^(TIME {2}SESSION)\/[\da-f]{8}/gm, '$1/AGENT')
    .replace(/\d+ ms(?= {2})/g, (time) => 'N ms'.padEnd(time.length))
    .replace(/N ms +(?=\{)/g, 'N ms  ')
    .replace(/\d+ ms/g, 'N ms')
    // Of all results of a tool; a skill says in which folder it is.
    .replace(/(?<= {2})\d+$/gm, 'N')
    .replace(/:\d+:\d+\)/g, ':LINE:COLUMN)')
    .replaceAll(home, '~')
const digestOf = (input: object) => `sha256:${createHash('sha256').update(canonicalJson(input)).digest('hex')}`

describe('the audit log of a run', () => {
  it('has one record of each call, whatever became of it, with its digest and without its secrets', async () => {
    const { run, records, log } = await setup()
    const secret = { text: 'hi', api_key: 'sk-very-secret-value-1' }
    const calls = [
      call('echo', secret),
      call('odd', { what: 'iserror' }),
      call('odd', { what: 'malformed' }),
      call('slow'),
      call('few'),
      call('die'),
      call('echo', {}, 'none'),
      call('pull', {}, 'add'),
    ]
    // The tool that changes what it says about itself is held by the time of the third turn.
    const { stderr } = await run([calls, [call('slow')], [call('few'), call('pull', {}, 'add')]])
    expect(stderr).not.toContain('audit')
    const found = await records()
    const brief = found.map(({ tool, is_error, error_kind = 'none', source }) =>
      [tool, is_error ? error_kind : 'fine', source ? `${source.phase} ${source.kind ?? 'fine'}` : 'not sent'].join(
        ' ',
      ),
    )
    expect(brief.slice(0, 8).sort()).toEqual(
      [
        'mcp__echo__echo fine call fine',
        'mcp__odd__echo remote call remote',
        'mcp__odd__echo remote call protocol',
        'mcp__slow__echo remote call timeout',
        'mcp__few__echo fine call fine',
        'mcp__die__echo remote call network',
        'mcp__echo__none unknown_tool not sent',
        'mcp__pull__add fine call fine',
      ].sort(),
    )
    expect(brief.slice(9).sort()).toEqual([
      'mcp__few__echo remote call limited',
      'mcp__pull__add unknown_tool not sent',
    ])
    expect(new Set(found.map(({ tool_use_id }) => tool_use_id)).size).toBe(11)

    const sent = [...calls, call('slow'), call('few'), call('pull', {}, 'add')]
    expect(found.map(({ args_digest }) => args_digest).sort()).toEqual(sent.map(({ input }) => digestOf(input)).sort())
    const first = found.find(({ tool }) => tool === 'mcp__echo__echo')
    expect(first).toMatchObject({ event: 'mcp.tool.invocation', server: 'echo', source: { retries: 0, bytes: 2 } })
    expect(first?.args_redacted).toContain('"text":"hi"')
    expect(await readFile(log, 'utf8')).not.toContain('very-secret')
    expect((await stat(log)).mode & 0o777).toBe(0o600)
  }, 60_000)

  it('says to people where a call came from, who had a say in it, and how it went at its server', async () => {
    const skill = '---\nname: fold\ndescription: Folds.\nallowed-tools: Bash(touch folded)\n---\nFold.\n'
    const guard = { name: 'guard', event: 'PreToolUse', matcher: 'Bash', if: 'Bash(git push *)' }
    const { run, home, project, write } = await setup({
      hooks: [{ ...guard, action: { type: 'command', command: 'echo No. >&2; exit 2' } }],
    })
    await write(home, '.claude/skills/fold/SKILL.md', skill)
    await write(home, '.claude/agents/reader.md', '---\nname: reader\ndescription: Reads.\n---\nYou read.\n')
    await run(
      [
        [call('echo', { text: 'hi' })],
        [call('slow')],
        [{ tool: 'load_skill', input: { name: 'fold' } }],
        [{ tool: 'Bash', input: { command: 'touch folded' } }],
        [{ tool: 'Bash', input: { command: 'git push origin' } }],
        [{ tool: 'agent', input: { type: 'reader', prompt: 'READ it' } }],
      ],
      [{ when: { contains: 'READ it' }, turns: [{ calls: [call('echo', { text: 'read' })] }, { say: 'I read.' }] }],
    )
    const audit = async (command: string) => {
      const { code, stdout, stderr } = await ext(['audit', command], { cwd: project, home })
      expect([code, stderr]).toEqual([0, ''])
      return masked(stdout, home)
    }
    await expect(await audit('tail')).toMatchFileSnapshot('golden/audit-tail.txt')
    await expect(await audit('stats')).toMatchFileSnapshot('golden/audit-stats.txt')
    const { stdout } = await ext(['audit', 'stats', '--json'], { cwd: project, home })
    expect(JSON.parse(stdout)).toMatchObject({
      agents: { reader: 1 },
      blockedBy: { guard: 1 },
      tools: expect.arrayContaining([
        expect.objectContaining({ tool: 'mcp__slow__echo', server: 'slow', causes: { timeout: 1 }, retries: 0 }),
        expect.objectContaining({ tool: 'mcp__echo__echo', server: 'echo', causes: {}, calls: 2 }),
      ]),
    })
  }, 60_000)

  it('is left out by the person or the administrator, never by a project', async () => {
    const off = await setup({ audit: false })
    await off.run([[call('echo')]])
    await expect(off.records()).rejects.toThrow('ENOENT')

    const { run, records, project, write } = await setup()
    await write(project, '.ext/config.yaml', 'audit: false\n')
    const { stderr } = await run([[call('echo')]])
    expect(stderr).toContain('cli.audit.misplaced')
    expect(await records()).toHaveLength(1)
  }, 60_000)
})
