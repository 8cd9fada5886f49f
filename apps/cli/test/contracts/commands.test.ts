import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from '../bin.js'
import { setup, tool } from '../mcp/setup.js'
import { departures } from './schemas.js'

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
    if (path.endsWith('.sh')) await chmod(join(folder, path), 0o755)
  }
  return folder
}

/** Runs a command whose output has a published schema, and holds it against that. */
async function said(schema: string, args: readonly string[], cwd: string, home?: string) {
  const ran = await ext([...args, '--json'], { cwd, ...(home === undefined ? {} : { home }) })
  const value = JSON.parse(ran.stdout)
  expect(departures(schema, value)).toEqual([])
  return { ...ran, value }
}

/** What was not understood: a sentence on stderr, nothing for programs, no stack trace. */
async function refused(args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await ext([...args, '--json'], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).not.toMatch(/\n\s+at /)
  return stderr
}

const row = (id: string, more: object = {}) =>
  JSON.stringify({
    id,
    rules: { allow: ['Bash(touch:*)'] },
    tool: 'Bash',
    input: { command: 'touch x' },
    expected: 'allow',
    accept: ['allow'],
    ...more,
  })

describe('ext permissions test --corpus --json', () => {
  it('scores verdicts and names the rows by their ids', async () => {
    const rows = [
      row('right'),
      row('unsafe', { expected: 'deny', accept: ['deny', 'ask'] }),
      row('blocked', { input: { command: 'make' }, accept: ['allow', 'ask'] }),
      row('wrong', { input: { command: 'make' }, expected: 'deny', accept: ['deny'] }),
    ]
    const folder = await folderWith({ 'corpus.jsonl': `\uFEFF${rows.join('\r\n')}\r\n` })
    const { code, value } = await said('permissions-test', ['permissions', 'test', '--corpus', 'corpus.jsonl'], folder)
    expect(code).toBe(1)
    expect(value).toMatchObject({
      total: 4,
      right: 2,
      unsafeAllow: ['unsafe'],
      overBlock: ['blocked'],
      wrong: [
        { id: 'unsafe', expected: 'deny', accept: ['deny', 'ask'], got: 'allow', reason: expect.stringMatching(/./) },
        { id: 'wrong', expected: 'deny', accept: ['deny'], got: 'ask' },
      ],
      diagnostics: [],
    })
  })

  it('says which lines are no rows, which fields are misspelt, and that there is nothing', async () => {
    const rows = [row('a', { why: 'a note' }), '{', row('b', { acept: [], accept: undefined })]
    const folder = await folderWith({ 'corpus.jsonl': rows.join('\n'), 'empty.jsonl': '' })
    const args = (file: string) => ['permissions', 'test', '--corpus', file]
    const { code, value } = await said('permissions-test', args('corpus.jsonl'), folder)
    expect([code, value.total]).toEqual([1, 2])
    expect(value.diagnostics).toMatchObject([
      { code: 'permission.corpus.row', source: { line: 2, column: 1 } },
      { code: 'permission.corpus.field', source: { line: 3 }, hint: 'Did you mean `accept`?' },
    ])
    const empty = await said('permissions-test', args('empty.jsonl'), folder)
    expect(empty).toMatchObject({ code: 1, value: { total: 0, diagnostics: [{ code: 'permission.corpus.empty' }] } })
    expect(await refused(args('nowhere.jsonl'), folder)).toContain('does not exist')
    expect(await refused(args('.'), folder)).toContain('A folder stands where a file is expected')
  })
})

const guard = { type: 'command', command: '"$CLAUDE_PROJECT_DIR"/.claude/guard.sh' }
const rewrite = JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'ls -a' }, additionalContext: 'Mind.' },
})
const settings = JSON.stringify(
  {
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [guard, { type: 'command', command: `echo '${rewrite}'` }] }],
      Stop: [{ hooks: [{ type: 'command', command: './nowhere.sh' }] }],
      Stopp: [{ hooks: [{ type: 'command', command: 'true' }] }],
    },
  },
  null,
  2,
)
const guardText = 'if grep -q push; then echo "no push" >&2; exit 2; fi\n'
const guardScript = `#!/bin/sh\n${guardText}`
const call = (command: string) => JSON.stringify({ tool_name: 'Bash', tool_input: { command } })

