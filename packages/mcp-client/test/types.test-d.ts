import type { JsonSchema, SessionRef, Tool, ToolResult } from '@ext/kernel/contract'
import { expectTypeOf, test } from 'vitest'
import type { createMcpClient } from '../src/index.js'
import type { nodeToolCache } from '../src/node/index.js'
import type {
  CachedTools,
  ElicitationPort,
  FormField,
  FormRequest,
  FormValue,
  LogLevel,
  McpClient,
  McpClientOptions,
  Offered,
  PromptInfo,
  PromptResult,
  ResourceSubscription,
  SamplingAnswer,
  SamplingPort,
  SamplingRefusal,
  SamplingRequest,
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

test('resources are read as results, which tools can give as they are', () => {
  expectTypeOf<McpClient['resources']['read']>().returns.resolves.toEqualTypeOf<ToolResult>()
  expectTypeOf<Extract<ResourceSubscription, { failed?: undefined }>>().toHaveProperty('end')
})

test('prompts are listed for all servers, and are messages or why there are none', () => {
  expectTypeOf<McpClient['prompts']['list']>().returns.resolves.toEqualTypeOf<Offered<PromptInfo>>()
  const first = (prompt: PromptResult) => (prompt.failed ? prompt.failed.isError : prompt.messages[0]?.role)
  expectTypeOf(first).returns.toEqualTypeOf<boolean | 'user' | 'assistant' | undefined>()
})

test('what servers may ask is left out or given', () => {
  const sampling: SamplingPort = {
    create: async ({ messages, maxTokens }) => {
      expectTypeOf(messages).toEqualTypeOf<SamplingRequest['messages']>()
      expectTypeOf(maxTokens).toEqualTypeOf<number>()
      return { content: [{ type: 'text', text: 'a' }], model: 'm' }
    },
  }
  const elicitation: ElicitationPort = {
    form: async () => ({ action: 'accept', content: { a: 1, b: ['c'], d: true } }),
  }
  expectTypeOf({ sampling, elicitation, roots: () => ['/a'], logLevel: 'info' as LogLevel }).toExtend<
    Partial<McpClientOptions>
  >()
  expectTypeOf<Awaited<ReturnType<SamplingPort['create']>>>().toEqualTypeOf<
    SamplingAnswer | SamplingRefusal | undefined
  >()
  // @ts-expect-error: a form has no maps
  expectTypeOf<{ readonly a: string }>().toExtend<FormValue>()
})

test('a field of a form is told by its kind', () => {
  const shown = (field: FormField) => (field.kind === 'choice' ? field.options.length : field.default)
  expectTypeOf(shown).parameter(0).toEqualTypeOf<FormRequest['fields'][number]>()
})
