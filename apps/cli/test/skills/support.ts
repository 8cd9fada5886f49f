import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { RunEvent } from '@ext/agent-core/types'
import type { LifecyclePayloads } from '@ext/kernel/contract'
import { ext, temporaryFolder } from '../bin.js'
import type { EventOf } from '../events.js'

type Payload = LifecyclePayloads['BeforeModel'] & { readonly agent_type?: string }

export interface SkillRun {
  /** What stands between the fences of SKILL.md, below its description. */
  readonly header?: string
  readonly body?: string
  /** Turns of the script. Default: the model loads the skill and ends. */
  readonly turns?: readonly unknown[]
  /** What a sub-agent plays whose conversation holds `SUB`. */
  readonly sub?: readonly unknown[]
  readonly prompt?: string
  readonly flags?: readonly string[]
  /** Whose skill it is. The person's own are trusted. Default `user`. */
  readonly whose?: 'user' | 'project'
  readonly files?: Readonly<Record<string, string>>
}

export const LOAD = { calls: [{ tool: 'load_skill', input: { name: 'it' } }] }
export const END = { say: 'Done.' }

export function bash(command: string): { readonly calls: readonly unknown[] } {
  return { calls: [{ tool: 'Bash', input: { command } }] }
}

/** Runs the built `ext` in a project with the skill `it`, and notes what models are sent. */
export async function runSkill(setup: SkillRun) {
  const {
    header = '',
    body = 'Do it.',
    turns = [LOAD, END],
    sub,
    prompt = 'Go on.',
    flags = [],
    whose = 'user',
  } = setup
  const home = await temporaryFolder()
  const project = await temporaryFolder()
  const skill = `---\ndescription: Does it.\n${header}${header === '' ? '' : '\n'}---\n${body}\n`
  const script = { turns, ...(sub ? { agents: [{ when: { contains: 'SUB' }, turns: sub }] } : {}) }
  const files: Readonly<Record<string, string>> = {
    [join(whose === 'user' ? home : project, '.claude/skills/it/SKILL.md')]: skill,
    [join(home, '.ext/config.yaml')]:
      'hooks: [{event: BeforeModel, action: {type: command, command: "cat >> requests.jsonl; echo >> requests.jsonl"}}]\n',
    [join(project, '.ext/config.yaml')]: 'model: scripted:script.json\n',
    [join(project, 'script.json')]: JSON.stringify(script),
    ...Object.fromEntries(Object.entries(setup.files ?? {}).map(([path, text]) => [join(project, path), text])),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  const args = ['run', prompt, '--project', project, '--output', 'stream-json', ...flags]
  const ran = await ext(args, { home, cwd: project })
  const events = ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunEvent)
  const noted = await readFile(join(project, 'requests.jsonl'), 'utf8').catch(() => '')
  const requests = noted
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Payload)
  return {
    ...ran,
    home,
    project,
    events,
    of: <T extends RunEvent['type']>(type: T) => events.filter((e): e is EventOf<T> => e.type === type),
    main: requests.filter((each) => each.agent_type === undefined).map(({ request }) => request),
    ofAgent: requests.filter((each) => each.agent_type !== undefined).map(({ request }) => request),
  }
}

/** All that a model was sent besides the system prompt. */
export function sentTo(request: LifecyclePayloads['BeforeModel']['request'] | undefined): string {
  return JSON.stringify(request?.messages ?? [])
}

/** The official filesystem server, whose tools stand for Read and Edit. */
export function filesystemServer(): string {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')
  return JSON.stringify({
    mcpServers: { fs: { command: 'node', args: [join(dirname(manifest), 'dist/index.js'), '.'] } },
  })
}