describe('ext hooks doctor --file --json', () => {
  it('says of each hook of a file whether it can take effect, with codes and places', async () => {
    const folder = await folderWith({ '.claude/settings.json': settings, '.claude/guard.sh': guardScript })
    const elsewhere = await temporaryFolder()
    const file = join(folder, '.claude/settings.json')
    const { code, value } = await said('hooks-doctor', ['hooks', 'doctor', '--file', file], elsewhere)
    expect(code).toBe(1)
    expect(value).toMatchObject({
      found: 4,
      loaded: 3,
      hooks: [
        { event: 'PreToolUse', verdict: 'can-fire', state: 'loaded', reasons: [], source: { file, line: 7 } },
        { event: 'PreToolUse', verdict: 'can-fire', reasons: [] },
        { event: 'Stop', verdict: 'never', state: 'loaded', reasons: ['hooks.script.missing'] },
        { event: 'Stopp', verdict: 'never', state: 'broken', reasons: ['hooks.event.unknown'] },
      ],
    })
    const codes = value.diagnostics.map((each: { code: string }) => each.code)
    expect(codes.toSorted()).toEqual(['hooks.event.unknown', 'hooks.script.missing'])
  })

  const rule = '{event: PreToolUse, matcher: Bash, action: {type: command, command: "true"}}'
  const claude = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}'
  it.each([
    ['settings of Claude Code', 'some.json', claude, 'Stop'],
    ['settings with a byte order mark and line ends of Windows', 'some.json', `\uFEFF${claude}\r\n`, 'Stop'],
    ['our own rules in YAML', 'rules.yaml', `hooks: [${rule}]\n`, 'PreToolUse'],
    ['our own rules in JSON', 'rules.json', JSON.stringify({ hooks: [{ event: 'Stop', action: guard }] }), 'Stop'],
    ['the hooks of a plugin', 'plugin/hooks/hooks.json', claude, 'Stop'],
    ['a skill', 'deploy/SKILL.md', `---\nname: deploy\ndescription: d\nhooks: [${rule}]\n---\n`, 'PreToolUse'],
    ['an agent', 'agents/helper.md', `---\nname: helper\ndescription: d\nhooks: [${rule}]\n---\n`, 'PreToolUse'],
  ])('reads %s', async (_what, path, text, event) => {
    const folder = await folderWith({ [path]: text })
    const { value } = await said('hooks-doctor', ['hooks', 'doctor', '--file', path], folder)
    expect(value).toMatchObject({ found: 1, loaded: 1, hooks: [{ event }] })
  })

  it('names what is broken, misplaced or not there at all, and never fails silently', async () => {
    const folder = await folderWith({
      'broken.json': '{"hooks": {',
      'flat.json': '{"PreToolUse": []}',
      'none.json': '{"model": "x"}',
      'list.json': '[]',
    })
    const codeOf = async (file: string) => {
      const { code, value } = await said('hooks-doctor', ['hooks', 'doctor', '--file', file], folder)
      return [code, value.found, value.diagnostics[0]?.code]
    }
    expect(await codeOf('broken.json')).toEqual([1, 0, 'config.syntax.json'])
    expect(await codeOf('flat.json')).toEqual([1, 0, 'cli.hooks.misplaced'])
    expect(await codeOf('none.json')).toEqual([0, 0, 'cli.hooks.none'])
    expect(await codeOf('list.json')).toEqual([1, 0, 'config.shape'])
    expect(await refused(['hooks', 'doctor', '--file', 'nowhere.json'], folder)).toContain('There is no such file')
  })

  it('has the same form for a whole project', async () => {
    const folder = await folderWith({ '.claude/settings.json': settings, '.claude/guard.sh': guardScript })
    const { value } = await said('hooks-doctor', ['hooks', 'doctor', '--project', '.'], folder)
    expect(value).toMatchObject({
      found: 4,
      loaded: 0,
      hooks: [{ verdict: 'untrusted', state: 'untrusted' }, {}, {}, {}],
    })
  })
})

