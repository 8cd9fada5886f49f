import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ext } from '../bin.js'
import { notStarted } from '../events.js'
import { bash, END, LOAD, runSkill, sentTo } from './support.js'

describe('ext run "/name arguments"', () => {
  it('starts a skill with its arguments, and the model goes on with its instructions', async () => {
    const run = await runSkill({ body: 'Greet $0 and $1.', prompt: '/IT "Ada L." Bob', turns: [END] })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(sentTo(run.main[0])).toContain('Greet Ada L. and Bob.')
    expect(run.main[0]?.messages[0]).toMatchObject({
      content: [
        { text: '/IT "Ada L." Bob' },
        { text: 'The skill `it` is loaded. Follow its instructions, which go with each turn as `# Skill it`.' },
      ],
    })
    expect(run.of('user')).toMatchObject([{ text: '/IT "Ada L." Bob' }])
  }, 30_000)

  it('starts a skill that only the user may start, with what it grants', async () => {
    const run = await runSkill({
      header: 'disable-model-invocation: true\nallowed-tools: Bash(touch *)',
      prompt: '/it',
      turns: [bash('touch a'), END],
    })
    expect(run.of('permission')).toMatchObject([{ behavior: 'allow' }])
  }, 30_000)

  it('has a sub-agent work on a forked skill, and shows the model its result', async () => {
    const run = await runSkill({
      header: 'mode: fork',
      body: 'SUB $ARGUMENTS',
      prompt: '/it src',
      turns: [{ when: { contains: 'Its result:\n\nNothing wrong.' }, say: 'All is well.' }],
      sub: [{ when: { contains: 'SUB src' }, say: 'Nothing wrong.' }],
    })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.of('result')).toMatchObject([{ text: 'All is well.' }])
  }, 30_000)

  it('says what was probably meant by an unknown name, and runs nothing', async () => {
    const run = await runSkill({ prompt: '/ti now' })
    expect(run).toMatchObject({
      code: 2,
      stderr: 'ext: There is no skill `ti`. Did you mean `it`? There are: it.\n',
    })
    expect(notStarted(run.stdout)).toContain('There is no skill `ti`.')
  }, 30_000)

  it('takes a path at the start of a prompt for what it is', async () => {
    const run = await runSkill({ prompt: '/etc/hosts is empty', turns: [END] })
    expect(run.of('user')).toMatchObject([{ text: '/etc/hosts is empty' }])
    expect(run.code).toBe(0)
  }, 30_000)

  it('does not start a skill whose prompt a hook refuses', async () => {
    const run = await runSkill({
      body: '!`touch ran`',
      prompt: '/it',
      flags: ['--skill-commands', '--allow', 'Bash', '--trust-project'],
      files: {
        '.ext/config.local.yaml':
          'hooks: [{event: UserPromptSubmit, action: {type: command, command: "echo no >&2; exit 2"}}]\n',
      },
    })
    expect(run.of('result')).toMatchObject([{ reason: 'blocked', turns: 0 }])
    await expect(readFile(join(run.project, 'ran'))).rejects.toThrow('ENOENT')
  }, 30_000)
})

describe('a rule about a skill', () => {
  it.each([
    ['Skill(it)', ''],
    ['Skill(IT)', ''],
    ['Skill(it *)', 'now'],
    ['Skill', ''],
  ])(
    '%s closes both doors',
    async (rule, args) => {
      const flags = ['--deny', rule, '--permission-mode', 'bypassPermissions']
      const byUser = await runSkill({ prompt: `/it ${args}`, flags, body: 'BODY' })
      expect(byUser.of('result')).toMatchObject([{ reason: 'blocked', turns: 0 }])
      expect(byUser.of('notice').map(({ text }) => text)).toEqual([
        expect.stringContaining('The skill `it` was not permitted.'),
      ])
      const call = {
        calls: [{ tool: 'load_skill', input: { name: 'It', ...(args === '' ? {} : { arguments: args }) } }],
      }
      const byModel = await runSkill({ turns: [call, END], flags, body: 'BODY' })
      expect(byModel.of('tool_result')).toMatchObject([{ is_error: true }])
      expect(sentTo(byModel.main.at(-1))).not.toContain('BODY')
    },
    30_000,
  )

  it('that denies it hides it from the model', async () => {
    const { main } = await runSkill({ turns: [END], flags: ['--deny', 'Skill(it)'] })
    expect(main[0]?.system).not.toContain('Does it.')
  }, 30_000)

  it('is no way around for a name in another form', async () => {
    const files = { '.claude/skills/cafe/SKILL.md': '---\nname: café\ndescription: C.\n---\nBODY\n' }
    const call = { calls: [{ tool: 'load_skill', input: { name: 'cafe\u0301' } }] }
    const { of, main } = await runSkill({ files, turns: [call, END], flags: ['--deny', 'Skill(café)'] })
    expect(of('tool_result')).toMatchObject([{ is_error: true }])
    expect(sentTo(main.at(-1))).not.toContain('BODY')
  }, 30_000)

  it('that asks is a no where nobody can be asked, through either door', async () => {
    const files = { '.ext/config.local.yaml': 'permissions: {ask: ["Skill(it)"]}\n' }
    const byUser = await runSkill({ prompt: '/it', files })
    expect(byUser.of('result')).toMatchObject([{ reason: 'blocked' }])
    const byModel = await runSkill({ files })
    expect(byModel.of('permission')).toMatchObject([{ behavior: 'deny', answeredBy: 'nobody' }])
  }, 30_000)
})

