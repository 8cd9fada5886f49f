import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runEvents } from './events.js'
import { EVERYTHING, setup, tool } from './mcp/setup.js'

const HOOK = (name: string, event: string, command: string, more = '') =>
  `  - {name: ${name}, event: ${event}, ${more}action: {type: command, command: ${JSON.stringify(command)}}}\n`

interface Scene {
  /** Of the person. */
  readonly hooks?: string
  readonly config?: string
  readonly files?: Readonly<Record<string, string>>
  /** A shell script that somebody runs in the project after the first turn, while the agent is at work. */
  readonly edit: string
  /** The calls of the turns after that. */
  readonly next?: readonly { readonly tool: string; readonly input: object }[]
  readonly prompt?: string
  readonly flags?: readonly string[]
}

/** A run in which files change between its turns. */
async function run({ hooks = '', config = '', files = {}, edit, next = [], prompt, flags = [] }: Scene) {
  const made = await setup()
  const { project, home } = made
  const script = {
    turns: [
      { calls: [{ tool: 'Bash', input: { command: 'echo first' } }] },
      ...next.map((call) => ({ calls: [call] })),
      { say: 'done' },
    ],
  }
  await made.write('script.json', JSON.stringify(script))
  await made.write('edit.sh', edit)
  await made.write(
    '~/.ext/config.yaml',
    `permissions: {allow: ['Bash(echo *)', 'Bash(sleep *)', mcp__e, mcp__s]}
hooks:
${HOOK('edit', 'PostToolBatch', 'sh edit.sh', 'once: true, ')}${hooks}`,
  )
  if (config !== '') await made.write('.ext/config.yaml', config)
  for (const [path, text] of Object.entries(files)) await made.write(path, text)
  const ran = await runEvents(project, ['--model', `scripted:${join(project, 'script.json')}`, ...flags], home, prompt)
  return {
    ...made,
    ...ran,
    notices: ran.of('notice').map(({ by, text }) => `${by ? `${by}: ` : ''}${text.replaceAll(`${project}/`, '')}`),
    results: ran.of('tool_result').map(({ is_error }) => is_error),
    seen: async (name: string) => (existsSync(join(project, name)) ? readFile(join(project, name), 'utf8') : ''),
  }
}

const echo = { tool: 'Bash', input: { command: 'echo again' } }
const DENY = "permissions: {deny: ['Bash(echo again)']}"

