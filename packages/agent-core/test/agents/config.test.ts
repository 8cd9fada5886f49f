import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { KNOWN_FIELDS } from '../../src/agents/config/fields.js'
import { agent, loadOne, makeFolder, said } from './config-kit.js'

describe('An agent file', () => {
  it('says who the agent is, what it may do, and what it is told', async () => {
    const agents = await loadOne(
      agent(
        `name: Code-Reviewer
description: Reviews changes. Use it after each edit.
tools: Read, Bash
disallowedTools: [mcp__github, Web*]
model: haiku
permissionMode: plan
maxTurns: 5`,
        '\nYou review code.\n\nBe brief.\n',
      ),
    )
    expect(agents.definitions).toEqual([
      {
        name: 'Code-Reviewer',
        description: 'Reviews changes. Use it after each edit.',
        prompt: 'You review code.\n\nBe brief.',
        tools: ['Read', 'Bash'],
        disallowedTools: ['mcp__github', 'Web*'],
        model: 'haiku',
        permissionMode: 'plan',
        maxTurns: 5,
      },
    ])
    expect(agents.diagnostics).toEqual([])
    expect(agents.snapshot.records).toMatchObject([{ axis: 'agents', name: 'code-reviewer', verdict: 'loaded' }])
  })

  it('needs nothing but a description, and is then called like its file', async () => {
    const folder = await makeFolder({ 'agents/test-writer.md': agent('description: Writes tests.') })
    const { definitions, diagnostics } = await folder.load()
    expect(definitions).toEqual([{ name: 'test-writer', description: 'Writes tests.', prompt: 'Look closely.' }])
    expect(diagnostics).toEqual([])
  })

  it('can be read by an editor: its schema lists every field that is known', async () => {
    const schema = JSON.parse(await readFile(new URL('../../schema/agent.schema.json', import.meta.url), 'utf8'))
    expect(Object.keys(schema.properties).toSorted()).toEqual(KNOWN_FIELDS.toSorted())
  })

  it('takes effect without consent, also in a project, since it runs nothing and loosens nothing', async () => {
    const { snapshot } = await loadOne(agent('description: D.\ntools: Bash'))
    expect(snapshot.records).toMatchObject([{ verdict: 'loaded', source: { layer: 'project' } }])
  })

  it('without a text below its header is loaded, with a warning', async () => {
    const { definitions, diagnostics } = await loadOne(agent('description: D.', ' \n'))
    expect(definitions).toMatchObject([{ prompt: '' }])
    expect(diagnostics).toMatchObject([{ code: 'agents.prompt.empty', severity: 'warning' }])
  })

  it.each([
    ['no description', 'name: a', 'schema.required', 'description'],
    ['a description without its right name', 'descripton: D.', 'schema.required', 'Did you mean'],
    ['a blank description', 'description: "  "', 'agents.description.blank', 'Say what'],
    ['a description that is no text', 'description: [D.]', 'schema.type', 'a text'],
    ['a blank name', 'description: D.\nname: " "', 'agents.name.invalid', 'visible'],
    ['a name of two lines', 'description: D.\nname: "a\\nb"', 'agents.name.invalid', 'one line'],
    ['a name that is no text', 'description: D.\nname: 7', 'schema.type', 'a text'],
    ['a model without a name', 'description: D.\nmodel:', 'schema.type', 'a text'],
  ])('with %s is broken, and the diagnostic says where and how to fix it', async (_what, header, code, hint) => {
    const { definitions, diagnostics, snapshot } = await loadOne(agent(header))
    expect(definitions).toEqual([])
    const error = diagnostics.find(({ severity }) => severity === 'error')
    expect(error).toMatchObject({ code, hint: expect.stringContaining(hint), source: { line: expect.any(Number) } })
    expect(snapshot.records).toMatchObject([{ verdict: 'broken', id: error?.entry }])
  })

  it.each([
    ['hooks', 'hooks: {Stop: []}', 'its hooks do not run'],
    ['MCP servers', 'mcpServers: [github]', 'it has the servers of the agent that starts it'],
    ['a memory', 'memory: user', 'it keeps nothing'],
    ['an effort', 'effort: high', 'the model is asked without it'],
    ['a copy of the repository', 'isolation: worktree', 'it works in the folder of the session'],
    ['a first prompt', 'initialPrompt: Go.', 'it begins with what it is asked'],
  ])('that asks for %s is loaded, and told what happens instead', async (_what, field, instead) => {
    const { definitions, diagnostics } = await loadOne(agent(`description: D.\n${field}`))
    expect(definitions).toHaveLength(1)
    expect(diagnostics).toMatchObject([
      {
        code: 'agents.field.no-effect',
        severity: 'warning',
        message: expect.stringContaining(instead),
        source: { line: 3, column: 1 },
      },
    ])
  })

  it.each([
    ['a list of skills', 'skills: [review, deploy, review]', { skills: ['review', 'deploy'] }],
    ['skills with commas', 'skills: review, deploy', { skills: ['review', 'deploy'] }],
    ['a place in the background', 'background: true', { background: true }],
    ['that conversations may be handed over to it', 'handoff: true', { handoff: true }],
    ['a profile', 'profile: read-only', { profile: 'read-only' }],
  ])('that asks for %s gets it', async (_what, field, expected) => {
    const { definitions, diagnostics } = await loadOne(agent(`description: D.\n${field}`))
    expect(definitions).toMatchObject([expected])
    expect(diagnostics).toEqual([])
  })

  it('with skills that can’t be read begins without them', async () => {
    for (const field of ['skills: 3', 'skills: [1]', 'skills: "a,,b"']) {
      const { definitions, diagnostics } = await loadOne(agent(`description: D.\n${field}`))
      expect(definitions).toHaveLength(1)
      expect(said(diagnostics)).toEqual(['warning agents.skills.unreadable'])
    }
  })

  it('is not loaded with a profile that is none, or is misspelt', async () => {
    for (const field of ['profile: readonly', 'profile: true']) {
      const { definitions, diagnostics } = await loadOne(agent(`description: D.\n${field}`))
      expect(definitions).toEqual([])
      expect(said(diagnostics)).toEqual(['error agents.profile.unknown'])
    }
    const { definitions, diagnostics } = await loadOne(agent('description: D.\nprofil: read-only'))
    expect(definitions).toEqual([])
    expect(said(diagnostics)).toEqual(['error agents.field.misspelt'])
  })

  it('may have a color, which is mentioned and no more', async () => {
    const { diagnostics } = await loadOne(agent('description: D.\ncolor: purple'))
    expect(said(diagnostics)).toEqual(['info agents.field.no-effect'])
  })

  it('that asks for what happens anyway hears nothing', async () => {
    const { diagnostics } = await loadOne(agent('description: D.\nbackground: false\nskills: []\nhooks: {}\nmemory:'))
    expect(diagnostics).toEqual([])
  })

  it('with an unknown field is loaded, and a likely one is named', async () => {
    const { definitions, diagnostics } = await loadOne(agent('description: D.\nmodle: haiku\npriority: 1'))
    expect(definitions).toHaveLength(1)
    expect(diagnostics).toMatchObject([
      { code: 'schema.unknown-key', severity: 'warning', hint: 'Did you mean `model`?', source: { line: 3 } },
      { code: 'schema.unknown-key', severity: 'warning', source: { line: 4 } },
    ])
  })

  it('with an unquoted colon in its description is read, with a warning, unless it holds a limit', async () => {
    const alone = await loadOne(agent('description: Use it for two: a and b'))
    expect(alone.definitions).toMatchObject([{ description: 'Use it for two: a and b' }])
    expect(said(alone.diagnostics)).toEqual(['warning frontmatter.rescued'])
    for (const limit of ['tools: Read', 'disallowed_tools: Bash', 'allowed-tools: Read', 'maxTurns: 3']) {
      const limited = await loadOne(agent(`description: Use it for two: a and b\n${limit}`))
      expect(limited.definitions).toEqual([])
      expect(said(limited.diagnostics)).toContain('error frontmatter.rescue-refused')
    }
  })
})

