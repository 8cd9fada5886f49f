import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { KNOWN_FIELDS, WITHOUT_EFFECT } from '../../src/config/fields.js'
import { renderCatalog, type Skill, type Skills } from '../../src/index.js'
import type { SkillsOptions, ToolRule } from '../../src/types.js'
import { codes, makeProject, names, sessionRef, skill } from '../project.js'

/** Loads one skill `deploy` with this header. */
async function load(header: string, body?: string): Promise<Skills> {
  const project = await makeProject({ 'skills/deploy/SKILL.md': skill(header, body) })
  return project.load()
}

function only(skills: Skills): Skill | undefined {
  return skills.snapshot.entries[0]?.value
}

function textFor(skills: Skills, args: string): Promise<string | undefined> {
  return skills
    .session(sessionRef())
    .activate('deploy', { via: 'user', args })
    .then((activation) => (activation.skill ? activation.text : activation.problem))
}

/** What each field does. A field without a row fails the test below. */
const effects: Readonly<Record<string, () => Promise<void>>> = {
  async name() {
    expect(names(await load('name: deploy\ndescription: D.'))).toEqual(['deploy'])
    expect(names(await load('description: D.'))).toEqual(['deploy'])
  },
  async description() {
    const skills = await load('description: Ships the service.')
    expect(renderCatalog(skills.snapshot, { tokens: 500 }).text).toContain('\n- deploy: Ships the service.')
  },
  async when_to_use() {
    const skills = await load('description: Ships it.\nwhen_to_use: Use it on Fridays.')
    expect(renderCatalog(skills.snapshot, { tokens: 500 }).text).toContain('- deploy: Ships it. Use it on Fridays.')
  },
  async 'argument-hint'() {
    const written = await load('description: D.\nargument-hint: "<env> [region]"')
    expect(renderCatalog(written.snapshot, { tokens: 500 }).text).toContain('- deploy <env> [region]: D.')
    const odd = await load('description: D.\nargument-hint: [env, {region: a}, [b]]')
    expect([only(odd)?.argumentHint, codes(odd.diagnostics)]).toEqual([undefined, ['skills.field.ignored']])
    const list = await load('description: D.\nargument-hint: [env, region]')
    expect(renderCatalog(list.snapshot, { tokens: 500 }).text).toContain('- deploy [env, region]: D.')
  },
  async arguments() {
    for (const written of ['[env, region]', 'env region', 'env, region']) {
      const skills = await load(`description: D.\narguments: ${written}`, 'To $env in $region.')
      expect(await textFor(skills, 'prod eu')).toContain('To prod in eu.')
    }
  },
  async 'disable-model-invocation'() {
    const skills = await load('description: D.\ndisable-model-invocation: true')
    const session = skills.session(sessionRef())
    expect(session.tools()).toEqual([])
    expect(session.context()).toEqual([])
    expect(await session.activate('deploy', { via: 'model' })).toEqual({
      code: 'skills.user-only',
      problem: 'The skill `deploy` can only be started by the user.',
      hint: 'Ask the user to start it.',
    })
    expect(await session.activate('deploy', { via: 'user' })).toHaveProperty('skill')
  },
  async 'user-invocable'() {
    const session = (await load('description: D.\nuser-invocable: false')).session(sessionRef())
    expect(await session.activate('deploy', { via: 'user' })).toMatchObject({
      problem: 'The skill `deploy` can only be loaded by the model.',
    })
    expect(await session.activate('deploy', { via: 'model' })).toHaveProperty('skill')
  },
  async license() {
    expect(only(await load('description: D.\nlicense: MIT'))?.license).toBe('MIT')
  },
  async compatibility() {
    expect(only(await load('description: D.\ncompatibility: Needs git.'))?.compatibility).toBe('Needs git.')
  },
  async metadata() {
    const metadata = only(await load('description: D.\nmetadata:\n  internal: true\n  tags: [a]'))?.metadata
    expect(metadata).toEqual({ internal: true, tags: ['a'] })
    expect(Object.isFrozen(metadata?.['tags'])).toBe(true)
  },
  async 'allowed-tools'() {
    for (const written of ['Read Bash(git add *)', 'Read, Bash(git add *)', '[Read, Bash(git add *)]']) {
      const loaded = only(await load(`description: D.\nallowed-tools: ${written}`))
      expect(texts(loaded?.grants)).toEqual(['Read', 'Bash(git add *)'])
      expect(loaded?.restrict).toEqual([])
      expect(loaded?.grants[1]?.rule).toMatchObject({ tool: 'Bash', specifier: 'git add *' })
    }
  },
  async allowed_tools() {
    const fork = only(await load('description: D.\nmode: fork\nallowed_tools: [Read]'))
    expect(fork?.restrict).toMatchObject([{ field: 'allowed_tools', rules: [{ rule: { text: 'Read' } }] }])
    expect(texts(fork?.grants)).toEqual(['Read'])
  },
  async 'disallowed-tools'() {
    expect(texts(only(await load('description: D.\ndisallowed-tools: Bash'))?.disallowed)).toEqual(['Bash'])
  },
  async restrict() {
    expect(only(await load('description: D.\nrestrict: []'))?.restrict).toEqual([{ field: 'restrict', rules: [] }])
  },
  async mode() {
    expect(only(await load('description: D.\nmode: fork'))?.mode).toBe('fork')
    expect(only(await load('description: D.\nmode: inline'))?.mode).toBe('inline')
    expect(only(await load('description: D.'))?.mode).toBe('inline')
  },
  async context() {
    expect(only(await load('description: D.\ncontext: fork'))?.mode).toBe('fork')
  },
  async fork_context() {
    for (const written of ['none', 'recent', 'full']) {
      const loaded = only(await load(`description: D.\nmode: fork\nfork_context: ${written}`))
      expect(loaded?.forkContext).toBe(written)
    }
    expect(only(await load('description: D.\nmode: fork'))?.forkContext).toBe('none')
  },
  async agent() {
    expect(only(await load('description: D.\nmode: fork\nagent: Explore'))?.agent).toBe('Explore')
  },
  async model() {
    expect(only(await load('description: D.\nmodel: opus'))?.model).toBe('opus')
  },
  async effort() {
    expect(only(await load('description: D.\neffort: high'))?.effort).toBe('high')
  },
  async hooks() {
    const hooks = 'hooks:\n  PreToolUse:\n    - hooks: [{type: command, command: "true"}]'
    expect(only(await load(`description: D.\n${hooks}`))?.hasHooks).toBe(true)
    expect(only(await load('description: D.'))?.hasHooks).toBe(false)
  },
  async paths() {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: D.\npaths: "src/**/*.{ts,tsx}, docs/"'),
    })
    const paths = only(await project.load())?.paths
    const fits = (path: string) => paths?.test(project.path(path))
    expect(['src/a/b.ts', 'src/c.tsx', 'docs/x.md'].map(fits)).toEqual([true, true, true])
    expect(['src/a.js', 'lib/src/c.ts'].map(fits)).toEqual([false, false])
  },
  async shell() {
    expect(only(await load('description: D.\nshell: powershell'))?.shell).toBe('powershell')
    expect(only(await load('description: D.'))?.shell).toBe('bash')
  },
  ...Object.fromEntries(
    Object.entries(WITHOUT_EFFECT).map(([field, instead]) => [
      field,
      async () => {
        const skills = await load(`description: D.\n${field}: true`)
        expect(names(skills)).toEqual(['deploy'])
        expect(skills.diagnostics).toMatchObject([
          {
            code: 'skills.field.not-supported',
            severity: 'warning',
            message: expect.stringContaining(instead),
            source: { line: 3, column: 1 },
          },
        ])
        expect((await load(`description: D.\n${field}: false`)).diagnostics).toEqual([])
      },
    ]),
  ),
}

