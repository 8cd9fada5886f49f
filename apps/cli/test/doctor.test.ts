import { execFileSync } from 'node:child_process'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Diagnostic, EntryRecord, FileRecord } from '@ext/kernel'
import type { SarifLog } from '@ext/kernel/sarif'
import { describe, expect, it } from 'vitest'
import { demoProject, ext, temporaryFolder } from './bin.js'

interface DoctorReport {
  readonly summary: { readonly errors: number; readonly warnings: number }
  readonly files: readonly FileRecord[]
  readonly entries: readonly EntryRecord[]
  readonly diagnostics: readonly Diagnostic[]
}

async function doctor(project: string, ...flags: string[]) {
  const ran = await ext(['doctor', '--project', project, '--json', ...flags])
  return { ...ran, report: JSON.parse(ran.stdout) as DoctorReport }
}

describe('ext doctor', () => {
  it("lists the demo's three broken parts with place and fix, and exits with 1", async () => {
    const project = await demoProject()
    const { code, report } = await doctor(project)
    const errors = report.diagnostics.filter((diagnostic) => diagnostic.severity === 'error')
    for (const file of ['.mcp.json', '.claude/settings.json', '.claude/skills/half-written/SKILL.md']) {
      const error = errors.find((diagnostic) => diagnostic.source.file === join(project, file))
      expect(error, file).toMatchObject({
        hint: expect.stringMatching(/./),
        source: { line: expect.any(Number), column: expect.any(Number) },
      })
    }
    expect(report.entries.filter((entry) => entry.verdict === 'broken')).toHaveLength(3)
    expect(report.summary.errors).toBe(errors.length)
    expect(code).toBe(1)
  })

  it('says which entries wait for approval, and which are loaded once it is given', async () => {
    const project = await demoProject()
    const verdicts = async (...flags: string[]) => {
      const { report } = await doctor(project, ...flags)
      return report.entries
        .filter((entry) => entry.verdict !== 'broken')
        .map(({ name, verdict }) => `${name} ${verdict}`)
    }
    expect(await verdicts()).toContain('fs untrusted')
    expect(await verdicts('--trust-project')).toContain('fs loaded')
  })

  it('accounts for every entry: each broken one has an error of its own', async () => {
    const { report } = await doctor(await demoProject())
    for (const entry of report.entries.filter((record) => record.verdict === 'broken')) {
      expect(
        report.diagnostics.some((d) => d.severity === 'error' && d.entry === entry.id),
        entry.id,
      ).toBe(true)
    }
  })

  it('reads an empty folder without findings', async () => {
    const { code, report } = await doctor(await temporaryFolder())
    expect(report).toMatchObject({ summary: { errors: 0, warnings: 0 }, entries: [], diagnostics: [] })
    expect(code).toBe(0)
  })

  it('names a broken file once, whoever reads it, and goes on with the others', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await mkdir(join(project, '.claude'))
    await writeFile(join(project, '.ext/config.yaml'), 'permissions:\n  allow: [\n')
    await writeFile(join(project, '.claude/settings.json'), '{ "permissions": { "deny": ["Bash(rm *)"] } }')
    const { report, code } = await doctor(project)
    expect(report.diagnostics.filter((diagnostic) => diagnostic.code === 'config.syntax.yaml')).toHaveLength(1)
    expect(report.entries).toMatchObject([{ axis: 'permissions', verdict: 'loaded' }])
    expect(code).toBe(1)
  })

  it('names top-level keys that nobody reads', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await writeFile(join(project, '.ext/config.yaml'), 'permisions: {}\nagent: {}\n')
    const { report } = await doctor(project)
    expect(report.diagnostics).toMatchObject([
      { code: 'cli.section.unknown', hint: 'Did you mean `permissions`?', source: { line: 1, column: 1 } },
      { code: 'cli.section.unknown', hint: 'Did you mean `agents`?', source: { line: 2, column: 1 } },
    ])
  })

  it('says the same as SARIF, with a documented rule for each code, for CI and editors', async () => {
    const project = await demoProject()
    const { report } = await doctor(project)
    const ran = await ext(['doctor', '--project', project, '--sarif'])
    expect(ran.code).toBe(1)
    const log = JSON.parse(ran.stdout) as SarifLog
    expect(log.version).toBe('2.1.0')
    const [run] = log.runs
    expect(run.tool.driver).toMatchObject({ name: 'ext', version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    expect(run.results.map(({ ruleId }) => ruleId)).toEqual(report.diagnostics.map(({ code }) => code))
    for (const { ruleId, ruleIndex } of run.results) {
      expect(run.tool.driver.rules[ruleIndex]).toMatchObject({
        id: ruleId,
        shortDescription: { text: expect.stringMatching(/\.$/) },
      })
    }
    expect(run.originalUriBaseIds).toEqual({ ROOT: { uri: `${pathToFileURL(project)}/` } })
    expect(run.results.map(({ locations }) => locations[0]?.physicalLocation?.artifactLocation)).toContainEqual({
      uri: '.claude/settings.json',
      uriBaseId: 'ROOT',
    })
  })

  it('does not know what to print when asked for two forms', async () => {
    const { code, stderr } = await ext(['doctor', '--json', '--sarif'])
    expect([code, stderr]).toEqual([2, expect.stringContaining("'--json' cannot be used with option '--sarif'")])
  })

  it('shows people the line that is wrong', async () => {
    const project = await demoProject()
    const { stdout, code } = await ext(['doctor', '--project', project])
    expect(stdout).toContain('"comand": "weather-server"')
    expect(stdout).toMatch(/\n\d+ errors?, \d+ warnings?\n$/)
    expect(code).toBe(1)
  })

  it('names a folder that does not exist instead of finding nothing wrong in it', async () => {
    const { code, stderr, stdout } = await ext(['doctor', '--project', '/no/such/folder'])
    expect(stderr).toContain("'/no/such/folder' is invalid. There is no such folder.")
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  it("takes the files of a home folder as the person's own, once", async () => {
    const home = await temporaryFolder()
    await mkdir(join(home, '.claude/skills/notes'), { recursive: true })
    await writeFile(join(home, '.claude/settings.json'), '{ "permissions": { "allow": ["Bash(ls)"] } }')
    await writeFile(join(home, '.claude/skills/notes/SKILL.md'), '---\ndescription: Notes.\n---\nWrite.\n')
    const { stdout } = await ext(['doctor', '--json', '--trust-project'], { home, cwd: home })
    const { entries, diagnostics } = JSON.parse(stdout) as DoctorReport
    expect(entries.map(({ name, verdict, source }) => [name, verdict, source.layer])).toEqual([
      ['notes', 'loaded', 'user'],
      ['allow Bash(ls)', 'loaded', 'user'],
    ])
    expect(diagnostics).toEqual([])
  })

  it.each(['', 'relative'])("never takes a project's files for the person's own, as with HOME=%j", async (home) => {
    const cwd = await temporaryFolder()
    for (const folder of ['.ext', 'relative/.ext']) {
      await mkdir(join(cwd, folder), { recursive: true })
      await writeFile(join(cwd, folder, 'config.yaml'), 'mcpServers: { evil: { command: evil } }\n')
    }
    const { stdout } = await ext(['doctor', '--json'], { home, cwd })
    const { entries } = JSON.parse(stdout) as DoctorReport
    expect(entries.filter(({ name }) => name === 'evil').map(({ verdict }) => verdict)).toEqual(['untrusted'])
  })

  it('names a script that is missing before a run needs it', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await writeFile(join(project, '.ext/config.yaml'), 'model: scripted:nowhere.yaml\n')
    const { code, report } = await doctor(project)
    expect(report.diagnostics).toMatchObject([
      {
        code: 'cli.model.unusable',
        message: expect.stringMatching(/nowhere\.yaml can't be read/),
        hint: expect.stringMatching(/./),
        source: { line: 1, column: 8 },
      },
    ])
    expect(code).toBe(1)
  })

  it('does not wait for a pipe that stands where a file belongs', async () => {
    const project = await temporaryFolder()
    execFileSync('mkfifo', [join(project, '.mcp.json')])
    const { stdout, code } = await ext(['doctor'], { cwd: project })
    expect(stdout).toMatch(/^failed {2}\.mcp\.json\n/)
    expect(stdout).toContain('config.file.not-a-file')
    expect(code).toBe(1)
  })

  it('leaves keys that the hooks read to the hooks', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await writeFile(join(project, '.ext/config.yaml'), 'disableAllHooks: true\ndisabledHooks: []\n')
    const { report } = await doctor(project)
    expect(report.diagnostics.map(({ code }) => code)).toEqual(['hooks.disabled'])
  })

  it('says what never fires and what cannot run, as ext hooks doctor does, with place and fix, also as SARIF', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    await writeFile(join(project, 'no-bits.sh'), '#!/bin/sh\nexit 0\n')
    const hook = (name: string, event: string, command: string, more: object = {}) => ({
      name,
      event,
      action: { type: 'command', command },
      ...more,
    })
    const hooks = [
      hook('good', 'Stop', 'true'),
      hook('misspelt', 'PreToolUse', 'true', { matcher: 'Bahs' }),
      hook('gone', 'Stop', './gone.sh'),
      hook('no-bits', 'Stop', './no-bits.sh'),
      hook('elsewhere', 'TeammateIdle', 'true'),
      hook('off', 'Stop', 'echo off'),
    ]
    await writeFile(join(project, '.ext/config.yaml'), JSON.stringify({ hooks, disabledHooks: ['off'] }))
    const { report, code } = await doctor(project, '--trust-project')
    expect(code).toBe(1)
    const verdicts = Object.fromEntries(report.entries.map(({ name, verdict }) => [name, verdict]))
    expect(verdicts).toEqual({
      good: 'loaded',
      misspelt: 'never fires',
      gone: 'cannot run',
      'no-bits': 'cannot run',
      elsewhere: 'never fires',
      off: 'disabled',
    })
    const text = await ext(['doctor', '--project', project, '--trust-project'])
    expect(text.stdout).toMatch(/^never fires {2}hooks {8}misspelt {2}\.ext\/config\.yaml:1:/m)
    expect(text.stdout).toContain('chmod +x no-bits.sh')
    const { stdout } = await ext(['hooks', 'doctor', '--project', project, '--trust-project', '--json'])
    const ofHooks = JSON.parse(stdout) as { diagnostics: Diagnostic[] }
    const codes = ofHooks.diagnostics.map(({ code }) => code)
    expect(codes).toContain('hooks.script.not-executable')
    expect(report.diagnostics.map((diagnostic) => diagnostic.code).toSorted()).toEqual(codes.toSorted())
    const sarif = await ext(['doctor', '--project', project, '--trust-project', '--sarif'])
    const [run] = (JSON.parse(sarif.stdout) as SarifLog).runs
    expect(run.results.map(({ ruleId }) => ruleId).toSorted()).toEqual(codes.toSorted())
    // Unapproved is what they are first.
    const untrusted = await doctor(project)
    expect(untrusted.report.entries.filter(({ verdict }) => verdict === 'untrusted')).toHaveLength(4)
  })

  it('says which servers can’t be started, since their program is not there, and starts none', async () => {
    const project = await temporaryFolder()
    const marker = join(project, 'started')
    await writeFile(join(project, 'no-bits.sh'), '#!/bin/sh\n')
    const servers = {
      there: { command: 'touch', args: [marker] },
      gone: { command: 'no-such-program' },
      path: { command: './no-bits.sh' },
      off: { command: 'no-such-program', disabled: true },
      elsewhere: { command: 'no-such-program', env: { PATH: '/nowhere' } },
      reached: { url: 'https://x.example/mcp' },
    }
    await writeFile(join(project, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
    const { report, code } = await doctor(project, '--trust-project')
    expect(code).toBe(1)
    expect(Object.fromEntries(report.entries.map(({ name, verdict }) => [name, verdict]))).toEqual({
      there: 'loaded',
      gone: 'cannot run',
      path: 'cannot run',
      off: 'disabled',
      elsewhere: 'cannot run',
      reached: 'loaded',
    })
    const found = report.diagnostics.filter((diagnostic) => diagnostic.code === 'cli.server.program')
    expect(found).toMatchObject([
      { message: "`no-such-program` is not on PATH, so `gone` can't be started.", source: { line: 1 } },
      { message: expect.stringContaining('no-bits.sh'), hint: expect.stringContaining('executable') },
      { hint: 'Install it, or write its path.' },
    ])
    await expect(stat(marker)).rejects.toThrow('ENOENT')
  })

  it('shows control characters in names instead of obeying them', async () => {
    const project = await temporaryFolder()
    const servers = { 'a\u001b[2J\nloaded    servers      forged': { command: 'x' } }
    await writeFile(join(project, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
    const { stdout } = await ext(['doctor'], { cwd: project })
    expect(stdout).toContain('forged')
    expect(stdout).not.toContain('\u001b')
    expect(stdout).not.toMatch(/^loaded/m)
  })

  it('judges matchers where all tools are known, and only there', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    const hooks = ['Bahs', 'load_skill'].map((matcher) => ({
      event: 'PreToolUse',
      matcher,
      action: { type: 'command', command: 'true' },
    }))
    const codesWith = async (mcpServers: unknown) => {
      await writeFile(join(project, '.ext/config.yaml'), JSON.stringify({ hooks, mcpServers }))
      const { report } = await doctor(project, '--trust-project')
      return report.diagnostics.map(({ code, hint }) => [code, hint])
    }
    expect(await codesWith({})).toEqual([['hooks.matcher.no-match', 'Did you mean `Bash`?']])
    expect(await codesWith({ other: { command: 'node' } })).toEqual([])
  })

  it('says of each agent file what became of it, the nearest folder first', async () => {
    const home = await temporaryFolder()
    const project = await temporaryFolder()
    const write = async (file: string, header: string) => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, `---\n${header}\n---\nDo it.\n`)
    }
    await mkdir(join(project, '.git'))
    await write(join(home, '.claude/agents/reviewer.md'), 'description: Of the person.')
    await write(join(home, '.ext/agents/writer.md'), 'description: Of the person.')
    await write(join(project, '.claude/agents/reviewer.md'), 'name: Reviewer\ndescription: Of the root.')
    await write(join(project, 'app/.ext/agents/reviewer.md'), 'description: Of the app.\ntools: Bash, Agent, Bahs')
    await write(join(project, 'app/.ext/agents/broken.md'), 'description: Of the app.\npermissionMode: relaxed')
    const { stdout, code } = await ext(['doctor', '--project', join(project, 'app'), '--json'], { home })
    const { entries, diagnostics } = JSON.parse(stdout) as DoctorReport
    expect(entries.map(({ axis, verdict, source }) => `${axis} ${verdict} ${source.file}`).toSorted()).toEqual(
      [
        `agents broken ${join(project, 'app/.ext/agents/broken.md')}`,
        `agents loaded ${join(project, 'app/.ext/agents/reviewer.md')}`,
        `agents loaded ${join(home, '.ext/agents/writer.md')}`,
        `agents shadowed ${join(home, '.claude/agents/reviewer.md')}`,
        `agents shadowed ${join(project, '.claude/agents/reviewer.md')}`,
      ].toSorted(),
    )
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toMatchObject([
      { code: 'agents.mode.unknown', source: { line: 3 } },
      { code: 'agents.tools.unknown', hint: 'Did you mean `Bash` where it says `Bahs`?' },
    ])
    expect(code).toBe(1)
    const sarif = await ext(['doctor', '--project', join(project, 'app'), '--sarif'], { home })
    const { rules } = (JSON.parse(sarif.stdout) as SarifLog).runs[0].tool.driver
    expect(rules.find(({ id }) => id === 'agents.mode.unknown')).toMatchObject({
      shortDescription: { text: expect.stringMatching(/^The permission mode/) },
    })
  })
})
