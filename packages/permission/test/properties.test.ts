import type { ConfigSource, LayerName } from '@ext/kernel'
import type { AuthorizeRequest, JsonObject, Opinion, PermissionMode, ToolKind } from '@ext/kernel/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PermissionSession } from '../src/index.js'
import { compileRules, matchCall } from '../src/rule/index.js'
import { bash, CWD, HOME, permissionWith, type Rules, request, rulesOf, serverTool, session, tool } from './support.js'

/** Cases of all properties together. `PERMISSION_CASES=100000` is what the package promises. */
const CASES = Number(process.env['PERMISSION_CASES'] ?? 6000)
const PROPERTIES = 7
/** Calls that are held against one set of rules: making an engine costs more than a decision. */
const CALLS = 20
const numRuns = Math.ceil(CASES / PROPERTIES / CALLS)
const TIMEOUT = 300_000

/**
 * The same cases each time, so that a change is judged by itself. `PERMISSION_SEED=random` looks elsewhere; what it finds
 * becomes a test of its own.
 */
const { PERMISSION_SEED: seed = '20261130' } = process.env
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

const RANK = { allow: 0, ask: 1, deny: 2 } as const

const WORDS = `git push status log ls -l --force rm -rf -r sudo a src/a.ts .env /bin/ls npm test cat cp x=1 A=b $X "$X"
  'a b' find . -exec -delete echo tee sed -i s/a/b/ curl https://a.test https://evil.test sh -c xargs env timeout 5
  node -e / ~ /repo .. *.ts {a,b} $HOME`.split(/\s+/)
const word = fc.constantFrom(...WORDS)
const joint = fc.constantFrom(
  '&&',
  '||',
  ';',
  '|',
  '&',
  '>',
  '<',
  '>>',
  '$(',
  ')',
  '`',
  "'",
  '"',
  '\\',
  '\n',
  '(',
  '{',
  '}',
  '#',
  '<<E\n',
)
const line = fc
  .array(fc.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: joint }), { maxLength: 9 })
  .map((words) => words.join(' '))
const plainLine = fc
  .array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
  .map((commands) => commands.map((words) => words.join(' ')).join(' && '))
const path = fc.constantFrom(
  ...['.env', 'src/a.ts', 'a/b/c', '/etc/passwd', '~/.ssh/id', '../x', 'src/../.env', '', 'C:\\x', '.git/config'],
)

const commandRule = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.constantFrom('', ' *', ':*', '*'))
  .map(([words, end]) => `Bash(${words.join(' ')}${end})`)
const rule = fc.oneof(
  { weight: 3, arbitrary: commandRule },
  fc
    .tuple(
      fc.constantFrom('Read', 'Edit', 'Write', 'Grep'),
      fc.constantFrom('.env', 'src/**', './a/**', '//etc/**', '~/x', '*', '*.ts', './**', '//**'),
    )
    .map(([name, pattern]) => `${name}(${pattern})`),
  fc.constantFrom(
    ...[
      'Bash',
      'Read',
      'Edit',
      'WebFetch',
      'mcp__fs',
      'mcp__fs__*',
      'mcp__*',
      '*',
      'Bash(',
      'WebFetch(domain:evil.test)',
    ],
    ...['WebFetch(domain:*)', 'nonsense here', 'Bash(a:b)', 'Bash(command:x)', 'Skill(x)', 'mcp__fs(path:a)'],
  ),
)
const list = fc.array(rule, { maxLength: 4 })
const rules: fc.Arbitrary<Rules> = fc.record({ allow: list, ask: list, deny: list })

const call: fc.Arbitrary<AuthorizeRequest> = fc.oneof(
  { weight: 3, arbitrary: plainLine.map(bash) },
  { weight: 3, arbitrary: line.map(bash) },
  fc
    .tuple(fc.constantFrom('Read', 'Edit', 'Write', 'Grep'), path)
    .map(([name, file_path]) => request(name, { file_path, path: file_path })),
  fc.constantFrom('fs', 'other').map((server) => request(serverTool(server, 'write'), { path: 'a' })),
  fc.constantFrom('https://evil.test', 'http://a.test', '').map((url) => request('WebFetch', { url })),
)
const calls = fc.array(call, { minLength: CALLS, maxLength: CALLS })
const mode = fc.constantFrom<PermissionMode>('default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions')
const opinion = fc.option(fc.constantFrom<Opinion>({ behavior: 'allow', by: 'h' }, { behavior: 'ask', by: 'h' }), {
  nil: undefined,
})
const readOnlyCommands = fc.boolean()

async function sessionWith(of: Rules, permissionMode: PermissionMode, readOnly = false): Promise<PermissionSession> {
  return (await permissionWith({ rules: of, readOnlyCommands: readOnly })).session(session({ permissionMode }))
}

