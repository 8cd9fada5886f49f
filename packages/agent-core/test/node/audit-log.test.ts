import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { nodeAuditLog } from '../../src/node/index.js'
import type { AuditRecord } from '../../src/types.js'

const record = (id: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  ts: '2026-01-01T00:00:00.000Z',
  event: 'tool.invocation',
  tool: 'Echo',
  session_id: 's',
  tool_use_id: id,
  args_digest: 'sha256:0',
  args_redacted: '{}',
  hook_blocks: [],
  waiting_ms: 0,
  duration_ms: 0,
  result_bytes: 0,
  is_error: false,
  ...more,
})

let folder: string
let file: string
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'audit-')), 'deep', 'er')
  file = join(folder, 'audit.jsonl')
})

const idsIn = async (name: string) =>
  (await readFile(join(folder, name), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as AuditRecord).tool_use_id)
const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('the audit log', () => {
  it('holds a record a line in the order in which they came, for its owner alone', async () => {
    const log = nodeAuditLog({ file })
    const ids = Array.from({ length: 50 }, (_, index) => String(index))
    await Promise.all(ids.map((id) => log.write(record(id, { args_redacted: 'line\nbreak \u2028 "' }))))
    expect(await idsIn('audit.jsonl')).toEqual(ids)
    expect(await modeOf(file)).toBe(0o600)
    expect(await modeOf(folder)).toBe(0o700)
  })

  it('goes on where another process has written, and closes the file to other eyes', async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(file, `${JSON.stringify(record('before'))}\n`)
    await chmod(file, 0o644)
    await nodeAuditLog({ file }).write(record('after'))
    expect(await idsIn('audit.jsonl')).toEqual(['before', 'after'])
    expect(await modeOf(file)).toBe(0o600)
  })

  it('is put aside when it is full, and the oldest of those go', async () => {
    const log = nodeAuditLog({ file, maxBytes: 600, keep: 2 })
    for (let index = 0; index < 12; index++) await log.write(record(String(index)))
    const names = (await readdir(folder)).sort()
    expect(names).toHaveLength(3)
    const kept = (await Promise.all(names.map(idsIn))).flat()
    expect(kept).toContain('11')
    expect(kept).not.toContain('0')
    for (const name of names) expect((await stat(join(folder, name))).size).toBeLessThanOrEqual(600)
  })

  it('loses nothing when several processes fill it at once', async () => {
    const script = `
      const { nodeAuditLog } = await import(${JSON.stringify(import.meta.resolve('@ext/agent-core/node'))})
      const [file, from] = process.argv.slice(1)
      const log = nodeAuditLog({ file, maxBytes: 2000, keep: 1000 })
      const record = JSON.parse(${JSON.stringify(JSON.stringify(record('')))})
      for (let id = 0; id < 60; id++) await log.write({ ...record, tool_use_id: from + id })`
    const run = (from: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, '--', file, from])
    await Promise.all(['a', 'b', 'c'].map(run))
    const ids = (await Promise.all((await readdir(folder)).map(idsIn))).flat()
    const expected = ['a', 'b', 'c'].flatMap((from) => Array.from({ length: 60 }, (_, id) => from + id))
    expect(ids.sort()).toEqual(expected.sort())
  })

  it('is never written through a link, and says when it can not be written', async () => {
    await mkdir(folder, { recursive: true })
    const elsewhere = join(folder, 'elsewhere')
    await writeFile(elsewhere, '')
    await symlink(elsewhere, file)
    const log = nodeAuditLog({ file })
    await expect(log.write(record('1'))).rejects.toThrow('ELOOP')
    await expect(log.write(record('2'))).rejects.toThrow('ELOOP')
    expect(await readFile(elsewhere, 'utf8')).toBe('')
  })
})
