import { appendFileSync, readFileSync } from 'node:fs'

/** Adds a line to a file. @returns how many it has now */
export function record(file: string, line: unknown): number {
  appendFileSync(file, `${JSON.stringify(line)}\n`)
  return readFileSync(file, 'utf8').split('\n').length - 1
}