describe('a change of configuration between two turns', () => {
  it('counts from the next turn on, and is said with its sections', async () => {
    const { notices, results } = await run({
      edit: `echo "${DENY}" > .ext/config.local.yaml`,
      files: { '.ext/empty': '' },
      next: [echo],
    })
    expect(results).toEqual([false, true])
    expect(notices).toContain('.ext/config.local.yaml is there now (permissions); this counts from now on.')
  })

  it('by an editor that renames a new file over the old one, or through a link, is the same', async () => {
    const renamed = await run({
      config: 'permissions: {deny: [WebSearch]}\n',
      edit: `echo "${DENY}" > .ext/.new && mv .ext/.new .ext/config.yaml`,
      next: [echo],
    })
    expect(renamed.results).toEqual([false, true])
    const linked = await run({
      files: { 'real.yaml': 'permissions: {deny: [WebSearch]}\n', '.ext/empty': '' },
      edit: `ln -s ../real.yaml .ext/config.local.yaml; echo "${DENY}" > real.yaml`,
      next: [echo],
    })
    expect(linked.results).toEqual([false, true])
  })

  it('that breaks the file keeps what was there, and says so', async () => {
    const { notices, results } = await run({
      config: `${DENY}\n`,
      edit: "echo 'permissions: {deny: [' > .ext/config.yaml",
      next: [echo],
    })
    expect(results).toEqual([false, true])
    expect(notices).toContain('.ext/config.yaml has changed and can not be used as it is; what it held stays in use.')
    expect(notices.join('\n')).toMatch(/\.ext\/config\.yaml:\d+:\d+: .*\(config\.syntax\S*\)/)
  })

  it('that takes the file away takes its rules away', async () => {
    const { notices, results } = await run({ config: `${DENY}\n`, edit: 'rm .ext/config.yaml', next: [echo] })
    expect(results).toEqual([false, false])
    expect(notices).toContain('.ext/config.yaml is gone (permissions); this counts from now on.')
  })

  it('of what is read at the start alone says that it counts then', async () => {
    const { notices } = await run({
      config: 'audit: {enabled: false}\n',
      edit: "printf 'audit: {enabled: true}\\nmodel: mock\\n' > .ext/config.yaml",
    })
    expect(notices).toContain('.ext/config.yaml has changed (audit, model); this counts when the program starts again.')
  })

  it.each([
    ['without an approval', []],
    ['although the project was approved for the run as it was', ['--trust-project']],
  ])('adds no hook that nobody has agreed to, %s', async (_, flags) => {
    const { notices, seen, results } = await run({
      config: `hooks:\n${HOOK('old', 'PreToolUse', 'echo old >> seen')}`,
      edit: `cat >> .ext/config.yaml <<'END'\n${HOOK('evil', 'PreToolUse', 'echo evil >> seen')}END\n`,
      next: [echo],
      flags,
    })
    expect(results).toEqual([false, false])
    expect(await seen('seen')).toBe(flags.length > 0 ? 'old\nold\n' : '')
    expect(notices.join('\n')).toMatch(/config\.yaml:3:5: .*evil.*\(config\.entry\.untrusted\)/s)
  })

  it('does not switch off hooks of the person, also in a project that was approved for the run', async () => {
    const { seen } = await run({
      config: 'audit: {enabled: true}\n',
      hooks: HOOK('mine', 'PreToolUse', 'echo mine >> seen'),
      edit: "echo 'disabledHooks: [mine]' > .ext/config.yaml",
      next: [echo],
      flags: ['--trust-project'],
    })
    expect(await seen('seen')).toBe('mine\nmine\n')
  })

  it('brings the tools of a server that the person has written', async () => {
    const made = await setup()
    const entry = JSON.stringify({ mcpServers: { s: made.small() } })
    await made.write('tools.json', JSON.stringify([tool('greet', 'Greets.')]))
    const { results, notices } = await run({
      edit: `mkdir -p "$HOME/.claude"; cat > "$HOME/.ext/more.json" <<'END'\n${entry}\nEND\nprintf 'mcpServers: ' >> "$HOME/.ext/config.yaml"; sed 's/^{"mcpServers"://; s/}$//' "$HOME/.ext/more.json" >> "$HOME/.ext/config.yaml"`,
      next: [
        { tool: 'Bash', input: { command: 'sleep 2' } },
        { tool: 'mcp__s__greet', input: {} },
      ],
    })
    expect(notices.join('\n')).toMatch(/config\.yaml has changed \(mcpServers\)/)
    expect(results).toHaveLength(3)
    expect(results[2]).toBe(false)
  })

  it('brings a skill that is written', async () => {
    const { notices, of } = await run({
      files: { '.ext/skills/old/SKILL.md': '---\nname: old\ndescription: Old.\n---\nOld.\n' },
      edit: `mkdir .ext/skills/new; printf -- '---\\nname: new\\ndescription: New.\\n---\\nBe new.\\n' > .ext/skills/new/SKILL.md`,
      next: [{ tool: 'load_skill', input: { name: 'new' } }],
    })
    expect(notices.join('\n')).toContain('.ext/skills has changed; this counts from now on.')
    expect(of('tool_result').at(-1)).toMatchObject({ tool: 'load_skill', is_error: false })
  })

  it('is made of a thousand quick writes once', async () => {
    const { notices, results } = await run({
      edit: `i=0; while [ $i -lt 1000 ]; do echo "permissions: {deny: ['Bash(echo $i)']}" > .ext/config.local.yaml; i=$((i+1)); done; echo "${DENY}" > .ext/config.local.yaml`,
      files: { '.ext/empty': '' },
      next: [echo],
    })
    expect(results).toEqual([false, true])
    expect(notices.filter((text) => text.startsWith('.ext/config.local.yaml'))).toHaveLength(1)
  })
})

