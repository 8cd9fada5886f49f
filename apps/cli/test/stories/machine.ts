import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunEvent } from '@ext/agent-core/types'
import { doctor } from '../../src/commands/doctor.js'
import { doctor as hooksDoctor } from '../../src/commands/hooks/doctor.js'
import { explain } from '../../src/commands/permissions/explain.js'
import { run } from '../../src/commands/run.js'
import { approve } from '../../src/commands/trust/approve.js'
import { list } from '../../src/commands/trust/list.js'
import type { Io } from '../../src/io.js'
import { ext } from '../bin.js'
import type { Call, Project } from './projects.js'
import { writeProject } from './projects.js'

/** Runs one command to its end, with `--json` where it has that. */
export type Command = (args: readonly string[]) => Promise<{ readonly code: number | null; readonly stdout: string }>

/** Where the commands of one project run: by the built bin, or in this process, which costs a tenth. */
export interface Machine {
  readonly root: string
  doctor(): Promise<Doctor>
  hooksDoctor(): Promise<HooksDoctor>
  trusted(): Promise<Trusted>
  approve(): Promise<number | null>
  /** `undefined` where no such tool is known. */
  explain(call: Call): Promise<Explained | undefined>
  run(): Promise<readonly RunEvent[]>
  close(): Promise<void>
}

export interface Doctor {
  readonly entries: readonly {
    readonly axis: string
    readonly name: string
    readonly verdict: string
    readonly source: { readonly file?: string; readonly line?: number; readonly column?: number }
  }[]
}

export interface HooksDoctor {
  readonly hooks: readonly { readonly name: string; readonly verdict: string; readonly state: string }[]
}

export interface Trusted {
  readonly pending: readonly { readonly kind: string; readonly name: string }[]
  readonly approved: readonly { readonly kind: string; readonly name: string }[]
}

export interface Explained {
  readonly hooks: readonly { readonly name: string; readonly runs: boolean; readonly why: string }[]
  readonly permission: {
    readonly behavior: string
    readonly decidedBy: { readonly layer: string; readonly rule?: string; readonly source?: object }
  }
  readonly notOffered?: string
}

/** @param by `bin`: as its users do · `process`: in this one, whose variables it sets */
export async function machineFor(project: Project, by: 'bin' | 'process'): Promise<Machine> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ext-story-')))
  const root = join(folder, 'project')
  const home = join(folder, 'home')
  await mkdir(root)
  await mkdir(home)
  await writeProject(project, root, home)
  const said = by === 'bin' ? byBin(root, home) : inProcess(root, home)
  const json = async <T>(args: readonly string[]) => JSON.parse((await said([...args, '--json'])).stdout) as T
  return {
    root,
    doctor: () => json(['doctor']),
    hooksDoctor: () => json(['hooks', 'doctor']),
    trusted: () => json(['trust', 'list']),
    approve: async () => (await said(['trust', 'approve', '--yes'])).code,
    async explain({ tool, input }) {
      const { code, stdout } = await said(['explain', tool, '--input', JSON.stringify(input), '--json'])
      return code === 2 ? undefined : (JSON.parse(stdout) as Explained)
    },
    async run() {
      const { stdout } = await said([
        'run',
        'Go',
        '--model',
        `scripted:${join(root, 'script.json')}`,
        '--output',
        'stream-json',
        '--no-save',
      ])
      return stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as RunEvent)
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

function byBin(root: string, home: string): Command {
  return (args) => ext([...args, '--project', root], { cwd: root, home })
}

function inProcess(project: string, home: string): Command {
  return async (args) => {
    const [first = '', second = ''] = args
    let stdout = ''
    const io: Io = {
      out: (text) => {
        stdout += `${text}\n`
      },
      err: () => {},
      signal: new AbortController().signal,
      interrupt: () => {},
    }
    const { HOME } = process.env
    process.env['HOME'] = home
    try {
      return { code: await play(first, second, args, project, io), stdout }
    } finally {
      process.env['HOME'] = HOME
    }
  }
}

function play(first: string, second: string, args: readonly string[], project: string, io: Io): Promise<number> {
  const after = (flag: string) => args[args.indexOf(flag) + 1] ?? ''
  switch (first === 'run' || first === 'explain' ? first : `${first} ${second}`) {
    case 'doctor --json':
      return doctor({ project, json: true }, io)
    case 'hooks doctor':
      return hooksDoctor({ project, json: true }, io)
    case 'trust list':
      return list({ project, json: true }, io)
    case 'trust approve':
      return approve([], { project, yes: true }, io)
    case 'explain':
      return explain(second, { project, input: after('--input'), json: true }, io)
    case 'run':
      return run(
        second,
        { project, model: after('--model'), output: 'stream-json', save: false, allow: [], deny: [] },
        io,
      )
    default:
      throw new Error(`Nothing here plays ${args.join(' ')}.`)
  }
}
