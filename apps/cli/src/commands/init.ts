import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Io } from '../io.js'
import { packageFolder } from '../package.js'

export interface InitOptions {
  readonly project: string
}

/** Writes a commented starter configuration. Never touches one that is there. */
export async function init(options: InitOptions, io: Io): Promise<number> {
  const file = join(resolve(options.project), '.ext', 'config.yaml')
  const template = await readFile(join(packageFolder, 'assets/starter/config.yaml'), 'utf8')
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, template.replace('{{SCHEMA}}', schemaFor(dirname(file))), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    io.err(`ext: ${file} is there already and stays as it is. Remove it first to start anew.`)
    return 1
  }
  io.out(`Wrote ${file}. Run ext doctor to see what becomes of its entries.`)
  return 0
}

/** The schema as an editor finds it: relative when it is installed in the project, so that the file can be committed. */
function schemaFor(folder: string): string {
  const schema = join(packageFolder, 'dist/config.schema.json')
  const path = relative(folder, schema)
  return path.split(sep).filter((part) => part === '..').length > 1 ? schema : path
}