function texts(rules: readonly ToolRule[] | undefined): readonly string[] | undefined {
  return rules?.map(({ rule }) => rule.text)
}

async function isRefused(lines: string, code: string, column?: number): Promise<void> {
  const skills = await load(`description: D.\n${lines}`)
  expect(names(skills)).toEqual([])
  expect(skills.diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
    { code, source: { line: expect.any(Number), column: column ?? expect.any(Number) }, hint: expect.any(String) },
  ])
}

describe('Fields of the header', () => {
  it.each(KNOWN_FIELDS)('%s has the effect that is documented', async (field) => {
    const shows = effects[field]
    expect(shows, `a row for ${field}`).toBeDefined()
    await shows?.()
  })

  it('are the same in the published schema', async () => {
    const schema = JSON.parse(await readFile(new URL('../../schema/skill.schema.json', import.meta.url), 'utf8'))
    expect(Object.keys(schema.properties).toSorted()).toEqual(KNOWN_FIELDS.toSorted())
  })

  it('that are unknown are reported with what was probably meant, and cost nothing', async () => {
    const skills = await load('name: deploy\ndescription: D.\nmetdata: {a: b}\nversion: 1.0.0')
    expect(names(skills)).toEqual(['deploy'])
    expect(skills.diagnostics).toMatchObject([
      { code: 'schema.unknown-key', severity: 'warning', hint: 'Did you mean `metadata`?', source: { line: 4 } },
      { code: 'schema.unknown-key', severity: 'warning', source: { line: 5, column: 1 } },
    ])
  })
})

