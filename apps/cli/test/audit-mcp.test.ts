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
    async run(turns: readonly (readonly Call[])[]) {
      const script = { turns: [...turns.map((calls) => ({ calls })), { say: 'Done.' }] }
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
