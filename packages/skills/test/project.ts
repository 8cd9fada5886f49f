import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SessionRef, Tool } from '@ext/kernel/contract'
import { nodeFiles } from '@ext/kernel/node'
import type { Diagnostic, FilesPort, FolderSource, LayerName } from '@ext/kernel/types'
import { onTestFinished } from 'vitest'
import { loadSkills, type Skills, type SkillsOptions } from '../src/index.js'

/** A temporary folder with real files; it is gone after the test. */
export async function makeProject(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'ext-skills-')))
  const project = new Project(root)
  await Promise.all(Object.entries(files).map(([path, text]) => project.write(path, text)))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return project
}

export class Project {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  path(...parts: readonly string[]): string {
    return join(this.root, ...parts)
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true })
    await writeFile(this.path(path), text)
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
    return { kind: 'folder', layer, dialect: 'skills', path: this.path(path) }
  }

  /** Loads `skills/` as the project's, unless told otherwise. */
  load(options: Partial<SkillsOptions> & { readonly files?: FilesPort } = {}): Promise<Skills> {
    const { files = nodeFiles(), ...rest } = options
    return loadSkills({
      layers: [this.source('skills')],
      ports: { files },
      projectDir: this.root,
      runner: { run: async () => ({ done: false, text: '', problem: 'There are no sub-agents in this test.' }) },
      ...rest,
    })
  }
}

/** A SKILL.md. */
export function skill(header: string, body = 'Do it.\n'): string {
  return `---\n${header}\n---\n${body}`
}

export function sessionRef(id = 's1'): SessionRef {
  return { id, cwd: '/', origin: 'main', permissionMode: 'default' }
}

export function names(skills: Skills): readonly string[] {
  return skills.snapshot.entries.map((entry) => entry.value.name).toSorted()
}

export function codes(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ code }) => code)
}

/** Calls a tool as an agent does; gives the text and whether it is an error. */
export async function call(
  tool: Tool | undefined,
  input: Parameters<Tool['run']>[0],
): Promise<{ readonly text: string; readonly isError: boolean }> {
  if (!tool) throw new Error('There is no tool.')
  const { content, isError } = await tool.run(input, {
    signal: new AbortController().signal,
    session: sessionRef(),
    callId: 'c1',
    idempotencyKey: 'k1',
    progress: () => {},
    report: () => {},
  })
  const [block] = content
  return { text: block?.type === 'text' ? block.text : '', isError }
}