describe('Names', () => {
  it.each([
    ['a blank', 'name: my skill'],
    ['a slash', 'name: a/b'],
    ['a tab', 'name: "a\\tb"'],
    ['a control character', 'name: "a\\u0007b"'],
    ['a bidi override', 'name: "a\\u202Eb"'],
    ['a zero-width character', 'name: "a\\u200Bb"'],
    ['a letter that nobody sees', 'name: "a\\u3164"'],
    ['a variation selector', 'name: "a\\uFE0F"'],
    ['nothing', 'name: ""'],
  ])('with %s are refused', async (_what, line) => {
    const skills = await load(`${line}\ndescription: D.`)
    expect(names(skills)).toEqual([])
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.name.invalid', severity: 'error', source: { line: 2, column: 7 } },
    ])
  })

  it('of folders are held to the same rule when they stand in', async () => {
    const project = await makeProject({ 'skills/my skill/SKILL.md': skill('description: D.') })
    const skills = await project.load()
    expect(names(skills)).toEqual([])
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.name.invalid', message: expect.stringContaining('folder'), source: { line: 2 } },
    ])
  })

  it('in other scripts, with colons and underscores are fine', async () => {
    const project = await makeProject({
      'skills/技能/SKILL.md': skill('name: 技能\ndescription: D.'),
      'skills/sc:plan/SKILL.md': skill('name: sc:plan\ndescription: D.'),
      'skills/zoho_desk/SKILL.md': skill('name: zoho_desk\ndescription: D.'),
    })
    const skills = await project.load()
    expect(names(skills)).toHaveLength(3)
    expect(skills.diagnostics).toEqual([])
  })

  it('that differ from the folder in more than case are a warning', async () => {
    expect((await load('name: Deploy\ndescription: D.')).diagnostics).toEqual([])
    expect((await load('name: ship\ndescription: D.')).diagnostics).toMatchObject([
      { code: 'skills.name.mismatch', severity: 'warning', source: { line: 2, column: 7 } },
    ])
  })

  it('that are longer than a file system has them are refused', async () => {
    const skills = await load(`name: ${'a'.repeat(256)}\ndescription: D.`)
    expect(names(skills)).toEqual([])
    expect(skills.diagnostics).toMatchObject([{ code: 'skills.name.invalid', source: { line: 2, column: 7 } }])
    expect(codes((await load(`name: ${'a'.repeat(255)}\ndescription: D.`)).diagnostics)).toContain('skills.name.long')
  })

  it('are counted in characters, not in UTF-16 units', async () => {
    const project = await makeProject({
      [`skills/${'𠀀'.repeat(32)}/SKILL.md`]: skill('description: D.'),
      [`skills/${'a'.repeat(65)}/SKILL.md`]: skill('description: D.'),
    })
    const skills = await project.load()
    expect(names(skills)).toHaveLength(2)
    expect(skills.diagnostics).toMatchObject([{ code: 'skills.name.long', severity: 'warning' }])
  })
})

