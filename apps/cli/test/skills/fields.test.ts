import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { ext } from '../bin.js'
import { bash, END, filesystemServer, LOAD, runSkill, sentTo } from './support.js'

type Run = Awaited<ReturnType<typeof runSkill>>

const resultOf = ({ of }: Run, tool: string) => of('tool_result').filter((each) => each.tool === tool)
const textOf = (run: Run, tool: string) => JSON.stringify(resultOf(run, tool).map(({ content }) => content))
const behaviors = ({ of }: Run) => of('permission').map(({ behavior }) => behavior)

/** For each field of the header what it does in a session of the built `ext`. */
const EFFECTS: Readonly<Record<string, () => Promise<void>>> = {
  async name() {
    const { main } = await runSkill({ header: 'name: other' })
    expect(main[0]?.system).toContain('\n- other: Does it.')
  },
  async description() {
    const { main } = await runSkill({})
    expect(main[0]?.system).toContain('\n- it: Does it.')
  },
  async when_to_use() {
    const { main } = await runSkill({ header: 'when_to_use: At night.' })
    expect(main[0]?.system).toContain('- it: Does it. At night.')
  },
  async 'argument-hint'() {
    const { main } = await runSkill({ header: 'argument-hint: <where>' })
    expect(main[0]?.system).toContain('- it <where>: Does it.')
  },
  async arguments() {
    const { main } = await runSkill({
      header: 'arguments: [who]',
      body: 'Greet $who.',
      prompt: '/it Ada',
      turns: [END],
    })
    expect(sentTo(main[0])).toContain('Greet Ada.')
  },
  async 'disable-model-invocation'() {
    const run = await runSkill({
      header: 'disable-model-invocation: true',
      files: { '.claude/skills/other/SKILL.md': '---\ndescription: O.\n---\n' },
    })
    expect(run.main[0]?.system).not.toContain('Does it.')
    expect(textOf(run, 'load_skill')).toContain('can only be started by the user')
  },
  async 'user-invocable'() {
    const run = await runSkill({ header: 'user-invocable: false', prompt: '/it' })
    expect(run).toMatchObject({ code: 2, main: [] })
    expect(run.stderr).toContain('ext: The skill `it` can only be loaded by the model. Describe the task')
  },
  async license() {
    await isShown('license: MIT', /MIT/)
  },
  async compatibility() {
    await isShown('compatibility: Needs git.', /Needs git\./)
  },
  async metadata() {
    await isShown('metadata: {team: boats}', /boats/)
  },
  async 'allowed-tools'() {
    const run = await runSkill({
      header: 'allowed-tools: Bash(touch *)',
      turns: [bash('touch a'), LOAD, bash('touch b'), bash('mkdir c'), END],
    })
    expect(behaviors(run)).toEqual(['deny', 'allow', 'allow', 'deny'])
    expect(sentTo(run.main.at(-1))).toContain('Tools that it is written for: `Bash(touch *)`.')
  },
  async allowed_tools() {
    expect(
      behaviors(await runSkill({ header: 'allowed_tools: Bash(touch *)', turns: [LOAD, bash('touch b'), END] })),
    ).toEqual(['allow', 'allow'])
  },
  async 'disallowed-tools'() {
    const run = await runSkill({
      header: 'disallowed-tools: Bash(rm *)',
      flags: ['--allow', 'Bash', '--permission-mode', 'bypassPermissions'],
      turns: [LOAD, bash('touch a'), bash('true && rm a'), END],
    })
    expect(run.of('permission').map(({ behavior, decidedBy }) => [behavior, decidedBy.layer])).toEqual([
      ['allow', 'mode'],
      ['allow', 'rules'],
      ['deny', 'terms'],
    ])
    expect(sentTo(run.main.at(-1))).toContain('While it is active: never `Bash(rm *)`')
  },
  async restrict() {
    const run = await runSkill({
      header: 'restrict: [Read, "Bash(ls *)"]',
      flags: ['--allow', 'Bash'],
      turns: [LOAD, bash('ls .'), bash('touch a'), LOAD, END],
    })
    expect(behaviors(run)).toEqual(['allow', 'allow', 'deny', 'allow'])
  },
  async context() {
    await isForked('context: fork')
  },
  async mode() {
    await isForked('mode: fork')
  },
  async fork_context() {
    const forked = async (share: string) => {
      const run = await runSkill({
        header: `mode: fork\nfork_context: ${share}`,
        body: 'SUB',
        turns: [...Array.from({ length: 11 }, (_, index) => bash(`true ${index}`)), LOAD, END],
        sub: [END],
        flags: ['--allow', 'Bash'],
      })
      expect(run.code).toBe(0)
      return run.ofAgent[0]?.messages.length
    }
    expect(await forked('none')).toBe(1)
    // 20 of the conversation, a line that something is left out, and the order.
    expect(await forked('recent')).toBe(22)
    expect(await forked('full')).toBe(24)
  },
  async background() {
    const { stderr } = await runSkill({ header: 'mode: fork\nbackground: true', body: 'SUB', sub: [END] })
    expect(stderr).toContain('`background` has no effect in this version')
  },
  async agent() {
    const { of, ofAgent } = await runSkill({
      header: 'mode: fork\nagent: reviewer',
      body: 'SUB',
      sub: [END],
      files: { '.claude/agents/reviewer.md': '---\nname: Reviewer\ndescription: R.\n---\nReview it.\n' },
    })
    expect(of('agent_start')).toMatchObject([{ agent_type: 'Reviewer' }])
    expect(ofAgent[0]?.system).toMatch(/^Review it\./)
  },
  async model() {
    const other = { turns: [LOAD, { say: 'The other one.' }] }
    const run = await runSkill({ header: 'model: "scripted:o.json"', files: { 'o.json': JSON.stringify(other) } })
    expect(run.of('model_start').map(({ model }) => model)).toEqual(['scripted:script.json', 'scripted:o.json'])
    expect(run.of('result')).toMatchObject([{ text: 'The other one.' }])
    const { of } = await runSkill({ header: 'model: opus' })
    expect(of('notice').map(({ text }) => text)).toEqual([
      'skill it wants the model opus, which is not known; scripted:script.json is used.',
    ])
  },
  async effort() {
    const { of } = await runSkill({ header: 'effort: high' })
    expect(of('model_start').map(({ effort }) => effort)).toEqual([undefined, 'high'])
  },
  async hooks() {
    const { of } = await runSkill({
      header: 'hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: "echo no >&2; exit 2"}]}]}',
      turns: [bash('touch a'), LOAD, bash('touch b'), END],
      flags: ['--allow', 'Bash'],
    })
    expect(of('tool_result').map(({ is_error }) => is_error)).toEqual([false, false, true])
  },
  async paths() {
    const read = { calls: [{ tool: 'mcp__fs__read_text_file', input: { path: 'src/a.ts' } }] }
    const { main } = await runSkill({
      header: 'paths: ["src/**/*.ts"]',
      turns: [bash('true'), read, END],
      flags: ['--trust-project', '--allow', 'mcp__fs', '--allow', 'Bash'],
      files: { 'src/a.ts': 'x', '.mcp.json': filesystemServer() },
    })
    expect(main.map((request) => sentTo(request).includes('- it: Does it.'))).toEqual([false, false, true])
    expect(new Set(main.map(({ system }) => system)).size).toBe(1)
    expect(main[0]?.system).not.toContain('Does it.')
  },
  async shell() {
    const loaded = async (shell: string, flags: readonly string[]) => {
      const body = `Branch: !\`echo $((1+1))-${'$'}{BASH_VERSION:+bash}\``
      const { main } = await runSkill({ header: `shell: ${shell}`, body, flags: ['--allow', 'Bash', ...flags] })
      return sentTo(main.at(-1))
    }
    expect(await loaded('bash', [])).toContain('None was run')
    expect(await loaded('bash', ['--skill-commands'])).toContain('Branch: 2-bash')
    expect(await loaded('powershell', ['--skill-commands'])).toContain('the skill is written for the shell powershell')
  },
}

