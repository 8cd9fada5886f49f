import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toolName } from '@ext/mcp-client'
import { describe, expect, it } from 'vitest'
import { demoProject, ext, extAtTerminal, isAlive, temporaryFolder } from './bin.js'
import { callWith, runEvents } from './events.js'

describe('what the project says decides what happens', () => {
  it('refuses the push while the hook is there', async () => {
    const project = await demoProject()
    const { of, code } = await runEvents(project)
    const push = callWith(of('tool_call'), 'command', 'git push origin main')
    expect(of('tool_result').find((result) => result.tool_use_id === push?.tool_use_id)).toMatchObject({
      is_error: true,
      executed: false,
    })
    expect(of('hook').find((hook) => hook.tool_use_id === push?.tool_use_id)).toMatchObject({
      outcome: 'decided',
      reason: 'Only the release manager pushes. Leave a request in PUSH_REQUEST.md instead.',
    })
    expect(code).toBe(0)
  })

  it('names the hook as failed, and lets permission decide, once its script is gone', async () => {
    const project = await demoProject()
    await rm(join(project, '.claude/hooks/no-push.sh'))
    const { of } = await runEvents(project)
    const push = callWith(of('tool_call'), 'command', 'git push origin main')
    const hook = of('hook').find((event) => event.tool_use_id === push?.tool_use_id)
    expect(hook).toMatchObject({ outcome: 'failed' })
    expect(of('permission').find((event) => event.tool_use_id === push?.tool_use_id)).toMatchObject({
      behavior: 'deny',
      answeredBy: 'nobody',
    })
  })

  it('writes .env once the deny rule is gone, on the word of the hook', async () => {
    const project = await demoProject()
    const config = join(project, '.ext/config.yaml')
    await writeFile(config, (await readFile(config, 'utf8')).replace(/ {2}deny:\n.*\n/, ''))
    const { of } = await runEvents(project)
    const write = callWith(of('tool_call'), 'path', '.env')
    expect(of('permission').find((event) => event.tool_use_id === write?.tool_use_id)).toMatchObject({
      behavior: 'allow',
    })
    expect(await readFile(join(project, '.env'), 'utf8')).toBe('VERSION=1.2.0\n')
  })

  it('keeps .env as it is while the deny rule stands, and says that the hook was overruled', async () => {
    const project = await demoProject()
    const { of } = await runEvents(project)
    expect(existsSync(join(project, '.env'))).toBe(false)
    expect(of('notice').map((notice) => notice.text)).toContainEqual(expect.stringContaining('Edit(.env)'))
  })

  it.each(['fs', 'my__fs'])(
    'keeps .env as it is with the server called %s, though all its tools are allowed',
    async (name) => {
      const project = await demoProject()
      const servers = join(project, '.mcp.json')
      await writeFile(servers, (await readFile(servers, 'utf8')).replace('"fs"', JSON.stringify(name)))
      const call = { tool: toolName(name, 'write_file'), input: { path: '.env', content: 'x' } }
      await writeFile(join(project, 'script.json'), JSON.stringify({ turns: [{ calls: [call] }, { say: 'bye' }] }))
      const flags = ['--trust-project', '--allow', call.tool, '--model', `scripted:${join(project, 'script.json')}`]
      const { of } = await runEvents(project, flags)
      expect(of('permission')).toMatchObject([{ behavior: 'deny', decidedBy: { rule: 'Edit(.env)' } }])
      expect(existsSync(join(project, '.env'))).toBe(false)
    },
  )

  it('offers no load_skill, and the model is told so, once the skill is gone', async () => {
    const project = await demoProject()
    await rm(join(project, '.claude/skills/release-notes'), { recursive: true })
    const { of, code } = await runEvents(project)
    expect(of('session_start')[0]?.tools).not.toContain('load_skill')
    expect(of('tool_rejected')[0]).toMatchObject({ tool: 'load_skill' })
    expect(of('result')[0]).toMatchObject({ reason: 'error' })
    expect(code).toBe(1)
  })
})

describe('an unapproved project', () => {
  it('runs no server, no hook and no allow rule, and says so', async () => {
    const project = await demoProject()
    const { of, stderr } = await runEvents(project, [])
    expect(of('session_start')[0]?.tools.filter((tool) => tool.startsWith('mcp__'))).toEqual([])
    expect(of('hook')).toEqual([])
    expect(existsSync(join(project, 'edits.log'))).toBe(false)
    expect(stderr).toContain('config.entry.untrusted')
    expect(stderr).toContain('fs')
  })

  it('still has its deny rules', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await writeFile(
      join(project, '.ext/config.yaml'),
      'permissions: { deny: ["Bash(echo *)"], allow: ["Bash(echo hi)"] }\n',
    )
    const script = join(project, 'script.yaml')
    await writeFile(script, 'turns:\n  - calls: [{ tool: Bash, input: { command: echo hi } }]\n  - say: bye\n')
    const { of } = await runEvents(project, ['--model', `scripted:${script}`, '--allow', 'Bash(echo *)'])
    expect(of('permission')[0]).toMatchObject({ behavior: 'deny', decidedBy: { rule: 'Bash(echo *)' } })
  })
})

