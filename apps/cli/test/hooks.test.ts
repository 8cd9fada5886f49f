import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { events, unfiredEvents } from '@ext/hooks'
import { describe, expect, it } from 'vitest'
import { ext, temporaryFolder } from './bin.js'

async function projectWith(files: Readonly<Record<string, string>>): Promise<string> {
  const project = await temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }
  return project
}

const CONFIG = `hooks:
  - name: no-push
    event: PreToolUse
    matcher: Bash
    if: Bash(git push *)
    action: {type: command, command: 'echo "Open a pull request." >&2; exit 2'}
  - name: note
    event: Stop
    action: {type: command, command: 'cat > seen.json; echo done'}
  - {name: twice, event: Stop, action: {type: command, command: 'true'}}
  - {name: twice, event: PostToolUse, action: {type: command, command: 'true'}}
  - {name: bad, event: Stop, action: {type: command, command: 'echo oops >&2; exit 1'}}
`
const BROKEN = `${CONFIG}  - {name: lost, event: Stopp, action: {type: command, command: x}}\n`

async function hooks(args: readonly string[], config = CONFIG) {
  const project = await projectWith({ '.ext/config.yaml': config })
  const [command = '', ...rest] = args
  const ran = await ext(['hooks', command, ...rest, ...(command === 'events' ? [] : ['--project', project])])
  return { project, ...ran, stdout: ran.stdout.replaceAll(project, '<project>') }
}

describe('ext hooks list', () => {
  it('shows every hook with its event, matcher, action, place and what became of it', async () => {
    const { code, stdout, stderr } = await hooks(['list', '--trust-project'])
    expect(
      stdout,
    ).toBe(`loaded     PreToolUse          Bash if Bash(git push *) no-push: echo "Open a pull request." >&2; exit 2  .ext/config.yaml:2:5
loaded     Stop                *                note: cat > seen.json; echo done  .ext/config.yaml:7:5
loaded     Stop                *                twice: true  .ext/config.yaml:10:5
loaded     PostToolUse         *                twice: true  .ext/config.yaml:11:5
loaded     Stop                *                bad: echo oops >&2; exit 1  .ext/config.yaml:12:5
5 hooks, 0 errors
`)
    expect([code, stderr]).toEqual([0, ''])
  })

  it('says that nothing is trusted yet, and what is broken where', async () => {
    const { code, stdout } = await hooks(['list'], BROKEN)
    expect(code).toBe(1)
    expect(stdout).toContain('untrusted  PreToolUse')
    expect(stdout).toMatch(/^broken .*\.ext\/config\.yaml:13:5$/m)
    expect(stdout).toContain('Did you mean `Stop`?')
    expect(stdout).toContain('or --trust-project.\n6 hooks, 1 error')
  })

  it('is machine-readable, and can be about one event', async () => {
    const { code, stdout } = await hooks(['list', '--event', 'pre_tool_use', '--json', '--trust-project'])
    const { hooks: listed, diagnostics } = JSON.parse(stdout)
    expect([code, diagnostics]).toEqual([0, []])
    expect(listed).toMatchObject([
      {
        name: 'no-push',
        verdict: 'loaded',
        source: { layer: 'project', line: 2, column: 5 },
        hook: { event: 'PreToolUse', matcher: 'Bash', if: 'Bash(git push *)' },
      },
    ])
    const wrong = await hooks(['list', '--event', 'PreToolUze'])
    expect([wrong.code, wrong.stderr]).toEqual([2, 'ext: There is no event `PreToolUze`. Did you mean `PreToolUse`?\n'])
  })

  it('shows what a project would run before anybody approves it, with control characters made harmless', async () => {
    const { stdout } = await hooks(
      ['list'],
      `hooks: [{event: Stop, action: {type: command, command: "x\\u001b[2K\\u202e"}}]\n`,
    )
    expect(stdout).toContain('\\u001b[2K\\u202e')
  })
})

describe('ext hooks events', () => {
  it('shows a row for each event', async () => {
    const { code, stdout } = await hooks(['events'])
    const names = stdout.split('\n').map((line) => line.split(' ')[0])
    expect([code, Object.keys(events).every((name) => names.includes(name))]).toEqual([0, true])
    for (const name of unfiredEvents) expect(stdout).toMatch(new RegExp(`^${name} +nobody$`, 'm'))
    const { stdout: json } = await hooks(['events', '--json'])
    const fired = Object.entries(events).map(([name, row]) => [name, { fired: true, ...row }])
    const others = unfiredEvents.map((name) => [name, { fired: false }])
    expect(JSON.parse(json)).toEqual(Object.fromEntries([...fired, ...others]))
  })
})

