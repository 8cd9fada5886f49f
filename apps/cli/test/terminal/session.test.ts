import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAlive } from '../bin.js'
import { boatProject, RELEASE, SERVERS } from './project.js'
import { terminal } from './pty.js'

const UP = '\u001b[A'
const DOWN = '\u001b[B'
const ESC = '\u001b'
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'

/** A model that has a command run for as long as it takes. */
const SLEEPER = {
  turns: [
    { say: 'I wait.', calls: [{ tool: 'Bash', input: { command: 'echo $$ > sleep.pid; sleep 60' } }] },
    { say: 'Back again.', loop: true },
  ],
}

describe('at the start', () => {
  test('the prompt can be used while one server is slow and another broken, and both are said', async () => {
    const { home, project } = await boatProject({ turns: [{ say: 'Here.', loop: true }] }, SERVERS)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/^> /m)
    t.press('hello')
    await t.until(/> hello/)
    t.press('\r')
    const early = await t.until(/Here\.\n\s+1 turn/)
    expect(early).not.toContain('slow: ready')
    await t.until(/broken: failed: exited with code 3/)
    await t.until(/slow: ready with 1 tool/)
    await t.until(/2 of 3 servers/)
    t.press('/mcp\r')
    const listed = await t.until(/\n3 servers/)
    expect(listed).toMatch(/ready\s+harbour/)
    expect(listed).toMatch(/failed\s+broken/)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('what the project would run is said to wait, and does not run', async () => {
    const { home, project } = await boatProject({ turns: [{ say: 'Here.', loop: true }] }, SERVERS)
    const t = await terminal(['--model', `scripted:${join(project, '.ext/script.json')}`], { cwd: project, home })
    await t.until(/things wait for your approval: ext trust list/)
    await t.until(/broken: untrusted|0 of|scripted/)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
    await expect(readFile(join(project, 'slow.pid'))).rejects.toThrow('ENOENT')
  })

  test('a model that can’t be used is said, commands work all the same, and another one can be named', async () => {
    const { home, project } = await boatProject(RELEASE, { '.ext/config.yaml': '' })
    const t = await terminal(['--model', 'no-such-model'], { cwd: project, home })
    await t.until(/There is no model of the name `no-such-model`/)
    t.press('/skills\r')
    await t.until(/loaded\s+project\s+fold/)
    t.press('/model scripted:.ext/script.json\r')
    await t.until(/The model is scripted:/)
    t.press('Go.\r')
    await t.until(/I look at what has changed/)
    t.press(CTRL_C)
    t.press(CTRL_C)
    await t.ended
  })

  test.each([['stdin'], ['stdout']])('without a terminal at %s it says what to use instead', async (which) => {
    const { home, project } = await boatProject(RELEASE)
    const { ext } = await import('../bin.js')
    const ran = await ext([], { cwd: project, home })
    expect(which).toBeDefined()
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('ext run "prompt"')
  })
})

describe('a question', () => {
  test('shows the rule that always would write, and the answer counts after a restart', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Release it.\r')
    const asked = await t.until(/Always allow in this project/)
    expect(asked).toContain('Bash(node check.mjs 1.2.0)')
    expect(asked).toMatch(/● Deny\n/)
    // From the marked no upwards: once, session, always.
    t.press(`${UP}${UP}${UP}\r`)
    await t.until(/hook no-push\.sh decided: Only the release manager pushes\./)
    const over = await t.until(/the check found nothing/)
    expect(over).toContain('config.local.yaml')
    expect(over).toMatch(/● Bash git push origin main\n(.*\n)*\s+└ not run: \[hook no-push\.sh\]/)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
    expect(await readFile(join(project, '.ext/config.local.yaml'), 'utf8')).toContain('Bash(node check.mjs 1.2.0)')

    const again = await terminal(['--trust-project'], { cwd: project, home })
    await again.until(/scripted:/)
    again.press('Release it.\r')
    const shown = await again.until(/the check found nothing/)
    expect(shown).not.toContain('Allow once')
    expect(shown).toContain('done: well formed')
    again.press(CTRL_D)
    await again.ended
  })

  test('can be answered with a reason, which the model gets', async () => {
    const script = {
      turns: [
        { calls: [{ tool: 'Bash', input: { command: 'node check.mjs' } }] },
        { when: { contains: 'not before noon' }, say: 'Then later.' },
      ],
    }
    const { home, project } = await boatProject(script)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Check it.\r')
    await t.until(/Deny, and say why/)
    t.press(`${DOWN}\r`)
    await t.until(/What shall the model know/)
    t.press('not before noon\r')
    await t.until(/Then later\./)
    t.press(CTRL_D)
    await t.ended
  })

  test('that is left with Ctrl+C is a no, ends the run, and the session goes on', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Release it.\r')
    await t.until(/Allow once/)
    t.press(CTRL_C)
    await t.until(/■ interrupted/)
    t.press('/cost\r')
    await t.until(/2 turns, 0 tokens in/)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })
})