describe('a hook of ConfigChange', () => {
  it('keeps a change from being used, which is said, and is asked once about it', async () => {
    const { notices, results, seen } = await run({
      hooks: HOOK(
        'frozen',
        'ConfigChange',
        'cat >> asked; echo >> asked; echo no changes today >&2; exit 2',
        'matcher: local_settings, ',
      ),
      edit: `echo "${DENY}" > .ext/config.local.yaml`,
      files: { '.ext/empty': '' },
      next: [echo, echo],
    })
    expect(results).toEqual([false, false, false])
    expect((await seen('asked')).trim().split('\n')).toHaveLength(1)
    expect(notices).toContain(
      '.ext/config.local.yaml is there now, and the hook frozen keeps it from being used: no changes today',
    )
  })

  it('that changes configuration itself is not told for ever', async () => {
    const { notices, seen, code } = await run({
      hooks: HOOK('restless', 'ConfigChange', `echo x >> asked; echo "# $(date +%N)" >> .ext/config.local.yaml`),
      edit: `echo "permissions: {deny: [WebSearch]}" > .ext/config.local.yaml`,
      files: { '.ext/empty': '' },
      next: [echo, echo, echo, echo, echo, echo, echo],
    })
    expect(code).toBe(0)
    expect((await seen('asked')).trim().split('\n')).toHaveLength(4)
    expect(notices.join('\n')).toContain('changes whenever hooks of ConfigChange are told of it')
  })
})

describe('a hook of FileChanged', () => {
  it('hears once between two turns of a file that it names, and of no other', async () => {
    const { seen } = await run({
      hooks: HOOK('watch', 'FileChanged', 'cat >> heard; echo >> heard', 'matcher: .env|.envrc, '),
      files: { '.env': 'A=1\n' },
      edit: 'i=0; while [ $i -lt 1000 ]; do echo "A=$i" > .env; i=$((i+1)); done; echo x > other',
      next: [echo, echo],
    })
    const heard = (await seen('heard')).trim().split('\n')
    expect(heard.map((line) => JSON.parse(line).change)).toEqual(['change'])
  })
})

describe('a hook of UserPromptExpansion', () => {
  it('keeps a skill from being started', async () => {
    const { code, notices, of } = await run({
      hooks: HOOK('guard', 'UserPromptExpansion', 'echo not on Fridays >&2; exit 2', 'matcher: release, '),
      files: { '.ext/skills/release/SKILL.md': '---\nname: release\ndescription: Releases.\n---\nRelease.\n' },
      edit: 'true',
      prompt: '/release now',
    })
    expect([code, of('result')[0]?.reason, of('model_start')]).toEqual([1, 'blocked', []])
    expect(notices).toContain('guard: not on Fridays')
  })

  it('hears of a prompt of a server', async () => {
    const { seen, code } = await run({
      hooks: `${HOOK('see', 'UserPromptExpansion', 'cat > heard')}mcpServers:\n  e: ${JSON.stringify({ command: process.execPath, args: [EVERYTHING, 'stdio'] })}\n`,
      edit: 'true',
      prompt: '/mcp__e__args-prompt city=Paris',
    })
    expect(code).toBe(0)
    expect(JSON.parse(await seen('heard'))).toMatchObject({
      expansion_type: 'mcp_prompt',
      command_name: 'mcp__e__args-prompt',
      command_args: 'city=Paris',
      command_source: 'e',
      prompt: '/mcp__e__args-prompt city=Paris',
    })
  })
})

describe('a hook of Elicitation', () => {
  it('answers a server where nobody is at a terminal', async () => {
    const reply = { hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content: { name: 'Ada' } } }
    const { of, stderr } = await run({
      hooks: `${HOOK('answer', 'Elicitation', `echo '${JSON.stringify(reply)}'`, 'matcher: e, ')}mcpServers:\n  e: ${JSON.stringify({ command: process.execPath, args: [EVERYTHING, 'stdio'] })}\n`,
      edit: 'true',
      next: [{ tool: 'mcp__e__trigger-elicitation-request', input: {} }],
    })
    expect(JSON.stringify(of('tool_result').at(-1)?.content)).toContain('User provided the requested information')
    expect(stderr).not.toContain('nobody is at a terminal')
  })
})
