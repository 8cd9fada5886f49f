import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from '../bin.js'

const skill = (description: string, body = 'Do it.') => `---\ndescription: ${description}\n---\n${body}\n`

/** A project and a home with these files. */
async function setUp(files: { readonly project?: Record<string, string>; readonly home?: Record<string, string> }) {
  const [project, home] = [await temporaryFolder(), await temporaryFolder()]
  const all = [
    ...Object.entries(files.project ?? {}).map(([path, text]) => [join(project, path), text] as const),
    ...Object.entries(files.home ?? {}).map(([path, text]) => [join(home, path), text] as const),
  ]
  for (const [path, text] of all) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  const run = (...args: readonly string[]) => ext([...args, '--project', project], { home, cwd: project })
  const list = async () => {
    const { code, stdout } = await run('skills', 'list', '--json')
    const { skills, diagnostics } = JSON.parse(stdout)
    type Listed = { readonly name: string; readonly verdict: string; readonly source: { readonly layer: string } }
    const verdicts = (skills as Listed[]).map(({ name, verdict, source }) => `${name} ${verdict} ${source.layer}`)
    return { code, verdicts: verdicts.toSorted(), diagnostics }
  }
  return { project, home, run, list }
}

describe('The section `skills` of config.yaml', () => {
  it('adds folders, which go before the usual ones of their layer, and switches skills off by name', async () => {
    const { list, run } = await setUp({
      project: {
        '.ext/config.yaml': 'skills:\n  folders: [tools/skills]\n  disabled: [Old]\n',
        'tools/skills/deploy/SKILL.md': skill('From the named folder.'),
        '.claude/skills/deploy/SKILL.md': skill('From the usual folder.'),
        '.claude/skills/old/SKILL.md': skill('The old way.'),
      },
      home: {
        '.ext/config.yaml': 'skills:\n  folders: [shared, ~/more]\n',
        '.ext/shared/notes/SKILL.md': skill('Beside my own file.'),
        'more/mail/SKILL.md': skill('Below my home.'),
      },
    })
    const { code, verdicts, diagnostics } = await list()
    expect(verdicts).toEqual([
      'deploy loaded project',
      'deploy shadowed project',
      'mail loaded user',
      'notes loaded user',
      'old disabled project',
    ])
    expect(code).toBe(0)
    expect(diagnostics).toMatchObject([{ code: 'config.entry.shadowed' }])
    expect((await run('skills', 'show', 'deploy')).stdout).toContain('From the named folder.')
    expect((await run('skills', 'show', 'old', '--why')).stdout).toContain('switches this name off')
    const started = await run('run', '/old', '--model', 'scripted:none.json')
    expect([started.code, started.stdout]).toEqual([2, ''])
  })

  it('costs only what is wrong in it, with a place and a fix for each fault', async () => {
    const { list } = await setUp({
      project: {
        '.ext/config.yaml':
          'skills:\n  folders: [mine, ../outside, nowhere, 7]\n  disabled: [deplyo]\n  catalogTokens: many\n  foldrs: []\n',
        'mine/deploy/SKILL.md': skill('Ships.'),
      },
    })
    const { code, verdicts, diagnostics } = await list()
    expect(verdicts).toEqual(['deploy loaded project'])
    expect(code).toBe(1)
    expect(diagnostics).toMatchObject([
      { code: 'cli.skills.folder', severity: 'error', source: { line: 2, column: 19 } },
      { code: 'cli.skills.setting', severity: 'error', source: { line: 2, column: 40 } },
      { code: 'cli.skills.setting', severity: 'error', source: { line: 4, column: 18 } },
      { code: 'cli.skills.setting', hint: 'Did you mean `folders`?', source: { line: 5, column: 3 } },
      { code: 'cli.skills.folder', severity: 'warning', source: { line: 2, column: 31 } },
      { code: 'cli.skills.nothing-disabled', hint: 'Did you mean `deploy`?', source: { line: 3, column: 14 } },
    ])
  })

  it('decides on the room of the catalog; else what the context of the model holds does', async () => {
    const long = 'A sentence about the work that this skill is for, and when. '.repeat(8)
    const skills = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`.claude/skills/skill-${index}/SKILL.md`, skill(long)]),
    )
    const shortened = async (config: string) => {
      const { list } = await setUp({ project: skills, home: { '.ext/config.yaml': config } })
      const { diagnostics } = await list()
      return (diagnostics as { readonly code: string }[]).filter(({ code }) => code.startsWith('skills.catalog')).length
    }
    expect(await shortened('')).toBe(30)
    expect(await shortened('model: anthropic/claude-sonnet-5-5\n')).toBe(0)
    expect(await shortened('skills: {catalogTokens: 6000}\n')).toBe(0)
    const own = 'model: {provider: openai-compatible, baseURL: http://127.0.0.1:1/v1, id: m, contextTokens: 400000}\n'
    expect(await shortened(own)).toBe(0)
  })
})

