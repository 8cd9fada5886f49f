import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodePins } from '../../src/node/index.js'
import type { PinnedTools, ServerId } from '../../src/types.js'

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'ext-pins-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return join(path, 'deep', 'pins')
}

const server = (name: string, file = '/repo/.mcp.json'): ServerId => ({
  name,
  source: { layer: 'project', file },
})
const tools: PinnedTools = {
  read: { title: 'Read', description: 'Reads.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
}

test('what was approved is there again in the next process, for its owner alone', async () => {
  const path = await folder()
  await nodePins({ folder: path }).write(server('fs'), tools)
  expect(await nodePins({ folder: path }).read(server('fs'))).toEqual(tools)
  const [file = ''] = await readdir(path)
  expect((await stat(join(path, file))).mode & 0o777).toBe(0o600)
})

test('a server that was never approved has no pins, nor has one of the same name elsewhere or in other letters', async () => {
  const path = await folder()
  const pins = nodePins({ folder: path })
  expect(await pins.read(server('fs'))).toBeUndefined()
  await pins.write(server('fs'), tools)
  expect(await pins.read(server('fs', '/other/.mcp.json'))).toBeUndefined()
  expect(await pins.read(server('FS'))).toBeUndefined()
})

test('a file that was tampered with is said, and entries that are no tools are nobody', async () => {
  const path = await folder()
  const pins = nodePins({ folder: path })
  await pins.write(server('fs'), tools)
  const [name = ''] = await readdir(path)
  const file = join(path, name)
  const whole = await readFile(file, 'utf8')
  await writeFile(file, whole.replace('"Reads."', '7'))
  expect(Object.keys((await pins.read(server('fs'))) ?? {})).toEqual([])
  await writeFile(file, whole.slice(0, 40))
  await expect(pins.read(server('fs'))).rejects.toThrow(/is no JSON/)
  await writeFile(file, '{"version":2,"tools":{}}')
  await expect(pins.read(server('fs'))).rejects.toThrow('is not a file of approved tools of this version')
})

test('pins of more than a megabyte can be replaced', async () => {
  const pins = nodePins({ folder: await folder() })
  const large = (text: string): PinnedTools => ({ a: { description: text.repeat(3 << 20), inputSchema: {} } })
  await pins.write(server('fs'), large('x'))
  await pins.write(server('fs'), large('y'))
  expect(await pins.read(server('fs'))).toEqual(large('y'))
})

test('a folder that can not be made is said', async () => {
  const path = await folder()
  await nodePins({ folder: path }).write(server('fs'), tools)
  const [name = ''] = await readdir(path)
  await expect(nodePins({ folder: join(path, name) }).write(server('fs'), tools)).rejects.toThrow(/EEXIST|ENOTDIR/)
})