describe('ext hooks test', () => {
  it('runs one hook with a payload that it fits, and shows protocol, outcome and effect', async () => {
    const { code, stdout, stderr } = await hooks(['test', 'no-push', '--trust-project'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('hook      no-push at PreToolUse, .ext/config.yaml:2:5')
    expect(stdout).toContain('"tool_input":{"command":"git push example"}')
    expect(stdout).toMatch(
      /fits {6}yes\nprotocol {2}exit 2, \d+ ms\nstderr {4}Open a pull request\.\noutcome {3}decided\n/,
    )
    expect(stdout).toContain('effect    block: {"by":"no-push","reason":"Open a pull request."}')
  })

  it('takes a payload, in parts or as it was recorded, and says if the hook would not run for it', async () => {
    const given = await hooks(['test', 'no-push', '--trust-project', '--payload', '{"tool_input":{"command":"ls"}}'])
    expect(given.stdout).toContain('fits      no: for this payload it would not run')
    const project = await projectWith({ '.ext/config.yaml': CONFIG })
    await ext(['hooks', 'test', 'note', '--project', project, '--trust-project'])
    const recorded = join(project, 'seen.json')
    expect(JSON.parse(await readFile(recorded, 'utf8'))).toMatchObject({ hook_event_name: 'Stop', session_id: 'test' })
    const again = await ext([
      'hooks',
      'test',
      'note',
      '--project',
      project,
      '--trust-project',
      '--payload-file',
      recorded,
      '--json',
    ])
    expect(JSON.parse(again.stdout)).toMatchObject({
      hook: { name: 'note' },
      event: 'Stop',
      fits: true,
      protocol: { kind: 'ended', process: { exitCode: 0, stdout: 'done\n' } },
      run: { outcome: 'decided' },
      effect: { notices: [{ by: 'note', text: 'done' }] },
    })
    const other = await ext([
      'hooks',
      'test',
      'no-push',
      '--project',
      project,
      '--trust-project',
      '--payload-file',
      recorded,
    ])
    expect([other.code, other.stderr]).toEqual([
      2,
      'ext: The payload is of Stop, and the hook listens to PreToolUse.\n',
    ])
  })

  it('exits with 1 if the hook fails', async () => {
    const { code, stdout } = await hooks(['test', 'bad', '--trust-project'])
    expect(code).toBe(1)
    expect(stdout).toContain('outcome   failed (exit 1)')
    expect(stdout).toContain('effect    the user is told: failed (exit 1): oops')
  })

  it('runs nothing of a project that nobody has approved', async () => {
    const { code, stderr, project } = await hooks(['test', 'note'])
    expect([code, stderr]).toEqual([
      2,
      'ext: `note` is not approved. Read what it does, then use ext trust approve or --trust-project.\n',
    ])
    await expect(readFile(join(project, 'seen.json'))).rejects.toThrow('ENOENT')
  })

  it.each([
    [['nopush'], 'There is no hook `nopush`. Did you mean `no-push`?'],
    [['whatever'], 'Run ext hooks list to see them.'],
    [['twice'], '`twice` is the name of 2 hooks; give the id of one, or --event:'],
    [['no-push', '--payload', '{'], '--payload is not valid JSON'],
    [['no-push', '--payload', '[]'], '--payload holds no object, but [].'],
    [['no-push', '--payload-file', 'none.json'], "The payload none.json can't be read"],
    [['no-push', '--event', 'Stop'], 'There is no hook `no-push`.'],
    [['no-push', '--payload', '{}', '--payload-file', 'x'], 'cannot be used with option'],
    [[], 'Name a hook, or with --event the event of which all hooks are run.'],
  ])('answers a call that can’t be meant: %j', async (args, problem) => {
    const { code, stdout, stderr } = await hooks(['test', ...args, '--trust-project'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(problem)
  })

  it('tells two hooks of one name apart by their event or id', async () => {
    const byEvent = await hooks(['test', 'twice', '--event', 'Stop', '--trust-project'])
    expect([byEvent.code, byEvent.stdout.split('\n')[0]]).toEqual([0, 'hook      twice at Stop, .ext/config.yaml:10:5'])
  })
})