describe('Descriptions', () => {
  it('that are missing, null or blank are errors at the header', async () => {
    const missing = await load('name: deploy')
    expect(missing.diagnostics).toMatchObject([{ code: 'schema.required', severity: 'error', source: { line: 2 } }])
    expect((await load('description:')).diagnostics).toMatchObject([{ code: 'schema.type', source: { line: 2 } }])
    expect((await load('description: "  "')).diagnostics).toMatchObject([
      { code: 'skills.description.empty', severity: 'error', source: { line: 2, column: 14 } },
    ])
  })

  it('of more than 1,024 characters are a warning', async () => {
    expect((await load(`description: ${'é'.repeat(1024)}`)).diagnostics).toEqual([])
    const long = await load(`description: ${'a'.repeat(1025)}`)
    expect(names(long)).toEqual(['deploy'])
    expect(long.diagnostics).toMatchObject([{ code: 'skills.description.long', severity: 'warning' }])
  })

  it('may be block scalars', async () => {
    const folded = await load('description: >-\n  Ships the\n  service.\n\n  On Fridays.')
    expect(renderCatalog(folded.snapshot, { tokens: 500 }).text).toContain('- deploy: Ships the service. On Fridays.')
  })
})

describe('Switches', () => {
  it.each([
    ['true', false],
    ['yes', false],
    ['"on"', false],
    ['1', false],
    ['false', true],
    ['no', true],
    ['off', true],
    ['"false"', true],
  ])('take %s', async (written, modelInvocable) => {
    const skills = await load(`description: D.\ndisable-model-invocation: ${written}`)
    expect(only(skills)?.modelInvocable).toBe(modelInvocable)
  })

  it('of another type cost the skill: who may start it must not be guessed', async () => {
    const skills = await load('description: D.\nuser-invocable: [no]')
    expect(names(skills)).toEqual([])
    expect(skills.diagnostics).toMatchObject([
      { code: 'schema.value', severity: 'error', source: { line: 3, column: 17 } },
    ])
  })

  it('that leave nobody to start the skill are a warning', async () => {
    const skills = await load('description: D.\ndisable-model-invocation: true\nuser-invocable: false')
    expect(skills.diagnostics).toMatchObject([{ code: 'skills.unreachable', severity: 'warning', source: { line: 4 } }])
  })
})

describe('Fields that the skill can do without', () => {
  it('are left out and reported when they have the wrong type', async () => {
    const skills = await load(
      'description: D.\nwhen_to_use: [a]\nargument-hint: 5\narguments: 7\nlicense: {a: b}\nmetadata: text',
    )
    expect(Object.keys(only(skills) ?? {})).not.toContain('whenToUse')
    expect(only(skills)).not.toHaveProperty('metadata')
    expect(codes(skills.diagnostics)).toEqual(Array(5).fill('skills.field.ignored'))
    expect(skills.diagnostics.map(({ source }) => source.line)).toEqual([3, 4, 5, 6, 7])
  })

  it('may be empty', async () => {
    expect((await load('description: D.\nlicense:\narguments:\nmetadata:')).diagnostics).toEqual([])
  })

  it('report argument names that no placeholder can have', async () => {
    const skills = await load('description: D.\narguments: [env, "2nd", ARGUMENTS]', 'To $env.')
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.arguments.name', severity: 'warning', source: { line: 3, column: 18 } },
      { code: 'skills.arguments.name', severity: 'warning', source: { line: 3, column: 25 } },
    ])
    expect(await textFor(skills, 'prod')).toContain('To prod.')
  })

  it('that stand twice are said, and stand for the first', async () => {
    const skills = await load('description: D.\narguments: env region env', '$env and $2.')
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.arguments.name', message: expect.stringContaining('"env" stands twice'), source: { line: 3 } },
    ])
    const found = await skills.session(sessionRef()).activate('deploy', { via: 'user', args: 'a b c' })
    expect(found.mode === 'inline' && found.text).toContain('a and c.')
  })
})

