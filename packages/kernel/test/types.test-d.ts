import { describe, expectTypeOf, it } from 'vitest'
import type { Behavior, EventResult, LifecycleEvent, Payload, SessionRef, Tool, ToolResult } from '../src/contract.js'
import {
  createReporter,
  type Diagnostic,
  definePipeline,
  documentReader,
  type Located,
  mapEntries,
  type Outcome,
  type Pipeline,
  type Reader,
  type Snapshot,
  type Source,
} from '../src/index.js'
import { nodeFetch, nodePorts } from '../src/node/index.js'
import { fakeClock, memoryFiles } from '../src/testing/index.js'
import type { ClockPort, FetchPort, FetchResult, FilesPort, HostPorts, ProcessResult } from '../src/types.js'

describe('Located and Outcome', () => {
  it('keep the type of their value', () => {
    expectTypeOf<Located<number>['value']>().toEqualTypeOf<number>()
    expectTypeOf<Located<number>['at']>().returns.toEqualTypeOf<Source>()
    expectTypeOf<Outcome<string>['value']>().toEqualTypeOf<string | undefined>()
    expectTypeOf({ diagnostics: [] }).toExtend<Outcome<string>>()
    // @ts-expect-error a value that is there can't be undefined
    const wrong: Outcome<string> = { value: undefined, diagnostics: [] }
    void wrong
  })
})

describe('a pipeline', () => {
  it('takes its three types from its definition', () => {
    interface Toy {
      readonly size: number
    }
    const pipeline = definePipeline({
      axis: 'toys',
      readers: [documentReader('ext', (document) => mapEntries(document, '/toys'))],
      validate: (input, _context: { readonly limit: number }): Outcome<Toy> => {
        expectTypeOf(input).toEqualTypeOf<Located<unknown>>()
        return { value: { size: 1 }, diagnostics: [] }
      },
      identity: (entry) => entry.id,
      merge: 'override',
      needsConsent: (toy) => toy.size > 1,
      compile: (entry): Outcome<string> => ({ value: `${entry.value.size}`, diagnostics: [] }),
    })
    expectTypeOf(pipeline).toEqualTypeOf<Pipeline<Toy, string, { readonly limit: number }>>()
    expectTypeOf(pipeline.load).returns.resolves.toEqualTypeOf<Snapshot<string>>()
    expectTypeOf(documentReader('ext', (document) => mapEntries(document, ''))).toEqualTypeOf<Reader<unknown>>()
  })
})

describe('a reporter', () => {
  it('knows the codes of its registry only', () => {
    const report = createReporter({ 'toys.size': 'The size is wrong.' } as const)
    expectTypeOf(report.error('toys.size', { layer: 'user' }, 'x')).toEqualTypeOf<Diagnostic>()
    // @ts-expect-error not in the registry
    report.error('toys.colour', { layer: 'user' }, 'x')
    // @ts-expect-error not a layer
    report.error('toys.size', { layer: 'home' }, 'x')
  })
})

describe('a tool', () => {
  it('is written like this', () => {
    const tool: Tool = {
      name: 'echo',
      description: 'Says it again.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      kind: 'read',
      annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      source: { tool: 'echo', trusted: true },
      async run(input, context) {
        expectTypeOf(context.session).toEqualTypeOf<SessionRef>()
        context.signal.throwIfAborted()
        return { content: [{ type: 'text', text: String(input['text']) }], isError: false }
      },
    }
    expectTypeOf(tool.run).returns.resolves.toEqualTypeOf<ToolResult>()
    // @ts-expect-error its kind must be one of those
    const wrong: Tool['kind'] = 'write'
    void wrong
  })
})

describe('life-cycle events', () => {
  it('have the payload of their name, with the common fields', () => {
    expectTypeOf<Payload<'PreToolUse'>['tool_name']>().toEqualTypeOf<string>()
    expectTypeOf<Payload<'SessionStart'>['session_id']>().toEqualTypeOf<string>()
    expectTypeOf<Payload<'Stop'>['hook_event_name']>().toEqualTypeOf<LifecycleEvent>()
    // @ts-expect-error a prompt has no tool
    type Wrong = Payload<'UserPromptSubmit'>['tool_name']
    expectTypeOf<Wrong>().toBeAny()
  })

  it('can be blocked, and give an opinion that never denies', () => {
    expectTypeOf<NonNullable<EventResult['opinion']>['behavior']>().toEqualTypeOf<Exclude<Behavior, 'deny'>>()
  })
})

describe('ports', () => {
  it('say what became of a request, and have an answer only if there is one', () => {
    expectTypeOf(nodeFetch({ allow: ['10.0.0.5:80'] })).toEqualTypeOf<FetchPort>()
    const read = (result: FetchResult) => {
      if (result.outcome === 'answered') return expectTypeOf(result.text()).toBeString()
      // @ts-expect-error there is no status without an answer
      void result.headers
      return expectTypeOf(result.message).toBeString()
    }
    void read
  })

  it('are what Node and the fakes give', () => {
    expectTypeOf(nodePorts()).toEqualTypeOf<HostPorts>()
    expectTypeOf(memoryFiles({ '/a': 'x', '/b': { failure: 'unreadable' } })).toEqualTypeOf<FilesPort>()
    expectTypeOf(fakeClock()).toExtend<ClockPort>()
    expectTypeOf<ProcessResult['outcome']>().toEqualTypeOf<'ended' | 'cannot-start' | 'timed-out' | 'aborted'>()
  })
})