describe('ext run', () => {
  it('adds rules from the command line', async () => {
    const project = await temporaryFolder()
    const script = join(project, 'script.yaml')
    await writeFile(script, 'turns:\n  - calls: [{ tool: Bash, input: { command: touch hi } }]\n  - say: bye\n')
    const allowed = await runEvents(project, ['--model', `scripted:${script}`, '--allow', 'Bash(touch hi)'])
    expect(allowed.of('tool_result')[0]).toMatchObject({ is_error: false })
    const asked = await runEvents(project, ['--model', `scripted:${script}`])
    expect(asked.of('permission')[0]).toMatchObject({ behavior: 'deny', answeredBy: 'nobody' })
  })

  it('gives no child a variable of the host that was not declared', async () => {
    const project = await temporaryFolder()
    const script = join(project, 'script.yaml')
    await writeFile(script, 'turns:\n  - calls: [{ tool: Bash, input: { command: env } }]\n  - say: bye\n')
    const { stdout } = await runEvents(project, ['--model', `scripted:${script}`, '--allow', 'Bash(env)'])
    expect(stdout).toContain('PATH=')
    expect(stdout).not.toContain('do-not-leak')
  })

  it('gives every event the same session id, never an empty one', async () => {
    const { events } = await runEvents(await demoProject())
    expect(new Set(events.map((event) => event.session_id)).size).toBe(1)
    expect(events[0]?.session_id).not.toBe('')
    expect(new Set(events.map((event) => event.v))).toEqual(new Set([1]))
  })

  it('ends after --max-turns', async () => {
    const project = await temporaryFolder()
    const script = join(project, 'script.yaml')
    await writeFile(script, 'turns:\n  - calls: [{ tool: Bash, input: { command: "true" } }]\n    loop: true\n')
    const { of, code } = await runEvents(project, ['--model', `scripted:${script}`, '--max-turns', '3'])
    expect(of('result')[0]).toMatchObject({ reason: 'max_turns', turns: 3 })
    expect(code).toBe(1)
  })

  it('prints one JSON result with --output json', async () => {
    const project = await temporaryFolder()
    const script = join(project, 'script.yaml')
    await writeFile(script, 'turns:\n  - say: hello\n')
    const { stdout, code } = await ext([
      'run',
      '--project',
      project,
      '--model',
      `scripted:${script}`,
      '--output',
      'json',
      'hi',
    ])
    expect(JSON.parse(stdout)).toMatchObject({ reason: 'done', text: 'hello', turns: 1 })
    expect(code).toBe(0)
  })

  it.each([
    ['is interrupted', 'SIGINT', 130],
    ['is terminated', 'SIGTERM', 143],
    ['loses its terminal', 'SIGHUP', 129],
    ['loses its reader', 'closing stdout', 0],
  ] as const)('leaves no child when it %s', async (_what, by, code) => {
    const project = await temporaryFolder()
    await writeFile(join(project, 'wait.sh'), 'echo $$ > pid; exec sleep 60\n')
    // A reader that is gone is noticed when something is written, so the first command has to end.
    const calls = ['sleep 0.5', 'sh wait.sh'].map((command) => `{ tool: Bash, input: { command: ${command} } }`)
    await writeFile(join(project, 'script.yaml'), `turns:\n  - calls: [${calls}]\n  - say: bye\n`)
    const rules = ['--allow', 'Bash(sleep *)', '--allow', 'Bash(sh wait.sh)']
    const args = ['run', '--model', 'scripted:script.yaml', ...rules, '--output', 'stream-json', 'hi']
    const after = by === 'closing stdout' ? /session_start/ : /"type":"permission".*call_1_2/
    const ran = await ext(args, { cwd: project, interrupt: { after, by } })
    expect(ran.code).toBe(code)
    expect(ran.stderr).toBe('')
    if (by !== 'closing stdout') expect(ran.stdout).toContain('"reason":"aborted"')
    expect(await isAlive(join(project, 'pid'))).toBe(false)
  })

  it('leaves no server when it is interrupted twice, even one that does not want to end', async () => {
    const project = await temporaryFolder()
    const deaf = { command: 'sh', args: ['-c', "trap '' TERM; echo $$ > pid; sleep 60; sleep 60"] }
    await writeFile(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { deaf } }))
    await writeFile(
      join(project, 'script.yaml'),
      'turns:\n  - calls: [{ tool: Bash, input: { command: sleep 9 } }]\n  - say: bye\n',
    )
    const args = ['run', '--trust-project', '--model', 'scripted:script.yaml', '--allow', 'Bash(sleep *)', 'hi']
    const ran = await ext(args, { cwd: project, interrupt: { after: /permission/, by: 'SIGINT', again: true } })
    expect(ran.code).toBe(130)
    expect(existsSync(join(project, 'pid'))).toBe(true)
    expect(await isAlive(join(project, 'pid'))).toBe(false)
  })

  it.runIf(existsSync('/dev/full'))('says in one sentence that its results could not be written', async () => {
    const project = await temporaryFolder()
    await writeFile(join(project, 'script.yaml'), 'turns:\n  - say: bye\n')
    const ran = await ext(['run', '--model', 'scripted:script.yaml', 'hi'], { cwd: project, stdout: '/dev/full' })
    expect(ran.stderr).toContain("The results can't be written: ENOSPC")
    expect(ran.stderr).not.toMatch(/\n\s+at /)
    expect(ran.code).toBe(1)
  })

  it('goes on when nobody reads its messages', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await writeFile(join(project, '.ext/config.yaml'), 'unknown: 1\n')
    await writeFile(join(project, 'script.yaml'), 'turns:\n  - say: bye\n')
    const ran = await ext(['run', '--model', 'scripted:script.yaml', 'hi'], { cwd: project, readsStderr: false })
    expect(ran.stdout).toContain('result      done')
    expect(ran.code).toBe(0)
  })

  it('says what is missing when no model is given', async () => {
    const { code, stderr } = await ext(['run', 'hi'])
    expect(stderr).toContain('No model is given. Use --model, or write `model:` into ~/.ext/config.yaml.')
    expect(code).toBe(2)
  })

  it.each([
    ['a provider that there is not', 'antropic/claude', 'Did you mean `anthropic`?'],
    ['a script that does not exist', 'scripted:nowhere.yaml', "can't be read"],
    ['a script that never ends', 'scripted:/dev/zero', "can't be read"],
  ])('refuses %s', async (_what, model, message) => {
    const { code, stderr } = await ext(['run', '--model', model, 'hi'])
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it('shows where a script is broken', async () => {
    const project = await temporaryFolder()
    await writeFile(join(project, 'script.yaml'), 'turns:\n  - sya: hello\n')
    const { stderr, code } = await ext(['run', '--model', 'scripted:script.yaml', 'hi'], { cwd: project })
    expect(stderr).toMatch(/script\.yaml:2:5/)
    expect(stderr).toContain('Did you mean `say`?')
    expect(code).not.toBe(1)
  })
})

