import { spawn, spawnSync } from 'node:child_process'
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { demoProject, ext, temporaryFolder } from './bin.js'

const BIN = fileURLToPath(new URL('../bin/ext.js', import.meta.url))

/** What could follow; the last word is the one that is typed. */
async function after(words: readonly string[], options: { cwd?: string; home?: string } = {}) {
  const { stdout, stderr, code } = await ext(['complete', '--', ...words], options)
  expect([code, stderr]).toEqual([0, ''])
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]]))
}

describe('ext complete', () => {
  it('knows commands, options and choices from the commands themselves', async () => {
    expect(await after([''])).toEqual(expect.arrayContaining(['run', 'doctor', 'mcp', 'completion', 'help']))
    expect(await after([''])).not.toContain('complete')
    expect(await after(['mcp', 'to'])).toEqual(['tools'])
    expect(await after(['run', '--permission-mode', 'a'])).toEqual(['acceptEdits'])
    expect(await after(['run', '--output=s'])).toEqual(['--output=stream-json'])
    expect(await after(['run', '--trust-project', '--max'])).toEqual(['--max-turns'])
    expect(await after(['audit', 'tail', '-'])).toContain('--lines')
    expect(await after(['run', '--max-turns', ''])).toEqual([])
    expect(await after(['no', 'such', ''])).toEqual([])
  })

  it('knows the options of a conversation also without its name, and offers nothing there that is not taken', async () => {
    const project = await temporaryFolder()
    const alone = await after(['--'])
    const own = ['--debug', '--version']
    expect(new Set(alone).size).toBe(alone.length)
    expect(alone).toEqual(expect.arrayContaining([...own, '--help']))
    expect(alone.filter((each) => !own.includes(each ?? '')).sort()).toEqual((await after(['chat', '--'])).sort())
    for (const option of ['--stdin', '--output']) expect(alone).not.toContain(option)
    expect(await after(['--max'])).toEqual(['--max-turns'])
    expect(await after(['--permission-mode', 'a'])).toEqual(['acceptEdits'])
    expect(await after(['--permission-mode=pl'])).toEqual(['--permission-mode=plan'])
    expect(await after(['--debug', '--project', 'a'])).toEqual([':folders'])
    expect(await after(['--trust-project', '--project', project, '--no'])).toEqual(['--no-save'])
    // Once one of them is there, no command can follow: each line that is offered is one that is understood.
    expect(await after(['--continue', ''])).toEqual([])
    expect(await after(['--debug', 'doc'])).toEqual(['doctor'])
    expect((await ext(['--continue', 'doctor'])).stderr).toContain('There is no command `doctor`')
    expect(await after(['nothing', '--mo'])).toEqual([])
    for (const option of alone) {
      const { stderr } = await ext(option === undefined ? [] : [option])
      expect(stderr, option).not.toContain('unknown option')
    }
  })

  it('leaves files and folders to the shell', async () => {
    expect(await after(['doctor', '--project', 'a'])).toEqual([':folders'])
    expect(await after(['permissions', 'import', ''])).toEqual([':files'])
    expect(await after(['skills', 'lint', 'one', ''])).toEqual([':files'])
    expect(await after(['mcp', 'add', 'name', '--', 'node', ''])).toEqual([':files'])
  })

  it('knows the names that stand in the files, also those of another project, and starts nothing', async () => {
    const project = await demoProject()
    const home = await temporaryFolder()
    const marker = join(home, 'started')
    await mkdir(join(project, '.claude/agents'))
    await writeFile(join(project, '.claude/agents/reviewer.md'), '---\ndescription: Reviews.\n---\nReview.\n')
    await mkdir(join(home, '.ext'))
    await writeFile(
      join(home, '.ext/config.yaml'),
      `mcpServers: { own: { command: touch, args: [${marker}] } }\nmodels: { local: openai-compatible:http://127.0.0.1:1/v1/x }\n`,
    )
    const from = { home, cwd: home }
    expect(await after(['mcp', 'test', '--project', project, ''], from)).toEqual(
      expect.arrayContaining(['fs', 'weather', 'own']),
    )
    expect(await after(['mcp', 'test', ''], from)).toEqual(['own'])
    expect(await after(['mcp', 'add', ''], from)).toEqual([])
    expect(await after(['skills', 'show', `--project=${project}`, 're'], from)).toEqual(['release-notes'])
    expect(await after(['run', '--project', project, '/re'], from)).toEqual(['/release-notes'])
    expect(await after(['hooks', 'test', 'no'], { home, cwd: project })).toEqual(['no-push.sh'])
    expect(await after(['run', '--model', ''], from)).toEqual(['local'])
    expect(await after(['hooks', 'list', '--event', 'PreT'], from)).toEqual(['PreToolUse'])
    expect(await after(['explain', 'WebF'], from)).toEqual(['WebFetch'])
    expect(await after(['trust', 'approve', '--project', project, ''], from)).toContain('fs')
    expect(await after(['trust', 'revoke', '--project', project, ''], from)).toEqual([])
    await ext(['trust', 'approve', 'fs', '--yes', '--project', project], from)
    expect(await after(['trust', 'revoke', '--project', project, ''], from)).toEqual(['fs'])
    await expect(stat(marker)).rejects.toThrow('ENOENT')
  })

  it('knows the sessions of the project', async () => {
    const home = await temporaryFolder()
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'script.yaml'), 'turns:\n  - say: Done.\n')
    await ext(['run', 'go on', '--model', 'scripted:script.yaml'], { home, cwd })
    const { stdout } = await ext(['sessions', 'list', '--json'], { home, cwd })
    const { sessions } = JSON.parse(stdout) as { sessions: { id: string }[] }
    expect(await after(['sessions', 'show', ''], { home, cwd })).toEqual(sessions.map(({ id }) => id))
    expect(await after(['run', '--resume', ''], { home, cwd })).toEqual(sessions.map(({ id }) => id))
    expect(await after(['run', '--resume', ''], { home })).toEqual([])
  })

  it('offers no name that would break out of its line, and says nothing of files that are broken', async () => {
    const cwd = await temporaryFolder()
    const servers = { 'a\nfs': { command: 'x' }, '\u001b[2Jb': { command: 'x' }, fine: { command: 'x' } }
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
    await mkdir(join(cwd, '.ext'))
    await writeFile(join(cwd, '.ext/config.yaml'), 'mcpServers: [\n')
    expect(await after(['mcp', 'test', ''], { cwd })).toEqual(['fine'])
  })
})

