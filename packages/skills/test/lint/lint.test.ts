import { nodePorts } from '@ext/kernel/node'
import type { Diagnostic } from '@ext/kernel/types'
import { describe, expect, it } from 'vitest'
import { type LintProfile, type LintReport, lintSkills } from '../../src/lint/index.js'
import { makeProject, skill } from '../project.js'

async function lint(
  header: string,
  profile: LintProfile = 'lenient',
  body = 'Do it.\n',
  folder = 'deploy',
): Promise<LintReport> {
  const project = await makeProject({ [`${folder}/SKILL.md`]: skill(header, body) })
  return lintSkills({ paths: [project.path(folder)], ports: nodePorts(), profile })
}

function brief(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map(({ code, severity, source: { line, column } }) => `${line}:${column} ${severity} ${code}`)
}

const plain = 'name: deploy\ndescription: Ships the service.'

describe('Lint', () => {
  it('has nothing to say about a plain skill, whoever it is for', async () => {
    for (const profile of ['portable', 'lenient', 'claude-code'] as const) {
      const { found, loaded, skills, diagnostics } = await lint(plain, profile)
      expect(diagnostics).toEqual([])
      expect({ found, loaded }).toEqual({ found: 1, loaded: 1 })
      expect(skills).toMatchObject([
        { name: 'deploy', path: expect.stringMatching(/deploy\/SKILL\.md$/), loaded: true },
      ])
    }
  })

  it('looks at files, at skills and at folders that hold them, each file once', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: A.'),
      'skills/cat/b/SKILL.md': skill('description: B.'),
      'skills/c/SKILL.md': 'no header',
      'single/SKILL.md': skill('description: Single.'),
    })
    const paths = ['skills', 'single', 'single/SKILL.md'].map((path) => project.path(path))
    const { found, loaded, skills } = await lintSkills({ paths, ports: nodePorts() })
    expect({ found, loaded }).toEqual({ found: 4, loaded: 3 })
    expect(skills.map(({ name }) => name).toSorted()).toEqual(['a', 'b', 'c', 'single'])
  })

  it('reads the last line of a header behind whose fence the file ends', async () => {
    const project = await makeProject({ 'deploy/SKILL.md': `---\n${plain} Yes --- no.\n---` })
    const { diagnostics } = await lintSkills({
      paths: [project.path('deploy')],
      ports: nodePorts(),
      profile: 'portable',
    })
    expect(brief(diagnostics)).toEqual(['3:37 warning skills.portable.fence', '4:1 warning skills.body.empty'])
  })

  it('counts the lines of a body as an editor does', async () => {
    expect((await lint(plain, 'lenient', 'x\n'.repeat(500))).diagnostics).toEqual([])
    expect(brief((await lint(plain, 'lenient', 'x\n'.repeat(501))).diagnostics)).toEqual([
      '505:1 warning skills.body.long',
    ])
  })

  it('says one name for both the skill and its folder where neither can stay', async () => {
    const { diagnostics } = await lint('name: My_Skill\ndescription: D.', 'portable')
    expect(diagnostics.map(({ hint }) => hint)).toEqual([
      'Write `my-skill`, and rename the folder.',
      'Rename the folder to `my-skill`.',
    ])
  })

  it('says that hooks can not be read, which the loader leaves to whoever runs them', async () => {
    const { diagnostics } = await lint(`${plain}\nhooks: 7`)
    expect(brief(diagnostics)).toEqual(['4:8 warning skills.field.ignored'])
    expect((await lint(`${plain}\nhooks: {Stop: []}`)).diagnostics).toEqual([])
  })

  it('names skills of one name, in whatever case and Unicode form, for only one of them is loaded', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('name: caf\u00e9\ndescription: D.'),
      'skills/b/SKILL.md': skill('name: CAFE\u0301\ndescription: D.'),
    })
    const { diagnostics } = await lintSkills({ paths: [project.path('skills')], ports: nodePorts() })
    expect(diagnostics.filter(({ code }) => code === 'skills.name.twice')).toHaveLength(1)
  })

  it('says that there is nothing at a path', async () => {
    const { found, diagnostics } = await lintSkills({ paths: ['/nowhere/at/all'], ports: nodePorts() })
    expect(found).toBe(0)
    expect(diagnostics).toMatchObject([
      { code: 'skills.lint.no-path', severity: 'error', message: 'There is nothing at this path.' },
    ])
  })

  it('says where and how to fix it, for whatever it finds', async () => {
    const headers = [
      'name: Deploy It\ndescription: D.',
      'name: deploy\ndescription: Use it: always',
      `${plain}\nallowed-tools: [Raed]\nmode: frok\nfoo: bar`,
      `${plain}\nmetadata: {a: [1]}\nlicense: 5\ncompatibility: ""`,
      `${plain}\nrestrict: Bash(`,
      'name: [',
    ]
    for (const profile of ['portable', 'lenient', 'claude-code'] as const) {
      for (const header of headers) {
        const { diagnostics } = await lint(header, profile, '')
        expect(diagnostics.length).toBeGreaterThan(0)
        for (const { hint, source } of diagnostics) {
          expect(hint).toBeTruthy()
          expect(source).toMatchObject({
            file: expect.any(String),
            line: expect.any(Number),
            column: expect.any(Number),
          })
        }
      }
    }
  })

  it('warns of tools that nobody knows, and not of well-known ones, those of servers and those of the host', async () => {
    const header = `${plain}\nallowed-tools: Raed WebSearch mcp__git__log ship`
    const project = await makeProject({ 'deploy/SKILL.md': skill(header) })
    const paths = [project.path('deploy')]
    const { diagnostics } = await lintSkills({ paths, ports: nodePorts(), knownTools: ['ship'] })
    expect(brief(diagnostics)).toEqual(['4:16 warning skills.tools.unknown'])
    expect(diagnostics[0]?.hint).toBe('Did you mean `Read`?')
  })

  it('finds two skills of one name', async () => {
    const project = await makeProject({
      'skills/a/SKILL.md': skill('description: A.'),
      'skills/x/a/SKILL.md': skill('description: Other.'),
    })
    const { diagnostics } = await lintSkills({ paths: [project.path('skills')], ports: nodePorts() })
    expect(diagnostics).toMatchObject([{ code: 'skills.name.twice', severity: 'info', related: [{}] }])
  })
})