describe('A limit of an agent is never ignored', () => {
  it.each([
    ['disallowed_tools', 'Bash', { disallowedTools: ['Bash'] }],
    ['disallowed-tools', 'Bash', { disallowedTools: ['Bash'] }],
    ['DisallowedTools', 'Bash', { disallowedTools: ['Bash'] }],
    ['allowed-tools', 'Read', { tools: ['Read'] }],
    ['allowedTools', 'Read', { tools: ['Read'] }],
    ['Tools', 'Read', { tools: ['Read'] }],
    ['permission_mode', 'plan', { permissionMode: 'plan' }],
    ['max_turns', '3', { maxTurns: 3 }],
  ])('%s is understood, with a warning', async (field, value, expected) => {
    const { definitions, diagnostics } = await loadOne(agent(`description: D.\n${field}: ${value}`))
    expect(definitions).toMatchObject([expected])
    expect(diagnostics).toMatchObject([
      { code: 'agents.field.spelling', severity: 'warning', source: { line: 3, column: 1 } },
    ])
  })

  it.each(['disallowedTool', 'tool', 'disalowedTools', 'permissions', 'permisionMode', 'maxTurn', 'denyTools'])(
    '%s makes the agent broken',
    async (field) => {
      const { definitions, diagnostics } = await loadOne(agent(`description: D.\n${field}: x`))
      expect(definitions).toEqual([])
      expect(diagnostics).toMatchObject([
        { code: 'agents.field.misspelt', severity: 'error', source: { line: 3, column: 1 } },
      ])
    },
  )

  it('and the field that was meant is named, if one is near', async () => {
    const { diagnostics } = await loadOne(agent('description: D.\ndisallowedTool: x\npermissions: x'))
    expect(diagnostics.map(({ hint }) => hint)).toEqual([
      'Did you mean `disallowedTools`?',
      'Use tools, disallowedTools, permissionMode, maxTurns, profile, or remove it.',
    ])
  })

  it('two spellings of one limit make the agent broken', async () => {
    const { definitions, diagnostics } = await loadOne(agent('description: D.\ntools: Read\nallowed-tools: Bash'))
    expect(definitions).toEqual([])
    expect(diagnostics).toMatchObject([
      { code: 'agents.field.twice', source: { line: 4 }, related: [{ source: { line: 3 } }] },
    ])
  })

  it.each([
    ['no list of tools', 'tools:', 'agents.tools.unreadable'],
    ['an empty text for a list of tools', 'tools: ""', 'agents.tools.unreadable'],
    ['a map of tools', 'tools: {Bash: false}', 'agents.tools.unreadable'],
    ['a number among tools', 'tools: [Read, 7]', 'agents.tools.unreadable'],
    ['a * inside a name', 'disallowedTools: mcp__*__delete', 'agents.tools.unreadable'],
    ['a negated name', 'disallowedTools: "!Bash"', 'agents.tools.unreadable'],
    ['an open parenthesis', 'tools: Bash(git', 'agents.tools.unreadable'],
    ['quotes inside a text', `tools: '"Read", "Bash"'`, 'agents.tools.unreadable'],
    ['an unknown mode', 'permissionMode: plna', 'agents.mode.unknown'],
    ['no mode', 'permissionMode:', 'agents.mode.unknown'],
    ['zero turns', 'maxTurns: 0', 'agents.turns.invalid'],
    ['half a turn', 'maxTurns: 1.5', 'agents.turns.invalid'],
    ['turns in words', 'maxTurns: "five"', 'agents.turns.invalid'],
    ['endless turns', 'maxTurns: .inf', 'agents.turns.invalid'],
  ])('%s makes the agent broken', async (_what, field, code) => {
    const { definitions, diagnostics } = await loadOne(agent(`description: D.\n${field}`))
    expect(definitions).toEqual([])
    expect(diagnostics).toMatchObject([
      { code, severity: 'error', hint: expect.stringMatching(/\S/), source: { line: 3 } },
    ])
  })

  it('an agent whose limit is broken gives way to no farther one of its name, which may do more', async () => {
    const folder = await makeFolder({
      'home/review.md': agent('description: Of the person.'),
      'project/review.md': agent('description: Of the project.\ntools: {}'),
    })
    const { definitions, diagnostics } = await folder.load({
      layers: [folder.source('home', 'user'), folder.source('project')],
    })
    expect(definitions).toEqual([])
    expect(said(diagnostics)).toEqual(['error agents.tools.unreadable', 'info config.entry.shadowed'])
  })

  it('a mode that can never be stricter is named', async () => {
    const { definitions, diagnostics } = await loadOne(agent('description: D.\npermissionMode: bypassPermissions'))
    expect(definitions).toHaveLength(1)
    expect(diagnostics).toMatchObject([
      { code: 'agents.field.no-effect', message: expect.stringContaining('never freer') },
    ])
  })
})