describe('for whatever rules, calls, modes and opinions', () => {
  test(
    'one more deny or ask rule never loosens anything',
    async () => {
      const effect = fc.constantFrom('deny', 'ask')
      await fc.assert(
        fc.asyncProperty(
          rules,
          calls,
          mode,
          opinion,
          readOnlyCommands,
          rule,
          effect,
          async (all, asked, how, by, reads, more, list) => {
            const before = await sessionWith(all, how, reads)
            const after = await sessionWith({ ...all, [list]: [...(all[list as 'deny'] ?? []), more] }, how, reads)
            for (const each of asked) {
              const [was, is] = [before.decide(each, by).behavior, after.decide(each, by).behavior]
              expect(RANK[is], JSON.stringify(each.call.input)).toBeGreaterThanOrEqual(RANK[was])
            }
          },
        ),
        { numRuns },
      )
    },
    TIMEOUT,
  )

  test(
    'one more allow rule never tightens anything',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          rules,
          calls,
          mode,
          opinion,
          readOnlyCommands,
          rule,
          async (all, asked, how, by, reads, more) => {
            const before = await sessionWith(all, how, reads)
            const after = await sessionWith({ ...all, allow: [...(all.allow ?? []), more] }, how, reads)
            for (const each of asked) {
              const [was, is] = [before.decide(each, by).behavior, after.decide(each, by).behavior]
              expect(RANK[is], JSON.stringify(each.call.input)).toBeLessThanOrEqual(RANK[was])
            }
          },
        ),
        { numRuns },
      )
    },
    TIMEOUT,
  )

  test(
    "a hook's ask never loosens, and its allow never passes a rule, a floor or what can't be judged",
    async () => {
      await fc.assert(
        fc.asyncProperty(rules, calls, mode, async (all, asked, how) => {
          const here = await sessionWith(all, how)
          for (const each of asked) {
            const alone = here.decide(each)
            const withAsk = here.decide(each, { behavior: 'ask', by: 'h' })
            expect(RANK[withAsk.behavior]).toBeGreaterThanOrEqual(Math.max(RANK[alone.behavior], 1))
            const withAllow = here.decide(each, { behavior: 'allow', by: 'h' })
            if (alone.behavior === 'deny') expect(withAllow.behavior).toBe('deny')
            if (alone.personOnly) expect(withAllow.behavior).not.toBe('allow')
            if (alone.decidedBy.layer !== 'default') expect(withAllow.behavior).toBe(alone.behavior)
            expect(RANK[withAllow.behavior]).toBeLessThanOrEqual(RANK[alone.behavior])
          }
        }),
        { numRuns },
      )
    },
    TIMEOUT,
  )

  test(
    'wrapping a command never turns deny into allow, also not when it is critical',
    async () => {
      const quoted = (text: string) => `' ${text.replaceAll("'", `'\\''`)}'`
      type Line = { readonly text: string; readonly simple: boolean }
      const compound = (text: string): Line => ({ text, simple: false })
      const simple = (text: string): Line => ({ text, simple: true })
      /** Programs run programs; what the grammar of the shell makes of a line no program can run. */
      const behind = (prefix: string, make: (text: string) => Line) => (line: Line) =>
        line.simple ? make(prefix + line.text) : line
      const WRAPPERS: readonly ((line: Line) => Line)[] = [
        ...['sudo ', 'env A=1 ', 'timeout 5 ', 'nice -n 3 ', 'xargs ', 'nohup '].map((prefix) =>
          behind(prefix, simple),
        ),
        ...['A=1 ', '! ', 'time '].map((prefix) => behind(prefix, compound)),
        ({ text }) => compound(`ls && ${text}`),
        ({ text }) => compound(`( ${text} )`),
        ({ text }) => compound(`{ ${text}; }`),
        ({ text }) => compound(`if true; then ${text}; fi`),
        ({ text }) => compound(`for f in a b; do ${text}; done`),
        ({ text }) => simple(`echo "$( ${text} )"`),
        ({ text }) => compound(`${text} | cat`),
        ({ text }) => compound(`${text} > out.txt`),
        ({ text }) => simple(`sh -c ${quoted(text)}`),
        ({ text }) => simple(`eval ${quoted(text)}`),
        ({ text }) => compound(`f() { ${text}; }; f`),
      ]
      const wrapper = fc.constantFrom(...WRAPPERS)
      const critical = fc.constantFrom('rm -rf /', 'rm -rf ~', 'rm -rf .', 'find / -delete')
      const program = fc.constantFrom(
        ...'git npm ls rm cat cp find echo tee sed curl node /bin/ls env sudo sh'.split(' '),
      )
      const command = fc.tuple(program, fc.array(word, { maxLength: 3 })).map((parts) => parts.flat().join(' '))
      const plain = fc.array(command, { minLength: 1, maxLength: 3 }).map((all) => all.join(' && '))
      const commands = fc.array(fc.oneof(plain, critical), { minLength: CALLS, maxLength: CALLS })
      const wrappers = fc.array(wrapper, { minLength: 1, maxLength: 3 })
      const denied = fc.array(commandRule, { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(denied, commands, wrappers, mode, async (deny, all, around, how) => {
          const here = await sessionWith({ deny: [...deny, 'Bash(rm *)'], allow: ['Bash', 'Edit', 'Read'] }, how)
          for (const command of all) {
            // What only the mode denies would have been a question.
            const { behavior, decidedBy } = here.decide(bash(command))
            if (behavior !== 'deny' || decidedBy.layer !== 'rules') continue
            const wrapped = around.reduce((inner, wrap) => wrap(inner), simple(command)).text
            expect(here.decide(bash(wrapped)).behavior, wrapped).not.toBe('allow')
          }
          for (const command of ['rm -rf /', 'rm -r x']) {
            expect(here.decide(bash(command)).behavior).toBe('deny')
          }
        }),
        { numRuns },
      )
    },
    TIMEOUT,
  )

  test(
    'a deny rule that speaks about a call alone denies it among all others',
    async () => {
      const anchors = { cwd: CWD, home: HOME, sourceDir: CWD, ignoreCase: false, ignoreForm: false }
      await fc.assert(
        fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 8 }), calls, async (deny, asked) => {
          const here = await sessionWith({ deny }, 'bypassPermissions')
          const compiled = compileRules(deny, { effect: 'deny', anchors, tools: {} })
          const broken = new Set(compiled.problems.map(({ text }) => text))
          for (const each of asked) {
            const call = { tool: each.tool, input: each.call.input }
            const speaks = compiled.rules.some((one) => !broken.has(one.rule.text) && matchCall(one, call))
            if (speaks) expect(here.decide(each).behavior, JSON.stringify(each.call.input)).toBe('deny')
          }
        }),
        { numRuns },
      )
    },
    TIMEOUT,
  )

  test(
    'the order of layers and files does not matter',
    async () => {
      const layer = fc.constantFrom<LayerName>('user', 'command-line', 'session', 'managed', 'project')
      const source: fc.Arbitrary<ConfigSource> = fc.tuple(rules, layer).map(([of, name]) => rulesOf(of, name))
      await fc.assert(
        fc.asyncProperty(fc.array(source, { maxLength: 4 }), calls, mode, async (layers, asked, how) => {
          const open = async (order: readonly ConfigSource[]) =>
            (await permissionWith({ layers: order })).session(session({ permissionMode: how }))
          const [one, other] = [await open(layers), await open(layers.toReversed())]
          for (const each of asked) expect(one.decide(each).behavior).toBe(other.decide(each).behavior)
        }),
        { numRuns },
      )
    },
    TIMEOUT,
  )

  test(
    'there is a decision, always the same, and it never throws',
    async () => {
      const text = fc.string({ unit: 'binary', maxLength: 40 })
      const anything: fc.Arbitrary<JsonObject> = fc.dictionary(
        fc.oneof(text, fc.constantFrom('command', 'file_path', 'path', 'url', 'skill', '__proto__')),
        fc.jsonValue(),
      ) as fc.Arbitrary<JsonObject>
      const specifier = fc.oneof(text, line).map((inner) => `(${inner})`)
      const odd = fc
        .tuple(fc.constantFrom('Bash', 'Read', 'Edit', 'WebFetch', 'Skill', ''), fc.oneof(text, specifier))
        .map((parts) => parts.join(''))
      const odds = fc.array(odd, { maxLength: 3 })
      const names = fc.constantFrom('Bash', 'Read', 'Edit', 'Glob', 'WebFetch', 'Skill', 'toString', '__proto__', '')
      const asked = fc.record({
        name: fc.oneof(names, text),
        kind: fc.constantFrom<ToolKind>('read', 'edit', 'exec', 'network', 'meta'),
        input: fc.oneof(
          anything,
          fc.oneof(text, line).map((command) => ({
            command,
            file_path: command,
            path: command,
            pattern: command,
            url: command,
            skill: command,
          })),
        ),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.record({ allow: odds, ask: odds, deny: odds }),
          fc.array(asked, { minLength: CALLS, maxLength: CALLS }),
          mode,
          async (all, many, how) => {
            const [here, again] = [await sessionWith(all, how), await sessionWith(all, how)]
            for (const { name, kind, input } of many) {
              const each = request(tool(name, { kind }), input)
              const decision = here.decide(each)
              expect(['allow', 'ask', 'deny']).toContain(decision.behavior)
              expect(decision.trace.map(({ layer }) => layer)).toEqual([
                ...['critical', 'boundary', 'shell', 'rules', 'mode', 'opinion', 'default'],
              ])
              expect(here.decide(each)).toEqual(decision)
              expect(again.decide(each)).toEqual(decision)
              expect((await here.authorize(each)).behavior).toBe(decision.behavior === 'allow' ? 'allow' : 'deny')
              await here.explain(each)
            }
          },
        ),
        { numRuns },
      )
    },
    TIMEOUT,
  )
})
