import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { demoProject, ext, temporaryFolder } from './bin.js'

/** What a person does to a hook of the demo, and what the doctor's advice comes to. */
interface Break {
  readonly title: string
  readonly break: (project: string) => Promise<unknown>
  readonly code: string
  readonly verdict: string
  readonly repair: (project: string, hint: string) => Promise<unknown>
}

const SCRIPT = '.claude/hooks/no-push.sh'
const SETTINGS = '.claude/settings.json'

async function replace(file: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const next = text.replace(from, to)
  expect(next).not.toBe(text)
  await writeFile(file, next)
}

const BREAKS: readonly Break[] = [
  {
    title: 'The script is not executable.',
    break: (project) => chmod(join(project, SCRIPT), 0o644),
    code: 'hooks.script.not-executable',
    verdict: 'never',
    repair: (_project, hint) => chmod(/chmod \+x (.+)`/.exec(hint)?.[1] ?? '', 0o755),
  },
  {
    title: 'The script has moved.',
    break: (project) => rename(join(project, SCRIPT), join(project, '.claude/hooks/nopush.sh')),
    code: 'hooks.script.missing',
    verdict: 'never',
    repair: (project) => replace(join(project, SETTINGS), 'no-push.sh', 'nopush.sh'),
  },
  {
    title: 'The matcher has another case than the tool.',
    break: (project) => replace(join(project, SETTINGS), '"matcher": "Bash"', '"matcher": "bash"'),
    code: 'hooks.matcher.case',
    verdict: 'can-fire',
    repair: (project, hint) =>
      replace(join(project, SETTINGS), '"matcher": "bash"', `"matcher": "${/Write (\w+);/.exec(hint)?.[1]}"`),
  },
  {
    title: 'The script ends with 1 to block.',
    break: (project) => replace(join(project, SCRIPT), 'exit 2', 'exit 1'),
    code: 'hooks.exit.one',
    verdict: 'can-fire',
    repair: (project, hint) => replace(join(project, SCRIPT), 'exit 1', /`(exit \d)`/.exec(hint)?.[1] ?? ''),
  },
  {
    title: 'The time-out was meant in milliseconds.',
    break: (project) => replace(join(project, SETTINGS), 'no-push.sh" }', 'no-push.sh", "timeout": 5000 }'),
    code: 'hooks.timeout.unit',
    verdict: 'can-fire',
    repair: (project, hint) =>
      replace(join(project, SETTINGS), '"timeout": 5000', `"timeout": ${/Write (\d+)/.exec(hint)?.[1]}`),
  },
]

async function examine(project: string) {
  const args = ['hooks', 'doctor', '--project', project, '--trust-project']
  const { code, stdout } = await ext([...args, '--json'])
  const { hooks, diagnostics } = JSON.parse(stdout) as {
    hooks: { name: string; verdict: string; reasons: string[] }[]
    diagnostics: { code: string; hint: string }[]
  }
  return {
    code,
    hook: hooks[0],
    hint: diagnostics.find(({ code }) => hooks[0]?.reasons.includes(code))?.hint,
    screen: (await ext(args)).stdout.replaceAll(project, '<project>'),
  }
}

describe('ext hooks doctor leads from a broken hook of the demo to its repair', () => {
  it.each(BREAKS)('$title', async ({ title, break: breakIt, code, verdict, repair }) => {
    const project = await demoProject()
    expect((await examine(project)).hook).toMatchObject({ verdict: 'can-fire', reasons: [] })
    await breakIt(project)
    const broken = await examine(project)
    expect(broken.code).toBe(1)
    expect(broken.hook).toMatchObject({ verdict, reasons: [code] })
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const shown = new RegExp(`${title.replaceAll('.', '\\.')}\n\n\`\`\`text\n([\\s\\S]*?)\n\`\`\``).exec(readme)?.[1]
    // What is said of this hook comes first.
    expect(shown).toBe(broken.screen.slice(0, broken.screen.indexOf('\n\n')))
    await repair(project, broken.hint ?? '')
    expect((await examine(project)).hook).toMatchObject({ verdict: 'can-fire', reasons: [] })
  })
})

