import { relative } from 'node:path'
import { nodeFiles } from '@ext/kernel/node'
import type { FilesPort } from '@ext/kernel/types'
import type { Loader } from '../../src/conformance/index.js'
import { loadSkills } from '../../src/index.js'

/** Our own loader, as the kit wants it. */
export function ownLoader(files: FilesPort = nodeFiles()): Loader {
  return async ({ root, roots }) => {
    const layers = roots.map(({ path, layer }) => ({ kind: 'folder', layer, dialect: 'skills', path }) as const)
    const { snapshot, diagnostics } = await loadSkills({ layers, ports: { files }, projectDir: root })
    const inCase = (file: string) => relative(root, file)
    return {
      skills: snapshot.entries.map(({ value: { file, name, description } }) => ({
        file: inCase(file),
        name,
        description,
      })),
      reports: diagnostics.flatMap(({ source: { file, line, column } }) =>
        file === undefined
          ? []
          : [
              {
                file: inCase(file),
                ...(line === undefined ? {} : { line }),
                ...(column === undefined ? {} : { column }),
              },
            ],
      ),
    }
  }
}
