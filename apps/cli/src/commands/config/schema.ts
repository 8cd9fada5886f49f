import { readFile } from 'node:fs/promises'
import type { Io } from '../../io.js'
import { schemaFile } from '../init/starter.js'

/** Prints the schema that editors use, or its path. */
export async function printSchema({ path }: { readonly path?: boolean }, io: Io): Promise<number> {
  io.out(path ? schemaFile : (await readFile(schemaFile, 'utf8')).trimEnd())
  return 0
}