describe('interrupting', () => {
  test('with Esc ends what runs with all its children, and the session goes on', async () => {
    const { home, project } = await boatProject(SLEEPER)
    const t = await terminal(['--trust-project', '--allow', 'Bash'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Wait.\r')
    await t.until(/Bash echo .* · \d+ s/)
    await t.until(async () => isAlive(join(project, 'sleep.pid')))
    t.press(ESC)
    await t.until(/■ interrupted/)
    expect(await isAlive(join(project, 'sleep.pid'))).toBe(false)
    t.press('And?\r')
    await t.until(/Back again\./)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('with Ctrl+C twice ends the session and leaves no child', async () => {
    const { home, project } = await boatProject(SLEEPER, SERVERS)
    const t = await terminal(['--trust-project', '--allow', 'Bash'], { cwd: project, home })
    await t.until(/slow: ready/)
    t.press('Wait.\r')
    await t.until(async () => isAlive(join(project, 'sleep.pid')))
    expect(await isAlive(join(project, 'slow.pid'))).toBe(true)
    t.press(CTRL_C + CTRL_C)
    expect(await t.ended).toBe(0)
    expect(await isAlive(join(project, 'sleep.pid'))).toBe(false)
    expect(await isAlive(join(project, 'slow.pid'))).toBe(false)
  })

  test('with one Ctrl+C at an empty prompt only says how to leave', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal([], { cwd: project, home })
    await t.until(/scripted:/)
    t.press(CTRL_C)
    await t.until(/Ctrl\+C once more ends the session/)
    t.press('/help\r')
    await t.until(/goes on with another session/)
    t.press('/exit\r')
    expect(await t.ended).toBe(0)
  })

  test('by a signal from outside ends everything and leaves the terminal as it was', async () => {
    const { home, project } = await boatProject(SLEEPER, SERVERS)
    const t = await terminal(['--trust-project', '--allow', 'Bash'], { cwd: project, home })
    await t.until(/slow: ready/)
    t.press('Wait.\r')
    await t.until(async () => isAlive(join(project, 'sleep.pid')))
    process.kill(t.pid, 'SIGTERM')
    expect(await t.ended).toBe(143)
    expect(await isAlive(join(project, 'sleep.pid'))).toBe(false)
    expect(await isAlive(join(project, 'slow.pid'))).toBe(false)
    expect(t.emulator.modes.bracketedPasteMode).toBe(false)
  })
})

describe('what is written', () => {
  test('can be hundreds of pages', async () => {
    const { home, project } = await boatProject({
      turns: [{ when: { contains: 'boat 59999.' }, say: 'I have read it.' }],
    })
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    const pages = Array.from({ length: 60_000 }, (_, index) => `boat ${index}.`).join(' ')
    t.press(`\u001b[200~${pages}\u001b[201~`)
    await t.until(/boat 59999\./)
    t.press('\r')
    await t.until(/I have read it\./)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('can have several lines, typed or pasted, and comes back in the next session', async () => {
    const script = {
      turns: [
        { when: { contains: 'one\ntwo\nthree' }, say: 'Three lines.' },
        { say: 'More.', loop: true },
      ],
    }
    const { home, project } = await boatProject(script)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('one\\\r')
    t.press('\u001b[200~two\nthree\u001b[201~')
    await t.until(/> one\n {2}two\n {2}three/)
    t.press('\r')
    await t.until(/Three lines\./)
    t.press(CTRL_D)
    await t.ended
    const again = await terminal(['--trust-project'], { cwd: project, home })
    await again.until(/scripted:/)
    again.press(UP)
    await again.until(/> one\n {2}two\n {2}three/)
    again.press(CTRL_C + CTRL_D)
    await again.ended
  })

  test('is completed from commands and skills with Tab', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('/fo')
    await t.until(/\/fold\s+How boats are folded/)
    t.press('\tin half')
    await t.until(/> \/fold in half/)
    t.press('\r')
    await t.until(/\+ skill fold/)
    t.press(CTRL_C + CTRL_C)
    await t.ended
  })

  test('waits its turn while a run is under way', async () => {
    const { home, project } = await boatProject(SLEEPER)
    const t = await terminal(['--trust-project', '--allow', 'Bash'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Wait.\r')
    await t.until(/· \d+ s/)
    t.press('And then?\r')
    await t.until(/next: And then\?/)
    t.press(ESC)
    await t.until(/Back again\./)
    t.press(CTRL_D)
    await t.ended
  })

  test('stays readable when the terminal gets another size', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('a prompt that is longer than the forty columns that are left of it')
    await t.until(/left of it/)
    t.resize(40, 24)
    const narrow = await t.until(/> a prompt that is longer than the fort\n {2}y columns/)
    expect(narrow.match(/a prompt that is longer/g)).toHaveLength(1)
    t.resize(100, 24)
    await t.until(/> a prompt that is longer than the forty columns that are left of it\n/)
    t.press(CTRL_C + CTRL_D)
    await t.ended
  })
})

describe('commands', () => {
  test('show every axis as it is loaded', async () => {
    const { home, project } = await boatProject(RELEASE, {
      '.ext/config.yaml': 'model: scripted:.ext/script.json\npermissions:\n  deny: [Edit(.env)]\n',
    })
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    for (const [command, shown] of [
      ['/skills', /loaded\s+project\s+fold: How boats are folded\./],
      ['/hooks', /loaded\s+PreToolUse\s+Bash\s+no-push\.sh/],
      ['/permissions', /deny\s+loaded\s+Edit\(\.env\)\s+\.ext\/config\.yaml:3:10/],
      ['/agents', /loaded\s+project\s+reader: Reads notes\./],
      ['/doctor', /0 errors, 0 warnings/],
      ['/model', /The model is scripted:/],
      ['/cost', /0 turns, 0 tokens in, 0 out/],
      ['/resume', /no other session/],
      ['/nothing', /There is no skill `nothing`/],
    ] as const) {
      t.press(`${command}\r`)
      await t.until(shown)
    }
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('permissions shows what is allowed in this session only, apart from the rules of files', async () => {
    const check = (version: string) => ({ calls: [{ tool: 'Bash', input: { command: `node check.mjs ${version}` } }] })
    const script = {
      turns: [
        check('1.2.0'),
        check('1.3.0'),
        check('1.4.0'),
        { say: 'All are checked.' },
        { calls: [{ tool: 'handoff', input: { to: 'captain' } }] },
        { say: 'Aye.', loop: true },
      ],
    }
    const { home, project } = await boatProject(script, {
      '.claude/agents/captain.md': '---\nname: captain\ndescription: Steers.\nhandoff: true\n---\nYou steer.\n',
    })
    const t = await terminal(['--trust-project', '--allow', 'handoff'], { cwd: project, home, columns: 120 })
    await t.until(/scripted:/)
    t.press('/permissions\r')
    await t.until(/\n1 rule, 0 errors\n\nNothing else is allowed in this session\.\n/)
    t.press('Check them.\r')
    // From the marked no upwards: once, session, always.
    for (const [version, keys] of [
      ['1.2.0', `${UP}${UP}`],
      ['1.3.0', UP],
      ['1.4.0', `${UP}${UP}${UP}`],
    ] as const) {
      await t.until(new RegExp(`  Bash\\(node check\\.mjs ${version}\\)[\\s\\S]*└$`))
      t.press(`${keys}\r`)
    }
    await t.until(/All are checked\./)
    t.press('/permissions\r')
    const shown = await t.until(/until the session ends/)
    const [files = '', session = ''] = shown.slice(shown.lastIndexOf('> /permissions')).split('In this session only:\n')
    expect(files).toMatch(
      /\nallow {2}loaded {5}Bash\(node check\.mjs 1\.4\.0\) {2}\.ext\/config\.local\.yaml:\d+:\d+\n/,
    )
    expect(files).not.toContain('1.2.0')
    expect(session.slice(0, session.indexOf('\n\n')).replace(/\d\d:\d\d/, 'HH:MM')).toBe(
      [
        '  allow  Bash(node check.mjs 1.2.0)',
        '         The same command in every folder, with any redirect into the workspace.',
        '         You said yes at HH:MM, to Bash {"command":"node check.mjs 1.2.0"}',
        '1 rule, until the session ends',
      ].join('\n'),
    )

    // Whoever the conversation is handed to has no yes yet, and neither has a session that begins anew.
    t.press('Steer.\r')
    await t.until(/captain has it/)
    const nothing = (times: number) => new RegExp(`(?:Nothing else is allowed in this session\\.[\\s\\S]*){${times}}`)
    t.press('/permissions\r')
    await t.until(nothing(2))
    t.press('/clear\r/permissions\r')
    await t.until(nothing(3))
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('tasks shows what runs in the background, what it has put out, and ends it', async () => {
    const command = 'echo $$ > sleep.pid; echo begun; sleep 60'
    const { home, project } = await boatProject({
      turns: [
        { calls: [{ tool: 'Bash', input: { command, run_in_background: true } }] },
        { say: 'It runs.', loop: true },
      ],
    })
    const t = await terminal(['--trust-project', '--allow', 'Bash'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Wait.\r')
    await t.until(/It runs\./)
    t.press('/tasks\r')
    await t.until(/task-1\s+running\s+\d+ s {2}.*sleep 60\n1 task/)
    t.press('/tasks task-1\r')
    await t.until(/\nbegun\n/)
    t.press('/tasks nothing\r')
    await t.until(/no task/)
    t.press('/tasks stop task-1\r')
    await t.until(/task-1 cancelled/)
    expect(await isAlive(join(project, 'sleep.pid'))).toBe(false)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('clear, resume and compact change the conversation', async () => {
    const script = {
      turns: [
        { when: { contains: 'remember blue' }, say: `Blue it is. ${'Blue as the sea is. '.repeat(100)}` },
        { when: { contains: 'and green' }, say: 'Green as well.' },
        { when: { contains: 'and red' }, say: 'And red.' },
      ],
      agents: [{ when: { contains: '<conversation>' }, turns: [{ say: 'SUMMARY: blue, green and red.', loop: true }] }],
    }
    const { home, project } = await boatProject(script)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    for (const [prompt, said] of [
      ['remember blue', /Blue it is\./],
      ['and green', /Green as well\./],
      ['and red', /And red\./],
    ] as const) {
      t.press(`${prompt}\r`)
      await t.until(said)
    }
    t.press('/clear\r')
    await t.until(/Nothing of the conversation is left/)
    t.press('/resume\r')
    await t.until(/Which session\?/)
    t.press('\r')
    await t.until(/And red\.\nSession .* goes\s+on/)
    t.press('/compact\r')
    await t.until(/compacted from \d+ to \d+ tokens/)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('resume looks where the session itself is kept', async () => {
    const { home, project } = await boatProject({ turns: [{ say: 'Blue it is.' }, { say: 'Still blue.', loop: true }] })
    const first = await terminal(['--trust-project'], { cwd: project, home })
    await first.until(/scripted:/)
    first.press('remember blue\r')
    await first.until(/Blue it is\.\n\s+1 turn/)
    first.press(CTRL_D)
    await first.ended

    // A session that there is not keeps a new one from nothing.
    const again = await terminal(['--trust-project', '--resume', 'nobody'], { cwd: project, home })
    await again.until(/There is no session `nobody`/)
    await again.until(/scripted:/)
    again.press('/resume\r')
    await again.until(/Which session\?/)
    again.press('\r')
    const shown = await again.until(/Blue it is\.\nSession .* goes\s+on/)
    const [, id = ''] = /Session (\S+) goes/.exec(shown) ?? []
    again.press('And now?\r')
    await again.until(/Still blue\.\n\s+1 turn/)
    again.press(`/resume ${id.slice(0, 8)}\r`)
    await again.until(/is this one\./)
    again.press(CTRL_D)
    expect(await again.ended).toBe(0)

    const unkept = await terminal(['--trust-project', '--no-save'], { cwd: project, home })
    await unkept.until(/scripted:/)
    unkept.press('/resume\r')
    await unkept.until(/> \/resume\n--no-save keeps nothing, so no other session can go on here\./)
    unkept.press(`/resume ${id}\r`)
    await unkept.until(/> \/resume \S+\n--no-save keeps nothing, so no other session can go on here\./)
    unkept.press('/clear\r')
    await unkept.until(/kept nowhere: --no-save\./)
    unkept.press(CTRL_D)
    expect(await unkept.ended).toBe(0)
  })

  test('show whose work it is, and who has the conversation', async () => {
    const { home, project } = await boatProject(
      {
        turns: [
          { calls: [{ tool: 'agent', input: { type: 'reader', prompt: 'READ it' } }] },
          { calls: [{ tool: 'handoff', input: { to: 'captain', reason: 'It is about the harbour.' } }] },
          { say: 'Aye.', loop: true },
        ],
        agents: [
          {
            when: { contains: 'READ it' },
            turns: [
              { calls: [{ tool: 'Read', input: { file_path: 'notes/change.txt' } }] },
              { calls: [{ tool: 'Write', input: {} }] },
              { say: 'I read.' },
            ],
          },
        ],
      },
      { '.claude/agents/captain.md': '---\nname: captain\ndescription: Steers.\nhandoff: true\n---\nYou steer.\n' },
    )
    const t = await terminal(['--trust-project', '--allow', 'agent', '--allow', 'handoff'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Go.\r')
    const shown = await t.until(/Aye\.\n/)
    expect(shown).toMatch(/ {2}reader begins\n● reader › Read notes\/change\.txt\n/)
    expect(shown).toMatch(/● reader › Write\n {2}└ rejected/)
    expect(shown).toMatch(/reader ›\n {2}I read\./)
    expect(shown).toContain('main hands over to captain: It is about the harbour.')
    expect(shown).not.toContain('> READ it')
    await t.until(/captain has it/)
    t.press(CTRL_D)
    expect(await t.ended).toBe(0)
  })

  test('goes on with a session that ended at an open question, which is asked again', async () => {
    const { home, project } = await boatProject(RELEASE)
    const t = await terminal(['--trust-project'], { cwd: project, home })
    await t.until(/scripted:/)
    t.press('Release it.\r')
    await t.until(/Allow once/)
    process.kill(t.pid, 'SIGKILL')
    await t.ended
    const again = await terminal(['--trust-project', '--continue'], { cwd: project, home })
    await again.until(/Go on there\?/)
    again.press('\r')
    await again.until(/Allow once/)
    again.press(`${UP}\r`)
    await again.until(/the check found nothing/)
    again.press(CTRL_D)
    expect(await again.ended).toBe(0)
  })
})

test('an answer streams in while it is made', async () => {
  const { serve } = await import('../models/server.js')
  let goOn: () => void = () => {}
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const piece = (content: string) =>
      response.write(
        `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content } }] })}\n\n`,
      )
    piece('The first half')
    goOn = () => {
      piece(' and the second.')
      response.end('data: [DONE]\n\n')
    }
  })
  const { home, project } = await boatProject(RELEASE)
  const t = await terminal(['--model', `openai-compatible:${url}/m`], { cwd: project, home })
  await t.until(/openai-compatible/)
  t.press('Talk.\r')
  const half = await t.until(/The first half/)
  expect(half).not.toContain('second')
  goOn()
  await t.until(/The first half and the second\./)
  t.press(CTRL_D)
  expect(await t.ended).toBe(0)
})

test('prompts of earlier sessions are for the eyes of their owner alone', async () => {
  const { stat } = await import('node:fs/promises')
  const { home, project } = await boatProject(RELEASE)
  await writeFile(join(project, 'x'), '')
  const t = await terminal([], { cwd: project, home })
  await t.until(/^> /m)
  t.press('/help\r')
  await t.until(/earlier prompts/)
  t.press(CTRL_D)
  await t.ended
  expect((await stat(join(home, '.ext/history.jsonl'))).mode & 0o777).toBe(0o600)
})
