import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openServers } from '../src/commands/mcp/open.js'
import { compose } from '../src/compose.js'
import type { Io } from '../src/io.js'
import { ext, extAtTerminal, temporaryFolder } from './bin.js'

const CONFIG = `model: scripted:script.yaml
hooks:
  - {name: guard, event: SessionStart, action: {type: command, command: ./guard.sh}}
permissions:
  allow: ["Bash(git status)"]
mcpServers:
  files: {command: ./server.sh}
`
const SCRIPT = 'turns:\n  - say: Done.\n'

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { mode: 0o755 })
  }
}

/** A project with a hook, a rule and a server, none of them approved, and the home of a person. */
async function setup(config = CONFIG) {
  const project = await temporaryFolder()
  const home = await temporaryFolder()
  const guard = '#!/bin/sh\necho ran >> ran.log\n'
  await write(project, {
    '.ext/config.yaml': config,
    'guard.sh': guard,
    'server.sh': '#!/bin/sh\n',
    'script.yaml': SCRIPT,
  })
  const run = async (...args: readonly string[]) => {
    const ran = await ext([...args, '--project', project], { home })
    const plain = (text: string) => text.replaceAll(project, '<project>')
    return { ...ran, stdout: plain(ran.stdout), stderr: plain(ran.stderr) }
  }
  const verdicts = async () => {
    const { stdout } = await run('doctor', '--json')
    const { entries } = JSON.parse(stdout) as { entries: { name: string; verdict: string }[] }
    return Object.fromEntries(entries.map(({ name, verdict }) => [name, verdict]))
  }
  return { project, home, run, verdicts }
}

const WAITING = { guard: 'untrusted', 'allow Bash(git status)': 'untrusted', files: 'untrusted' }
const LOADED = { guard: 'loaded', 'allow Bash(git status)': 'loaded', files: 'loaded' }

describe('ext trust', () => {
  it('lists exactly what would run of a hook, a rule and a server', async () => {
    const { run } = await setup()
    const { code, stdout, stderr } = await run('trust', 'list')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.replaceAll(/[0-9a-f]{64}/g, '<sha>')).toBe(`waits
  kind: servers
  name: files
  folder: <project>
  runs: <project>/server.sh
  script ./server.sh: sha256 <sha>
  annotations: not believed

waits
  kind: hooks
  name: guard
  folder: <project>
  runs in sh: ./guard.sh
  script ./guard.sh: sha256 <sha>
  with event: SessionStart

waits
  kind: permissions
  name: "Bash(git status)"
  folder: <project>
  tools: "Bash(git status)"
  with effect: allow
  with file: .ext/config.yaml

0 approved, 3 waiting
Approve what you have read with ext trust approve.
`)
  })

  it('approves with --yes; then everything takes effect, and what changes waits again', async () => {
    const { run, project, home, verdicts } = await setup()
    expect(await verdicts()).toMatchObject(WAITING)
    const { code, stdout } = await run('trust', 'approve', '--yes')
    expect([code, stdout.split('\n').at(-2)]).toEqual([0, '3 approved, 0 refused'])
    expect(await verdicts()).toMatchObject(LOADED)
    const store = await stat(join(home, '.ext/trust.json'))
    expect(store.mode & 0o777).toBe(0o600)
    await write(project, { 'guard.sh': '#!/bin/sh\ntouch pwned\n', 'server.sh': '#!/bin/sh\ntouch pwned\n' })
    expect(await verdicts()).toMatchObject({ ...LOADED, guard: 'untrusted', files: 'untrusted' })
    const list = await run('trust', 'list')
    expect(list.stdout).toContain('waits: it has changed since it was approved')
    expect(list.stdout).toContain('  changed: script ./guard.sh (was sha256 ')
    const again = await run('trust', 'approve', '--yes')
    expect(again.stdout).toContain('2 approved, 0 refused')
    expect((await run('trust', 'approve', '--yes')).stdout).toBe('Nothing waits for approval.\n')
  })

  it('approves and takes back by name; json says what', async () => {
    const { run, verdicts } = await setup()
    const approved = JSON.parse((await run('trust', 'approve', 'guard', '--yes', '--json')).stdout)
    expect(approved).toMatchObject({
      shown: [{ kind: 'hooks', name: 'guard', reason: 'new' }],
      approved: [{ kind: 'hooks', name: 'guard' }],
      refused: [],
    })
    expect(await verdicts()).toMatchObject({ ...WAITING, guard: 'loaded' })
    const list = JSON.parse((await run('trust', 'list', '--json')).stdout)
    expect(list).toMatchObject({ approved: [{ name: 'guard' }], pending: [{ name: 'files' }, { kind: 'permissions' }] })
    const revoked = JSON.parse((await run('trust', 'revoke', 'guard', '--json')).stdout)
    expect(revoked).toMatchObject({ revoked: [{ name: 'guard' }] })
    expect(await verdicts()).toMatchObject(WAITING)
    await run('trust', 'approve', '--yes')
    expect((await run('trust', 'revoke', '--all')).stdout).toContain('3 revoked')
    expect(await verdicts()).toMatchObject(WAITING)
  })

  it.each([
    [['approve', 'nobody', '--yes'], 'Nothing of the name `nobody` waits for approval'],
    [['approve'], 'Nobody can be asked here, so nothing was approved'],
    [['revoke'], 'Say which approvals, or --all'],
    [['revoke', 'nobody'], 'Nothing of the name `nobody` is approved'],
  ])('%j is a mistake that is explained', async (args, message) => {
    const { run, verdicts } = await setup()
    const { code, stderr } = await run('trust', ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(await verdicts()).toMatchObject(WAITING)
  })

  // Other systems have another `script`.
  const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script')
  it.runIf(hasScript)('asks at the terminal, and a no is the answer that is marked', async () => {
    const { project } = await setup()
    const at = (keys: string) =>
      extAtTerminal(['trust', 'approve', 'guard'], { cwd: project, after: /Approve this/, keys })
    const yes = await at('y')
    expect(yes.stdout).toContain('runs in sh: ./guard.sh')
    expect(yes.stdout).toContain('1 approved, 0 refused')
    const no = await at('\r')
    expect([no.code, no.stdout.includes('Nothing was approved.')]).toEqual([1, true])
  })

  it('believes no store that others can write to', async () => {
    const { run, home, verdicts } = await setup()
    await run('trust', 'approve', '--yes')
    await chmod(join(home, '.ext/trust.json'), 0o666)
    expect(await verdicts()).toMatchObject(WAITING)
    const { code, stdout } = await run('trust', 'list')
    expect(code).toBe(1)
    expect(stdout).toContain('trust.store.writable')
  })
})

