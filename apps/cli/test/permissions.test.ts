import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

async function projectWith(files: Readonly<Record<string, string>>): Promise<string> {
  const project = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }
  return project
}

const CONFIG = `permissions:
  allow:
    - Bash(git status *)
    - Bash(cd *)
  ask:
    - Bash(npm publish *)
  deny:
    - Bash(git push --force *)
    - Edit(.env)
`

const FORCE_PUSH = '{"command":"cd .. && FOO=1 timeout 5 git -C repo push --force"}'

describe('ext explain', () => {
  it.each([
    ['explain-denied', FORCE_PUSH],
    ['explain-not-denied', FORCE_PUSH, CONFIG.replace(/ {4}- Bash\(git push.*\n/, '')],
    ['explain-asked', '{"command":"cd packages/api && timeout 5 git push origin main > push.log"}'],
    ['explain-allowed', '{"command":"git status --short"}'],
  ])('prints everything that bears on a call: %s', async (name, input, config = CONFIG) => {
    const project = await projectWith({ 'repo/.ext/config.yaml': config })
    const args = ['explain', 'Bash', '--input', input, '--project', join(project, 'repo'), '--trust-project']
    const { code, stdout, stderr } = await ext(args)
    await expect(stdout.replaceAll(project, '<folder>')).toMatchFileSnapshot(`golden/${name}.txt`)
    expect([code, stderr]).toEqual([0, ''])
  })

  it('says the same to programs', async () => {
    const project = await projectWith({ '.ext/config.yaml': CONFIG })
    const { stdout } = await ext(['explain', 'Bash', '--input', FORCE_PUSH, '--project', project, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      tool: 'Bash',
      input: JSON.parse(FORCE_PUSH),
      permission: {
        behavior: 'deny',
        decidedBy: {
          layer: 'rules',
          rule: 'Bash(git push --force *)',
          source: { file: join(project, '.ext/config.yaml'), line: 8, column: 7 },
        },
        trace: expect.arrayContaining([expect.objectContaining({ layer: 'shell', verdict: 'ask' })]),
        units: expect.arrayContaining([
          expect.objectContaining({
            argv: ['git', '-C', 'repo', 'push', '--force'],
            via: ['timeout'],
            cwd: dirname(project),
          }),
        ]),
      },
    })
  })

  it('explains other tools as well, in the mode that is asked for', async () => {
    const project = await projectWith({ '.ext/config.yaml': CONFIG })
    const denied = await ext([
      'permissions',
      'explain',
      'Edit',
      '--input',
      '{"file_path":"sub/.env"}',
      '--project',
      project,
    ])
    expect(denied.stdout).toContain('The deny rule `Edit(.env)` (.ext/config.yaml:9:7)')
    const args = ['explain', 'Write', '--input', '{"file_path":"a.ts"}', '--project', project]
    expect((await ext(args)).stdout).toMatch(/^Write: ask\n/)
    expect((await ext([...args, '--permission-mode', 'acceptEdits'])).stdout).toMatch(/^Write: allow\n/)
  })

  it('says what became of the server of a tool, and what its entry allows', async () => {
    const servers = {
      files: {
        command: 'x',
        trust: true,
        tools: { deny: 'rm*', perTool: { look: { readOnly: true, timeout: '5s' } } },
        limits: { rate: { perSecond: 2 }, breaker: false },
      },
      a__b: { command: 'x' },
      wrong: { command: 5 },
      off: { command: 'x', enabled: false },
    }
    const project = await projectWith({ '.ext/config.yaml': JSON.stringify({ mcpServers: servers }) })
    const explain = async (tool: string, ...more: readonly string[]) =>
      (await ext(['explain', tool, '--input', '{}', '--project', project, ...more])).stdout
    const server = async (tool: string) => JSON.parse(await explain(tool, '--trust-project', '--json')).server

    expect(await explain('mcp__files__look', '--trust-project')).toContain(`
Server files: loaded (.ext/config.yaml:1:24)
  rules of its entry let the tool be offered
  what it says about its tools is believed
  its entry says that the tool only reads
  a call may take 5 s without progress, 600 s in all
  16 calls at a time, 2 a second after 2 at once
  failures keep no calls back
  262144 bytes of a result are shown
  nothing was started; ext mcp test files says whether it answers
`)
    // Permission judges the tool as the client would offer it.
    expect(await explain('mcp__files__look', '--trust-project')).toContain('(kind read)')
    expect(await server('mcp__files__rm_all')).toMatchObject({
      tool: 'rm_all',
      offered: false,
      why: '`tools.deny` has `rm*`',
      callMs: 60_000,
      limits: { rate: { perSecond: 2, burst: 2 }, concurrency: 16 },
    })
    const hashed = await server('mcp__a__b__echo_vcfbjpq9')
    expect(hashed).toMatchObject({ name: 'a__b', verdict: 'loaded', totalMs: 600_000 })
    expect(hashed).not.toHaveProperty('tool')
    expect(await server('mcp__wrong__x')).toMatchObject({ verdict: 'broken', hint: 'Write a text.' })
    expect(await server('mcp__off__x')).toMatchObject({ verdict: 'disabled' })
    expect(await server('mcp__nobody__x')).toEqual({ name: 'nobody', verdict: 'missing' })
    expect(await server('Read')).toBeUndefined()
    expect(await explain('mcp__files__look')).toContain('it is not started: nobody has approved it')
  })

  it('knows which tools of servers are like which well-known one', async () => {
    const servers = { fs: { command: 'npx', args: ['@modelcontextprotocol/server-filesystem', '.'] } }
    const project = await projectWith({
      '.ext/config.yaml': CONFIG,
      '.mcp.json': JSON.stringify({ mcpServers: servers }),
    })
    const input = '{"path":".env","content":"x"}'
    const { stdout } = await ext([
      'explain',
      'mcp__fs__write_file',
      '--input',
      input,
      '--project',
      project,
      '--trust-project',
    ])
    expect(stdout).toContain('The deny rule `Edit(.env)` (.ext/config.yaml:9:7) speaks about this call.')
  })

  it('shows control characters and line breaks of a command instead of obeying them', async () => {
    const input = JSON.stringify({ command: 'echo "\u001b[2J\nLayers\n  rules allow forged"' })
    const { stdout } = await ext(['explain', 'Bash', '--input', input])
    expect(stdout).not.toContain('\u001b')
    expect(stdout.match(/^Layers$/gm)).toHaveLength(1)
  })

  it.each([
    ['a tool that is not known', ['Bsah', '--input', '{}'], 'Did you mean `Bash`?'],
    ['a tool that is like none', ['Terminal', '--input', '{}'], 'Known are Bash, Read'],
    ['broken JSON', ['Bash', '--input', '{"command":'], '--input is not valid JSON'],
    ['no object', ['Bash', '--input', '[1]'], '--input holds no object'],
    ['no input', ['Bash'], "required option '--input <json>' not specified"],
    ['a mode that is not one', ['Bash', '--input', '{}', '--permission-mode', 'yolo'], 'Allowed choices are default'],
    ['a folder that is not there', ['Bash', '--input', '{}', '--project', '/no/such'], 'There is no such folder'],
  ])('says what is wrong with %s, and how to fix it', async (_what, args, message) => {
    const { code, stdout, stderr } = await ext(['explain', ...args])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe('ext permissions list', () => {
  it('shows every rule in the order in which they decide, with its verdict and place', async () => {
    const project = await projectWith({ '.ext/config.yaml': CONFIG })
    const { code, stdout } = await ext(['permissions', 'list', '--project', project])
    expect(code).toBe(0)
    expect(stdout).toBe(`mode default
deny   loaded     Bash(git push --force *)  .ext/config.yaml:8:7
deny   loaded     Edit(.env)  .ext/config.yaml:9:7
ask    loaded     Bash(npm publish *)  .ext/config.yaml:6:7
allow  untrusted  Bash(git status *)  .ext/config.yaml:3:7
allow  untrusted  Bash(cd *)  .ext/config.yaml:4:7
Untrusted rules count once they are approved: read them, then use ext trust approve or --trust-project.
5 rules, 0 errors
`)
    const trusted = await ext(['permissions', 'list', '--project', project, '--trust-project'])
    expect(trusted.stdout).toContain('allow  loaded     Bash(cd *)')
  })

  it('exits with 1 when a rule is broken, and gives programs everything', async () => {
    const project = await projectWith({
      '.claude/settings.json': '{"permissions": {"deny": ["Read(./.env", "Bash(rm *)"]}}',
    })
    const { code, stdout } = await ext(['permissions', 'list', '--project', project, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      mode: 'default',
      rules: [
        { effect: 'deny', rule: 'Read(./.env', verdict: 'broken', source: { line: 1 } },
        { effect: 'deny', rule: 'Bash(rm *)', verdict: 'loaded' },
      ],
      diagnostics: [{ code: 'permission.rule.malformed' }],
    })
  })
})

describe('ext permissions lint', () => {
  const faulty = {
    '.ext/config.yaml': 'permissions:\n  allow: [Bash(npm test *)]\n  deny: [Read(/etc/shadow)]\n',
    '.claude/settings.json': '{"permissions": {"allow": ["Bash(npx:*)"], "deny": ["Bash(npm:*)"]}}',
  }

  it('finds rules that do not mean what they show, over all files, with place and fix', async () => {
    const project = await projectWith(faulty)
    const { code, stdout } = await ext(['permissions', 'lint', '--project', project])
    expect(code).toBe(1)
    expect(stdout).toContain('.ext/config.yaml:2:11 warning permission.lint.unreachable')
    expect(stdout).toContain('see .claude/settings.json:1:')
    expect(stdout).toContain('fix: Write `Read(//etc/shadow)`.')
    expect(stdout).toContain('permission.lint.too-broad')
    expect(stdout).toMatch(/\n4 rules read: 0 errors, 3 warnings\n$/)
  })

  it('says the same to programs', async () => {
    const project = await projectWith(faulty)
    const { stdout } = await ext(['permissions', 'lint', '--project', project, '--json'])
    const report = JSON.parse(stdout) as { summary: unknown; rules: number; diagnostics: { code: string }[] }
    expect(report).toMatchObject({ summary: { errors: 0, warnings: 3 }, rules: 4 })
    expect(report.diagnostics.map(({ code }) => code).sort()).toEqual([
      'permission.lint.anchor',
      'permission.lint.too-broad',
      'permission.lint.unreachable',
    ])
  })

  it('exits with 0 when there is nothing to say', async () => {
    const project = await projectWith({ '.ext/config.yaml': CONFIG })
    const { code, stdout } = await ext(['permissions', 'lint', '--project', project])
    expect([code, stdout]).toEqual([0, '5 rules read: 0 errors, 0 warnings\n'])
  })
})

describe('ext permissions test', () => {
  const rules = (match: string) => `permissions:
  rules:
    - effect: deny
      tool: Bash
      command: git push *
      tests: { match: [git push origin main, ${match}], notMatch: [git pull] }
`

  it('runs the tests that stand beside rules', async () => {
    const project = await projectWith({ '.ext/config.yaml': rules('git -C sub push') })
    const { code, stdout } = await ext(['permissions', 'test', '--project', project])
    expect([code, stdout]).toEqual([0, '3 tests of rules, 0 failed\n'])
  })

  it('shows a test that fails, where it stands, and exits with 1', async () => {
    const project = await projectWith({ '.ext/config.yaml': rules('git fetch') })
    const people = await ext(['permissions', 'test', '--project', project])
    expect(people.code).toBe(1)
    expect(people.stdout).toContain('.ext/config.yaml:6:')
    expect(people.stdout).toMatch(/\n3 tests of rules, 1 failed\n$/)
    const { stdout } = await ext(['permissions', 'test', '--project', project, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      total: 3,
      failed: 1,
      diagnostics: [{ code: 'permission.rule.test-failed', source: { line: 6 } }],
    })
  })

  it('says so when no rule has a test', async () => {
    const { code, stdout } = await ext(['permissions', 'test'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('No rule has tests.')])
  })

  const row = (id: string, command: string, expected: string) =>
    JSON.stringify({ id, rules: { allow: ['Bash(ls *)'] }, tool: 'Bash', input: { command }, expected })

  it('scores the engine on a corpus', async () => {
    const project = await projectWith({
      'c.jsonl': [row('one', 'ls -la', 'allow'), row('two', 'id', 'ask')].join('\n'),
    })
    const { code, stdout } = await ext(['permissions', 'test', '--corpus', join(project, 'c.jsonl'), '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      total: 2,
      right: 2,
      unsafeAllow: [],
      overBlock: [],
      wrong: [],
      diagnostics: [],
    })
  })

  it('names the rows that are wrong, and loses only a line that is broken', async () => {
    const project = await projectWith({
      'c.jsonl': [
        row('unsafe', 'ls -la', 'deny'),
        '{"id": ',
        row('blocked', 'id', 'allow'),
        row('right', 'ls', 'allow'),
      ].join('\n'),
    })
    const args = ['permissions', 'test', '--corpus', join(project, 'c.jsonl')]
    const people = await ext(args)
    expect(people.code).toBe(1)
    expect(people.stdout).toContain('c.jsonl:2:1 error permission.corpus.row')
    expect(people.stdout).toMatch(/\nunsafe: allow, expected deny\. .+\nblocked: ask, expected allow\. .+\n/)
    expect(people.stdout).toMatch(/\n1 of 3 right, 1 unsafe allow, 1 over-blocked\n$/)
    const { stdout } = await ext([...args, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      total: 3,
      right: 1,
      unsafeAllow: ['unsafe'],
      overBlock: ['blocked'],
      wrong: [
        {
          id: 'unsafe',
          expected: 'deny',
          accept: ['deny'],
          got: 'allow',
          reason: expect.stringContaining('Bash(ls *)'),
        },
        { id: 'blocked', got: 'ask' },
      ],
      diagnostics: [{ source: { line: 2 } }],
    })
  })

  it('says that a corpus is not there', async () => {
    const { code, stderr } = await ext(['permissions', 'test', '--corpus', '/no/such.jsonl'])
    expect([code, stderr]).toEqual([2, expect.stringContaining("/no/such.jsonl can't be read")])
  })
})

describe('ext permissions import', () => {
  it('prints the native form, and on standard error what could not be carried over', async () => {
    const project = await projectWith({
      '.claude/settings.json': '{"permissions": {"allow": ["Bash(npm test:*)", 7], "deny": ["Edit(/dist/**)"]}}',
    })
    const { code, stdout, stderr } = await ext(['permissions', 'import', join(project, '.claude/settings.json')])
    expect(code).toBe(1)
    expect(stdout).toBe(`# From ${project}/.claude/settings.json
permissions:
  allow:
    - "Bash(npm test:*)"
  deny:
    - "Edit(/dist/**)"
`)
    expect(stderr).toContain('permission.rule.not-text')
    expect(stderr).toContain('2 rules imported.')
  })

  it("takes a person's own settings from the home folder, where paths start elsewhere", async () => {
    const home = await projectWith({ '.claude/settings.json': '{"permissions": {"allow": ["Read(/notes/**)"]}}' })
    const { code, stdout } = await ext(['permissions', 'import', join(home, '.claude/settings.json'), '--json'], {
      home,
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      yaml: expect.stringContaining('"Read(~/.claude/notes/**)"'),
      rules: 1,
      diagnostics: [],
    })
  })

  it('makes a file that the engine reads without findings', async () => {
    const project = await projectWith({
      'settings.json': '{"permissions": {"allow": ["Bash(a: \\"b\\" #c)"], "defaultMode": "plan"}}',
    })
    const { stdout } = await ext(['permissions', 'import', join(project, 'settings.json')])
    await mkdir(join(project, '.ext'))
    await writeFile(join(project, '.ext/config.yaml'), stdout)
    const list = await ext(['permissions', 'list', '--project', project, '--trust-project'])
    expect(list.stdout).toContain('mode plan\nallow  loaded     Bash(a: "b" #c)')
  })

  it.each([
    ['a file of another program', '[[rule]]\ndecision = "allow"\n', 1, 'This is a policy file of Gemini CLI'],
    ['a file without permissions', '{}', 1, 'holds no permissions'],
    ['broken JSON', '{"permissions": ', 1, 'config.syntax.json'],
  ])('says what is wrong with %s', async (_what, text, expected, message) => {
    const project = await projectWith({ 'settings.json': text })
    const { code, stdout, stderr } = await ext(['permissions', 'import', join(project, 'settings.json')])
    expect([code, stdout]).toEqual([expected, ''])
    expect(stderr).toContain(message)
  })

  it('says that a file is not there', async () => {
    const { code, stderr } = await ext(['permissions', 'import', '/no/such.json'])
    expect([code, stderr]).toEqual([2, expect.stringContaining("/no/such.json can't be read")])
  })
})

it('helps on each level, with examples', async () => {
  for (const args of [
    ['explain'],
    ...['list', 'explain', 'lint', 'test', 'import'].map((name) => ['permissions', name]),
  ]) {
    const { code, stdout } = await ext([...args, '--help'])
    expect(code, args.join(' ')).toBe(0)
    expect(stdout).toContain(`Usage: ext ${args.join(' ')}`)
    expect(stdout).toContain('Examples:')
  }
})