describe('A switch that keeps the model out', () => {
  it.each(['disable_model_invocation: true', 'disableModelInvocation: yes', 'Disable-Model-Invocation: perhaps'])(
    'counts in another spelling as well, with a warning: %s',
    async (field) => {
      const skills = await load(`description: D.\n${field}`)
      expect(only(skills)?.modelInvocable).toBe(false)
      expect(skills.diagnostics).toMatchObject([
        { code: 'skills.field.spelling', severity: 'warning', source: { line: 3, column: 1 } },
      ])
    },
  )

  it('that says no lets the model in', async () => {
    expect(only(await load('description: D.\ndisable_model_invocation: false'))?.modelInvocable).toBe(true)
  })
})

describe('A limit that nobody understands', () => {
  it('is said once, and nothing else about its place', async () => {
    const misspelt = await load('description: D.\ndisalowed-tools: Bash')
    expect(codes(misspelt.diagnostics)).toEqual(['skills.restriction.misspelt'])
    const merged = await load('description: D.\n<<: {disallowed-tools: Bash}')
    expect(codes(merged.diagnostics)).toEqual(['skills.restriction.unreadable'])
    const harmless = await load('description: D.\nMode: fork\n<<: {license: MIT}')
    expect([only(harmless)?.mode, codes(harmless.diagnostics)]).toEqual([
      'inline',
      ['schema.unknown-key', 'schema.unknown-key'],
    ])
    const mode = await load('description: D.\nmode: frok\nallowed-tools: Read')
    expect(mode.diagnostics).toMatchObject([{ code: 'skills.mode.limited', hint: 'Did you mean `fork`?' }])
  })
})

