import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Diagnostic, ValueSource } from '@ext/kernel'
import type { ToolResult } from '@ext/kernel/contract'
import { nodePorts } from '@ext/kernel/node'
import { type HostileMode, hostileServer } from '@ext/mcp-client/testing'
import { onTestFinished } from 'vitest'
import { createMcpClient, type McpClient, type McpClientOptions } from '../src/index.js'

/** The entry of a server that misbehaves in the given way. */
export function hostile(mode: string, ...args: readonly string[]) {
  return hostileServer(mode as HostileMode, ...args)
}

/** Enough for everything that ends by itself on a busy machine. */
export const PATIENCE = 15_000

const WORKER = fileURLToPath(new URL('fixtures/worker.mjs', import.meta.url))

/** The entry of a server whose life a test directs; see the fixture. */
export function worker(how: Readonly<Record<string, unknown>> = {}) {
  return { command: process.execPath, args: [WORKER, JSON.stringify(how)] }
}

export function everything() {
  const entry = import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')
  return { command: process.execPath, args: [fileURLToPath(entry), 'stdio'] }
}

export function inMemory(mcpServers: unknown, more: Partial<ValueSource> = {}): ValueSource {
  return { kind: 'value', layer: 'user', dialect: 'ext', name: 'the test', value: { mcpServers }, ...more }
}

/** A client that is closed when the test ends. */
export async function client(options: Partial<McpClientOptions>): Promise<McpClient> {
  const made = await createMcpClient({
    layers: [],
    cwd: process.cwd(),
    clientInfo: { name: 'test', version: '1.0.0' },
    ports: nodePorts(),
    ...options,
  })
  onTestFinished(() => made.close())
  return made
}

/** A client of these servers, once all of them are ready or have failed. */
export async function settled(mcpServers: unknown, options: Partial<McpClientOptions> = {}): Promise<McpClient> {
  const made = await client({ layers: [inMemory(mcpServers)], ...options })
  await made.ready({ within: PATIENCE })
  return made
}

export function names(made: McpClient): readonly string[] {
  return made.tools().map((tool) => tool.name)
}

export function codes(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map((diagnostic) => diagnostic.code)
}

export function only(made: McpClient, code: string): Diagnostic {
  const found = made.diagnostics.filter((diagnostic) => diagnostic.code === code)
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} of ${code}: ${codes(made.diagnostics)}`)
  return found[0]
}

export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n')
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that has ended and waits for its parent to notice does nothing any more.
    return !existsSync(`/proc/${pid}/stat`) || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
