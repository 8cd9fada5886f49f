import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodeFiles } from '@ext/kernel/node'
import type { Diagnostic, FilesPort, FolderSource, LayerName } from '@ext/kernel/types'
import { onTestFinished } from 'vitest'
import { type Agents, type LoadAgentsOptions, loadAgents } from '../../src/agents/index.js'

/** A temporary folder with real files; it is gone after the test. */
export async function makeFolder(files: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const folder = new Folder(await realpath(await mkdtemp(join(tmpdir(), 'ext-agents-'))))
  onTestFinished(() => rm(folder.root, { recursive: true, force: true }))
  await Promise.all(Object.entries(files).map(([path, text]) => folder.write(path, text)))
  return folder
}

export class Folder {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  path(path: string): string {
    return join(this.root, path)
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true })
    await writeFile(this.path(path), content)
  }

  async remove(path: string): Promise<void> {
    await rm(this.path(path), { recursive: true })
  }

  /** @param target absolute, or relative to the folder of the link */
  async link(path: string, target: string): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true })
    await symlink(target, this.path(path))
  }

  source(path: string, layer: LayerName = 'project'): FolderSource {
    return { kind: 'folder', layer, dialect: 'agents', path: this.path(path) }
  }

  /** Loads `agents/` as the project's, unless told otherwise. */
  load(options: Partial<LoadAgentsOptions> & { readonly files?: FilesPort } = {}): Promise<Agents> {
    const { files = nodeFiles(), ...rest } = options
    return loadAgents({ layers: [this.source('agents')], ports: { files }, ...rest })
  }
}

/** The only agent file of a project, loaded. */
export async function loadOne(text: string, options: Partial<LoadAgentsOptions> = {}): Promise<Agents> {
  const folder = await makeFolder({ 'agents/one.md': text })
  return folder.load(options)
}

/** An agent file. */
export function agent(header: string, body = 'Look closely.\n'): string {
  return `---\n${header}\n---\n${body}`
}

/** What is said, without its place. */
export function said(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ severity, code }) => `${severity} ${code}`)
}

export function verdicts(agents: Agents): readonly string[] {
  return agents.snapshot.records.map(({ source, verdict }) => `${source.layer} ${verdict}`).toSorted()
}
