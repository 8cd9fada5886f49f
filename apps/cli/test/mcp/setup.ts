import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ExtOptions, ext, temporaryFolder } from '../bin.js'

const SERVER = fileURLToPath(new URL('../fixtures/server.mjs', import.meta.url))
export const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))

/** A project and the home of a person. */
export async function setup() {
  const project = await temporaryFolder()
  const home = await temporaryFolder()
  const plain = (text: string) => text.replaceAll(project, '<project>').replaceAll(home, '<home>')
  return {
    project,
    home,
    /** Runs `ext mcp …` in the project. */
    async mcp(args: readonly string[], options: ExtOptions = {}) {
      const ran = await ext(['mcp', ...args], { cwd: project, home, ...options })
      return { ...ran, stdout: plain(ran.stdout), stderr: plain(ran.stderr) }
    },
    async trust(...args: readonly string[]) {
      const ran = await ext(['trust', ...args], { cwd: project, home })
      return { ...ran, stdout: plain(ran.stdout), stderr: plain(ran.stderr) }
    },
    async write(path: string, text: string) {
      const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
      return file
    },
    read: (path: string) => readFile(path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path), 'utf8'),
    /** The entry of a small server whose tools stand in a file of the project. */
    small: (toolsFile = 'tools.json') => ({ command: process.execPath, args: [SERVER, join(project, toolsFile)] }),
  }
}

export function tool(name: string, description: string) {
  return { name, description, inputSchema: { type: 'object' } }
}
