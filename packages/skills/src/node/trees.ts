import { constants } from 'node:fs'
import { access, chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TreeItem } from '../conformance/cases.js'
import type { TreeWriter } from '../conformance/run.js'

/** Trees in temporary folders of this machine. What it can't do (links, permissions, case) is found out by trying. */
export async function diskTrees(): Promise<TreeWriter> {
  const abilities = await tryOut()
  return {
    has: (need) => abilities[need],
    async write(tree) {
      const root = await realpath(await mkdtemp(join(tmpdir(), 'ext-skills-case-')))
      for (const item of tree) await writeItem(root, item)
      // Last, for nothing can be put into a folder that is closed.
      const closed = tree.filter(({ mode }) => mode !== undefined)
      for (const { path, mode = 0 } of closed) await chmod(join(root, path), mode)
      return {
        root,
        async remove() {
          for (const { path } of closed) await chmod(join(root, path), 0o700)
          await rm(root, { recursive: true, force: true })
        },
      }
    },
  }
}

async function writeItem(root: string, item: TreeItem): Promise<void> {
  const { path, text = '', repeat, base64, link, folder, count } = item
  if (count !== undefined) {
    for (let index = 0; index < count; index++) {
      const { count: _, ...one } = item
      const fill = (template: string) => template.replaceAll('{n}', String(index))
      await writeItem(root, { ...one, path: fill(path), text: fill(text) })
    }
    return
  }
  const target = join(root, path)
  await mkdir(folder ? target : dirname(target), { recursive: true })
  if (folder) return
  if (link !== undefined) await symlink(link, target)
  else if (base64 !== undefined) await writeFile(target, Buffer.from(base64, 'base64'))
  else await writeFile(target, text + (repeat?.text.repeat(repeat.times) ?? ''))
}

async function tryOut(): Promise<Readonly<Record<'links' | 'permissions' | 'case-sensitive', boolean>>> {
  const folder = await mkdtemp(join(tmpdir(), 'ext-skills-try-'))
  const works = (attempt: Promise<unknown>) =>
    attempt.then(
      () => true,
      () => false,
    )
  try {
    const file = join(folder, 'lower')
    await writeFile(file, '')
    await chmod(file, 0)
    return {
      links: await works(symlink('lower', join(folder, 'link'))),
      // Root may read everything.
      permissions: !(await works(access(file, constants.R_OK))),
      'case-sensitive': !(await works(access(join(folder, 'LOWER')))),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