describe('the scripts of ext completion', () => {
  it('complete in a real bash', async () => {
    const project = await demoProject()
    const bash = await shellWithExt(['bash', '--norc', '--noprofile', '-i'], project)
    await bash.type('PS1="ready> "; eval "$(ext completion bash)"; echo loa""ded\n', /loaded/)
    // Each is completed to the only word that fits, and then shown instead of run.
    const shows = async (keys: string, shown: RegExp) => {
      await bash.type(`${keys}\t`, shown)
      await bash.type('\u0015', /^/)
    }
    await shows('ext mcp te', /ext mcp test /)
    await shows('ext --max', /ext --max-turns /)
    await shows('ext --debug --permission-mode=pl', /--permission-mode=plan /)
    await shows('ext mcp test f', /ext mcp test fs /)
    await shows('ext hooks test no', /no-push\.sh /)
    await shows('ext run --output=str', /--output=stream-json /)
    await shows('ext doctor --project no', /--project notes\//)
    await bash.end()
  })

  it.each([
    ['bash', ['-n']],
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ] as const)('are valid %s', async (shell, check) => {
    const { stdout, code } = await ext(['completion', shell])
    expect(code).toBe(0)
    expect(stdout).toContain('complete --')
    const found = spawnSync(shell, [...check], { input: stdout, encoding: 'utf8' })
    // Not every machine has all three.
    if (found.error === undefined) expect([found.status, found.stderr]).toEqual([0, ''])
  })

  it('are for three shells, and say so', async () => {
    const { code, stderr } = await ext(['completion', 'tcsh'])
    expect(code).toBe(2)
    expect(stderr).toContain('bash, zsh, fish')
  })
})

/** A shell at a terminal, with `ext` in its path. Needs `script` of util-linux. */
async function shellWithExt(command: readonly string[], cwd: string) {
  const home = await temporaryFolder()
  await symlink(BIN, join(home, 'ext'))
  const child = spawn('script', ['-qefc', command.join(' '), '/dev/null'], {
    cwd,
    env: { PATH: `${home}:${process.env['PATH']}`, HOME: home, TERM: 'dumb', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  let check = () => {}
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    check()
  })
  return {
    /** Types, and waits until what is shown since then fits. */
    type: (keys: string, until: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const from = output.length
        const timer = setTimeout(() => reject(new Error(`No ${until} in: ${output.slice(from)}`)), 8000)
        check = () => {
          if (!until.test(output.slice(from))) return
          clearTimeout(timer)
          resolve()
        }
        child.stdin.write(keys)
        check()
      }),
    end: () =>
      new Promise<void>((resolve) => {
        child.on('close', () => resolve())
        child.stdin.end('exit\n')
      }),
  }
}
