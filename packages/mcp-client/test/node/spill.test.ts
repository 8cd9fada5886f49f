import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { nodeSpill } from '../../src/node/index.js'

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'ext-spill-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return join(path, 'spill')
}

const item = { server: 'fs', tool: 'read', mimeType: 'text/plain', data: 'grüße' }

test('a text and bytes can be read back from where they are said to be, by their owner alone', async () => {
  const spill = nodeSpill({ folder: await folder() })
  const text = await spill.keep(item)
  expect(await readFile(text.path ?? '', 'utf8')).toBe('grüße')
  expect(fileURLToPath(text.uri)).toBe(text.path)
  expect((await stat(text.path ?? '')).mode & 0o777).toBe(0o600)
  const image = await spill.keep({ ...item, mimeType: 'image/png', data: new Uint8Array([1, 2, 255]) })
  expect([...(await readFile(image.path ?? ''))]).toEqual([1, 2, 255])
  expect(image.path).toMatch(/\.png$/)
})

test('a server can not choose where its results go', async () => {
  const path = await folder()
  const spill = nodeSpill({ folder: path })
  const kept = await spill.keep({ ...item, tool: '../../../etc/passwd', mimeType: 'x/../../y' })
  expect(dirname(kept.path ?? '')).toBe(path)
  expect(basename(kept.path ?? '')).toMatch(/^fs-_________etc_passwd-[0-9a-f]{8}\.bin$/)
})

test('when the folder is full the oldest files go, never the one that was just written', async () => {
  const path = await folder()
  const spill = nodeSpill({ folder: path, maxBytes: 250 })
  const kept: string[] = []
  for (let count = 0; count < 5; count++) {
    kept.push(basename((await spill.keep({ ...item, data: String(count).repeat(100) })).path ?? ''))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect((await readdir(path)).sort()).toEqual(kept.slice(-2).sort())
  const large = await spill.keep({ ...item, data: 'x'.repeat(1000) })
  expect(await readdir(path)).toEqual([basename(large.path ?? '')])
})
