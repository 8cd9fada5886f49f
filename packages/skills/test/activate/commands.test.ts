import type { Authorization, AuthorizeRequest, RunTerms, ToolInfo } from '@ext/kernel/contract'
import { nodeProcess } from '@ext/kernel/node'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CommandHost, SkillGate, SkillsOptions } from '../../src/types.js'
import { makeProject, sessionRef, skill } from '../project.js'

const TOOL: ToolInfo = {
  name: 'Shell',
  description: 'Runs.',
  inputSchema: { type: 'object' },
  kind: 'exec',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  source: { tool: 'Shell', trusted: true },
}

interface Asked {
  readonly request: AuthorizeRequest
  readonly terms: readonly RunTerms[] | undefined
}

/** Allows everything, but for what `answer` says of commands, and notes what it was asked. */
function gate(answer: (line: string) => Partial<Pick<Authorization, 'behavior' | 'updatedInput'>> = () => ({})) {
  const asked: Asked[] = []
  const found: SkillGate = {
    session: () => ({
      decide: () => ({ behavior: 'allow' }),
      async authorize(request, { terms }) {
        if (request.tool.name === 'Skill') return { behavior: 'allow', reason: '' }
        asked.push({ request, terms })
        return { behavior: 'allow', reason: 'A rule denies it.', ...answer(String(request.call.input['line'])) }
      },
    }),
  }
  return { asked, permission: found }
}

function commands(more: Partial<CommandHost> = {}): { readonly commands: CommandHost; readonly ran: string[] } {
  const ran: string[] = []
  const real = nodeProcess()
  const process: CommandHost['process'] = {
    ...real,
    run(request) {
      ran.push('script' in request.command ? request.command.script : request.command.file)
      return real.run(request)
    },
  }
  return { ran, commands: { process, env: { PATH: '/usr/bin:/bin', WHO: 'Ada' }, tool: TOOL, ...more } }
}

const tools = { Shell: { as: 'Bash', command: 'line' } }
const NOTE = /None was run/

/** The text of a skill with this body, below its head. */
async function render(body: string, options: Partial<SkillsOptions>, { args = '', header = '' } = {}) {
  const project = await makeProject({ 'skills/it/SKILL.md': skill(`description: D.\n${header}`, body) })
  const skills = await project.load({ trusted: () => true, tools, ...options })
  const ref = { ...sessionRef(), cwd: project.root }
  const found = await skills.session(ref).activate('it', { via: 'model', args })
  if (found.mode !== 'inline') throw new Error(found.problem)
  return found.text.split('\n').slice(4).join('\n').replaceAll(project.root, '<root>')
}