describe('Lint of the body', () => {
  it('warns of commands that the limits of the skill leave no tool for', async () => {
    const body = 'First:\n\n  ```bash\n  npm test\n  ```\n'
    expect(brief((await lint(`${plain}\nrestrict: Read`, 'lenient', body)).diagnostics)).toEqual([
      '8:3 warning skills.body.tools',
    ])
    expect(brief((await lint(`${plain}\ndisallowed-tools: Bash`, 'lenient', body)).diagnostics)).toEqual([
      '8:3 warning skills.body.tools',
    ])
    for (const fits of ['restrict: Read, Bash(npm *)', 'allowed-tools: Read', 'disallowed-tools: Bash(rm *)']) {
      expect((await lint(`${plain}\n${fits}`, 'lenient', body)).diagnostics).toEqual([])
    }
  })

  it('warns of one that is empty, and of one of more than 500 lines', async () => {
    expect(brief((await lint(plain, 'lenient', '\n')).diagnostics)).toEqual(['5:1 warning skills.body.empty'])
    expect(brief((await lint(plain, 'lenient', 'line\n'.repeat(600))).diagnostics)).toEqual([
      '505:1 warning skills.body.long',
    ])
  })
})

describe('The portable profile', () => {
  it.each([
    ['name: Deploy\ndescription: D.', '2:7 error skills.portable.name'],
    ['name: de--ploy\ndescription: D.', '2:7 error skills.portable.name'],
    ['description: D.', '2:1 error skills.portable.name'],
    ['name: ship\ndescription: D.', '2:7 error skills.portable.name'],
    [`name: deploy\ndescription: ${'x'.repeat(1025)}`, '3:14 error skills.portable.description'],
    [`${plain}\nlicense: 5`, '4:10 error skills.portable.value'],
    [`${plain}\ncompatibility: ""`, '4:16 error skills.portable.value'],
    [`${plain}\nmetadata: x`, '4:11 error skills.portable.value'],
    [`${plain}\nmetadata:\n  internal: true`, '5:13 warning skills.portable.value'],
    [`${plain}\nallowed-tools: Read, Bash(a, b)`, '4:16 warning skills.portable.tools'],
    [`${plain}\nallowed-tools:\n  - Read`, '5:3 error skills.portable.tools'],
    [`${plain}\nwhen_to_use: On Fridays.`, '4:1 error skills.portable.field'],
    ['name: deploy\ndescription: Use it: always', '2:1 error skills.portable.yaml'],
    ['name: deploy\ndescription: a --- b', '3:16 warning skills.portable.fence'],
    [`${plain}\nmetadata: {a: b}`, '4:11 warning skills.portable.yaml'],
  ])('holds %j against the open format', async (header, expected) => {
    const { diagnostics } = await lint(header, 'portable')
    expect(brief(diagnostics)).toContain(expected)
  })

  it.each(['Read', 'Read Bash(git add *) Grep', 'Bash(a, b)'])('takes %j for a list of tools', async (tools) => {
    expect((await lint(`${plain}\nallowed-tools: ${tools}`, 'portable')).diagnostics).toEqual([])
  })

  it('gives the right spelling with the fault', async () => {
    const hints = async (header: string) => (await lint(header, 'portable')).diagnostics.map(({ hint }) => hint)
    expect(await hints(`${plain}\nallowed-tools: Read, Bash(git add *)`)).toEqual([
      'Write `allowed-tools: Read Bash(git add *)`.',
    ])
    expect(await hints('name: My Skill\ndescription: D.')).toContain('Write `my-skill`, and rename the folder.')
  })

  it('does not count a skill as loaded that breaks the format', async () => {
    expect(await lint(`${plain}\nversion: 1.0.0`, 'portable')).toMatchObject({ found: 1, loaded: 0 })
    expect(await lint(`${plain}\nversion: 1.0.0`, 'lenient')).toMatchObject({ found: 1, loaded: 1 })
  })
})