describe('ext run', () => {
  const config = CONFIG.slice(0, CONFIG.indexOf('mcpServers'))

  it('runs hooks that were approved, goes on without the others and says so', async () => {
    const { run, project } = await setup(config)
    const ran = () => readFile(join(project, 'ran.log'), 'utf8').catch(() => '')
    const without = await run('run', 'Go on.')
    expect([without.code, await ran()]).toEqual([0, ''])
    expect(without.stderr).toContain('`ext trust approve`')
    await run('trust', 'approve', '--yes')
    expect((await run('run', 'Go on.')).stderr).toBe('')
    expect(await ran()).toBe('ran\n')
  })

  it('gives no hook a secret of the host, and writes none down', async () => {
    const leak = CONFIG.slice(0, CONFIG.indexOf('permissions')).replace('./guard.sh', "'env > seen; env >&2; exit 1'")
    const { run, home, project } = await setup(leak)
    await run('trust', 'approve', '--yes')
    const { stdout, stderr } = await run('run', '--output', 'stream-json', 'Go on.')
    const seen = await readFile(join(project, 'seen'), 'utf8')
    expect(seen).toContain('HOOK_EVENT=SessionStart')
    const kept = await readdir(join(home, '.ext'), { recursive: true, withFileTypes: true })
    const files = kept.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    const written = await Promise.all(files.map((path) => readFile(path, 'utf8')))
    expect(files.map((path) => relative(home, path))).toContain('.ext/trust.json')
    expect([seen, stdout, stderr, ...written].join()).not.toContain('do-not-leak')
  })

  it('approves with --trust-project for one run only', async () => {
    const { run, verdicts } = await setup(config)
    await run('run', '--trust-project', 'Go on.')
    expect(await verdicts()).toMatchObject({ guard: 'untrusted' })
    expect((await run('trust', 'list')).stdout).toContain('0 approved, 2 waiting')
  })
})

describe('a managed file', () => {
  async function managed(text: string) {
    const { project } = await setup()
    const managedFolder = await temporaryFolder()
    await write(managedFolder, { 'config.yaml': text })
    const composed = await compose({ project, managedFolder, trustProject: true, connect: false, report: () => {} })
    await composed.close()
    return composed
  }

  it('has the last word about what the project may do', async () => {
    const policy =
      'allowManagedHooksOnly: true\nhooks: [{name: ours, event: Stop, action: {type: command, command: "true"}}]\n'
    const { hooks, diagnostics } = await managed(policy)
    expect(hooks.snapshot.entries.map(({ name }) => name)).toEqual(['ours'])
    expect(diagnostics().map(({ code }) => code)).toEqual(['hooks.policy.refused'])
  })

  it('says which programs may be servers, also of a file that is named on the command line', async () => {
    const policy = 'allowedMcpCommands: [npx]\ndenyMcpInheritAll: true\n'
    const { records, diagnostics } = await managed(policy)
    expect(records.find(({ name }) => name === 'files')?.verdict).toBe('disabled')
    const [refused, ...others] = diagnostics()
    expect(others).toEqual([])
    expect(refused).toMatchObject({ code: 'mcp.policy.refused', related: [{ source: { layer: 'managed', line: 1 } }] })

    const managedFolder = await temporaryFolder()
    await write(managedFolder, { 'config.yaml': policy, 'own.json': '{"mcpServers": {"own": {"command": "sh"}}}' })
    const options = { project: managedFolder, config: join(managedFolder, 'own.json'), managedFolder }
    const { snapshot } = await openServers(options, { out: () => {}, err: () => {} } as unknown as Io)
    expect(snapshot.entries).toEqual([])
    expect(snapshot.diagnostics.map(({ code }) => code)).toEqual(['mcp.policy.refused'])
  })

  it('that is broken keeps hooks, servers and allow rules off, approved or not', async () => {
    const { records, diagnostics } = await managed('allowManagedHooksOnly: [\n')
    expect(Object.fromEntries(records.map(({ name, verdict }) => [name, verdict]))).toMatchObject(WAITING)
    expect(diagnostics().some(({ severity }) => severity === 'error')).toBe(true)
  })
})