describe('ext hooks test --file --json', () => {
  const test = (payload: string, more: readonly string[] = []) => [
    ...['hooks', 'test', '--file', '.claude/settings.json', '--event', 'PreToolUse'],
    ...['--payload', payload, ...more],
  ]
  const files = { '.claude/settings.json': settings.replace('Stopp', 'SessionEnd'), '.claude/guard.sh': guardScript }

  it('runs all hooks that fit and folds what they say', async () => {
    const folder = await folderWith(files)
    const pushed = await said('hooks-test', test(call('git push')), folder)
    expect(pushed).toMatchObject({ code: 0, value: { folded: { decision: 'deny', reason: 'no push' } } })
    const { value } = await said('hooks-test', test(call('ls')), folder)
    const [first, second] = value.matched
    expect(value.outcomes.map(({ id, outcome }: { id: string; outcome: string }) => [id, outcome])).toEqual([
      [first, 'noDecision'],
      [second, 'decided'],
      // A rewritten input is judged once more.
      [first, 'noDecision'],
    ])
    expect(value.folded).toMatchObject({
      decision: 'none',
      updatedInput: { command: 'ls -a' },
      additionalContext: 'Mind.',
    })
    const other = await said('hooks-test', test('{"tool_name":"Edit"}'), folder)
    expect(other.value).toMatchObject({ matched: [], outcomes: [], folded: { decision: 'none' } })
    const people = await ext(test(call('git push')), { cwd: folder })
    expect(people.stdout).toMatch(
      /^event {5}PreToolUse, 2 hooks of it fit\n(.*\n)*effect {4}deny, by guard.sh: no push\n/,
    )
  })

  it('exits with 1 if a hook fails, with its cause', async () => {
    const folder = await folderWith({
      'rules.yaml': 'hooks: [{event: Stop, action: {type: command, command: exit 1}}]\n',
    })
    const args = ['hooks', 'test', '--file', 'rules.yaml', '--event', 'Stop']
    expect(await said('hooks-test', args, folder)).toMatchObject({
      code: 1,
      value: { outcomes: [{ outcome: 'failed', cause: 'exit 1' }], folded: { decision: 'none' } },
    })
  })

  it.each([
    ['a payload that is no object', test('[1]'), 'holds no object, but [1]'],
    ['a payload that is no JSON', test('{'), 'is not valid JSON'],
    ['a payload of another event', test('{"hook_event_name":"Stop"}'), 'The payload is of Stop, not of PreToolUse.'],
    [
      'an event that there is not',
      ['hooks', 'test', '--file', '.claude/settings.json', '--event', 'PreTool'],
      'There is no event `PreTool`.',
    ],
    ['neither a hook nor an event', ['hooks', 'test', '--file', '.claude/settings.json'], 'Name a hook, or'],
    ['a file that is not there', ['hooks', 'test', '--file', 'x.json', '--event', 'Stop'], 'There is no such file'],
  ])('refuses %s', async (_what, args, message) => {
    expect(await refused(args, await folderWith(files))).toContain(message)
  })

  it('goes on with fields that hold something odd', async () => {
    const folder = await folderWith(files)
    const { value } = await said('hooks-test', test('{"tool_name":5,"tool_input":"x","session_id":[]}'), folder)
    expect(value.matched).toEqual([])
  })
})

describe('ext skills lint --json', () => {
  it('lists skills with what is wrong with them, for each profile', async () => {
    const skill = (header: string) => `---\n${header}\n---\nDo it.\n`
    const folder = await folderWith({
      'skills/good/SKILL.md': skill('name: good\ndescription: Does good.'),
      'skills/bad/SKILL.md': `\uFEFF${skill('name: bad').replaceAll('\n', '\r\n')}`,
      'empty/readme.txt': 'x',
    })
    for (const profile of ['portable', 'lenient', 'claude-code']) {
      const { code, value } = await said('skills-lint', ['skills', 'lint', 'skills', '--profile', profile], folder)
      expect([code, value.found]).toEqual([1, 2])
      expect(value.skills).toContainEqual({ name: 'good', path: join(folder, 'skills/good/SKILL.md'), loaded: true })
    }
    const codeOf = async (path: string) => {
      const { code, value } = await said('skills-lint', ['skills', 'lint', path], folder)
      return [code, value.found, value.diagnostics[0]?.code]
    }
    expect(await codeOf('nowhere')).toEqual([1, 0, 'skills.lint.no-path'])
    expect(await codeOf('empty/readme.txt')).toEqual([1, 0, 'skills.lint.no-path'])
    expect(await codeOf('empty')).toEqual([1, 0, 'skills.lint.nothing'])
    expect((await said('skills-lint', ['skills', 'lint', 'skills/nowhere/SKILL.md'], folder)).code).toBe(1)
    expect(await refused(['skills', 'lint', 'skills', '--profile', 'odd'], folder)).toContain('Allowed choices')
    expect(await refused(['skills', 'lint'], folder)).toContain("missing required argument 'path'")
  })
})

