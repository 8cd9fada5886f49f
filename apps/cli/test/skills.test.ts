import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

const skill = (header: string) => `---\n${header}\n---\nDo it.\n`

/** A project and a home, with a skill of the same name in both. */
async function crowd() {
  const home = await write(await temporaryFolder(), {
    '.claude/skills/deploy/SKILL.md': skill('description: Far.'),
    '.ext/skills/notes/SKILL.md': skill('description: Condenses meetings.'),
  })
  const project = await write(await temporaryFolder(), {
    '.claude/skills/deploy/SKILL.md': skill(
      'description: Ships the service to production.\ncontext: fork\nallowed-tools: Read, Bash(git *)\ndisallowed-tools: Write',
    ),
    '.agents/skills/broken/SKILL.md': 'no header\n',
  })
  return { home, project }
}

describe('ext skills list', () => {
  it('shows every skill, where it is from and what became of it', async () => {
    const { home, project } = await crowd()
    const { code, stdout } = await ext(['skills', 'list', '--project', project], { home })
    expect(stdout.replaceAll(home, '~').split('\n').slice(0, 5)).toEqual([
      'broken     project  broken  .agents/skills/broken/SKILL.md',
      'loaded     project  deploy: Ships the service to production.  .claude/skills/deploy/SKILL.md',
      'shadowed   user     deploy  ~/.claude/skills/deploy/SKILL.md',
      'loaded     user     notes: Condenses meetings.  ~/.ext/skills/notes/SKILL.md',
      '',
    ])
    expect(stdout).toContain('error frontmatter.missing')
    expect(stdout).toContain('2 skills, 1 error')
    expect(code).toBe(1)
  })

  it('says the same to programs', async () => {
    const { home, project } = await crowd()
    const { stdout } = await ext(['skills', 'list', '--project', project, '--json'], { home })
    const { skills, diagnostics } = JSON.parse(stdout)
    expect(skills.map(({ name }: { name: string }) => name)).toEqual(['broken', 'deploy', 'deploy', 'notes'])
    expect(
      skills.find((each: { verdict: string; name: string }) => each.verdict === 'loaded' && each.name === 'deploy'),
    ).toMatchObject({
      source: { layer: 'project', line: 2 },
      skill: { mode: 'fork', restrict: [{ field: 'allowed-tools' }], trusted: false },
    })
    // They are sorted by file, and the folders of this test have random names.
    expect(diagnostics.map(({ code }: { code: string }) => code).toSorted()).toEqual([
      'config.entry.shadowed',
      'frontmatter.missing',
      'skills.grants.untrusted',
    ])
  })
})

describe('ext skills search', () => {
  it('finds skills by what they are for', async () => {
    const { home, project } = await crowd()
    const args = ['skills', 'search', 'releasing to production', '--project', project]
    expect((await ext(args, { home })).stdout).toBe('deploy: Ships the service to production.\n')
    const { stdout } = await ext([...args, '--json'], { home })
    expect(JSON.parse(stdout)).toMatchObject({ query: 'releasing to production', matches: [{ name: 'deploy' }] })
    const nothing = await ext(['skills', 'search', 'xylophone', '--project', project], { home })
    expect([nothing.stdout, nothing.code]).toEqual(['No skill fits.\n', 0])
  })
})

describe('ext skills show', () => {
  it('shows what a header means, and why it is this one', async () => {
    const { home, project } = await crowd()
    const { code, stdout } = await ext(['skills', 'show', 'Deploy', '--why', '--project', project], { home })
    expect(stdout.replaceAll(home, '~')).toBe(
      [
        'deploy',
        '  file          .claude/skills/deploy/SKILL.md',
        '  description   Ships the service to production.',
        '  started by    the model and the user',
        '  mode          fork, sees nothing of the conversation',
        '  approved      Read, Bash(git *) (not trusted yet)',
        '  taken away    Write',
        '  only          Read, Bash(git *) (allowed-tools)',
        '',
        'winner    .claude/skills/deploy/SKILL.md:2:1',
        '          The project layer is the nearest of those that have the name.',
        'shadowed  ~/.claude/skills/deploy/SKILL.md:2:1',
        '          The project layer is nearer than the user layer: .claude/skills/deploy/SKILL.md.',
        '',
      ].join('\n'),
    )
    expect(code).toBe(0)
  })

  it('says why one is not loaded, and what may have been meant', async () => {
    const { home, project } = await crowd()
    const broken = await ext(['skills', 'show', 'broken', '--project', project], { home })
    expect(broken.stdout).toContain('No skill `broken` takes effect.')
    expect(broken.stdout).toContain('It is not loaded: The file does not start with a line that is exactly ---.')
    expect(broken.code).toBe(1)
    const { code, stderr } = await ext(['skills', 'show', 'deplyo', '--project', project], { home })
    expect([code, stderr]).toEqual([2, 'ext: There is no skill `deplyo`. Did you mean `deploy`?\n'])
  })

  it('says the same to programs', async () => {
    const { home, project } = await crowd()
    const { stdout } = await ext(['skills', 'show', 'deploy', '--why', '--json', '--project', project], { home })
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'deploy',
      skill: { name: 'deploy', mode: 'fork', disallowed: [{ rule: { text: 'Write' } }] },
      found: [{ verdict: 'winner' }, { verdict: 'shadowed' }],
    })
  })
})

describe('ext skills lint', () => {
  it('checks folders and files for the program that shall read them', async () => {
    const folder = await write(await temporaryFolder(), {
      'skills/good/SKILL.md': skill('name: good\ndescription: Good.'),
      'skills/odd/SKILL.md': skill('name: odd\ndescription: Odd.\nwhen_to_use: Always.'),
      'skills/bad/SKILL.md': 'no header\n',
    })
    const args = ['skills', 'lint', 'skills', 'skills/good/SKILL.md', '--json']
    const lenient = await ext(args, { cwd: folder })
    expect(JSON.parse(lenient.stdout)).toMatchObject({
      found: 3,
      loaded: 2,
      skills: expect.arrayContaining([{ name: 'good', path: join(folder, 'skills/good/SKILL.md'), loaded: true }]),
      diagnostics: [{ code: 'frontmatter.missing', source: { line: 1, column: 1 }, hint: expect.any(String) }],
    })
    expect(lenient.code).toBe(1)
    const portable = await ext([...args, '--profile', 'portable'], { cwd: folder })
    expect(JSON.parse(portable.stdout)).toMatchObject({ found: 3, loaded: 1 })
    const people = await ext(['skills', 'lint', 'skills/odd', '--profile', 'portable'], { cwd: folder })
    expect(people.stdout).toContain('error skills.portable.field')
    expect(people.stdout).toContain('1 skill found, 0 good: 1 error, 0 warnings')
    expect((await ext(['skills', 'lint', 'skills/good'], { cwd: folder })).code).toBe(0)
  })
})
