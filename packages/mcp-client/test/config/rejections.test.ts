import type { LayerName } from '@ext/kernel'
import { memoryFiles } from '@ext/kernel/testing'
import { expect, test } from 'vitest'
import { loadServers } from '../../src/load.js'

const PLACES = {
  user: '/home/u/.claude/settings.json',
  project: '/repo/.claude/settings.json',
  local: '/repo/.claude/settings.local.json',
} as const

/** An `.mcp.json` with `files` and `web`, beside settings of Claude Code that hold these lists. */
async function load(
  rejected: Partial<Record<keyof typeof PLACES, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
) {
  const servers = { files: { command: 'files-server' }, web: { url: 'https://e.test/mcp' }, ...more }
  const texts: Record<string, string> = { '/repo/.mcp.json': JSON.stringify({ mcpServers: servers }, null, 2) }
  for (const [layer, disabledMcpjsonServers] of Object.entries(rejected)) {
    texts[PLACES[layer as keyof typeof PLACES]] = JSON.stringify({ hooks: {}, disabledMcpjsonServers }, null, 2)
  }
  const file = (layer: LayerName, dialect: string, path: string) => ({ kind: 'file', layer, dialect, path }) as const
  const snapshot = await loadServers({
    layers: [
      file('project', 'claude-mcp', '/repo/.mcp.json'),
      ...Object.entries(PLACES).map(([layer, path]) => file(layer as LayerName, 'claude-settings', path)),
    ],
    cwd: '/repo',
    ports: { files: memoryFiles(texts), env: {}, platform: 'linux' },
    approved: () => true,
  })
  return {
    verdicts: Object.fromEntries(snapshot.records.map(({ name, verdict }) => [name, verdict])),
    said: snapshot.diagnostics.map(({ code, severity, source, message, hint, related = [] }) => ({
      code,
      severity,
      at: `${source.file}:${source.line}:${source.column}`,
      message,
      hint,
      related: related.map(({ source: { file, line } }) => `${file}:${line}`),
    })),
  }
}

test('a server that somebody declined in Claude Code stays off, and it is said where that stands', async () => {
  const { verdicts, said } = await load({ local: ['files'] })
  expect(verdicts).toEqual({ files: 'disabled', web: 'loaded' })
  expect(said).toEqual([
    {
      code: 'mcp.rejected.off',
      severity: 'info',
      at: '/repo/.mcp.json:3:14',
      message: "`files` stays off: `disabledMcpjsonServers` of Claude Code's settings names it.",
      hint: 'Remove it from that list if it is to run.',
      related: ['/repo/.claude/settings.local.json:4'],
    },
  ])
})

test('a no in any of the files is a no, and an empty list takes none back', async () => {
  expect((await load({ user: ['files'], project: ['web'], local: [] })).verdicts).toEqual({
    files: 'disabled',
    web: 'disabled',
  })
})

test('a no to a server that there is not is named; one in settings for all projects may be about another', async () => {
  const { verdicts, said } = await load({ user: ['elsewhere'], project: ['file', 'broken', 'gone'] }, { broken: {} })
  expect(verdicts).toEqual({ files: 'loaded', web: 'loaded', broken: 'broken' })
  expect(said.filter(({ code }) => code === 'mcp.rejected.unknown')).toMatchObject([
    { severity: 'warning', at: '/repo/.claude/settings.json:4:5', hint: 'Did you mean `files`?' },
    { at: '/repo/.claude/settings.json:6:5', message: 'No `.mcp.json` has a server `gone`.' },
  ])
})

test.each([
  ['files', 'holds the text "files", not a list of names'],
  [[3], 'holds the number 3, not the name of a server'],
])('a list that can not be read (%j) is an error at its place, and costs nothing else', async (list, problem) => {
  const { verdicts, said } = await load({ local: list })
  expect(verdicts).toEqual({ files: 'loaded', web: 'loaded' })
  expect(said).toMatchObject([{ code: 'config.shape', message: expect.stringContaining(problem) }])
})
