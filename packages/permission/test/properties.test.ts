import type { ConfigSource, LayerName } from '@ext/kernel'
import type { AuthorizeRequest, JsonObject, Opinion, PermissionMode, ToolKind } from '@ext/kernel/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bash, permissionWith, type Rules, request, rulesOf, serverTool, session, tool } from './support.js'

const RANK = { allow: 0, ask: 1, deny: 2 } as const

const word = fc.constantFrom(
  'git',
  'push',
  'status',
  'ls',
  '-l',
  '--force',
  'rm',
  'sudo',
  'a',
  'src/a.ts',
  '.env',
  '*',
  '/bin/ls',
  'npm',
)
const line = fc
  .array(fc.oneof(word, fc.constantFrom('&&', ';', '|', '>', '$(', ')', "'", '"', '\\', '\n')), { maxLength: 8 })
  .map((words) => words.join(' '))
const path = fc.constantFrom(
  '.env',
  'src/a.ts',
  'a/b/c',
  '/etc/passwd',
  '~/.ssh/id',
  '../x',
  'src/../.env',
  '',
  'C:\\x',
)

const rule = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `Bash(${words.join(' ')})`),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `Bash(${words.join(' ')}:*)`),
  fc
    .tuple(
      fc.constantFrom('Read', 'Edit', 'Write', 'Grep'),
      fc.constantFrom('.env', 'src/**', './a/**', '//etc/**', '~/x', '*'),
    )
    .map(([name, pattern]) => `${name}(${pattern})`),
  fc.constantFrom(
    'Bash',
    'Read',
    'Edit',
    'mcp__fs',
    'mcp__fs__*',
    'mcp__*',
    '*',
    'Bash(',
    'WebFetch(domain:x)',
    'nonsense here',
  ),
)
const list = fc.array(rule, { maxLength: 4 })
const rules: fc.Arbitrary<Rules> = fc.record({ allow: list, ask: list, deny: list })

const call: fc.Arbitrary<AuthorizeRequest> = fc.oneof(
  line.map(bash),
  fc
    .tuple(fc.constantFrom('Read', 'Edit', 'Write', 'Grep'), path)
    .map(([name, file_path]) => request(name, { file_path, path: file_path })),
  fc.constantFrom('fs', 'other').map((server) => request(serverTool(server, 'write'), { path: 'a' })),
)
const mode = fc.constantFrom<PermissionMode>('default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions')
const opinion = fc.option(fc.constantFrom<Opinion>({ behavior: 'allow', by: 'h' }, { behavior: 'ask', by: 'h' }), {
  nil: undefined,
})

async function verdict(of: Rules, asked: AuthorizeRequest, permissionMode: PermissionMode, by?: Opinion) {
  return (await permissionWith({ rules: of })).session(session({ permissionMode })).decide(asked, by).behavior
}

