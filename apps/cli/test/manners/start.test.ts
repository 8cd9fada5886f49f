import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import module from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ext, temporaryFolder } from '../bin.js'

it('asking for its version or help leaves nothing behind', async () => {
  const home = await temporaryFolder()
  for (const line of ['--version', '--help', 'mcp --help', 'doctor']) await ext(line.split(' '), { home })
  expect(await readdir(home)).toEqual([])
})

it('nothing that only some commands need is loaded with the program', async () => {
  const noting = `import module from 'node:module'
    module.register('data:text/javascript,' + encodeURIComponent(
      'import { writeSync } from "node:fs"\\n' +
      'export const load = (url, context, next) => { writeSync(2, url + "\\\\n"); return next(url, context) }'))`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noting)}` }
  const { stderr, stdout } = await ext(['--version'], { env })
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const loaded = stderr.split('\n').filter((url) => url.startsWith('file:') && !/\/(?:apps\/cli|commander)\//.test(url))
  expect(stderr).toContain('/apps/cli/dist/main.js')
  expect(loaded).toEqual([])
})

it('compiled code is kept in the folder of the person, if there is one and Node can, from 22.8 on', async () => {
  const home = await temporaryFolder()
  await mkdir(join(home, '.ext'))
  expect((await ext(['--version'], { home })).code).toBe(0)
  expect(existsSync(join(home, '.ext/cache/code'))).toBe('enableCompileCache' in module)
})