describe('ext hooks doctor', () => {
  it('finds every seeded fault, and says of each hook what becomes of it', async () => {
    const { project, faults, idOf } = await faultyProject()
    const { code, stdout } = await ext(['hooks', 'doctor', '--project', project, '--trust-project', '--json'], {
      cwd: project,
    })
    expect(code).toBe(1)
    const report = JSON.parse(stdout) as {
      hooks: { id: string; verdict: string; reasons: string[] }[]
      diagnostics: { code: string; entry?: string }[]
    }
    const missed = faults.filter(({ expects, twice }, index) => {
      // Of two that are the same, the second is one too many.
      const hooks = report.hooks.filter(({ id }) => twice || id.endsWith(idOf(index)))
      const ids = new Set(report.hooks.map(({ id }) => id))
      const others = report.diagnostics.filter(({ entry }) => entry === undefined || !ids.has(entry))
      return ![...hooks.flatMap(({ reasons }) => reasons), ...others.map(({ code }) => code)].includes(expects)
    })
    expect(missed.map(({ id, kind }) => `${id} ${kind}`)).toEqual([])
    expect(new Set(report.hooks.map(({ verdict }) => verdict))).toContain('unsupported')
  })

  it('says what waits for approval, and exits with 0 where nothing is wrong', async () => {
    const project = await temporaryFolder()
    await mkdir(join(project, '.ext'))
    const rule = '{name: bell, event: Stop, action: {type: command, command: "true"}}'
    await writeFile(join(project, '.ext/config.yaml'), `hooks: [${rule}]\n`)
    const { code, stdout } = await ext(['hooks', 'doctor', '--project', project])
    expect([code, stdout]).toEqual([
      0,
      `untrusted   Stop                *                bell  .ext/config.yaml:1:9
Untrusted hooks run once they are approved: see ext trust list.
1 hook, 1 untrusted; 0 findings
`,
    ])
  })
})

interface Fault {
  readonly id: string
  readonly kind: string
  readonly expects: string
  readonly ext?: Readonly<Record<string, unknown>>
  readonly claude?: { event: string; matcher?: string; handler?: unknown; raw?: unknown[] }
  readonly files?: Readonly<Record<string, string>>
  readonly plain?: true
  readonly twice?: true
  readonly disabled?: true
}

/** One project with all seeded faults of `@ext/hooks`. */
async function faultyProject() {
  const lines = await readFile(
    new URL('../../../packages/hooks/test/fixtures/hook-faults.jsonl', import.meta.url),
    'utf8',
  )
  const faults: readonly Fault[] = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const project = await temporaryFolder()
  const rules: unknown[] = []
  const groups: Record<string, unknown[]> = {}
  const ids: string[] = []
  for (const { ext: rule, claude, files = {}, plain, twice } of faults) {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(project, name)), { recursive: true })
      await writeFile(join(project, name), text)
      await chmod(join(project, name), plain ? 0o644 : 0o755)
    }
    if (claude) {
      const { event, raw, handler, ...group } = claude
      const list = groups[event] ?? []
      groups[event] = list
      ids.push(raw ? `#/hooks/${event}/${list.length}` : `#/hooks/${event}/${list.length}/hooks/0`)
      list.push(...(raw ?? [{ ...group, hooks: [handler] }]))
    } else {
      ids.push(`#/hooks/${rules.length}`)
      rules.push(rule, ...(twice ? [rule] : []))
    }
  }
  await mkdir(join(project, '.ext'), { recursive: true })
  await mkdir(join(project, '.claude'), { recursive: true })
  await writeFile(join(project, '.ext/config.yaml'), JSON.stringify({ hooks: rules, disabledHooks: ['switched-off'] }))
  await writeFile(join(project, '.claude/settings.json'), JSON.stringify({ hooks: groups }))
  return { project, faults, idOf: (index: number) => ids[index] ?? '' }
}

describe('ext explain', () => {
  it('says first which hooks would be asked about a call, and why or why not', async () => {
    const project = await demoProject()
    const args = ['explain', 'Bash', '--input', '{"command":"git push"}', '--project', project]
    const { stdout } = await ext([...args, '--trust-project'])
    const broken = '  not       exit: it can’t be loaded (.claude/settings.json:14:19)'
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'Hooks before the call',
      '  runs      no-push.sh: `Bash` fits `Bash` (.claude/settings.json:6:19)',
      '  not       allow-writes.sh: its matcher `mcp__fs__write_file` does not fit `Bash` (.claude/settings.json:10:19)',
      broken,
      '',
      'Bash: ask',
    ])
    expect(JSON.parse((await ext([...args, '--json'])).stdout).hooks).toMatchObject([
      { name: 'no-push.sh', runs: false, why: 'nobody has approved it' },
      { name: 'allow-writes.sh', runs: false },
      { name: 'exit', runs: false },
    ])
  })
})

