import type { JsonSchema, SessionRef, Tool, ToolResult } from '@ext/kernel/contract'
import { expectTypeOf, test } from 'vitest'
import type { createMcpClient } from '../src/index.js'
import type { nodeToolCache } from '../src/node/index.js'
import type {
  CachedTools,
  McpClient,
  McpClientOptions,
  ServerId,
  ServerState,
  SessionTools,
  ToolCache,
  ToolSearchOptions,
} from '../src/types.js'

test('a client fits the port through which an agent takes tools', () => {
  expectTypeOf<McpClient>().toExtend<{ session(ref: SessionRef): { tools?(): readonly Tool[] } }>()
})

test('a session lists tools, and finds those that it does not list', () => {
  type Session = ReturnType<McpClient['session']>
  expectTypeOf<Session>().toEqualTypeOf<SessionTools>()
  expectTypeOf<Session['tool']>().toEqualTypeOf<(name: string) => Tool | undefined>()
  expectTypeOf<McpClientOptions['search']>().toEqualTypeOf<ToolSearchOptions | undefined>()
  expectTypeOf<McpClientOptions['provider']>().toEqualTypeOf<'anthropic' | 'openai' | 'gemini' | undefined>()
  expectTypeOf<'idle'>().toExtend<ServerState>()
  expectTypeOf<Tool['modelSchema']>().toEqualTypeOf<JsonSchema | undefined>()
})

test('what keeps tools of lazy servers can be written without the package', () => {
  expectTypeOf<{
    read(server: ServerId): Promise<CachedTools | undefined>
    write(server: ServerId, tools: CachedTools): Promise<void>
  }>().toExtend<ToolCache>()
  expectTypeOf<typeof nodeToolCache>().returns.toEqualTypeOf<ToolCache>()
})

test('a client is made from options and can be used with `await using`', () => {
  expectTypeOf<typeof createMcpClient>().toEqualTypeOf<(options: McpClientOptions) => Promise<McpClient>>()
  expectTypeOf<McpClient>().toExtend<AsyncDisposable>()
})

test('a call gives the result that agents know', () => {
  expectTypeOf<McpClient['call']>().returns.resolves.toEqualTypeOf<ToolResult>()
})
