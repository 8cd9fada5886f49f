import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunEvent } from '@ext/agent-core/types'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'
import { type EventOf, notStarted } from './events.js'

const SCRIPT = `
turns:
  - say: I look.
    calls: [{tool: Bash, input: {command: echo one}}]
  - say: First done.
  - say: Second done.
  - say: Third done.
`

async function project(script = SCRIPT, files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder()
  const home = await temporaryFolder()
  const all = { '.ext/script.yaml': script, '.ext/config.yaml': 'model: scripted:.ext/script.yaml\n', ...files }
  for (const [path, text] of Object.entries(all)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const run = async (...args: readonly string[]) => {
    const ran = await ext(['run', '--project', folder, '--output', 'stream-json', '--allow', 'Bash(echo *)', ...args], {
      home,
    })
    const lines = ran.stdout.split('\n').filter((line) => line !== '')
    const events = lines.map((line) => JSON.parse(line) as RunEvent)
    const of = <T extends RunEvent['type']>(type: T) => events.filter((e): e is EventOf<T> => e.type === type)
    return { ...ran, of, id: of('result')[0]?.session_id ?? '' }
  }
  const sessions = (...args: readonly string[]) => ext(['sessions', ...args], { home, cwd: folder })
  return { folder, home, run, sessions }
}

/** All logs below a home. */
async function logs(home: string): Promise<readonly string[]> {
  const root = join(home, '.ext/sessions')
  const folders = await readdir(root).catch(() => [])
  const names = await Promise.all(
    folders.map(async (each) => (await readdir(join(root, each))).map((name) => join(root, each, name))),
  )
  return names.flat()
}

describe('ext run', () => {
  it('keeps its session for its owner alone, and goes on with the newest or with the one that is named', async () => {
    const { home, run } = await project()
    const first = await run('Do the first thing')
    const [file = '', ...others] = await logs(home)
    expect([first.code, others]).toEqual([0, []])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const second = await run('--continue', 'And the second')
    expect(second.of('session_start')).toMatchObject([{ source: 'resume', session_id: first.id }])
    expect(second.of('result')).toMatchObject([{ text: 'Second done.' }])
    const third = await run('--resume', first.id.slice(0, 8), 'And the third')
    expect(third.of('result')).toMatchObject([{ text: 'Third done.', session_id: first.id }])
    expect(await logs(home)).toEqual([file])
  })

  it('leaves the session alone that it makes a copy of', async () => {
    const { home, run } = await project()
    const first = await run('Do it')
    const [file = ''] = await logs(home)
    const before = await readFile(file, 'utf8')
    const copy = await run('--continue', '--fork', 'Otherwise')
    expect(copy.of('session_start')).toMatchObject([{ source: 'fork' }])
    expect(copy.of('result')).toMatchObject([{ text: 'Second done.' }])
    expect(copy.id).not.toBe(first.id)
    expect(await readFile(file, 'utf8')).toBe(before)
    expect(await logs(home)).toHaveLength(2)
  })

  it('keeps nothing where nothing is to be kept', async () => {
    const { home, run } = await project()
    expect((await run('--no-save', 'Do it')).code).toBe(0)
    expect(existsSync(join(home, '.ext/sessions'))).toBe(false)
  })

  it.each<[readonly string[], string]>([
    [[], 'Give a prompt, or a session to go on with: --resume <id> or --continue.'],
    [['--fork', 'x'], '--fork needs a session to copy: --resume <id> or --continue.'],
    [['--no-save', '--continue', 'x'], '--no-save keeps nothing, so no session can go on with it.'],
    [['--continue', 'x'], 'There is no session of this project yet, so there is none to continue.'],
    [['--resume', 'nobody', 'x'], 'There is no session `nobody`. See ext sessions list --all.'],
    [['--continue', '--resume', 'a', 'x'], "option '--resume <id>' cannot be used with option '--continue'"],
  ])('%j is a usage error', async (args, message) => {
    const { run } = await project()
    const ran = await run(...args)
    expect(ran.code).toBe(2)
    // What can't be read at all has no form of output yet.
    expect(ran.stdout === '' ? ran.stderr : notStarted(ran.stdout)).toContain(message)
    expect(ran.stderr).toContain(message)
  })

  it('does not go on with a session of another project, and not without a prompt where there is nothing to do', async () => {
    const { run, folder, home } = await project()
    const { id } = await run('Do it')
    const other = await temporaryFolder()
    const args = ['run', '--project', other, '--model', `scripted:${folder}/.ext/script.yaml`, '--resume', id, 'More']
    const elsewhere = await ext(args, { home })
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      2,
      `ext: The session ${id} is one of ${folder}. Go on with it there: --project '${folder}'.\n`,
    ])
    const nothing = await run('--continue')
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      'ext: The session has come to its end, so there is nothing to go on with. Give a prompt.\n',
    ])
  })

  it('goes on where it was killed: what had begun is not done again, and what had not is', async () => {
    const { home, folder, run } = await project(`
turns:
  - calls:
      - {tool: Bash, input: {command: echo one >> done}}
      - {tool: Bash, input: {command: sleep 5; echo two >> done}}
      - {tool: Bash, input: {command: echo three >> done}}
  - say: All done.
`)
    const args = ['run', '--project', folder, '--permission-mode', 'bypassPermissions', 'Go']
    const killed = await ext(args, { home, interrupt: { after: /permission.*\n(.*\n)*permission/, by: 'SIGKILL' } })
    expect(killed.code).toBeNull()
    const next = await run('--continue')
    expect(next.code).toBe(0)
    expect(next.of('notice').map(({ text }) => text)).toContain(
      'The session goes on in the permission mode that it was kept in: bypassPermissions.',
    )
    const texts = next.of('tool_result').map(({ content }) => JSON.stringify(content))
    expect(texts).toHaveLength(2)
    expect(texts[0]).toContain('Interrupted: the program was ended while Bash ran.')
    expect(await readFile(join(folder, 'done'), 'utf8')).toBe('one\nthree\n')
    expect(next.of('result')).toMatchObject([{ reason: 'done', text: 'All done.' }])
  })

  it('is refused a session that another process works on, and may copy it', async () => {
    const { home, folder, run } = await project(`
turns:
  - calls: [{tool: Bash, input: {command: touch busy; while ! test -e go; do sleep 0.05; done}}]
  - say: Done.
  - say: A copy.
`)
    const args = ['run', '--project', folder, '--permission-mode', 'bypassPermissions', 'Wait for me']
    const busy = ext(args, { home })
    await expect.poll(() => existsSync(join(folder, 'busy')), { timeout: 15_000 }).toBe(true)
    const refused = await run('--continue', 'Me too')
    expect([refused.code, notStarted(refused.stdout)]).toEqual([2, expect.stringMatching(/./)])
    expect(refused.stderr).toMatch(/^ext: Process \d+ works on the session\. Go on with a copy of it/)
    const copy = await run('--continue', '--fork', 'A copy then')
    expect(copy.code).toBe(0)
    await writeFile(join(folder, 'go'), '')
    expect(await busy).toMatchObject({ code: 0, stdout: expect.stringContaining('model       Done.') })
    expect((await logs(home)).filter((file) => !file.endsWith('.jsonl'))).toEqual([])
  })

  it('tells hooks where the session is kept, and those that listen that it is resumed', async () => {
    const config = `model: scripted:.ext/script.yaml
hooks:
  - {name: where, event: Stop, action: {type: command, command: "cat > where.json"}}
  - {name: again, event: SessionResume, action: {type: command, command: "echo You were away."}}
`
    const { folder, home, run } = await project(SCRIPT, { '.ext/config.yaml': config })
    await run('--trust-project', 'One')
    const [file] = await logs(home)
    const payload = JSON.parse(await readFile(join(folder, 'where.json'), 'utf8'))
    expect(payload.transcript_path).toBe(file)
    const second = await run('--trust-project', '--continue', 'Two')
    expect(second.of('context')).toMatchObject([{ by: 'again', text: 'You were away.' }])
    await run('--trust-project', '--no-save', 'Three')
    expect(JSON.parse(await readFile(join(folder, 'where.json'), 'utf8'))).not.toHaveProperty('transcript_path')
  })

  it('has the skills again that were active', async () => {
    const skill = '---\nname: notes\ndescription: How to write notes.\n---\nWrite short notes.\n'
    const { run } = await project(
      `turns: [{calls: [{tool: load_skill, input: {name: notes}}]}, {say: Ready.}, {say: Noted.}]`,
      { '.ext/skills/notes/SKILL.md': skill },
    )
    const first = await run('--allow', 'Skill(notes)', '--allow', 'Skill', 'Load it')
    expect(first.of('context').map(({ by }) => by)).toContain('skill notes')
    const second = await run('--continue', 'Write')
    expect(second.of('context')).toContainEqual(
      expect.objectContaining({
        by: 'skill notes',
        place: 'turn',
        text: expect.stringContaining('Write short notes.'),
      }),
    )
  })

  it('tells the model what the instruction files of person and project say', async () => {
    const { folder, home, run } = await project(SCRIPT, { 'AGENTS.md': 'Use tabs.', 'CLAUDE.local.md': 'I am Ada.' })
    await mkdir(join(home, '.ext'), { recursive: true })
    await writeFile(join(home, '.ext/AGENTS.md'), 'Be kind.')
    const { of } = await run('Go')
    expect(of('context').map(({ by, place, text }) => [by, place, text])).toEqual([
      [join(home, '.ext/AGENTS.md'), 'system', 'Be kind.'],
      [join(folder, 'AGENTS.md'), 'system', 'Use tabs.'],
      [join(folder, 'CLAUDE.local.md'), 'system', 'I am Ada.'],
    ])
  })
})

