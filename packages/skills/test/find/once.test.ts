import { realpathSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeProject, skill } from '../project.js'

const FOLDERS = ['top/a', 'top/b', 'top/in/c', 'top/in/d', 'apart/e', 'apart/deep/er/f'] as const
/** What links lead to: skills, folders that hold some, a root and a folder above all. */
const TARGETS = [...FOLDERS, 'top', 'top/in', 'apart', 'apart/deep', '.'] as const
const ROOTS = ['top', 'top/in', 'apart', 'linked'] as const

describe('A skill that can be reached in several ways', () => {
  it('is loaded once, whatever the links and in whatever order the layers come', async () => {
    const link = fc.record({
      from: fc.constantFrom('top', 'top/in', 'apart', 'apart/deep'),
      to: fc.constantFrom(...TARGETS),
      isFile: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(link, { maxLength: 4 }),
        fc.shuffledSubarray([...ROOTS], { minLength: 1 }),
        async (links, roots) => {
          const project = await makeProject()
          for (const folder of FOLDERS) await project.write(`${folder}/SKILL.md`, skill('description: Works.'))
          await project.link('linked', project.path('top/in'))
          for (const [index, { from, to, isFile }] of links.entries()) {
            if (isFile) await project.link(`${from}/l${index}/SKILL.md`, project.path(to, 'SKILL.md'))
            else await project.link(`${from}/l${index}`, project.path(to))
          }
          const kinds = ['plugin', 'user', 'project', 'local'] as const
          const layers = roots.map((root, index) => project.source(root, kinds[index]))
          const skills = await project.load({ layers })
          const files = skills.snapshot.records.flatMap(({ source, verdict }) =>
            verdict === 'loaded' ? [realpathSync(source.file ?? '')] : [],
          )
          expect(files.length).toBe(new Set(files).size)
          const below = (root: string) => FOLDERS.filter((folder) => `${folder}/`.startsWith(`${root}/`))
          const wanted = roots.flatMap((root) => below(root === 'linked' ? 'top/in' : root))
          for (const folder of wanted) expect(files).toContain(project.path(folder, 'SKILL.md'))
        },
      ),
      { numRuns: 60 },
    )
  })
})