describe('Commands in a body', () => {
  it('run in the folder of the session with the environment of the host, and their output takes their place', async () => {
    const { permission, asked } = gate()
    const host = commands()
    const text = await render('In !`pwd` for !`echo $WHO`.\n\n```!\necho one\necho `echo two`\n```\n\nEnd.', {
      permission,
      commands: host.commands,
    })
    expect(text).toBe('In <root> for !`echo $WHO`.\n\none\ntwo\n\nEnd.'.replace('!`echo $WHO`', 'Ada'))
    expect(asked.map(({ request: { call, tool } }) => [call.name, call.input, tool])).toEqual([
      ['Shell', { line: 'pwd' }, TOOL],
      ['Shell', { line: 'echo $WHO' }, TOOL],
      ['Shell', { line: 'echo one\necho `echo two`' }, TOOL],
    ])
  })

  it.each<[string, (all: Partial<SkillsOptions>) => Partial<SkillsOptions>]>([
    ['the host has not switched them on', ({ commands: _, ...rest }) => rest],
    ['there is nobody to permit them', ({ permission: _, ...rest }) => rest],
  ])('stay text while %s', async (_, change) => {
    const host = commands()
    const body = 'Branch: !`git branch $0`'
    const text = await render(body, change({ permission: gate().permission, commands: host.commands }), { args: 'x' })
    expect(text).toMatch(/^Branch: !`git branch x`/)
    expect(text).toMatch(NOTE)
    expect(host.ran).toEqual([])
  })

  it('stay text while nobody trusts their source, and the model is told that', async () => {
    const host = commands()
    const options = { permission: gate().permission, commands: host.commands, trusted: () => false }
    const text = await render('Branch: !`git branch $0`', options, { args: 'x' })
    expect(text).toMatch(/^Branch: !`git branch x`/)
    expect(text).toContain('None was run, since nobody has approved the skill;')
    expect(host.ran).toEqual([])
  })

  it('cost themselves when they fail, when they are refused, and when they take too long', async () => {
    const { permission } = gate((line) => ({ behavior: line.includes('secret') ? 'deny' : 'allow' }))
    const host = commands({ timeoutMs: 200 })
    const body = [
      'A !`echo out; echo err >&2; exit 3`',
      'B !`cat secret`',
      'C !`sleep 5`',
      'D !`echo fine`',
      '```!\nno-such-program-x\n```',
    ].join('\n')
    const text = await render(body, { permission, commands: host.commands })
    expect(text).toContain('A out\n[`echo out; echo err >&2; exit 3` ended with exit code 3: err]')
    expect(text).toContain('B [`cat secret` was not run: A rule denies it]')
    expect(text).toContain('C [`sleep 5` took longer than 200 ms]')
    expect(text).toContain('D fine')
    expect(text).toMatch(/\[`no-such-program-x` ended with exit code 127: .*not found/)
    expect(host.ran).toHaveLength(4)
  })

  it('of a file with CRLF are what they are with LF', async () => {
    const { permission, asked } = gate()
    const { ran, commands: host } = commands()
    const text = await render('```!\r\necho a\r\necho b\r\n```\r\n', { commands: host, permission })
    expect(ran).toEqual(['echo a\necho b'])
    expect(asked.map(({ request }) => request.call.input)).toEqual([{ line: 'echo a\necho b' }])
    expect(text).toMatch(/^a\nb$/)
  })

  it('are asked about under the limits of the run and of the skill itself, and with what it grants', async () => {
    const { permission, asked } = gate()
    const header = 'allowed-tools: Bash(git *)\ndisallowed-tools: Bash(rm *)'
    const project = await makeProject({ 'skills/it/SKILL.md': skill(`description: D.\n${header}`, '!`true`') })
    const skills = await project.load({ trusted: () => true, tools, permission, commands: commands().commands })
    const outer: RunTerms = { by: 'skill outer', restrict: ['Read'] }
    await skills.session({ ...sessionRef(), cwd: '/' }).activate('it', { via: 'model', terms: [outer] })
    expect(asked[0]?.terms).toEqual([
      outer,
      { by: 'skill it', disallowed: ['Bash(rm *)'] },
      { by: 'skill it', grants: ['Bash(git *)'] },
    ])
  })

  it('run as whoever permits them has changed them', async () => {
    const { permission } = gate(() => ({ updatedInput: { by: 'user', input: { line: 'echo changed' } } }))
    const text = await render('!`echo first`', { permission, commands: commands().commands })
    expect(text).toBe('changed')
  })

  it('print text: nothing in it is a placeholder or a command', async () => {
    const { permission } = gate()
    const host = commands()
    const header = 'arguments: [name]'
    const body = "!`printf '%s' '$AR''GUMENTS $''0 ${SESSION''_ID} !'; printf '\\140id\\140'` for $0"
    const text = await render(body, { permission, commands: host.commands }, { args: 'me', header })
    expect(text).toBe('$ARGUMENTS $0 ${SESSION_ID} !`id` for me')
    expect(host.ran).toHaveLength(1)
  })

  it('get the folders and the id, but never an argument', async () => {
    const { permission } = gate()
    const host = commands()
    const options = { permission, commands: host.commands }
    expect(await render('!`echo ${CLAUDE_SKILL_DIR} ${SESSION_ID}`', options)).toBe('<root>/skills/it s1')
    expect(await render('!`echo $0`', options, { args: 'x' })).toBe(
      '[`echo $0` was not run: arguments are not put into commands, and it holds $0]\n\n## Arguments\n\nx',
    )
    expect(await render("!`echo a b | awk '{print \\$2}'`", options, { args: 'x' })).toMatch(/^b\n/)
    expect(await render('!`echo [$ARGUMENTS]`', options)).toBe('[]')
  })

  it('are not run where a folder holds what a shell would read otherwise', async () => {
    const host = commands()
    const text = await render('!`ls ${PROJECT_DIR}`', {
      permission: gate().permission,
      commands: host.commands,
      projectDir: '/tmp/$(touch x)',
    })
    expect(text).toContain('${PROJECT_DIR} holds what a shell would read otherwise')
    expect(host.ran).toEqual([])
  })

  it('are not run when they are written for another shell', async () => {
    const host = commands()
    const options = { permission: gate().permission, commands: host.commands }
    expect(await render('!`Get-Date`', options, { header: 'shell: powershell' })).toContain('for the shell powershell')
    expect(await render('!`Get-Date`', options, { header: 'shell: fish' })).toContain('for the shell unknown')
    expect(host.ran).toEqual([])
  })

  it('are 20 at most', async () => {
    const host = commands()
    const body = Array.from({ length: 25 }, () => '!`true`').join('\n')
    const text = await render(body, { permission: gate().permission, commands: host.commands })
    expect(host.ran).toHaveLength(20)
    expect(text).toContain('there are more than 20 commands')
  })

  it('end with the run, which leaves nothing active', async () => {
    const controller = new AbortController()
    const { permission } = gate(() => {
      setTimeout(() => controller.abort(new Error('enough')), 50)
      return {}
    })
    const project = await makeProject({ 'skills/it/SKILL.md': skill('description: D.', '!`sleep 20`') })
    const skills = await project.load({ trusted: () => true, tools, permission, commands: commands().commands })
    const session = skills.session({ ...sessionRef(), cwd: project.root })
    await expect(session.activate('it', { via: 'model', signal: controller.signal })).rejects.toThrow('enough')
    expect(session.active()).toEqual([])
  })

  it('never come from arguments, whatever those hold', async () => {
    const { permission } = gate()
    const host = commands()
    const header = 'description: D.\narguments: [env]'
    const body = 'A $ARGUMENTS B !`echo fixed` C $env D $0 E\n$1\n```!\necho block\n```\n'
    const project = await makeProject({ 'skills/it/SKILL.md': skill(header, body) })
    const skills = await project.load({
      trusted: () => true,
      tools,
      permission,
      commands: {
        ...host.commands,
        // Nothing is started here: what would be is what counts.
        process: {
          ...host.commands.process,
          async run({ command }) {
            host.ran.push('script' in command ? command.script : '')
            const stdout = 'script' in command ? `<${command.script}>` : ''
            const sizes = { stdoutBytes: stdout.length, stderrBytes: 0 }
            return {
              outcome: 'ended',
              exitCode: 0,
              signal: null,
              stdout,
              stderr: '',
              ...sizes,
              inputNotRead: false,
              ms: 0,
            }
          },
        },
      },
    })
    const session = skills.session(sessionRef('session-7'))
    const piece = fc.oneof(
      fc.constantFrom('!`id`', '\n!`id`\n', ' !`', '`', '```!\nid\n```', '\n```!\n', '```', '$ARGUMENTS', '$0', '$env'),
      fc.constantFrom('${SKILL_DIR}', '\\', '$', '"', "'", ' ', '\n', '$(id)', ';', '&&'),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const args = `${pieces.join('')}.`
        host.ran.length = 0
        const found = await session.activate('it', { via: 'user', args })
        expect(host.ran).toEqual(['echo fixed', 'echo block'])
        expect(found.mode === 'inline' && found.text).toContain(`A ${args} B <echo fixed> C `)
      }),
      { seed: 22, numRuns: 300 },
    )
  })
})