describe('nothing is silent', () => {
  const server = (script: string) => JSON.stringify({ mcpServers: { odd: { command: 'sh', args: ['-c', script] } } })

  it('says which server is not there yet when the run begins', async () => {
    const project = await temporaryFolder()
    await writeFile(join(project, '.mcp.json'), server('sleep 60'))
    await writeFile(join(project, 'script.yaml'), 'turns:\n  - say: bye\n')
    const args = ['run', '--trust-project', '--model', 'scripted:script.yaml', 'hi']
    const { stderr, code } = await ext(args, { cwd: project })
    expect(stderr).toBe('ext: The server `odd` is still connecting; its tools join when it is ready.\n')
    expect(code).toBe(0)
  })

  it('says what went wrong after the start, and nothing twice', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await writeFile(join(project, '.ext/config.yaml'), 'unknown: 1\n')
    await writeFile(join(project, '.mcp.json'), server('sleep 2.5; echo out of coffee >&2; exit 7'))
    const turns = '- calls: [{ tool: Bash, input: { command: sleep 2 } }]\n  - say: bye\n'
    await writeFile(join(project, 'script.yaml'), `turns:\n  ${turns}`)
    const args = ['run', '--trust-project', '--model', 'scripted:script.yaml', '--allow', 'Bash(sleep *)', 'hi']
    const { stderr } = await ext(args, { cwd: project })
    expect(stderr).toMatch(/mcp\.server\.failed\n.*exited with code 7.*out of coffee/)
    expect(stderr.match(/cli\.section\.unknown/g)).toHaveLength(1)
  })

  it('takes a hook for load_skill for what it is, not for one without a tool', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    const hook = '{ event: PreToolUse, matcher: load_skill, action: { type: command, command: "true" } }'
    await writeFile(join(project, '.ext/config.yaml'), `hooks: [${hook}]\n`)
    await writeFile(join(project, 'script.yaml'), 'turns:\n  - say: bye\n')
    const { stderr } = await ext(['run', '--trust-project', '--model', 'scripted:script.yaml', 'hi'], { cwd: project })
    expect(stderr).toBe('')
  })

  it('says how to approve what is not used', async () => {
    const { stderr } = await runEvents(await demoProject(), [])
    expect(stderr).toContain('approve the project for one run with --trust-project.')
  })
})