describe('The profile of Claude Code', () => {
  it.each([
    [`${plain}\nmode: fork`, '4:1 warning skills.claude-code.field', 'Write `context: fork`.'],
    [`${plain}\nrestrict: Read`, '4:1 error skills.claude-code.field', expect.stringContaining('disallowed-tools')],
    [`${plain}\nallowed_tools: Read`, '4:1 warning skills.claude-code.field', 'Write `allowed-tools`.'],
    [
      `${plain}\ncontext: fork\nfork_context: full`,
      '5:1 warning skills.claude-code.field',
      'Say in the body what the fork has to know.',
    ],
    [
      `name: deploy\ndescription: ${'x'.repeat(1000)}\nwhen_to_use: ${'y'.repeat(600)}`,
      '3:14 warning skills.claude-code.listed',
      expect.stringContaining('first'),
    ],
    [
      'name: deploy\ndescription: Use it: always',
      '2:1 error skills.claude-code.yaml',
      expect.stringContaining('quotes'),
    ],
  ])('says what it reads in another way: %j', async (header, expected, hint) => {
    const { diagnostics } = await lint(header, 'claude-code')
    expect(brief(diagnostics)).toContain(expected)
    expect(diagnostics.map((each) => each.hint)).toContainEqual(hint)
  })

  it('takes all of its own fields', async () => {
    const own =
      'when_to_use: W.\nargument-hint: <env>\narguments: env\ndisable-model-invocation: false\nuser-invocable: true\ndisallowed-tools: Write\nmodel: opus\neffort: high\ncontext: fork\nagent: Explore\npaths: "src/**"\nshell: bash'
    expect((await lint(`${plain}\n${own}`, 'claude-code')).diagnostics).toEqual([])
  })
})
