import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Launch } from '../../src/compiled.js'

const SERVER = fileURLToPath(new URL('../fixtures/official-server.mjs', import.meta.url))

/** The server on the official SDK over stdio; `both`: it also speaks the older revisions. */
export function officialLaunch(protocol: Launch['protocol'], both = false): Launch {
  const args = [SERVER, 'stdio', ...(both ? ['both'] : [])]
  return { kind: 'stdio', command: { file: process.execPath, args }, cwd: process.cwd(), env: {}, protocol }
}

/** The same over HTTP. The caller ends it. */
export async function serveOfficial(both = false): Promise<{ readonly url: string; close(): void }> {
  const child = spawn(process.execPath, [SERVER, 'http', ...(both ? ['both'] : [])], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const url of createInterface({ input: child.stdout })) return { url, close: () => void child.kill() }
  throw new Error('The server ended before it had an address.')
}
