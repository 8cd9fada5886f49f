import { memoryFiles } from '@ext/kernel/testing'
import { describe, expect, test } from 'vitest'
import { importPermissions } from '../../src/import/index.js'
import { createPermission } from '../../src/index.js'
import { CWD, HOME, request, session } from '../support.js'

function portsWith(files: Readonly<Record<string, string>>) {
  return { files: memoryFiles(files), home: HOME, platform: 'linux' }
}

async function importText(text: string, file = '/repo/.claude/settings.json') {
  return importPermissions({ file, ports: portsWith({ [file]: text }) })
}

const SETTINGS = JSON.stringify({
  $schema: 'https://json.schemastore.org/claude-code-settings.json',
  permissions: {
    defaultMode: 'acceptEdits',
    allow: ['Bash(npm test:*)', 'Edit(/src/**)', 'Read(~/notes/**)', 'mcp__docs'],
    ask: ['Bash(git push:*)'],
    deny: ['Read(./.env)', 'Edit(//etc/**)'],
  },
  hooks: {},
})

describe('import', () => {
  test('turns settings into the native form', async () => {
    const { yaml, rules, diagnostics } = await importText(SETTINGS)
    expect(diagnostics).toEqual([])
    expect(rules).toBe(7)
    expect(yaml).toBe(`# From /repo/.claude/settings.json
permissions:
  mode: acceptEdits
  allow:
    - "Bash(npm test:*)"
    - "Edit(/src/**)"
    - "Read(~/notes/**)"
    - "mcp__docs"
  ask:
    - "Bash(git push:*)"
  deny:
    - "Read(./.env)"
    - "Edit(//etc/**)"
`)
  })

  test('keeps the meaning: every call is decided as before', async () => {
    const claude = '/repo/.claude/settings.json'
    const native = '/repo/.ext/config.yaml'
    const { yaml = '' } = await importText(SETTINGS)
    const files = memoryFiles({ [claude]: SETTINGS, [native]: yaml })
    const engine = (dialect: string, path: string) =>
      createPermission({
        layers: [{ kind: 'file', layer: 'project', dialect, path }],
        cwd: CWD,
        ports: { ...portsWith({}), files, clock: { now: () => 0, after: () => () => {} } },
        approved: () => true,
      })
    const [before, after] = await Promise.all([engine('claude-settings', claude), engine('ext', native)])
    expect(after.diagnostics).toEqual([])
    expect(after.defaultMode).toBe(before.defaultMode)
    const calls = [
      request('Bash', { command: 'npm test' }),
      request('Bash', { command: 'git push' }),
      request('Edit', { file_path: '/repo/src/a.ts' }),
      request('Edit', { file_path: '/src/a.ts' }),
      request('Read', { file_path: '/home/u/notes/a' }),
      request('Read', { file_path: '/repo/.env' }),
      request('Edit', { file_path: '/etc/hosts' }),
    ]
    for (const call of calls) {
      const [one, other] = [before, after].map((each) => each.session(session()).decide(call).behavior)
      expect(other, JSON.stringify(call.call)).toBe(one)
    }
  })

  test.each([
    ["a person's own settings", '/home/u/.claude/settings.json', 'Edit(~/.claude/src/**)'],
    ['a file that lies elsewhere', '/etc/agents/settings.json', 'Edit(//etc/agents/src/**)'],
    ['a folder with characters of patterns', '/data/[x]/settings.json', 'Edit(//data/\\[x\\]/src/**)'],
    ['a folder below home', '/home/u/work/settings.json', 'Edit(~/work/src/**)'],
  ])('spells out where a path starts that was relative to %s', async (_what, file, expected) => {
    const { yaml } = await importText('{"permissions": {"allow": ["Edit(/src/**)", "Read(//usr/**)"]}}', file)
    expect(yaml).toContain(JSON.stringify(expected))
    expect(yaml).toContain('"Read(//usr/**)"')
  })

  test('reports what can not be carried over, each at its place, and takes the rest', async () => {
    const { yaml, diagnostics } = await importText(`{
  "permissions": {
    "allow": ["Bash(ls:*)", "Bash (oops)", 7],
    "deny": ["Read(./.env", "Bash(rm:*)"],
    "disableAutoMode": "disable",
    "defaultMode": "turbo"
  }
}`)
    expect(yaml).toContain('"Bash(ls:*)"')
    expect(yaml).not.toContain('oops')
    expect(yaml).not.toContain('mode:')
    expect(diagnostics.map(({ code, source: { line } }) => [code, line])).toEqual([
      ['permission.rule.malformed', 3],
      ['permission.rule.not-text', 3],
      ['permission.rule.malformed', 4],
      ['permission.mode.unknown', 6],
      ['permission.key.not-used', 5],
    ])
  })

  test('carries over that no session bypasses the rules', async () => {
    const { yaml = '', diagnostics } = await importText('{"permissions": {"disableBypassPermissionsMode": "disable"}}')
    expect(diagnostics).toEqual([])
    const layers = [{ kind: 'file', layer: 'user', dialect: 'ext', path: '/home/u/.ext/config.yaml' }] as const
    const permission = await createPermission({
      layers,
      cwd: CWD,
      ports: { ...portsWith({ '/home/u/.ext/config.yaml': yaml }), clock: { now: () => 0, after: () => () => {} } },
    })
    expect(permission.bypassOff).toMatchObject({ line: 3 })
  })

  test('keeps a deny rule that can not be used, since without it more would run', async () => {
    const { yaml } = await importText('{"permissions": {"deny": ["Read(./.env", "mcp__x(y)"], "allow": ["Read(./.x"]}}')
    expect(yaml).toContain('"Read(./.env"')
    expect(yaml).toContain('"mcp__x(y)"')
    expect(yaml).not.toContain('.x')
  })

  test('reads comments and writes what any text may hold', async () => {
    const { yaml } = await importText('{"permissions": {"allow": [/* x */ "Bash(echo \\"a: b\\" # \\\\n)"],}}')
    expect(yaml).toContain('- "Bash(echo \\"a: b\\" # \\\\n)"')
  })

  test.each([
    ['Gemini CLI', '[[rule]]\ntoolName = "run_shell_command"\ndecision = "allow"\n', /Gemini/],
    ['Codex', 'prefix_rule(\n    pattern = ["git", "status"],\n    decision = "allow",\n)\n', /Codex/],
    ['opencode', '{"permission": {"bash": {"git *": "allow"}}}', /opencode/],
    ['opencode, named by its schema', '{"$schema": "https://opencode.ai/config.json"}', /opencode/],
    ['our own', 'permissions:\n  allow: []\n', /native form already/],
  ])('does not read half of a file of %s', async (_what, text, message) => {
    const { yaml, diagnostics } = await importText(text)
    expect(yaml).toBeUndefined()
    expect(diagnostics).toMatchObject([
      {
        code: 'permission.import.format',
        message: expect.stringMatching(message),
        hint: expect.stringMatching(/./),
        source: { line: 1 },
      },
    ])
  })

  test('says that there is nothing to import', async () => {
    expect(await importText('{"hooks": {}}')).toMatchObject({
      rules: 0,
      diagnostics: [{ code: 'permission.import.format', message: expect.stringContaining('no permissions') }],
    })
  })

  test('says what is wrong with a file that can not be read', async () => {
    expect((await importText('{"permissions": ')).diagnostics).toMatchObject([{ severity: 'error' }])
    const missing = await importPermissions({ file: '/nowhere.json', ports: portsWith({}) })
    expect(missing).toMatchObject({ rules: 0, diagnostics: [{ message: expect.stringContaining('does not exist') }] })
  })
})