describe('ext hooks stats', () => {
  it('says what hooks have done in all runs, from a file for the eyes of the person alone', async () => {
    const project = await demoProject()
    const home = await temporaryFolder()
    const ran = await ext(['run', '--trust-project', '--output', 'stream-json', '--project', project, 'Release'], {
      home,
    })
    const traced = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; hook?: string; event?: string; outcome?: string })
      .filter(({ type }) => type === 'hook')
      .map(({ event, hook, outcome }) => `${event} ${hook} ${outcome}`)
    const file = join(home, '.ext/hooks.jsonl')
    const records = (await readFile(file, 'utf8')).trim().split('\n')
    const written = records
      .map((line) => JSON.parse(line))
      .map(({ event, hook, outcome }) => `${event} ${hook} ${outcome}`)
    expect(traced.length).toBeGreaterThan(3)
    expect(written.toSorted()).toEqual(traced.toSorted())
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(records.join('')).not.toContain('do-not-leak')

    const { code, stdout } = await ext(['hooks', 'stats', '--project', project], { home })
    expect(code).toBe(0)
    const times = stdout.replaceAll(/\d+ ms/g, '<time>').replaceAll(home, '<home>')
    expect(times.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '))).toMatchInlineSnapshot(`
      [
        "hook  event  runs  blocked  failed  exit codes  p50  p95",
        "no-push.sh  PreToolUse  2  1  0  0: 1, 2: 1  <time>  <time>",
        "allow-writes.sh  PreToolUse  3  0  0  0: 3  <time>  <time>",
        "log-edit.sh  PostToolUse  2  0  0  0: 2  <time>  <time>",
        "",
        "3 hooks, from <home>/.ext/hooks.jsonl",
        "",
      ]
    `)
    const json = JSON.parse((await ext(['hooks', 'stats', '--project', project, '--json'], { home })).stdout)
    expect(json).toMatchObject({ ledger: file, neverFired: [], alwaysFailing: [] })
  })

  it('names what never fired and what always fails', async () => {
    const project = await demoProject()
    const home = await temporaryFolder()
    await writeFile(join(project, '.claude/hooks/log-edit.sh'), '#!/bin/sh\nexit 7\n')
    await replace(join(project, SETTINGS), '"matcher": "Bash"', '"matcher": "Nothing"')
    await ext(['run', '--trust-project', '--project', project, 'Release'], { home })
    const { stdout } = await ext(['hooks', 'stats', '--project', project], { home })
    expect(stdout).toContain('\nnever fired: no-push.sh\nalways failing: log-edit.sh\n')
    expect(stdout).toMatch(/^log-edit\.sh +PostToolUse +\d+ +0 +\d+ +7: \d+ /m)
  })
})

describe('the ledger of hooks', () => {
  it('that can’t be written is said once, and the run goes on', async () => {
    const project = await demoProject()
    const home = await temporaryFolder()
    await mkdir(join(home, '.ext/hooks.jsonl'), { recursive: true })
    const { stdout, stderr } = await ext(['run', '--trust-project', '--project', project, 'Release'], { home })
    expect(stdout).toContain('result      done')
    expect(stderr.match(/The ledger of hooks failed and is off/g)).toHaveLength(1)
  })

  it('is bounded: a full file becomes the one before it', async () => {
    const { fileLedger, readLedger } = await import('../src/hook-ledger.js')
    const path = join(await temporaryFolder(), 'folder/hooks.jsonl')
    const ledger = fileLedger(path)
    const record = {
      at: '2026-01-01T00:00:00.000Z',
      session: 's',
      event: 'Stop',
      id: 'id',
      hook: 'x'.repeat(1_000_000),
      place: '',
      why: '',
      outcome: 'decided',
      ms: 1,
      effects: [],
    } as const
    for (let turn = 0; turn < 9; turn++) ledger.write(record)
    expect((await stat(path)).size).toBeLessThan(4.2 * 1024 * 1024)
    expect((await stat(path.replace('.jsonl', '.1.jsonl'))).size).toBeLessThan(4.2 * 1024 * 1024)
    await writeFile(path, `${await readFile(path, 'utf8')}{"half":`)
    const read = await readLedger(path)
    expect(read.length).toBeGreaterThanOrEqual(4)
    expect(read.length).toBeLessThan(9)
  })
})