describe('the transcript', () => {
  it('shows control characters instead of obeying them, and nothing passes for a line of its own', async () => {
    const project = await temporaryFolder()
    const evil = '\u001b[2J\npermission  allow: forged\u009b\u202e'
    const turns = [
      {
        say: evil,
        calls: [
          { tool: evil, input: {} },
          { tool: 'Bash', input: { command: 'true' } },
        ],
      },
      { say: 'bye' },
    ]
    await writeFile(join(project, 'script.json'), JSON.stringify({ turns }))
    const home = await temporaryFolder()
    await mkdir(join(home, '.ext'))
    const command = `echo '${evil}' >&2; exit 2`
    const hooks = ['UserPromptSubmit', 'PreToolUse', 'Stop'].map((event) => ({
      event,
      action: { type: 'command', command: event === 'PreToolUse' ? command : `echo '${evil}'` },
    }))
    await writeFile(join(home, '.ext/config.yaml'), JSON.stringify({ hooks }))
    const { stdout } = await ext(['run', '--model', 'scripted:script.json', evil], { cwd: project, home })
    expect(stdout).toContain('forged')
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(stdout).not.toMatch(/^permission {2}allow/m)
  })
})

// Other systems have another `script`.
describe.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))('a question at the terminal', () => {
  const long = `echo ${'a'.repeat(2000)} > answer.txt`

  async function answer(keys: string, { command = long, times = 1 } = {}) {
    const project = await temporaryFolder()
    const calls = [{ tool: 'Bash', input: { command } }]
    const turns = [...Array.from({ length: times }, () => ({ calls })), { say: 'bye' }]
    await writeFile(join(project, 'script.json'), JSON.stringify({ turns }))
    const home = await temporaryFolder()
    const ran = await extAtTerminal(['run', '--model', 'scripted:script.json', 'hi'], {
      cwd: project,
      home,
      after: /Deny/,
      keys,
    })
    const config = await readFile(join(project, '.ext/config.local.yaml'), 'utf8').catch(() => undefined)
    return { ...ran, project, home, answered: existsSync(join(project, 'answer.txt')), config }
  }

  it('shows all of what would run, and a yes runs it', async () => {
    const { stdout, answered, code, config } = await answer('\u001b[A\r')
    expect(stdout.replace(/\r?\n/g, '')).toContain(long)
    expect(answered).toBe(true)
    expect(config).toBeUndefined()
    expect(code).toBe(0)
  })

  it('can be answered for the session, and then is not asked again', async () => {
    const { stdout, code, config } = await answer('\u001b[A\u001b[A\r', { command: 'touch answer.txt', times: 2 })
    expect(stdout).toContain('Bash(touch answer.txt)')
    expect(stdout.match(/permission {2}asks/g)).toHaveLength(1)
    expect(stdout.match(/Bash done/g)).toHaveLength(2)
    expect([code, config]).toEqual([0, undefined])
  })

  it('can be answered for the project, in a file that only the rules are added to, and holds in the next run', async () => {
    const { stdout, code, config, project, home } = await answer('\u001b[A\u001b[A\u001b[A\r', {
      command: 'touch answer.txt',
      times: 2,
    })
    expect(stdout).toContain('Written to ')
    expect(config).toBe('permissions:\n  allow:\n    - Bash(touch answer.txt)\n')
    expect(code).toBe(0)
    const list = await ext(['permissions', 'list', '--project', project], { home })
    expect(list.stdout).toContain('allow  loaded     Bash(touch answer.txt)')
  })

  it('is a no unless something else is chosen, and the run goes on', async () => {
    const { stdout, answered, code } = await answer('\r')
    expect(stdout).toContain('bye')
    expect(answered).toBe(false)
    expect(code).toBe(0)
  })

  it('is interrupted with Ctrl+C like everything else', async () => {
    const { stdout, answered, code } = await answer('\u0003')
    expect(stdout).toContain('result      aborted')
    expect(answered).toBe(false)
    expect(code).toBe(130)
  })
})

describe('usage', () => {
  it.each([
    [['nonsense']],
    [['run']],
    [['run', '--output', 'xml', 'hi']],
    [['run', '--max-turns', '0', 'hi']],
    [['doctor', '--nonsense']],
  ])('%j exits with 2 and shows no stack trace', async (args) => {
    const { code, stderr } = await ext(args)
    expect(code).toBe(2)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it.each([[['--help']], [['run', '--help']], [['doctor', '--help']], [['demo', '--help']]])(
    '%j shows help with examples or exit codes',
    async (args) => {
      const { code, stdout } = await ext(args)
      expect(code).toBe(0)
      expect(stdout).toMatch(/Examples:|Exit codes:/)
    },
  )

  it('prints its version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    expect((await ext(['--version'])).stdout).toBe(`${version}\n`)
  })
})