describe('for whatever rules, calls, modes and opinions', () => {
  test('one more deny or ask rule never loosens anything', async () => {
    await fc.assert(
      fc.asyncProperty(
        rules,
        call,
        mode,
        opinion,
        rule,
        fc.constantFrom('deny', 'ask'),
        async (all, asked, how, by, more, effect) => {
          const before = await verdict(all, asked, how, by)
          const after = await verdict({ ...all, [effect]: [...(all[effect as 'deny'] ?? []), more] }, asked, how, by)
          expect(RANK[after]).toBeGreaterThanOrEqual(RANK[before])
        },
      ),
      { numRuns: 150 },
    )
  })

  test('one more allow rule never tightens anything', async () => {
    await fc.assert(
      fc.asyncProperty(rules, call, mode, opinion, rule, async (all, asked, how, by, more) => {
        const before = await verdict(all, asked, how, by)
        const after = await verdict({ ...all, allow: [...(all.allow ?? []), more] }, asked, how, by)
        expect(RANK[after]).toBeLessThanOrEqual(RANK[before])
      }),
      { numRuns: 150 },
    )
  })

  test("a hook's ask never loosens, and its allow never passes a rule", async () => {
    await fc.assert(
      fc.asyncProperty(rules, call, mode, async (all, asked, how) => {
        const alone = await verdict(all, asked, how)
        expect(RANK[await verdict(all, asked, how, { behavior: 'ask', by: 'h' })]).toBeGreaterThanOrEqual(
          Math.max(RANK[alone], 1),
        )
        const allowed = await verdict(all, asked, how, { behavior: 'allow', by: 'h' })
        if (alone === 'deny') expect(allowed).toBe('deny')
        expect(RANK[allowed]).toBeLessThanOrEqual(RANK[alone])
      }),
      { numRuns: 150 },
    )
  })

  test('putting a wrapper in front of a denied command never frees it', async () => {
    const wrapper = fc.constantFrom(
      'sudo ',
      'env A=1 ',
      'timeout 5 ',
      'nice -n 3 ',
      'ls && ',
      'true; ',
      'A=1 ',
      '(',
      'xargs ',
      'nohup sudo ',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(wrapper, { minLength: 1, maxLength: 4 }), mode, async (wrappers, how) => {
        const permission = await permissionWith({ rules: { deny: ['Bash(rm:*)'], allow: ['Bash'] } })
        const here = permission.session(session({ permissionMode: how }))
        expect(here.decide(bash(`${wrappers.join('')}rm -r x`)).behavior).toBe('deny')
      }),
      { numRuns: 150 },
    )
  })

  test('the order of layers and files does not matter', async () => {
    const layer = fc.constantFrom<LayerName>('user', 'command-line', 'session', 'managed')
    const source: fc.Arbitrary<ConfigSource> = fc.tuple(rules, layer).map(([of, name]) => rulesOf(of, name))
    await fc.assert(
      fc.asyncProperty(fc.array(source, { maxLength: 4 }), call, mode, async (layers, asked, how) => {
        const decide = async (order: readonly ConfigSource[]) =>
          (await permissionWith({ layers: order })).session(session({ permissionMode: how })).decide(asked).behavior
        expect(await decide(layers.toReversed())).toBe(await decide(layers))
      }),
      { numRuns: 150 },
    )
  })

  test('there is a decision, always the same, and it never throws', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    const anything: fc.Arbitrary<JsonObject> = fc.dictionary(
      fc.oneof(text, fc.constantFrom('command', 'file_path', 'path', '__proto__')),
      fc.jsonValue(),
    ) as fc.Arbitrary<JsonObject>
    const specifier = text.map((inner) => `(${inner})`)
    const odd = fc
      .tuple(fc.constantFrom('Bash', 'Read', 'Edit', ''), fc.oneof(text, specifier))
      .map((parts) => parts.join(''))
    const odds = fc.array(odd, { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.record({ allow: odds, ask: odds, deny: odds }),
        fc.oneof(fc.constantFrom('Bash', 'Read', 'Edit', 'Glob', 'toString', '__proto__', ''), text),
        fc.oneof(
          anything,
          text.map((command) => ({ command, file_path: command, path: command, pattern: command })),
        ),
        fc.constantFrom<ToolKind>('read', 'edit', 'exec', 'network', 'meta'),
        mode,
        async (all, name, input, kind, how) => {
          const here = (await permissionWith({ rules: all })).session(session({ permissionMode: how }))
          const asked = request(tool(name, { kind }), input)
          const decision = here.decide(asked)
          expect(['allow', 'ask', 'deny']).toContain(decision.behavior)
          expect(decision.trace.map(({ layer }) => layer)).toEqual(['shell', 'rules', 'mode', 'opinion', 'default'])
          expect(here.decide(asked)).toEqual(decision)
          expect((await here.authorize(asked)).behavior).toBe(decision.behavior === 'allow' ? 'allow' : 'deny')
        },
      ),
      { numRuns: 150 },
    )
  })
})