describe('a skill of a project', () => {
  const header = 'allowed-tools: Bash(touch *)'
  const turns = [LOAD, bash('touch a'), END]

  it('grants nothing and runs nothing until a person has approved it', async () => {
    const setup = { header, body: 'X!\n!`touch ran`', turns, whose: 'project' as const, flags: ['--skill-commands'] }
    const run = await runSkill(setup)
    expect(run.of('permission').map(({ behavior }) => behavior)).toEqual(['allow', 'deny'])
    expect(sentTo(run.main.at(-1))).toContain('None was run')
    const { project, home } = run
    const list = await ext(['trust', 'list', '--project', project], { home })
    expect(list.stdout).toMatch(/script \.\/\.claude\/skills\/it\/SKILL\.md/)
    const doctor = await ext(['doctor', '--project', project, '--json'], { home })
    expect(doctor.stdout).toContain('skills.grants.untrusted')
  }, 30_000)

  it('grants what it lists once it is approved, and no more after an edit', async () => {
    const first = await runSkill({ header, turns, whose: 'project' })
    const { project, home } = first
    const listed = await ext(['trust', 'approve', '--yes', '--project', project], { home })
    expect(listed.code).toBe(0)
    const again = async () => {
      const { stdout } = await ext(['run', 'Go on.', '--project', project, '--output', 'stream-json'], { home })
      const events = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; behavior?: string })
      return events.flatMap(({ type, behavior }) => (type === 'permission' ? [behavior] : []))
    }
    expect(await again()).toEqual(['allow', 'allow'])
    const path = join(project, '.claude/skills/it/SKILL.md')
    await writeFile(path, (await readFile(path, 'utf8')).replace('touch *', 'touch *, Bash(mkdir *)'))
    expect(await again()).toEqual(['allow', 'deny'])
  }, 30_000)

  it('keeps its limits without any approval', async () => {
    const run = await runSkill({
      header: 'restrict: Read',
      turns,
      whose: 'project',
      flags: ['--allow', 'Bash', '--permission-mode', 'bypassPermissions'],
    })
    expect(run.of('permission').map(({ behavior }) => behavior)).toEqual(['allow', 'deny'])
  }, 30_000)
})

describe('a skill that embeds commands', () => {
  it('has them run with --skill-commands, as far as permission lets it', async () => {
    const body = 'A !`printf hello`\nB !`touch made`\n'
    const run = await runSkill({ body, flags: ['--skill-commands', '--allow', 'Bash(printf *)'] })
    const sent = sentTo(run.main.at(-1))
    expect(sent).toContain('A hello')
    expect(sent).toContain('B [`touch made` was not run: Bash needs consent.')
    await expect(readFile(join(run.project, 'made'))).rejects.toThrow('ENOENT')
  }, 30_000)

  it('has them run with what it is granted itself', async () => {
    const run = await runSkill({
      header: 'allowed-tools: Bash(touch *)',
      body: '!`touch made`',
      flags: ['--skill-commands'],
    })
    expect(await readFile(join(run.project, 'made'), 'utf8')).toBe('')
  }, 30_000)
})

describe('the hooks of a forked skill', () => {
  it('count in its sub-agent while that works, and no longer', async () => {
    const run = await runSkill({
      header:
        'mode: fork\nhooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: "echo no >&2; exit 2"}]}]}',
      body: 'SUB',
      turns: [bash('true 1'), LOAD, bash('true 2'), END],
      sub: [bash('true 3'), END],
      flags: ['--allow', 'Bash'],
    })
    const ofBash = run.of('tool_result').filter(({ tool }) => tool === 'Bash')
    expect(ofBash.map(({ agent_type, is_error }) => [agent_type, is_error])).toEqual([
      [undefined, false],
      ['helper', true],
      [undefined, false],
    ])
  }, 30_000)
})

describe('a limit', () => {
  it('holds in the sub-agents of the session, and whoever asks', async () => {
    const run = await runSkill({
      header: 'disallowed-tools: Bash(touch *)',
      turns: [LOAD, { calls: [{ tool: 'agent', input: { type: 'helper', prompt: 'SUB' } }] }, END],
      sub: [bash('touch a'), bash('mkdir b'), END],
      flags: ['--allow', 'Bash', '--permission-mode', 'bypassPermissions'],
      files: { '.claude/agents/helper.md': '---\nname: helper\ndescription: H.\n---\nHelp.\n' },
    })
    const ofBash = run.of('permission').filter(({ agent_type }) => agent_type === 'helper')
    expect(ofBash.map(({ behavior, decidedBy }) => [behavior, decidedBy.layer])).toEqual([
      ['deny', 'terms'],
      ['allow', 'rules'],
    ])
  }, 30_000)

  it('of a header that needed rescue and can’t be read keeps the skill from being loaded', async () => {
    const run = await runSkill({
      files: {
        '.claude/skills/bad/SKILL.md': '---\ndescription: Use it: now\nrestrict: Read\n---\nX\n',
      },
      turns: [{ calls: [{ tool: 'load_skill', input: { name: 'bad' } }] }, END],
    })
    expect(run.of('tool_result')).toMatchObject([{ is_error: true }])
    expect(run.stderr).toContain('frontmatter.rescue-refused')
  }, 30_000)
})
