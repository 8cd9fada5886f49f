import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JsonObject, SessionRef, Tool, ToolContext, ToolResult } from '@ext/kernel/contract'
import { nodeClock, nodeWorkFiles } from '@ext/kernel/node'
import { onTestFinished } from 'vitest'
import { type FileToolOptions, fileTools } from '../../src/tools/index.js'

/** A folder with files, gone when the test is. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ext-tools-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  put(folder, files)
  return folder
}

export function put(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

export function sessionIn(cwd: string, id = 's'): SessionRef {
  return Object.freeze({ id, cwd, origin: 'main', permissionMode: 'default' })
}

export function contextOf(session: SessionRef, signal = new AbortController().signal): ToolContext {
  return { signal, session, callId: 'c', idempotencyKey: 'k', progress: () => {}, report: () => {} }
}

export const PORTS = { files: nodeWorkFiles(), clock: nodeClock(), home: '/nowhere', platform: 'linux' }

export interface Called {
  readonly text: string
  readonly isError: boolean
  readonly result: ToolResult
}

export interface Workspace {
  readonly folder: string
  readonly session: SessionRef
  /** Calls a file tool as the session does. */
  call(name: string, input: JsonObject, options?: { session?: SessionRef; signal?: AbortSignal }): Promise<Called>
  /** The text of a call that has to succeed. */
  ok(name: string, input: JsonObject): Promise<string>
  /** The text of a call that has to fail. */
  fails(name: string, input: JsonObject): Promise<string>
}

export function workspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<FileToolOptions> = {},
): Workspace {
  return workspaceIn(folderWith(files), options)
}

export function workspaceIn(folder: string, options: Partial<FileToolOptions> = {}): Workspace {
  const session = sessionIn(folder)
  const tools = fileTools({ ports: PORTS, ...options })
  const call = async (
    name: string,
    input: JsonObject,
    { session: other = session, signal }: { session?: SessionRef; signal?: AbortSignal } = {},
  ) => textOf(await byName(tools, name).run(input, contextOf(other, signal)))
  const expected = (isError: boolean) => async (name: string, input: JsonObject) => {
    const called = await call(name, input)
    if (called.isError !== isError)
      throw new Error(`${name} ${isError ? 'has not failed' : 'has failed'}: ${called.text}`)
    return called.text
  }
  return { folder, session, call, ok: expected(false), fails: expected(true) }
}

export function byName(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name)
  if (!tool) throw new Error(`There is no tool ${name}.`)
  return tool
}

export function textOf(result: ToolResult): Called {
  const text = result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n')
  return { text, isError: result.isError, result }
}

/** How a line stands in what Read gives. */
export function line(number: number, text: string): string {
  return `${String(number).padStart(6)}\t${text}`
}