describe('Limits of tools', () => {
  it.each([
    ['skills.restriction.misspelt', 'dissallowed-tools: Bash'],
    ['skills.restriction.misspelt', 'restricts: [Read]'],
    ['skills.restriction.misspelt', 'restrict-tools: Read'],
    ['skills.restriction.misspelt', 'restrictTools: [Read]'],
    ['skills.restriction.misspelt', 'denied-tools: Bash'],
    ['skills.restriction.misspelt', 'not-allowed-tools: Bash'],
    // Of `Bash;` no call is one, so nothing would be taken away.
    ['skills.restriction.unreadable', 'disallowed-tools: Bash; Write'],
    ['skills.restriction.unreadable', 'disallowed-tools: [Bash|Write]'],
    ['skills.restriction.unreadable', 'restrict: Read;Bash(a; b | c)'],
    ['skills.restriction.misspelt', 'mode: fork\nallowed-tool: Read'],
    ['skills.restriction.unreadable', 'disallowed-tools:'],
    ['skills.restriction.unreadable', 'disallowed-tools: ""'],
    ['skills.restriction.unreadable', 'disallowed-tools: {Bash: true}'],
    ['skills.restriction.unreadable', 'restrict: [Read, 5]'],
    ['skills.restriction.unreadable', 'restrict: "Bash(git *"'],
    ['skills.restriction.unreadable', 'restrict: Bash (git *)'],
    ['skills.restriction.unreadable', 'restrict: Read(./../x)'],
    ['skills.restriction.unreadable', 'mode: fork\nallowed-tools: Bash()'],
    ['skills.tools.twice', 'restrict: Read\nRestrict: Bash'],
    ['skills.tools.twice', 'mode: fork\nallowed-tools: Read\nallowed_tools: Bash'],
    // A mode that is not understood may be a fork.
    ['skills.mode.limited', 'mode: frok\nallowed-tools: Read'],
    ['skills.mode.limited', 'mode: frok\nrestrict: Read'],
    ['skills.mode.limited', 'mode: inline\ncontext: fork\nallowed-tools: Read'],
    ['skills.mode.limited', 'Context: fork\nallowed-tools: Read'],
    ['skills.mode.limited', 'agent: reviewer\nMODE: Fork\nallowed-tools: Read'],
    // Other readers of YAML take in what stands there.
    ['skills.restriction.unreadable', 'metadata: &m {restrict: Read}\n<<: *m'],
    ['skills.restriction.unreadable', '<<: [{license: MIT}, {disallowedTools: Bash}]'],
    ['skills.restriction.unreadable', '<<: {context: fork}\nallowed-tools: Read'],
  ])('that can not be understood cost the skill, with %s for %j', async (code, lines) => {
    await isRefused(lines, code)
  })

  it.each([
    ['disallowedTools: Bash', 'disallowed-tools'],
    ['disallowed_tools: Bash', 'disallowed-tools'],
    ['mode: fork\nallowedTools: Bash', 'allowed-tools'],
  ])('in an unusual spelling count, and are reported: %j', async (lines, meant) => {
    const skills = await load(`description: D.\n${lines}`)
    const { disallowed = [], restrict = [] } = only(skills) ?? {}
    expect(disallowed.length + restrict.length).toBe(1)
    expect(warnings(skills)).toMatchObject([{ code: 'skills.field.spelling', hint: `Write \`${meant}\`.` }])
  })

  it('of a fork are what it may use, and `*` is no limit', async () => {
    const fork = only(await load('description: D.\ncontext: fork\nallowed-tools: Read, Grep\nrestrict: Read'))
    expect(fork?.restrict.map(({ field, rules }) => [field, texts(rules)])).toEqual([
      ['allowed-tools', ['Read', 'Grep']],
      ['restrict', ['Read']],
    ])
    expect(only(await load('description: D.\ncontext: fork\nallowed-tools: "*"'))?.restrict).toEqual([])
    expect(only(await load('description: D.\ncontext: fork\nallowed-tools: []'))?.restrict).toMatchObject([
      { rules: [] },
    ])
  })

  it('do not make way for a skill of the same name that is farther away', async () => {
    const project = await makeProject({
      'home/deploy/SKILL.md': skill('description: Without a limit.'),
      'skills/deploy/SKILL.md': skill('description: With a limit.\nrestrict: Bash('),
    })
    const skills = await project.load({ layers: [project.source('home', 'user'), project.source('skills')] })
    expect(names(skills)).toEqual([])
  })

  it('are not seen in the other keys that public collections use', async () => {
    // Keys outside the format in public collections (shapes of 1,120 files, 2026).
    const keys = `agents author bundle category color command compatible_tools complexity date_added dependencies
      displayName framework homepage input library library_version mcp-servers output package personas requires risk
      source sources tags tools triggers type usage version`
    const header = keys.split(/\s+/).map((key) => `${key}: x`)
    expect(names(await load(['description: D.', 'context: fork', ...header].join('\n')))).toEqual(['deploy'])
  })
})

describe('Grants', () => {
  it.each(['Bash (git *)', '"Bash(git *"', '[Read, 5]', '{a: b}', '"*"'])(
    'that can not be understood as a whole grant nothing, with a warning: %s',
    async (written) => {
      const skills = await load(`description: D.\nallowed-tools: ${written}`)
      expect(only(skills)?.grants).toEqual([])
      expect(skills.diagnostics).toMatchObject([
        { code: 'skills.tools.unreadable', severity: 'warning', source: { line: 3 }, hint: expect.any(String) },
      ])
    },
  )

  it('name the folder of the skill by a placeholder', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: D.\nallowed-tools: Bash(${CLAUDE_SKILL_DIR}/ship.sh *)'),
    })
    const skills = await project.load()
    expect(texts(only(skills)?.grants)).toEqual([`Bash(${project.path('skills/deploy')}/ship.sh *)`])
  })

  it('do not take a wildcard from the name of a folder', async () => {
    const project = await makeProject({
      'skills/de*/deploy/SKILL.md': skill('description: D.\nallowed-tools: Bash(${SKILL_DIR}/ship.sh)'),
    })
    const skills = await project.load()
    expect(only(skills)?.grants).toEqual([])
    expect(codes(skills.diagnostics)).toEqual(['skills.tools.unreadable'])
  })

  it('count only where the source is trusted, which is said of each skill', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: D.\nallowed-tools: Bash'),
      'home/ship/SKILL.md': skill('description: D.\nallowed-tools: Bash'),
    })
    const layers = [project.source('home', 'user'), project.source('skills')]
    const trusted = async (options: Partial<SkillsOptions>) =>
      (await project.load({ layers, ...options })).snapshot.entries.map(({ value }) => [value.name, value.trusted])
    expect(await trusted({})).toEqual([
      ['ship', true],
      ['deploy', false],
    ])
    expect(await trusted({ trusted: ({ layer }) => layer === 'project' })).toEqual([
      ['ship', true],
      ['deploy', true],
    ])
  })

  it('that name what is no tool are a warning, if the tools are known', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: D.\nallowed-tools: Raed, WebSearch, mcp__git__log, ship_it, Bash'),
    })
    expect(warnings(await project.load())).toEqual([])
    expect(warnings(await project.load({ knownTools: () => ['ship_it'] }))).toMatchObject([
      { code: 'skills.tools.unknown', severity: 'warning', hint: 'Did you mean `Read`?', source: { line: 3 } },
    ])
  })
})

