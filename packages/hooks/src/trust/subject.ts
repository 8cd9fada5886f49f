import type { HostPorts, Located } from '@ext/kernel'
import { childEnv, type EnvPreset } from '@ext/kernel/env'
import { resolvePath } from '@ext/kernel/match'
import type { Runs, TrustSubject } from '@ext/kernel/trust'
import type { AgentAction, CommandAction, HttpAction, PromptAction } from '../config/actions.js'
import { commandLine } from '../config/command-line.js'
import { comparedText } from '../config/condition.js'
import { type HookEntry, hookName } from '../config/entry.js'
import { folderVariables } from '../config/folders.js'
import { headerVariables } from '../config/header-variables.js'
import { placeholders } from '../config/http-body.js'
import type { SwitchedOff } from '../config/switches.js'
import { LOOKS_LIKE_SCRIPT, shellWords } from './words.js'

/** What decides which files a command names. */
export interface SubjectHost {
  readonly root: string
  readonly ports: Pick<HostPorts, 'env' | 'platform' | 'home'>
  readonly envPresets: readonly EnvPreset[]
}

/**
 * What a person agrees to when a hook is approved, made from what runs.
 * @param cwd where it is about to run, unless it says so itself
 */
export function trustSubject(
  { value: hook, source }: Pick<Located<HookEntry>, 'value' | 'source'>,
  host: SubjectHost,
  cwd: string = host.root,
): TrustSubject {
  const { event, matcher, condition, background, merge, stdout, owner } = hook
  const text = comparedText(condition)
  const also = {
    event: event.event ?? event.notFired,
    ...(matcher === undefined ? {} : { matcher }),
    ...(text === undefined ? {} : { if: text }),
    ...(background === undefined ? {} : { background }),
    ...(merge === undefined ? {} : { merge }),
    ...(stdout === undefined ? {} : { stdout }),
  }
  const runs = runsOf(hook, host, cwd)
  return {
    kind: 'hooks',
    name: hookName(hook),
    // A skill or an agent of a project is a part of the project.
    root: owner && source.layer === 'plugin' ? owner.root : host.root,
    runs: { ...runs, also: { ...also, ...runs.also } },
  }
}

/** Nobody reads more than this before saying yes, and looking for files in it takes its time. UTF-16 units. */
export const MAX_COMMAND_LENGTH = 32_768

/** How much there is to read of a command. */
export function commandLength({ command, args = [], env }: CommandAction): number {
  return [command, ...args, ...Object.values(env)].reduce((sum, text) => sum + text.length, 0)
}

/** What a person agrees to when a file of the project may switch off hooks of others. */
export function switchSubject({ all, names }: SwitchedOff, root: string): TrustSubject {
  const name = all ? 'disableAllHooks' : 'disabledHooks'
  const also = { 'switched off': all ? 'all hooks of the project and of plugins' : names }
  return { kind: 'hooks', name, root, runs: { also } }
}

function runsOf(hook: HookEntry, host: SubjectHost, cwd: string): Runs {
  const { action } = hook
  switch (action.type) {
    case 'command':
      return commandRuns(hook, action, host, cwd)
    case 'http':
      return httpRuns(action)
    case 'prompt':
      return promptRuns(action)
    case 'agent':
      return agentRuns(action)
    case 'function':
      // Functions are the embedder's own, and nobody is asked about them.
      return { also: { function: action.fn.name } }
  }
}

function commandRuns(hook: HookEntry, action: CommandAction, host: SubjectHost, cwd: string): Runs {
  const { root, ports, envPresets } = host
  const folders = folderVariables(hook, root)
  const { env } = childEnv({
    host: ports.env,
    platform: ports.platform,
    passEnv: action.passEnv,
    presets: envPresets,
    declared: { ...action.env, ...folders },
  })
  const command = commandLine(action, folders)
  // An argument can be a script too, as behind `bash -c`.
  const written =
    'script' in command
      ? shellWords(command.script, env)
      : [command.file, ...command.args].flatMap((text) => [
          text,
          ...(LOOKS_LIKE_SCRIPT.test(text) ? shellWords(text, env) : []),
        ])
  // Variables can say what runs too: BASH_ENV, NODE_OPTIONS, or one that the command reads.
  const given = [...Object.keys(action.env), ...action.passEnv].flatMap((name) => (env[name] ?? '').split(/[\s:=,]+/))
  const words = [...written, ...given].filter((word) => word !== '')
  const base = action.cwd === undefined ? cwd : resolvePath(action.cwd, { cwd: root, home: ports.home })
  const near = (env['PATH'] ?? '').split(':').filter((path) => isNear(path, [root, base]))
  const onPath = near.flatMap((folder) =>
    words.filter((word) => !word.includes('/')).map((word) => `${folder || '.'}/${word}`),
  )
  return {
    command,
    ...(action.cwd === undefined ? { sessionCwd: cwd } : { cwd: base }),
    words: [...words, ...onPath],
    ...(Object.keys(action.env).length > 0 ? { env: action.env } : {}),
    ...(action.passEnv.length > 0 ? { passEnv: action.passEnv } : {}),
  }
}

/** Programs of the system are not the project's. */
function isNear(path: string, folders: readonly string[]): boolean {
  return !path.startsWith('/') || folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
}

function httpRuns({ url, method, headers, allowedEnvVars, body, fields, raw }: HttpAction): Runs {
  const read = Object.values(headers).flatMap(headerVariables)
  const handed = allowedEnvVars.filter((name) => read.includes(name))
  return {
    url,
    host: new URL(url).host,
    headers,
    ...(handed.length > 0 ? { passEnv: handed } : {}),
    sends: body === undefined ? (fields ?? 'everything') : [...placeholders(body)],
    also: {
      method,
      secrets: raw ? 'sent as they are' : 'masked',
      ...(body === undefined ? {} : { body }),
    },
  }
}

function promptRuns(action: PromptAction): Runs {
  if (action.text !== undefined) return { prompt: action.text, also: { asks: 'nobody; the model is told this' } }
  const { prompt, model } = action
  return { prompt, sends: 'everything', also: { asks: model === undefined ? 'the usual model' : `the model ${model}` } }
}

function agentRuns({ agent, prompt, tools, model }: AgentAction): Runs {
  return {
    prompt,
    sends: 'everything',
    ...(tools === undefined ? {} : { tools }),
    also: {
      asks: agent === undefined ? 'a sub-agent' : `the agent ${agent}`,
      ...(tools === undefined ? { allows: 'tools that only read' } : {}),
      ...(model === undefined ? {} : { model }),
    },
  }
}
