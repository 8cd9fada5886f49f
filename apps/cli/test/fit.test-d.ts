import type { Extension, Gate, Interceptor, Model } from '@ext/agent-core/types'
import type { Hooks } from '@ext/hooks'
import type { HookModel } from '@ext/hooks/types'
import type { McpClient } from '@ext/mcp-client'
import type { Permission } from '@ext/permission'
import type { Skills } from '@ext/skills'
import { expectTypeOf, it } from 'vitest'

// The siblings never import each other. What holds them together is that their values fit the loop's ports.
it('lets hooks be the interceptor of the loop', () => {
  expectTypeOf<Hooks>().toExtend<Interceptor>()
})

it('lets the model of the loop answer hooks', () => {
  expectTypeOf<Model>().toExtend<HookModel>()
})

it('lets permission be the gate of the loop', () => {
  expectTypeOf<Permission>().toExtend<Gate>()
})

it('lets skills and MCP servers extend the loop', () => {
  expectTypeOf<Skills>().toExtend<Extension>()
  expectTypeOf<McpClient>().toExtend<Extension>()
})