describe('ext sessions', () => {
  it('lists what is kept, of this project or of all, and finds what was said', async () => {
    const { folder, home, run, sessions } = await project()
    const one = await run('Fix the tests')
    const two = await run('Write the release notes')
    const other = await temporaryFolder()
    const { stdout } = await sessions('list')
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(
      new RegExp(`^${two.id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  1 prompt, 2 turns +Write the release notes$`),
    )
    expect(lines[1]).toContain('Fix the tests')
    expect(lines[2]).toBe('2 sessions of this project; --all shows those of others')
    const elsewhere = await ext(['sessions', 'list', '--project', other], { home })
    expect(elsewhere.stdout).toBe('0 sessions of this project; --all shows those of others\n')
    const all = await ext(['sessions', 'list', '--project', other, '--all', '--limit', '1'], { home })
    expect(all.stdout).toContain(`\n  ${folder}\n1 session\n`)
    const found = await sessions('list', '--search', 'RELEASE notes', '--json')
    expect(JSON.parse(found.stdout).sessions).toMatchObject([
      { id: two.id, excerpt: 'Write the release notes', count: 1 },
    ])
    expect((await sessions('list', '--search', 'tests')).stdout).toContain(`${one.id} `)
  })

  it('shows a session with what was done in it, also as data', async () => {
    const { run, sessions } = await project()
    const { id } = await run('Fix\n\u001b[31mthe tests')
    const { stdout, code } = await sessions('show', id.slice(0, 8))
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toContain(id)
    expect(lines.slice(1, 6)).toEqual([
      'user     Fix \\u001b[31mthe tests',
      'model    I look.',
      'call     Bash {"command":"echo one"}',
      'result   Bash one [exit code 0]',
      'model    First done.',
    ])
    const json = JSON.parse((await sessions('show', id, '--json')).stdout)
    expect(json).toMatchObject({
      id,
      entries: [{ who: 'user' }, { who: 'model', text: 'I look.' }, {}, {}, {}],
      diagnostics: [],
    })
    const missing = await sessions('show', 'nobody')
    expect([missing.code, missing.stderr]).toEqual([
      2,
      'ext: There is no session `nobody`. See ext sessions list --all.\n',
    ])
  })

  it('shows and exports sub-agents where they began, and lists them only if they are asked for', async () => {
    const { home, run, sessions } = await project(
      `
turns:
  - calls: [{tool: agent, input: {type: looker, prompt: Look around}}]
  - calls: [{tool: handoff, input: {to: other, reason: It is your job}}]
  - say: Yours.
agents:
  - when: {contains: Look around}
    turns: [{calls: [{tool: Bash, input: {command: echo one}}]}, {say: I saw.}]
`,
      {
        '.ext/agents/looker.md': '---\ndescription: Looks.\n---\nLook.\n',
        '.ext/agents/other.md': '---\ndescription: Goes on.\nhandoff: true\n---\nGo on.\n',
      },
    )
    const { id, of } = await run('Go')
    const child = `${id}.${of('agent_start')[0]?.agent_id}`
    expect((await logs(home)).length).toBe(2)
    for (const file of await logs(home)) expect((await stat(file)).mode & 0o777).toBe(0o600)
    const lines = (await sessions('show', id.slice(0, 8))).stdout.split('\n')
    expect(lines.slice(1, -2)).toEqual([
      'user     Go',
      'call     agent {"type":"looker","prompt":"Look around"}',
      `agent    looker › begins, its log is ${child}`,
      'user     looker › Look around',
      'call     looker › Bash {"command":"echo one"}',
      'result   looker › Bash one [exit code 0]',
      'model    looker › I saw.',
      'result   agent I saw.',
      'call     handoff {"to":"other","reason":"It is your job"}',
      'handoff  to other: It is your job',
      'result   handoff other has the conversation once this turn is over.',
      'model    Yours.',
    ])
    const json = JSON.parse((await sessions('show', id, '--json')).stdout)
    expect(json.entries[2]).toEqual({ who: 'agent', agent: 'looker', text: `begins, its log is ${child}` })
    const own = await sessions('show', child)
    expect(own.stdout).toContain(`the sub-agent looker of ${id}\nuser     Look around\n`)
    const exported = (await sessions('export', id)).stdout
    expect(exported).toContain('\n## Sub-agent looker\n')
    expect(exported).toContain('\n### Call of Bash (sub-agent looker)\n')
    expect(exported).toContain('\n## Handed over\n\nto other: It is your job\n')
    const data = JSON.parse((await sessions('export', id, '--format', 'json')).stdout)
    expect(data.agents).toMatchObject([{ id: child, parent: { session: id, name: 'looker' } }])
    expect((await sessions('list')).stdout).toContain('\n1 session of this project')
    const all = (await sessions('list', '--agents')).stdout
    expect(all).toContain('\n2 sessions of this project')
    expect(all).toContain(`\n  sub-agent looker of ${id}\n`)
    expect((await run('--resume', child, 'More')).stderr).toContain(
      `${child} is the log of the sub-agent looker. Go on with its session: ${id}.`,
    )
    // It is the newest log there is, and still not what is continued.
    expect((await run('--continue', 'More')).id).toBe(id)
  })

  it('shows the rest where the log of a sub-agent can’t be read or is damaged', async () => {
    const { home, run, sessions } = await project(
      'turns: [{calls: [{tool: agent, input: {type: looker, prompt: Look}}]}, {say: I saw.}]\n',
      { '.ext/agents/looker.md': '---\ndescription: Looks.\n---\nLook.\n' },
    )
    const { id } = await run('Go')
    const file = (await logs(home)).find((each) => !each.endsWith(`${id}.jsonl`)) ?? ''
    const text = await readFile(file, 'utf8')
    await writeFile(file, `${text}oops\n`)
    const damaged = await sessions('show', id)
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining('The line can’t be used')])
    await writeFile(file, text.replace(`"session":"${id}"`, '"session":"another"'))
    expect((await sessions('show', id)).stdout).toContain('is not the log of a sub-agent of it.')
    await rm(file)
    const gone = await sessions('show', id)
    expect(gone.stdout).toContain('agent    looker › its log can’t be read: There is no session')
    expect(gone.stdout).toContain('result   agent I saw.')
    const data = JSON.parse((await sessions('export', id, '--format', 'json')).stdout)
    expect(data.agents).toMatchObject([{ problem: expect.stringContaining('There is no session') }])
  })

  it('says of a damaged one where it is damaged, and of a newer one that it can’t be read', async () => {
    const { home, run, sessions } = await project()
    const { id } = await run('Go')
    const [file = ''] = await logs(home)
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, [...lines.slice(0, 4), 'oops', ...lines.slice(4)].join('\n'))
    const damaged = await sessions('show', id)
    expect(damaged.code).toBe(1)
    expect(damaged.stderr).toContain('session.line')
    expect(damaged.stderr).toContain('5 | oops')
    await writeFile(file, JSON.stringify({ ...JSON.parse(lines[0] ?? ''), version: 7 }))
    const newer = await sessions('show', id)
    expect([newer.code, newer.stderr]).toEqual([
      2,
      `ext: The session ${id} can’t be used. A newer version wrote it: 7.\n`,
    ])
    expect((await sessions('list')).stdout).toContain('A newer version wrote it: 7.')
    await writeFile(file, 'oops\n')
    for (const gone of [await sessions('show', id), await run('--resume', id, 'Go on')]) {
      expect([gone.code, gone.stderr]).toEqual([2, expect.stringMatching(/:1:1 error session\.header .*oops.* fix: /)])
    }
  })

  it('writes a session out as a document, and as events', async () => {
    const { folder, run, sessions } = await project(`
turns:
  - calls: [{tool: Bash, input: {command: "echo '\`\`\`'"}}]
  - say: Done.
`)
    const { id } = await run('Quote it')
    const { stdout } = await sessions('export', id)
    expect(stdout).toMatch(/^# Session /)
    expect(stdout).toContain(`In ${folder}, since `)
    expect(stdout).toContain('## User\n\nQuote it\n')
    expect(stdout).toContain('### Result of Bash\n\n````\n```\n[exit code 0]\n````\n')
    const json = JSON.parse((await sessions('export', id, '--format', 'json')).stdout)
    expect(json).toMatchObject({
      type: 'session',
      id,
      events: [{ type: 'run' }, { type: 'message' }, {}, {}, {}, {}, {}, {}],
    })
  })
})