describe('ext mcp test --json', () => {
  it('says of each server whether it is ready, with the reason where it is not', async () => {
    const { project, write, small } = await setup()
    await write('tools.json', JSON.stringify([tool('one', 'One.')]))
    const servers = { good: small(), bad: { command: join(project, 'nowhere') }, odd: { comand: 'x' } }
    await write('servers.json', JSON.stringify({ mcpServers: servers }))
    const { code, value } = await said('mcp-test', ['mcp', 'test', '--config', 'servers.json'], project)
    expect(code).toBe(1)
    expect(value.servers).toMatchObject([
      { name: 'bad', state: 'failed', tools: 0, cause: expect.stringMatching(/./) },
      { name: 'good', state: 'ready', tools: 1 },
      { name: 'odd', state: 'broken', tools: 0, ms: 0 },
    ])
    const good = await said('mcp-test', ['mcp', 'test', 'good', '--config', 'servers.json'], project)
    expect(good).toMatchObject({ code: 0, value: { servers: [{ name: 'good', state: 'ready' }], diagnostics: [] } })
    await write('broken.json', '{')
    const broken = await said('mcp-test', ['mcp', 'test', '--config', 'broken.json'], project)
    expect(broken).toMatchObject({ code: 1, value: { servers: [], diagnostics: [{ code: 'config.syntax.json' }] } })
    const args = ['mcp', 'test', '--config', 'servers.json']
    expect(await refused([...args, 'goot'], project)).toContain('Did you mean `good`?')
    expect(await refused(['mcp', 'test', '--config', 'nowhere.json'], project)).toContain('There is no such file')
  })
})

describe('ext explain --json', () => {
  it('says what would happen to a call of each kind of tool', async () => {
    const { project, write, small } = await setup()
    await write('.claude/settings.json', settings)
    await write('.ext/config.yaml', 'permissions: {deny: ["Bash(git push *)"]}\n')
    await write('.mcp.json', JSON.stringify({ mcpServers: { one: small() } }))
    const bash = await said('explain', ['explain', 'Bash', '--input', '{"command":"git push -f"}'], project)
    expect(bash).toMatchObject({
      code: 0,
      value: {
        tool: 'Bash',
        hooks: [{ runs: false, why: 'nobody has approved it' }, { runs: false }],
        permission: { behavior: 'deny', decidedBy: { layer: 'rules', rule: 'Bash(git push *)' } },
      },
    })
    const server = await said('explain', ['explain', 'mcp__one__x', '--input', '{}'], project)
    expect(server.value.server).toMatchObject({ name: 'one', verdict: 'untrusted' })
    await said('explain', ['explain', 'Edit', '--input', '{}', '--trust-project'], project)
    expect(await refused(['explain', 'Bsh', '--input', '{}'], project)).toContain('Did you mean `Bash`?')
    expect(await refused(['explain', 'Bash', '--input', '[]'], project)).toContain('--input holds no object')
    expect(await refused(['explain', 'Bash', '--input', '{'], project)).toContain('--input is not valid JSON')
    expect(await refused(['explain', 'Bash'], project)).toContain('--input')
  })
})

describe('ext doctor --json', () => {
  it('lists files, entries and what is wrong with them', async () => {
    const { project, write, small } = await setup()
    await write('.claude/settings.json', settings)
    await write('.ext/config.yaml', 'permissions: {deny: ["Read(./.env"]}\nodd: 1\n')
    await write('.mcp.json', JSON.stringify({ mcpServers: { one: small() } }))
    await write('.claude/skills/half/SKILL.md', 'no header')
    const { code, value } = await said('doctor', ['doctor'], project)
    expect(code).toBe(1)
    expect(new Set(value.entries.map(({ axis }: { axis: string }) => axis))).toEqual(
      new Set(['hooks', 'permissions', 'servers', 'skills']),
    )
    expect(value.summary.errors).toBeGreaterThan(2)
  })
})
