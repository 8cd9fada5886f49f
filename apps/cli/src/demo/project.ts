import { chmod, cp, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageFolder } from '../package.js'

/** Copies the demo's files into a new temporary folder and returns its real path. */
export async function makeDemoProject(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ext-demo-')))
  await cp(join(packageFolder, 'assets/demo'), folder, { recursive: true })
  // Packing a package loses the permission to execute.
  const hooks = join(folder, '.claude/hooks')
  for (const script of await readdir(hooks)) await chmod(join(hooks, script), 0o755)
  // The server is a dependency of this package; only this machine knows where it is installed.
  const servers = join(folder, '.mcp.json')
  await writeFile(servers, (await readFile(servers, 'utf8')).replace('{{FILESYSTEM_SERVER}}', filesystemServer()))
  return folder
}

function filesystemServer(): string {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('@modelcontextprotocol/server-filesystem/package.json')
  const bin = (require(manifest) as { bin: Record<string, string> }).bin['mcp-server-filesystem']
  return join(dirname(manifest), bin ?? 'dist/index.js')
}
