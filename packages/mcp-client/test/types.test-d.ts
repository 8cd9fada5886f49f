import type { SessionRef, Tool, ToolResult } from '@ext/kernel/contract'
import { expectTypeOf, test } from 'vitest'
import type { createMcpClient } from '../src/index.js'
import type { McpClient, McpClientOptions } from '../src/types.js'

test('a client fits the port through which an agent takes tools', () => {
  expectTypeOf<McpClient>().toExtend<{ session(ref: SessionRef): { tools?(): readonly Tool[] } }>()
})

test('a client is made from options and can be used with `await using`', () => {
  expectTypeOf<typeof createMcpClient>().toEqualTypeOf<(options: McpClientOptions) => Promise<McpClient>>()
  expectTypeOf<McpClient>().toExtend<AsyncDisposable>()
})

test('a call gives the result that agents know', () => {
  expectTypeOf<McpClient['call']>().returns.resolves.toEqualTypeOf<ToolResult>()
})
