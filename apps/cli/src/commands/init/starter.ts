import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { packageFolder } from '../../package.js'

/** What became of the starter file. A file that is there is never touched. */
export type Starter = { readonly state: 'written' | 'there' } | { readonly state: 'failed'; readonly problem: string }

/** Writes a commented starter configuration, unless a file is there. */
export async function writeStarter(file: string): Promise<Starter> {
  const template = await readFile(join(packageFolder, 'assets/starter/config.yaml'), 'utf8')
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, template.replace('{{SCHEMA}}', schemaFor(dirname(file))), { flag: 'wx' })
    return { state: 'written' }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'EEXIST' ? { state: 'there' } : { state: 'failed', problem: message }
  }
}

/** The schema of the configuration, as it is installed. */
export const schemaFile: string = join(packageFolder, 'dist/config.schema.json')

/** The schema as an editor finds it: relative when it is installed in the project, so that the file can be committed. */
function schemaFor(folder: string): string {
  const path = relative(folder, schemaFile)
  return path.split(sep).filter((part) => part === '..').length > 1 ? schemaFile : path
}
