import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodePorts } from '@ext/kernel/node'
import { beforeAll, describe, expect, test } from 'vitest'
import { createPermission, type Permission } from '../src/index.js'
import { request, rulesOf, session } from './support.js'

describe('authorize follows links, in real folders', () => {
  let root: string
  let permission: Permission
  const verdict = async (tool: string, path: string, cwd = root) => {
    const { decision } = await permission.session(session({ cwd })).authorize(request(tool, { file_path: path }))
    return decision.behavior
  }

  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'ext-permission-')))
    await mkdir(join(root, 'src'))
    await mkdir(join(root, 'private'))
    await writeFile(join(root, '.env'), '')
    await writeFile(join(root, 'src/a.ts'), '')
    await symlink(join(root, '.env'), join(root, 'src/settings'))
    await symlink(join(root, 'private'), join(root, 'src/out'))
    await symlink(root, `${root}-link`)
    permission = await createPermission({
      layers: [rulesOf({ allow: ['Read(./src/**)', 'Edit(./src/**)'], deny: ['Read(./.env)'] })],
      cwd: root,
      ports: nodePorts(),
    })
  })

  test('an ordinary file is what it seems', async () => {
    expect(await verdict('Read', 'src/a.ts')).toBe('allow')
    expect(await verdict('Edit', 'src/new/deep/b.ts')).toBe('allow')
  })

  test('a link to a denied file is denied', async () => {
    expect(await verdict('Read', 'src/settings')).toBe('deny')
  })

  test('a link out of what is allowed is asked, also for a file that does not exist yet', async () => {
    expect(await verdict('Edit', 'src/out/new.txt')).toBe('ask')
    expect(await verdict('Edit', 'src/out/not/there/yet.txt')).toBe('ask')
  })

  test('a working folder that is a link itself is no trap', async () => {
    const link = `${root}-link`
    expect(await verdict('Read', 'src/a.ts', link)).toBe('allow')
    expect(await verdict('Read', `${link}/src/settings`, link)).toBe('deny')
  })

  test('decide goes by the text alone', () => {
    const decision = permission.session(session({ cwd: root })).decide(request('Read', { file_path: 'src/settings' }))
    expect(decision.behavior).toBe('allow')
  })
})
