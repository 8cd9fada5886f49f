import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { logFileOf, nodeLogs } from '../../src/node/index.js'

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'ext-logs-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return join(path, 'logs')
}

test('lines are in the file of their server, in order and with their time, for their owner alone', async () => {
  const path = await folder()
  const logs = nodeLogs({ folder: path })
  for (let line = 0; line < 100; line++) logs.onLog(line % 2 ? 'odd' : 'even', `line ${line}`)
  await logs.close()
  const lines = (await readFile(logFileOf(path, 'odd'), 'utf8')).trimEnd().split('\n')
  expect(lines).toHaveLength(50)
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z line 1$/)
  expect(lines[49]).toMatch(/line 99$/)
  expect((await stat(logFileOf(path, 'odd'))).mode & 0o777).toBe(0o600)
  logs.onLog('odd', 'later')
  await logs.close()
  expect(await readFile(logFileOf(path, 'odd'), 'utf8')).toMatch(/later\n$/)
})

test('a log that has become too long is put aside, and one older version is kept', async () => {
  const path = await folder()
  const logs = nodeLogs({ folder: path, maxBytes: 100 })
  for (let line = 0; line < 6; line++) {
    logs.onLog('s', `${line} ${'x'.repeat(40)}`)
    await logs.close()
  }
  expect((await readdir(path)).sort()).toEqual(['s.log', 's.log.1'])
  expect(await readFile(join(path, 's.log'), 'utf8')).toContain(' 5 x')
  expect(await readFile(join(path, 's.log.1'), 'utf8')).toContain(' 4 x')
})

test('several programs put the same log aside at a time, and all of them go on', async () => {
  const path = await folder()
  const said: string[] = []
  const report = (message: string) => said.push(message)
  const programs = Array.from({ length: 4 }, () => nodeLogs({ folder: path, maxBytes: 500, report }))
  for (let line = 0; line < 100; line++) {
    for (const logs of programs) logs.onLog('s', 'x'.repeat(300))
    await Promise.all(programs.map((logs) => logs.close()))
  }
  expect(said).toEqual([])
})

test('a server that writes faster than the disk costs lines, which is said, and no memory', async () => {
  const path = await folder()
  const logs = nodeLogs({ folder: path, maxBytes: 1 << 30 })
  for (let line = 0; line < 20; line++) logs.onLog('s', 'x'.repeat(1 << 20))
  await logs.close()
  const text = await readFile(logFileOf(path, 's'), 'utf8')
  expect(text.length).toBeLessThan(6 << 20)
  expect(text).toMatch(/\[1\d lines were dropped, because they came faster than they could be written\]\n$/)
})

test('a folder that can not be written is said once and costs nothing else', async () => {
  const path = await folder()
  await writeFile(path, 'a file')
  const said: string[] = []
  const logs = nodeLogs({ folder: path, report: (message) => said.push(message) })
  for (const server of ['a', 'b']) logs.onLog(server, 'x')
  await logs.close()
  logs.onLog('a', 'y')
  await logs.close()
  expect(said).toEqual([expect.stringMatching(/^The logs of MCP servers can't be written: E/)])
})