function warnings({ diagnostics }: Skills) {
  return diagnostics.filter(({ severity }) => severity !== 'info')
}

describe('Modes', () => {
  it.each([
    ['mode: frok', 'skills.mode.unknown', 'Did you mean `fork`?'],
    ['context: [fork]', 'skills.mode.unknown', 'Use one of: inline, fork.'],
    ['mode: fork\ncontext: inline', 'skills.mode.unknown', 'Keep one of them.'],
  ])('that are not known are inline with a warning: %j', async (lines, code, hint) => {
    const skills = await load(`description: D.\n${lines}`)
    expect(only(skills)?.mode).toBe('inline')
    expect(skills.diagnostics).toMatchObject([{ code, severity: 'warning', hint }])
  })

  it('of the context of a fork are none with a warning if they are not known', async () => {
    const skills = await load('description: D.\nmode: fork\nfork_context: recnt')
    expect(only(skills)).toMatchObject({ mode: 'fork', forkContext: 'none' })
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.fork-context.unknown', hint: 'Did you mean `recent`?', source: { line: 4, column: 15 } },
    ])
  })

  it('other than fork leave what is about forks without effect, with a warning', async () => {
    const skills = await load('description: D.\nagent: Explore\nfork_context: full')
    expect(only(skills)).not.toHaveProperty('agent')
    expect(codes(skills.diagnostics)).toEqual(['skills.field.no-effect', 'skills.field.no-effect'])
  })
})

describe('Words', () => {
  it('that are not known are reported with those that are', async () => {
    const skills = await load('description: D.\neffort: huge\nshell: zsh')
    expect(only(skills)).not.toHaveProperty('effort')
    expect(only(skills)?.shell).toBe('unknown')
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.field.ignored', source: { line: 3 }, hint: 'Write one of low, medium, high, xhigh, max.' },
      { code: 'skills.field.ignored', message: expect.stringContaining('commands in the body do not run') },
    ])
  })
})

describe('Paths', () => {
  it('that match nothing are reported, and the others count', async () => {
    const project = await makeProject({
      'skills/deploy/SKILL.md': skill('description: D.\npaths:\n  - "*.ts"\n  - a//b'),
    })
    const skills = await project.load()
    expect(only(skills)?.paths?.test(project.path('deep/x.ts'))).toBe(true)
    expect(skills.diagnostics).toMatchObject([{ code: 'skills.paths.never', source: { line: 5, column: 5 } }])
  })

  it('say that a ! in front makes no exception, and are read without it', async () => {
    const skills = await load('description: D.\npaths: ["src/**", "!src/x/**"]')
    expect(only(skills)?.paths?.text).toBe('src/**')
    expect(skills.diagnostics).toMatchObject([
      { code: 'skills.paths.never', message: expect.stringContaining('no exception'), source: { line: 3, column: 19 } },
    ])
    expect((await load('description: D.\npaths: "\\\\!odd/**"')).diagnostics).toEqual([])
  })

  it('of the wrong type are left out', async () => {
    const skills = await load('description: D.\npaths: 5')
    expect(only(skills)).not.toHaveProperty('paths')
    expect(codes(skills.diagnostics)).toEqual(['skills.field.ignored'])
  })
})