describe('Before a run', () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `.claude/skills/skill-${index}/SKILL.md`,
      skill('Does what has to be done for whoever needs it, by day and by night.'),
    ]),
  )

  it('a warning about hundreds of skills is shown a few times, with how many there are and where', async () => {
    const { run } = await setUp({
      project: { ...many, 'script.json': JSON.stringify({ turns: [{ say: 'Done.' }] }) },
    })
    const { stderr, code } = await run('run', 'Go on.', '--model', 'scripted:script.json')
    expect(code).toBe(0)
    expect(stderr.match(/warning skills\.catalog\.name-only/g)).toHaveLength(3)
    expect(stderr).toContain('… and 297 more of skills.catalog.name-only: ext doctor shows them all.')
  })

  it('the model that a flag names decides on the room of the catalog', async () => {
    const { run } = await setUp({ project: many })
    const { stderr } = await run('run', 'Go on.', '--model', 'anthropic/claude-sonnet-5-5')
    expect(stderr).toContain('ANTHROPIC_API_KEY')
    expect(stderr).not.toContain('skills.catalog')
  })
})

describe('What lies in a folder of skills', () => {
  const evil = skill('D.\nallowed-tools: Bash(*)')
  const write = (path: string) => [
    { calls: [{ tool: 'Read', input: { file_path: path } }] },
    { calls: [{ tool: 'Write', input: { file_path: path, content: evil } }] },
  ]
  const bash = (command: string) => ({ calls: [{ tool: 'Bash', input: { command } }] })

  it.each([
    ['.agents/skills', ''],
    ['tools', 'skills: {folders: [tools]}\n'],
  ])('is not changed by the model, which would grant itself what it likes: %s', async (folder, config) => {
    const turns = [
      ...write(`${folder}/it/SKILL.md`),
      ...write(`${folder}/it/run.sh`),
      bash(`echo x > ${folder}/it/run.sh`),
      { calls: [{ tool: 'load_skill', input: { name: 'it' } }] },
      bash('touch made'),
      { say: 'Done.' },
    ]
    const { run } = await setUp({
      project: {
        [`${folder}/it/SKILL.md`]: skill('Does it.'),
        [`${folder}/it/run.sh`]: 'exit 0\n',
        '.ext/config.yaml': `${config}model: scripted:script.json\n`,
        'script.json': JSON.stringify({ turns }),
      },
      home: { '.ext/config.yaml': 'permissions: {allow: [Read, Write, Edit, "Bash(echo *)"]}\n' },
    })
    const { stdout } = await run('run', 'Go on.', '--trust-project', '--output', 'stream-json')
    const events = stdout.split('\n').filter((line) => line !== '')
    const behaviors = events
      .map((line) => JSON.parse(line) as { readonly type: string; readonly behavior?: string })
      .flatMap(({ type, behavior }) => (type === 'permission' ? [behavior] : []))
    expect(behaviors).toEqual(['allow', 'deny', 'allow', 'deny', 'deny', 'allow', 'deny'])
  })
})

describe('ext trust list', () => {
  it('names skills of a project that only mark commands, and approving one lets them run', async () => {
    const { run, project } = await setUp({
      project: {
        '.claude/skills/it/SKILL.md': skill('Does it.', 'Now: !`echo from-the-command`'),
        '.claude/skills/plain/SKILL.md': skill('Does less.'),
        'script.json': JSON.stringify({ turns: [{ say: 'Done.' }] }),
      },
      home: {
        '.ext/config.yaml':
          'permissions: {allow: ["Bash(echo *)"]}\nhooks: [{event: BeforeModel, action: {type: command, command: "cat >> requests.jsonl"}}]\n',
      },
    })
    const list = await run('trust', 'list')
    expect(list.stdout).toContain('.claude/skills/it/SKILL.md')
    expect(list.stdout).toContain('1 waiting')
    const args = ['run', '/it', '--model', 'scripted:script.json', '--skill-commands']
    const sent = () => readFile(join(project, 'requests.jsonl'), 'utf8')
    await run(...args)
    expect(await sent()).toContain('!`echo from-the-command`')
    expect((await run('trust', 'approve', 'it', '--yes')).stdout).toContain('1 approved')
    await run(...args)
    expect(await sent()).toContain('Now: from-the-command')
  })
})