async function isForked(header: string): Promise<void> {
  const run = await runSkill({
    header: `${header}\nallowed-tools: Bash(touch *)`,
    body: 'SUB with $ARGUMENTS',
    turns: [{ calls: [{ tool: 'load_skill', input: { name: 'it', arguments: 'care' } }] }, END],
    sub: [bash('touch a'), bash('mkdir b'), { calls: [{ tool: 'agent', input: {} }] }, { say: 'Reviewed.' }],
    flags: ['--allow', 'Bash'],
  })
  expect(run.code).toBe(0)
  // Besides the list what belongs to the agent itself, and reaches no more than its own tasks.
  const own = ['load_skill']
  expect(run.of('agent_start')).toMatchObject([{ tools: ['Bash', ...own] }])
  expect(sentTo(run.ofAgent[0])).toContain('SUB with care')
  expect(behaviors(run).slice(1)).toEqual(['allow', 'deny'])
  expect(run.of('tool_rejected')).toMatchObject([{ tool: 'agent' }])
  expect(textOf(run, 'load_skill')).toContain('was run by a sub-agent. Its result:\\n\\nReviewed.')
  expect(sentTo(run.main.at(-1))).not.toContain('SUB')
}

async function isShown(line: string, what: RegExp): Promise<void> {
  const { home, project, code } = await runSkill({ header: line })
  expect(code).toBe(0)
  const { stdout } = await ext(['skills', 'show', 'it', '--json', '--project', project], { home })
  expect(stdout).toMatch(what)
}

const schema = createRequire(import.meta.url)('../../../../packages/skills/schema/skill.schema.json') as {
  readonly properties: Readonly<Record<string, unknown>>
}

it('every field has an effect in a session', () => {
  expect(Object.keys(EFFECTS).toSorted()).toEqual(Object.keys(schema.properties).toSorted())
})

it.each(Object.entries(EFFECTS))(
  '%s',
  async (_, check) => {
    await check()
  },
  30_000,
)
