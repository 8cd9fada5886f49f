import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeToolCache } from '../../src/node/index.js'
import type { CachedTools, ServerId } from '../../src/types.js'

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'ext-cache-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return join(path, 'deep', 'cache')
}

const server: ServerId = { name: 'fs', source: { layer: 'user', file: '/home/a/.ext/config.yaml' } }
const tools: CachedTools = {
  at: 1,
  endpoint: 'abc',
  tools: [{ name: 'read' }, 7],
  cut: 'it has no end',
  instructions: 'Read.',
}

test('what a server said is there in the next process, as it was, and replaced by what it says later', async () => {
  const path = await folder()
  expect(await nodeToolCache({ folder: path }).read(server)).toBeUndefined()
  await nodeToolCache({ folder: path }).write(server, tools)
  expect(await nodeToolCache({ folder: path }).read(server)).toEqual(tools)
  const { cut: _, instructions: __, ...fewer } = tools
  await nodeToolCache({ folder: path }).write(server, { ...fewer, tools: [] })
  expect(await nodeToolCache({ folder: path }).read(server)).toEqual({ ...fewer, tools: [] })
  expect(await readdir(path)).toHaveLength(1)
})

test('a file that is none is said', async () => {
  const path = await folder()
  const cache = nodeToolCache({ folder: path })
  await cache.write(server, tools)
  const [name = ''] = await readdir(path)
  const file = join(path, name)
  const whole = await readFile(file, 'utf8')
  for (const [text, problem] of [
    [whole.slice(0, 40), 'is no JSON'],
    [whole.replace('"version": 1', '"version": 2'), 'is not a file of known tools of this version'],
    [whole.replace('"at": 1', '"at": "1"'), 'is not a file of known tools of this version'],
  ] as const) {
    await writeFile(file, text)
    await expect(cache.read(server)).rejects.toThrow(problem)
  }
})
